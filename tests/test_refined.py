"""Refined networks beside the oracle, and what their users rely on."""

import _thread
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tanager
from reference import refine
from tanager import DataError, NaiveBayesClassifier, RefinedClassifier, TANClassifier, load_dataset
from tanager.estimators.ordered import OrderedCodes

WORDS = np.array(["a", "b", "c", None], dtype=object)


def nodes_of(model):
    return [(node[0], node[1]) for node in model.model_.parts()[3]]


def oracle_of(model, table, codes, weights):
    """The oracle's problem on the codes that the model saw, and the model's parameters in its order."""
    coded, steps = model.ordered_.transform(table)
    plain = [
        [None if c >= a else int(c) for c in column]
        for column, a in zip(coded.columns, coded.arities, strict=True)
    ]
    stepped = (
        []
        if steps is None
        else [
            [None if c >= a else int(c) for c in column]
            for column, a in zip(steps.columns, steps.arities, strict=True)
        ]
    )
    parts = model.model_.parts()
    concentrations = [node[4][5] for node in parts[3]]
    cuts = [len(model.ordered_.cuts[i]) for i in model.ordered_.stepped]
    problem = refine.Problem(
        plain,
        coded.arities,
        list(codes),
        len(model.classes_),
        weights,
        nodes_of(model),
        stepped,
        cuts,
        concentrations,
    )
    return problem, plain, stepped


def parameters_of(model, problem):
    """b, w and delta of the model; delta of a place is its sum along the path less the one before."""
    _, _, bias, nodes, steps = model.model_.parts()
    s = problem.s
    delta = np.zeros((problem.width, s))
    for i, (_, _, _, path, (arities, pairs, *_)) in enumerate(nodes):
        sums, start, before, previous = path.reshape(-1, s), 0, [()], {}
        for arity, keys in zip(arities, pairs, strict=True):
            combinations = [(*before[int(key) // arity], int(key) % arity) for key in keys]
            for number, combination in enumerate(combinations):
                label = ((combination[0],), *combination[1:])
                shorter = sums[previous[combination[:-1]]] if len(combination) > 1 else 0.0
                delta[problem.features[i, label]] = sums[start + number] - shorter
            previous = {combination: start + number for number, combination in enumerate(combinations)}
            before, start = combinations, start + len(keys)
    row = problem.step_start
    for column in model.ordered_.stepped:
        table = steps[column].reshape(-1, s)
        delta[row : row + len(table) - 1] = np.diff(table, axis=0)
        row += len(table) - 1
    return np.concatenate([bias, [node[2] for node in nodes], delta.ravel()])


@st.composite
def tables(draw):
    rows = draw(st.integers(6, 16))
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    gaps = draw(st.booleans())
    X = np.empty((rows, 3), dtype=object)
    X[:, 0] = WORDS[rng.integers(0, 4 if gaps else 3, rows)]
    X[:, 1] = WORDS[rng.integers(0, 2, rows)]
    X[:, 2] = np.round(rng.normal(size=rows), 1)
    y = rng.integers(0, draw(st.integers(2, 3)), rows)
    y[:2] = [0, 1]
    weights = rng.integers(1, 4, rows) * draw(st.sampled_from([1.0, 0.5]))
    return X, y, weights


@settings(max_examples=12, deadline=None)
@given(
    tables(),
    st.sampled_from([0.03, 1.0, 30.0]),
    st.integers(0, 2),
    st.sampled_from(["category", "available"]),
)
def test_the_fit_is_the_oracles_optimum(table, ridge, k, missing):
    X, y, weights = table
    model = RefinedClassifier("kdb", ridge=ridge, k=k, missing=missing, bins=3, numeric=[2])
    model.fit(X, y, sample_weight=weights)
    codes = np.searchsorted(model.classes_, y)
    problem, plain, stepped = oracle_of(model, X, codes, weights)
    optimum = problem.fit(ridge)
    found = parameters_of(model, problem)
    value, gradient = problem.objective(found, ridge)
    assert value <= optimum.fun + 1e-6 * max(1.0, optimum.fun)
    assert np.abs(gradient).max() < 1e-3
    np.testing.assert_allclose(
        model.predict_log_proba(X), problem.log_proba(found, plain, stepped), atol=1e-9
    )


@settings(max_examples=10, deadline=None)
@given(tables())
def test_the_oracles_gradient_is_that_of_differences(table):
    X, y, weights = table
    model = RefinedClassifier("kdb", ridge=1.0, bins=3, numeric=[2]).fit(X, y, sample_weight=weights)
    problem, *_ = oracle_of(model, X, np.searchsorted(model.classes_, y), weights)
    at = np.random.default_rng(0).normal(size=problem.s + len(problem.nodes) + problem.width * problem.s)
    _, gradient = problem.objective(at, 0.7)
    for place in range(0, len(at), 5):
        step = np.zeros_like(at)
        step[place] = 1e-6
        slope = (problem.objective(at + step, 0.7)[0] - problem.objective(at - step, 0.7)[0]) / 2e-6
        assert slope == pytest.approx(gradient[place], abs=1e-4)


@settings(max_examples=8, deadline=None)
@given(tables())
def test_concentrations_maximise_the_left_out_likelihood(table):
    X, y, weights = table
    model = RefinedClassifier("kdb", ridge=1.0, k=1, numeric=[2]).fit(X, y, sample_weight=weights)
    problem, *_ = oracle_of(model, X, np.searchsorted(model.classes_, y), weights)
    for i, node in enumerate(model.model_.parts()[3]):
        args = (problem.train[i], problem.labels, problem.weights, problem.r[i])
        found = np.log(node[4][5])
        best = np.log(refine.concentrations(*args, len(found)))
        assert refine.left_out_likelihood(found, *args) >= refine.left_out_likelihood(best, *args) - 1e-6


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 3))
def test_structures_are_the_oracles(seed, k):
    rng = np.random.default_rng(seed)
    X = WORDS[rng.integers(0, 3, (40, 4))]
    y = rng.integers(0, 2, 40)
    model = RefinedClassifier("kdb", ridge=1.0, k=k).fit(X, y)
    columns = [list(column) for column in X.T]
    parents = refine.k_dependence(columns, list(y), [1.0] * 40, k, explaining_away=False)
    assert [tuple(node[1]) for node in nodes_of(model)] == [tuple(p) for p in parents]


def test_prediction_is_the_sum_of_terms():
    glass = load_dataset("glass")
    model = RefinedClassifier().fit(glass.X, glass.y)
    explanation = model.explain(glass.X)
    assert explanation.terms == tuple(term.name for term in model.terms_)
    np.testing.assert_allclose(explanation.log_proba(), model.predict_log_proba(glass.X), atol=1e-10)
    assert len(model.candidates_) == 3
    assert model.candidates_[0].log_loss <= model.candidates_[2].log_loss


def test_tables_and_what_if_agree_with_the_prediction():
    iris = load_dataset("iris")
    model = RefinedClassifier("kdb", k=1, ridge=1.0).fit(iris.X, iris.y)
    name = iris.X.columns[0]
    what_if = model.what_if(iris.X[:1], name)
    np.testing.assert_allclose(what_if.probabilities[what_if.current], model.predict_proba(iris.X[:1])[0])
    table = model.table(name)
    assert table.values.shape == (*map(len, table.levels), 3)
    term = next(term for term in model.terms_ if term.name == name)
    assert table.parents == term.parents
    assert str(table).startswith("  ".join([*table.parents, *table.members])[:3])
    assert model.importances()[name] >= 0


@pytest.mark.parametrize(
    "structure", ["nb", "tan", "kdb", TANClassifier(), NaiveBayesClassifier(), tanager.BSEJClassifier()]
)
def test_structures_by_name_and_by_classifier(structure):
    vote = load_dataset("vote")
    model = RefinedClassifier(structure, ridge=10.0).fit(vote.X, vote.y)
    assert model.score(vote.X, vote.y) > 0.94
    if structure == "nb":
        assert model.network_.edges == []


def test_threads_and_seeds_do_not_change_the_result():
    heart = load_dataset("heart-statlog")
    models = [RefinedClassifier(n_jobs=jobs).fit(heart.X, heart.y) for jobs in (1, 2, 3)]
    first, *others = (model.predict_log_proba(heart.X) for model in models)
    for other in others:
        np.testing.assert_array_equal(first, other)


def test_a_missing_attribute_has_no_term_and_ends_its_childrens_paths():
    car = load_dataset("car")
    model = RefinedClassifier("kdb", ridge=1.0).fit(car.X, car.y)
    row = np.asarray(car.X[:1]).copy()
    row[0, 5] = "never seen"
    explanation = model.explain(row)
    place = explanation.terms.index(car.X.columns[5])
    np.testing.assert_array_equal(explanation.contributions[0, place], 0.0)
    assert np.isfinite(model.predict_log_proba(row)).all()


def test_files_and_pickles_give_the_same_model(tmp_path):
    hepatitis = load_dataset("hepatitis")
    model = RefinedClassifier(class_prior=[0.5, 0.5]).fit(hepatitis.X, hepatitis.y)
    tanager.save_model(model, tmp_path / "model.json")
    loaded = tanager.load_model(tmp_path / "model.json")
    np.testing.assert_allclose(loaded.predict_log_proba(hepatitis.X), model.predict_log_proba(hepatitis.X))
    assert loaded.terms_ == model.terms_
    assert [c.structure for c in loaded.candidates_] == [c.structure for c in model.candidates_]
    assert loaded.importances() == model.importances()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"structure": "forest"}, "structure = 'forest'"),
        ({"structure": RefinedClassifier()}, "structure = RefinedClassifier"),
        ({"ridge": 0.0}, "ridge = 0"),
        ({"ridge": "large"}, "ridge = 'large'"),
        ({"bins": 0}, "bins = 0"),
        ({"cv": 1}, "cv = 1"),
        ({"structure": "kdb", "k": -1}, "k = -1"),
    ],
)
def test_settings_are_checked(settings, said):
    with pytest.raises((ValueError, TypeError), match=said):
        RefinedClassifier(**settings).fit([["a"], ["b"], ["a"], ["b"]] * 3, [0, 1, 1, 0] * 3)


def test_what_only_networks_have_is_refused():
    model = RefinedClassifier("nb", ridge=1.0).fit([["a"], ["b"], ["a"]], [0, 1, 1])
    with pytest.raises(DataError, match="a sum of terms"):
        model.to_bif()
    assert not hasattr(model, "predict_joint_log_proba")


def test_parents_that_earn_nothing_do_not_come_first():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = WORDS[np.where(rng.random((300, 6)) < 0.3, y[:, None], rng.integers(0, 3, (300, 6)))]
    model = RefinedClassifier().fit(X, y)
    # Others are averaged with it where they are nearly as good, never before it.
    assert model.candidates_[0].structure == "nb"
    assert not any(model.network_.parents.values())
    losses = [candidate.log_loss for candidate in model.candidates_]
    assert max(losses) <= 1.05 * losses[0]
    assert min(losses) == losses[0]


def only_together(rows=900):
    """Two numbers that tell the class only together, and the class: the MDL rule cuts neither."""
    X = np.random.default_rng(0).uniform(-1, 1, (rows, 2))
    return X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other")


def test_numbers_that_tell_the_class_only_together(tmp_path):
    X, y = only_together()
    assert not any(map(len, tanager.MDLDiscretizer().fit(X, y).cut_points_))
    model = RefinedClassifier().fit(X[:600], y[:600])
    assert model.score(X[600:], y[600:]) > 0.9
    assert all(candidate.structure.endswith(", quantiles") for candidate in model.candidates_)
    # Six bins, cut where steps are.
    for column, cuts in zip(model.ordered_.encoder.columns, model.ordered_.cuts, strict=True):
        assert len(column.cut_points) == 5
        assert np.isin(column.cut_points, cuts).all()
    explanation = model.explain(X)
    np.testing.assert_allclose(explanation.log_proba(), model.predict_log_proba(X), atol=1e-10)
    tanager.save_model(model, tmp_path / "model.json")
    loaded = tanager.load_model(tmp_path / "model.json")
    np.testing.assert_allclose(loaded.predict_log_proba(X), model.predict_log_proba(X))
    assert loaded.candidates_ == model.candidates_


def test_many_columns_keep_the_bins_of_the_mdl_rule(monkeypatch):
    monkeypatch.setattr("tanager.estimators.refined.MOST_BY_QUANTILES", 1)
    X, y = only_together(300)
    assert not any("quantiles" in c.structure for c in RefinedClassifier().fit(X, y).candidates_)


@pytest.mark.parametrize("asked", [{"structure": "kdb"}, {"discretize": "none"}, {"categorical": "all"}])
def test_who_says_how_numbers_are_cut_or_which_structure_is_asked_gets_that(asked):
    X, y = only_together(120)
    model = RefinedClassifier(**asked).fit(np.round(4 * X), y)
    assert not any("quantiles" in candidate.structure for candidate in model.candidates_)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=60), st.integers(1, 20), st.integers(2, 8))
@settings(max_examples=60, deadline=None)
def test_bins_by_quantiles_are_made_of_steps(numbers, bins, wanted):
    X = np.array(numbers)[:, None] + np.linspace(0, 1e-6, len(numbers))[:, None]
    encoder = tanager.data.TableEncoder(numeric="all")
    ordered, fine, _ = OrderedCodes.fit(encoder, bins, X, np.arange(len(X), dtype=np.uint32) % 2, None)
    coded = ordered.by_quantiles(wanted)
    if not len(ordered.cuts[0]):
        assert coded is None
        return
    cuts = coded.encoder.columns[0].cut_points
    assert 1 <= len(cuts) <= min(wanted - 1, len(ordered.cuts[0]))
    assert (np.diff(cuts) > 0).all()
    assert np.isin(cuts, ordered.cuts[0]).all()
    table, steps = coded.split(fine, ordered)
    np.testing.assert_array_equal(table.columns[0], np.searchsorted(cuts, X[:, 0]))
    np.testing.assert_array_equal(steps.columns[0], np.searchsorted(ordered.cuts[0], X[:, 0]))
    np.testing.assert_array_equal(coded.transform(X)[0].columns[0], table.columns[0])


def test_one_class_is_refused_like_elsewhere():
    with pytest.raises(DataError, match="y has one class"):
        RefinedClassifier().fit([["a"], ["b"]], [1, 1])


def test_progress_is_told_and_an_interruption_stops_the_fit():
    told = []
    glass = load_dataset("glass")
    RefinedClassifier(progress=lambda done, total: told.append((done, total))).fit(glass.X, glass.y)
    assert told[-1][0] == told[-1][1] > 0

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60_000, 20)), rng.integers(0, 5, 60_000)
    threading.Timer(1.0, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        RefinedClassifier().fit(X, y)


def test_a_sample_makes_the_choice():
    nursery = load_dataset("nursery")
    model = RefinedClassifier().fit(nursery.X, nursery.y)
    assert model.score(nursery.X, nursery.y) > 0.97
