"""CkG and BCkG against trying everything, and what the papers promise of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tanager
from reference import learners, scores, trees
from reference.structure import is_acyclic, parent_lists
from reference.table import MISSING
from strategies import tables
from tanager import BCkGClassifier, CkGClassifier, CkGDensity, Dataset, TANClassifier, _core, best_parents
from tanager.exceptions import CapacityError, ColumnError, DataError
from tanager.registry import SCORES

NAMES = sorted(set(scores.SCORES) & set(SCORES))


def dataset(table) -> Dataset:
    weights = None if table.weights is None else np.asarray(table.weights, dtype=float)
    return Dataset(
        table.codes, table.arities, table.classes, table.n_classes, weights=weights, missing=MISSING
    )


def graph(table, learner: str, score, **settings) -> list[list[int]]:
    """The parents that the core's learner finds, with or without a class."""
    fit = _core.fit
    model, _ = fit(dataset(table), learner, settings, score, "laplace")
    return [list(parents) for _, parents in model.nodes]


def total(table, parents, score) -> float:
    return scores.network_score(table, parents, scores.SCORES[score])


def close(found: float, expected: float) -> bool:
    return abs(found - expected) <= 1e-9 * max(1.0, abs(expected))


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=60)
def test_best_parents_are_those_of_brute_force(name, data):
    # aCLL needs a class.
    table = data.draw(tables(max_attributes=6, with_class=True if name == "acll" else None, huge=False))
    child = data.draw(st.integers(0, table.n_attributes - 1))
    others = [i for i in range(table.n_attributes) if i != child]
    candidates = data.draw(st.lists(st.sampled_from(others), unique=True)) if others else []
    k = data.draw(st.integers(0, 4))
    expected, value = learners.best_parents(table, child, candidates, k, scores.SCORES[name])
    for prune in (True, False):
        found, score = best_parents(dataset(table), child, candidates, k, name, prune=prune)
        assert close(score, value)
        assert found == expected


@given(table=tables(min_attributes=2, max_attributes=5, missing=True, huge=False), k=st.integers(0, 3))
@settings(max_examples=40)
def test_gaps_and_weights_are_searched_too(table, k):
    weights = [0.5 + row % 3 for row in range(table.n_rows)]
    for counted in (table, table._replace(weights=weights)):
        score = scores.bic_gain if any(MISSING in row for row in table.codes) else scores.bic
        expected, value = learners.best_parents(counted, 0, range(1, table.n_attributes), k, score)
        found, score = best_parents(dataset(counted), 0, range(1, table.n_attributes), k, "bic")
        assert close(score, value)
        assert found == expected


def test_a_huge_domain_is_searched_row_by_row():
    rng = np.random.default_rng(3)
    codes = np.column_stack([rng.integers(0, 300, 400), rng.integers(0, 2, 400), rng.integers(0, 40, 400)])
    codes = np.column_stack([codes, codes[:, 0] % 3])
    data = Dataset(codes, [300, 2, 40, 3], class_codes=rng.integers(0, 3, 400))
    found, value = best_parents(data, 3, [0, 1, 2], 3, "ll")
    assert found == (0,)
    assert value == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=40)
def test_graphs_equal_brute_force_over_the_tree(name, data):
    with_class = True if name == "acll" else None
    table = data.draw(tables(min_attributes=2, max_attributes=6, with_class=with_class, huge=False))
    k = data.draw(st.integers(0, 3))
    root = data.draw(st.integers(0, table.n_attributes - 1))
    tree = graph(table, "tan", name, root=root)
    tree = [parents[0] if parents else -1 for parents in tree]
    for learner, reference in (("ckg", learners.ckg), ("bckg", learners.bckg)):
        found = graph(table, learner, name, k=k, root=root)
        expected = reference(table, k, scores.SCORES[name], tree)
        assert found == parent_lists(expected)
        assert is_acyclic(expected)


@pytest.mark.parametrize("name", ["ll", "bic", "k2", "mit"])
@given(table=tables(min_attributes=2, max_attributes=6, with_class=None, huge=False))
@settings(max_examples=60)
def test_each_family_of_graphs_scores_at_least_the_smaller_one(name, table):
    naive = total(table, [[]] * table.n_attributes, name)
    tan = total(table, graph(table, "tan", name), name)
    before = {"ckg": -np.inf, "bckg": -np.inf}
    for k in (1, 2, 3):
        found = {learner: total(table, graph(table, learner, name, k=k), name) for learner in before}
        slack = 1e-9 * max(1.0, abs(tan))
        assert max(naive, tan) <= found["ckg"] + slack
        assert found["ckg"] <= found["bckg"] + slack
        assert all(before[learner] <= found[learner] + slack for learner in before)
        before = found


@given(table=tables(min_attributes=2, max_attributes=6, huge=False))
@settings(max_examples=30)
def test_parents_come_before_in_the_order_of_depth_and_column(table):
    for name in ("bic", "k2"):
        tree = [parents[0] if parents else -1 for parents in graph(table, "tan", name)]
        order = trees.bfs_order(tree)
        place = {node: position for position, node in enumerate(order)}
        found = graph(table, "bckg", name, k=3)
        assert all(place[parent] < place[child] for child, list_ in enumerate(found) for parent in list_)


@given(table=tables(min_attributes=2, max_attributes=4, huge=False))
@settings(max_examples=60)
def test_the_best_root_is_the_best_of_all(table):
    for name in ("ll", "k2"):
        for learner in ("ckg", "bckg"):
            best = total(table, graph(table, learner, name, root="best"), name)
            each = [
                total(table, graph(table, learner, name, root=root), name)
                for root in range(table.n_attributes)
            ]
            assert close(best, max(each))


def level_data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 3, 600)
    rest = [np.where(rng.random(600) < 0.7, first, rng.integers(0, 3, 600)) for _ in range(5)]
    return np.column_stack([first, *rest]), rng.integers(0, 2, 600)


def test_level_orders_are_seeded_and_acyclic():
    X, y = level_data()
    networks = {
        seed: BCkGClassifier(score="ll", level_order="random", random_state=seed).fit(X, y).network_.parents
        for seed in range(6)
    }
    again = BCkGClassifier(score="ll", level_order="random", random_state=3).fit(X, y)
    assert again.network_.parents == networks[3]
    assert len({str(parents) for parents in networks.values()}) > 1
    tan = BCkGClassifier(score="ll", level_order="tan").fit(X, y)
    index = BCkGClassifier(score="ll").fit(X, y)
    for model in (tan, index, again):
        edges = model.network_.to_networkx()
        import networkx

        assert networkx.is_directed_acyclic_graph(edges)


def test_the_order_of_a_level_may_be_that_of_its_own_tree():
    # x0 tells three bits, x4 the same with noise, each of the others one: below x0, only x4 links them.
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (800, 3))
    noisy = np.where(rng.random((800, 6)) < 0.1, 1, 0)
    told = bits @ [1, 2, 4]
    blurred = (bits ^ noisy[:, 3:]) @ [1, 2, 4]
    X = np.column_stack([told, bits ^ noisy[:, :3], blurred])
    y = rng.integers(0, 2, 800)
    by_tree = BCkGClassifier(score="ll", level_order="tan", root="x0").fit(X, y).network_.parents
    by_index = BCkGClassifier(score="ll", level_order="index", root="x0").fit(X, y).network_.parents
    assert by_tree["x1"] == by_index["x1"] == ("x0",)
    assert "x4" in by_tree["x2"]
    assert "x4" in by_tree["x3"]
    assert not {"x2", "x3"} & {*by_tree["x4"]}
    assert not any("x4" in parents for parents in by_index.values())


def test_the_estimators_show_their_network_and_its_score():
    X, y = level_data()
    for estimator in (CkGClassifier(), BCkGClassifier(), CkGClassifier(0), BCkGClassifier(k=9, score="mit")):
        model = estimator.fit(X, y)
        data = Dataset(X, [3] * 6, y, 2)
        names = list(model.network_.parents)
        parents = [[names.index(p) for p in model.network_.parents[name]] for name in names]
        assert model.structure_score_ == pytest.approx(
            tanager.network_score(data, parents, model.get_params()["score"]), rel=1e-12
        )
        assert model.predict_proba(X[:5]).sum(axis=1) == pytest.approx(np.ones(5))
    assert CkGClassifier(0).fit(X, y).network_.edges == []


def test_a_python_function_is_a_score_of_its_own():
    X, y = level_data()

    def log_likelihood(counts):
        rows = counts.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.nansum(np.where(counts > 0, counts * np.log(counts / rows), 0.0)))

    log_likelihood.score_equivalent = True
    found = BCkGClassifier(score=log_likelihood).fit(X, y)
    assert found.network_.parents == BCkGClassifier(score="ll").fit(X, y).network_.parents


def test_any_number_of_threads_finds_the_same():
    X, y = level_data()
    found = [BCkGClassifier(k=3, n_jobs=jobs).fit(X, y).network_.parents for jobs in (1, 2, 5)]
    assert found[0] == found[1] == found[2]


def test_folds_are_learned_as_their_rows_are():
    X, y = level_data()
    folds = np.arange(600, dtype=np.uint32) % 3
    data = Dataset(X, [3] * 6, y, 2)
    settings = {"k": 2, "root": None}
    found = _core.cross_validate(data, folds, 3, "ckg", settings, "bic", "laplace")
    for fold in range(3):
        model = CkGClassifier(parameters="laplace").fit(X[folds != fold], y[folds != fold])
        assert found[fold] == pytest.approx(model.predict_proba(X[folds == fold]), abs=1e-12)


def test_progress_reaches_the_number_of_families():
    rng = np.random.default_rng(1)
    data = Dataset(rng.integers(0, 2, (50, 8)), [2] * 8)
    seen: list[tuple[int, int]] = []
    best_parents(data, 0, range(1, 8), 3, "ll", progress=lambda done, expected: seen.append((done, expected)))
    assert seen[-1] == (64, 64)  # 1 + 7 + 21 + 35


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"k": -1}, "k = -1 is not allowed: it is a whole number from 0 on"),
        ({"k": 1.5}, "k = 1.5 is not allowed"),
        ({"root": "nowhere"}, "root = 'nowhere' is not a column"),
        ({"root": 6}, "root = 6 is not a column"),
        ({"score": "biq"}, "unknown score"),
    ],
)
def test_bad_settings_are_named(settings, said):
    X, y = level_data()
    for estimator in (CkGClassifier, BCkGClassifier):
        with pytest.raises(DataError, match=said.replace("(", r"\(")):
            estimator(**settings).fit(X, y)


def test_a_bad_level_order_is_named():
    X, y = level_data()
    with pytest.raises(DataError, match='unknown level_order "depth", known are index, random, tan'):
        BCkGClassifier(level_order="depth").fit(X, y)


def test_bad_searches_are_named():
    data = Dataset([[0, 1], [1, 0]], [2, 2])
    with pytest.raises(ColumnError, match="there is no column 2"):
        best_parents(data, 0, [2], 1, "ll")
    with pytest.raises(ColumnError, match="there is no column -1"):
        best_parents(data, -1, [0], 1, "ll")
    with pytest.raises(DataError, match="the family of column 0 names column 0 twice"):
        best_parents(data, 0, [0], 1, "ll")
    with pytest.raises(DataError, match="k = -2 is not allowed"):
        best_parents(data, 0, [1], -2, "ll")
    assert best_parents(data, 0, [1], 10**6, "ll") == ((1,), 0.0)


def test_a_table_beyond_the_memory_limit_is_refused_by_name():
    rng = np.random.default_rng(2)
    data = Dataset(rng.integers(0, 200, (60, 3)), [200] * 3)
    limit = _core.memory_limit()
    _core.set_memory_limit(8 * 1_000_000)
    try:
        with pytest.raises(CapacityError, match=r"column 0 given column 1 and column 2 .*8000000 cells"):
            best_parents(data, 0, [1, 2], 2, "ll")
        # The penalty of a pair alone rules it out: nothing has to be counted.
        assert best_parents(data, 0, [1, 2], 2, "bic")[0] == ()
        frame = pd.DataFrame(rng.integers(0, 200, (600, 3)).astype(str), columns=["one", "two", "three"])
        for model in (CkGDensity(score="ll"), BCkGClassifier(score="ll")):
            with pytest.raises(
                CapacityError, match=r"the table of column '(one|two|three)' (given|and) column"
            ):
                model.fit(frame, [0, 1] * 300)
        several = Dataset(rng.integers(0, 40, (60, 4)), [40] * 4)
        named = "the table of column 0 given column 1, column 2, column 3 would have 2560000 cells"
        with pytest.raises(CapacityError, match=named):
            best_parents(several, 0, [1, 2, 3], 3, "ll", prune=False)
    finally:
        _core.set_memory_limit(limit)


def test_tan_and_ckg_with_one_parent_share_their_tree():
    X, y = level_data()
    tan = TANClassifier(score="ll").fit(X, y)
    ckg = CkGClassifier(k=1, score="ll").fit(X, y)
    assert ckg.structure_score_ >= tan.structure_score_ - 1e-9
