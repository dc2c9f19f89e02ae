"""Importances of numbers that are not cut, against sums over fine grids and closed forms."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from reference import importances as oracle
from tanager import NaiveBayesClassifier, TANClassifier, load_dataset, load_model, save_model


def table(rows: int = 160):
    """Numbers that depend on a word, on the class and on each other, with cells that are missing."""
    rng = np.random.default_rng(3)
    y = rng.choice(["no", "yes"], rows)
    word = rng.choice(["a", "b", "c"], rows)
    first = rng.normal(size=rows) + 2.0 * (word == "b") - 2.0 * (word == "c") + (y == "yes")
    second = rng.normal(size=rows) * np.where(y == "yes", 2.0, 0.5)
    third = 0.8 * first + rng.normal(size=rows) + 0.7 * (y == "no")
    X = pd.DataFrame({"word": word, "first": first, "second": second, "third": third})
    X.loc[::7, "second"] = np.nan
    X.loc[(y == "yes") & (np.arange(rows) % 3 == 0), "first"] = np.nan
    return X, y


def all_codes(model):
    """P(c, codes) of the core's tables, for all codes."""
    nodes = model.model_.nodes
    tables = [model.model_.table(place) for place in range(len(nodes))]
    for codes in product(*(range(column.arity) for column in model.encoder_.columns)):
        log = np.array(model.model_.log_prior)
        for (members, parents), theta in zip(nodes, tables, strict=True):
            log = log + theta[tuple(codes[i] for i in (*parents, *members))]
        yield codes, np.exp(log)


def family(model, columns):
    """P(c, codes of these columns), all others summed over."""
    found: dict = {}
    for codes, p in all_codes(model):
        key = tuple(codes[i] for i in columns)
        found[key] = found.get(key, 0.0) + p
    return {key: np.log(p) for key, p in found.items()}


def normal(x, mean, variance):
    return -0.5 * (np.log(2 * np.pi * variance) + (x - mean) ** 2 / variance)


def densities(made, j, x, above=None, code=None):
    """ln f(x | c) of each class, where a numeric parent is `above`, or a discrete one has `code`."""
    found = []
    for c in range(made.mean.shape[1]):
        if made.kernels:
            points, weights, width = made.kernels[j][c]
            found.append(special.logsumexp(normal(x, points, width**2), b=weights / weights.sum()))
            continue
        mean, variance = made.mean[j, c], made.variance[j, c]
        if above is not None:
            mean = mean + made.slope[j, c] * (above - made.mean[made.parents[j][1], c])
            variance = made.residual[j, c]
        elif code is not None:
            mean, variance = made.by_value[j][0][c, code], made.by_value[j][1][c, code]
        found.append(normal(x, mean, variance))
    return np.array(found)


def grid(made, j, steps):
    low, high = made.range_of(j)
    wide = high - low
    edges = np.linspace(low - wide, high + wide, steps + 1)
    return (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]


def expected(model, name):
    """Contribution and information of one column of numbers, by the oracle."""
    made, column = model.continuous_, list(model.feature_names_in_).index(name)
    j = made.columns.index(column)
    place, parents = next(
        (i, tuple(node[1])) for i, node in enumerate(model.model_.nodes) if node[0] == [column]
    )
    theta, parent = model.model_.table(place), made.parents[j]
    beside = () if parent is None else (made.columns[parent[1]] if parent[0] == "numeric" else parent[1],)
    columns = list(dict.fromkeys((*parents, column, *beside)))
    points = []
    for codes, log_joint in family(model, columns).items():
        code = dict(zip(columns, codes, strict=True))
        t = theta[tuple(code[i] for i in (*parents, column))]
        if code[column] == 1:
            points.append((log_joint, t, 1.0))
        elif parent is not None and parent[0] == "numeric" and code[beside[0]] == 0:
            (ups, up), (xs, wide) = grid(made, parent[1], 150), grid(made, j, 150)
            for above in ups:
                marginal = densities(made, parent[1], above)
                for x in xs:
                    log = densities(made, j, x, above=above)
                    points.append((log_joint + marginal + log, t + log, up * wide))
        else:
            discrete = parent is not None and parent[0] == "discrete"
            xs, wide = grid(made, j, 1500)
            for x in xs:
                log = densities(made, j, x, code=code[beside[0]] if discrete else None)
                points.append((log_joint + log, t + log, wide))
    alone = []
    for (code,), log_joint in family(model, [column]).items():
        if code == 1:
            alone.append((log_joint, 1.0))
        else:
            xs, wide = grid(made, j, 1500)
            alone += [(log_joint + densities(made, j, x), wide) for x in xs]
    return oracle.contribution(points), oracle.information(alone, model.model_.log_prior)


@pytest.mark.parametrize("missing", ["category", "available"])
@pytest.mark.parametrize(
    ("learner", "kind", "names"),
    [
        (NaiveBayesClassifier, "gaussian", ["first", "second"]),
        (NaiveBayesClassifier, "kernel", ["second"]),
        (TANClassifier, "gaussian", ["first", "second", "third"]),
    ],
)
def test_numbers_count_as_sums_over_a_grid_say(learner, kind, names, missing):
    X, y = table()
    model = learner(numeric=kind, missing=missing).fit(X, y)
    found = model.importances()
    assert set(found) == set(X.columns)
    if learner is TANClassifier:
        kinds = {None if parent is None else parent[0] for parent in model.continuous_.parents}
        assert {"numeric", "discrete"} <= kinds
    for name in names:
        contribution, information = expected(model, name)
        assert found[name] == pytest.approx(contribution, abs=1e-3)
        assert found.information[name] == pytest.approx(information, abs=1e-4)
        assert contribution > 0.01


def test_numbers_that_are_alike_in_all_classes_say_nothing():
    y = np.repeat(["a", "b"], 50)
    X = pd.DataFrame({"same": np.tile(np.linspace(0, 1, 50), 2), "far": np.linspace(0, 1, 100)})
    for kind in ("gaussian", "kernel"):
        found = NaiveBayesClassifier(numeric=kind).fit(X, y).importances()
        assert found["same"] == pytest.approx(0, abs=1e-9)
        assert found.information["same"] == pytest.approx(0, abs=1e-9)
        assert 0.3 < found.information["far"] < np.log(2)


@pytest.mark.parametrize("kind", ["gaussian", "kernel"])
def test_what_is_certain_has_the_entropy_of_the_class(kind):
    """Classes that lie far apart: I(X; C) is H(C), whatever the scale of the numbers."""
    y = np.repeat([0, 1], [30, 60])
    for scale in (1e-6, 1.0, 1e9):
        X = scale * (1000.0 * y + np.random.default_rng(0).normal(size=90))[:, None]
        found = NaiveBayesClassifier(numeric=kind).fit(X, y).importances()
        entropy = stats.entropy([(30 + 1) / 92, (60 + 1) / 92])
        assert found.information["x0"] == pytest.approx(entropy, abs=0.01)
        assert found["x0"] == pytest.approx(0, abs=1e-9)


def test_files_keep_importances(tmp_path):
    iris = load_dataset("iris")
    model = TANClassifier(numeric="gaussian").fit(iris.X, iris.y)
    save_model(model, tmp_path / "m.json")
    assert dict(load_model(tmp_path / "m.json").importances()) == dict(model.importances())
