"""Drawings of networks: nothing overlaps, nothing is too wide, no arc runs through a box."""

from functools import partial
from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tanager import (
    ASBClassifier,
    BCkGClassifier,
    BSEJClassifier,
    FFSSClassifier,
    FSSClassifier,
    FSSJClassifier,
    KDBClassifier,
    TANClassifier,
    load_dataset,
    load_model,
    save_model,
)
from tanager.drawing import draw, network_svg
from tanager.drawing.boxes import HEIGHT
from tanager.network import Network

SVG = "{http://www.w3.org/2000/svg}"


def inside(box, x, y, slack=0.5):
    """Whether a point lies in a box, its edge left out."""
    return box.x + slack < x < box.x + box.width - slack and box.y + slack < y < box.y + HEIGHT - slack


def along(route):
    """Points on the way of an arc, by the definition of Bézier curves of any degree."""
    at = None
    for letter, points in route.steps:
        if letter != "M":
            for t in np.linspace(0.0, 1.0, 33):
                left = [np.array(at), *map(np.array, points)]
                while len(left) > 1:
                    left = [(1 - t) * a + t * b for a, b in pairwise(left)]
                yield tuple(left[0])
        at = points[-1]


def check(drawing, width):
    """All that must hold of every drawing."""
    boxes = drawing.boxes + ([drawing.root] if drawing.root else [])
    assert drawing.width <= width
    for box in boxes:
        assert box.x >= 0.0
        assert box.x + box.width <= drawing.width
        assert box.y >= 0.0
        assert box.y + HEIGHT <= drawing.height
    for a, b in combinations(boxes, 2):
        apart_x = a.x + a.width <= b.x or b.x + b.width <= a.x
        apart_y = a.y + HEIGHT <= b.y or b.y + HEIGHT <= a.y
        assert apart_x or apart_y, f"{a.label} and {b.label} overlap"
    for route in drawing.routes:
        assert route.steps[0][1][0] == (route.arc.parent.right, route.arc.parent.middle)
        assert route.tip == (route.arc.child.x, route.arc.child.middle)
        for x, y in along(route):
            assert 0.0 <= x <= drawing.width
            assert 0.0 <= y <= drawing.height
            through = [box.label for box in boxes if inside(box, x, y)]
            assert not through, f"{route.arc.text} runs through {through}"


@st.composite
def networks(draw, most=60):
    """A network of up to 60 attributes, with names of all lengths, some joined, each with up to 3 parents."""
    n = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    longest = draw(st.sampled_from([3, 12, 80]))
    names = [f"{i}" + "n" * int(rng.integers(0, longest)) for i in range(n)]
    reach = draw(st.sampled_from([1, 4, n]))  # how far back a parent may lie: chains, and tangles
    k = draw(st.integers(0, 3))
    groups: list[list[int]] = []
    for i in range(n):
        if groups and rng.random() < 0.1:
            groups[-1].append(i)
        else:
            groups.append([i])
    nodes = []
    for place, members in enumerate(groups):
        near = range(max(0, place - reach), place)
        some = (
            rng.choice(near, size=min(len(near), int(rng.integers(0, k + 1))), replace=False) if near else []
        )
        nodes.append((members, [member for other in some for member in groups[int(other)]]))
    return Network.build(names, nodes, draw(st.sampled_from(["class", None, "c" * 90])))


def described(network):
    """The network as reports have it."""
    return {"nodes": network.nodes, "edges": network.edges, "groups": network.groups}


@settings(max_examples=40, deadline=None)
@given(networks(), st.sampled_from([240.0, 390.0, 960.0]))
def test_boxes_keep_apart_and_within_the_width(network, width):
    drawing = draw(described(network), network.class_name, width=width)
    assert sorted(box.members for box in drawing.boxes) == sorted(network.groups)
    home = {name: group for group in network.groups for name in group}
    arcs = {(route.arc.parent.members, route.arc.child.members) for route in drawing.routes}
    assert arcs == {(home[a], home[b]) for a, b in network.edges}
    assert len(drawing.routes) == len(arcs)
    check(drawing, width)


@pytest.mark.parametrize(
    ("name", "model"), [("splice", TANClassifier()), ("chess", BCkGClassifier(k=3))], ids=["splice", "chess"]
)
def test_large_networks_stay_readable(name, model):
    table = load_dataset(name)
    network = model.fit(table.X, table.y).network_
    drawing = draw(described(network))
    check(drawing, 960.0)
    assert drawing.height < 1000.0
    root = ElementTree.fromstring(network.to_svg())
    assert float(root.get("width")) <= 960.0
    shown = [group.find(f"{SVG}text").text for group in root.iter(f"{SVG}g") if group.get("class") == "node"]
    assert sorted(shown) == sorted(network.nodes)


@settings(max_examples=30, deadline=None)
@given(networks(most=20), st.data())
def test_focus_holds_exactly_the_neighbours(network, data):
    name = data.draw(st.sampled_from(network.nodes))
    home = {member: group for group in network.groups for member in group}
    near = {home[name]}
    near |= {home[a] for a, b in network.edges if home[b] == home[name]}
    near |= {home[b] for a, b in network.edges if home[a] == home[name]}
    drawing = draw(described(network), network.class_name, focus=name)
    assert {box.members for box in drawing.boxes} == near
    assert all(home[name] in (r.arc.parent.members, r.arc.child.members) for r in drawing.routes)
    assert len(drawing.routes) == len(near) - 1
    check(drawing, 960.0)


def test_a_star_is_wrapped_too():
    names = [f"leaf {i}" for i in range(59)]
    drawing = draw({"nodes": ["hub", *names], "edges": [["hub", name] for name in names]})
    check(drawing, 960.0)
    assert drawing.height < 700.0


def test_a_circle_in_a_file_is_drawn():
    drawing = draw({"nodes": ["a", "b", "c"], "edges": [["a", "b"], ["b", "c"], ["c", "a"]]})
    check(drawing, 960.0)
    assert len(drawing.routes) == 3


def test_names_are_text_and_the_file_is_the_text(tmp_path):
    names = ["<b>&\"'", "\x1b[31m\x00", "表" * 50, "\ud800", "$x$"]
    network = Network.build(names, [((0,), ())] + [((i,), (0,)) for i in range(1, 5)], "<class>\n")
    path = tmp_path / "network.svg"
    text = network.to_svg(path)
    assert path.read_text(encoding="utf-8") == text + "\n"
    assert network._repr_svg_() == text
    titles = {title.text for title in ElementTree.fromstring(text).iter(f"{SVG}title")}
    assert {"<b>&\"'", r"\x1b[31m\x00", "表" * 50, r"\ud800", r"<class>\n"} <= titles
    check(draw(described(network), network.class_name), 960.0)


def test_strong_arcs_are_wide_and_say_how_strong():
    network = {"nodes": ["a", "b", "c"], "edges": [["a", "b"], ["b", "c"]], "strengths": [0.5, 0.1]}
    root = ElementTree.fromstring(network_svg(network))
    edges = [path for path in root.iter(f"{SVG}path") if path.get("class") == "edge"]
    widths = [float(path.get("style").split("stroke-width:")[1].split(";")[0]) for path in edges]
    assert widths[0] > widths[1]
    assert edges[0].find(f"{SVG}title").text == "a → b: 0.5000 nats of conditional mutual information"


def test_what_cannot_be_drawn_is_refused():
    network = Network.build(["a", "b"], [((0,), ()), ((1,), (0,))])
    with pytest.raises(KeyError, match="'z' is not an attribute of the network: those are a, b"):
        network.to_svg(focus="z")
    for width in (10, float("nan")):
        with pytest.raises(ValueError, match="at least 240 pixels"):
            network.to_svg(width=width)


def test_plot_draws_every_box_and_arc():
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon

    network = Network.build(["$a$", "b", "c"], [((0,), ()), ((1,), (0,)), ((2,), (0, 1))])
    own = Figure().add_subplot()
    assert network.plot(own) is own
    ax = network.plot()
    ax.figure.canvas.draw()
    kinds = [type(patch) for patch in ax.patches]
    assert kinds.count(FancyBboxPatch) == 4
    assert kinds.count(PathPatch) == kinds.count(Polygon) == 3
    assert [text.get_text() for text in ax.texts][:3] == [r"\$a\$", "b", "c"]
    drawing = draw(described(network))
    for box, patch in zip(drawing.boxes, [p for p in ax.patches if type(p) is FancyBboxPatch], strict=False):
        assert (patch.get_x(), patch.get_y(), patch.get_width()) == (box.x, box.y, box.width)
    assert len(network.plot(focus="b").texts) == 5  # a, b and c, the class and its note


@pytest.mark.parametrize(
    "learner",
    [
        FFSSClassifier,
        FSSClassifier,
        FSSJClassifier,
        BSEJClassifier,
        ASBClassifier,
        partial(KDBClassifier, selective=True),
    ],
)
def test_support_is_what_the_network_uses(learner, tmp_path):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    X = rng.integers(0, 3, (200, 6)).astype(str)
    X[:, 2] = np.where(rng.random(200) < 0.9, y, 1 - y).astype(str)
    X[:, 4] = np.where(rng.random(200) < 0.7, y, 1 - y).astype(str)
    model = learner().fit(X, y)
    mask = model.get_support()
    assert mask.dtype == bool
    assert {f"x{i}" for i in np.flatnonzero(mask)} == set(model.network_.nodes)
    assert mask[2]
    assert model.get_support(indices=True).tolist() == np.flatnonzero(mask).tolist()
    save_model(model, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").get_support().tolist() == mask.tolist()


def test_support_may_be_empty_and_must_be_fitted():
    X = [[a] for a in "xy"] * 20
    y = [0, 0, 1, 1] * 10
    assert FFSSClassifier().fit(X, y).get_support().tolist() == [False]
    with pytest.raises(ValueError, match="not fitted"):
        FFSSClassifier().get_support()
