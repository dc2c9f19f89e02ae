"""Networks of given parents or orders, and the search over orders, against rescoring everything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tanager
from bridge import close, fit, structure_of
from reference.learners import LEARNERS, bfs_order
from reference.scores import SCORES, network_score
from reference.structure import is_acyclic, parent_lists
from strategies import tables
from tanager import BCkGClassifier, NetworkClassifier, OrderSearchClassifier, load_model, save_model
from tanager.exceptions import DataError, DataTypeError
from test_learners import tree_of

PLAIN = sorted(set(SCORES) - {"acll"})


@settings(max_examples=25)
@given(tables(max_attributes=5, max_rows=16), st.sampled_from(PLAIN), st.data())
def test_the_graph_of_an_order_is_the_best_that_follows_it(table, name, data):
    order = data.draw(st.permutations(range(table.n_attributes)))
    k = data.draw(st.integers(0, 3))
    model, score = fit(table, "network", name, order=[order], k=k)
    expected = LEARNERS["network"](table, order=order, k=k, score=SCORES[name])
    parents = parent_lists(structure_of(model))
    assert all(order.index(p) < order.index(child) for child, of in enumerate(parents) for p in of)
    assert close(score, network_score(table, parent_lists(expected), SCORES[name]))
    assert structure_of(model) == expected


@settings(max_examples=25)
@given(tables(max_attributes=5, max_rows=16), st.data())
def test_given_parents_are_kept_and_scored(table, data):
    order = data.draw(st.permutations(range(table.n_attributes)))
    parents = [[] for _ in order]
    for place, child in enumerate(order):
        parents[child] = data.draw(st.lists(st.sampled_from(order[:place]), unique=True)) if place else []
    model, score = fit(table, "network", "bic", parents=parents)
    assert structure_of(model) == LEARNERS["network"](table, parents=parents)
    assert close(score, network_score(table, parents, SCORES["bic"]))


@pytest.mark.parametrize("name", ["bic", "bdeu", "k2"])
@settings(max_examples=15)
@given(table=tables(max_attributes=4, max_rows=16, huge=False), seed=st.integers(0, 5), k=st.integers(1, 2))
def test_the_search_over_orders_is_the_oracle_s(name, table, seed, k):
    start = bfs_order(tree_of(fit(table, "tan", name)[0]))
    model, score = fit(table, "order", name, k=k, restarts=2, random_state=seed)
    expected = LEARNERS["order"](table, k, SCORES[name], 2, seed, start)
    assert is_acyclic(structure_of(model))
    assert close(score, network_score(table, parent_lists(expected), SCORES[name]))
    assert score >= fit(table, "bckg", name, k=k)[1] - 1e-9 * abs(score)


def test_restarts_help_and_the_seed_decides():
    data = tanager.load_dataset("lymphography")
    scores = [
        OrderSearchClassifier(score="bdeu", restarts=restarts, random_state=3).fit(data.X, data.y)
        for restarts in (0, 3, 3)
    ]
    first, more, again = (model.structure_score_ for model in scores)
    assert more >= first
    assert more == again
    assert scores[1].network_ == scores[2].network_


def test_exchanges_of_neighbours_raise_the_score_of_the_tree_s_order():
    data = tanager.load_dataset("lymphography")
    start = BCkGClassifier(k=2, score="k2").fit(data.X, data.y)
    climbed = OrderSearchClassifier(k=2, score="k2", restarts=0).fit(data.X, data.y)
    assert climbed.structure_score_ > start.structure_score_ + 0.5


def rows():
    X = np.array([[a, b, a ^ b] for a in (0, 1) for b in (0, 1)] * 20)
    return X, np.array([0, 1] * 40)


def test_columns_are_named_or_counted_and_files_keep_them(tmp_path):
    X, y = rows()
    model = NetworkClassifier(parents={"x2": ["x0", 1]}).fit(X, y)
    assert model.network_.parents == {"x0": (), "x1": (), "x2": ("x0", "x1")}
    save_model(model, tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    assert again.get_params()["parents"] == {"x2": ["x0", 1]}
    np.testing.assert_array_equal(again.fit(X, y).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("chosen", "said", "error"),
    [
        ({"parents": {"x0": ["x1"], "x1": ["x0"]}}, "form a cycle among x0, x1", DataError),
        ({"parents": {"x0": ["x0"]}}, "form a cycle among x0", DataError),
        ({"parents": {"z": []}}, "'z' is not a column", DataError),
        ({"parents": {"x0": ["x1", 1]}}, "names column 'x1' twice", DataError),
        ({"parents": {"x0": "x1"}}, "it is a list of columns", DataTypeError),
        ({"parents": ["x0"]}, "it maps columns to lists", DataTypeError),
        ({"order": ["x0", "x1"]}, "the order lacks x2", DataError),
        ({"order": ["x0", "x1", "x1"]}, "names column 'x1' twice", DataError),
        ({"order": "x0"}, "it is a list of columns", DataTypeError),
        ({"order": ["x0", "x1", "x2"], "parents": {}}, "are both given", DataError),
    ],
)
def test_bad_requests_are_named(chosen, said, error):
    with pytest.raises(error, match=said):
        NetworkClassifier(**chosen).fit(*rows())


def test_the_core_checks_for_itself():
    X, y = rows()
    data = tanager.Dataset(X, [2, 2, 2], y, 2)
    for chosen, said in [
        ({"parents": [[1], [0], []]}, "cycle"),
        ({"parents": [[]]}, "the list of parents has length 1, expected 3"),
        ({"order": [[0, 1]]}, "the order of columns has length 2, expected 3"),
        ({"order": [[0, 1, 1]]}, "stands twice"),
        ({"order": [[0, 1, 2]], "parents": [[], [], []]}, "one is enough"),
        ({"order": 3.0}, "unknown order"),
    ]:
        with pytest.raises(DataError, match=said):
            tanager._core.fit(data, "network", chosen, "bic", "laplace")
    with pytest.raises(DataError, match="restarts"):
        OrderSearchClassifier(restarts=-1).fit(X, y)
