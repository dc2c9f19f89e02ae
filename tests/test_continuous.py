"""Numbers that are not cut: against scikit-learn, scipy, and trees by trying all of them."""

import json
from itertools import product
from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from reference.trees import all_trees
from tanager import NaiveBayesClassifier, TANClassifier, compare, load_dataset, load_model, save_model
from tanager.cli import main
from tanager.estimators.continuous import quantile, silverman
from tanager.estimators.mixed_file import densities_from_plain, plain_densities
from tanager.estimators.mixed_reading import round_steps
from tanager.exceptions import DataError, NotThereError


def numbers(seed: int, rows: int = 60, columns: int = 3, classes: int = 2):
    """Columns that depend on the class and on the one before."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(classes), rng.integers(0, classes, rows - classes)])
    X = rng.normal(size=(rows, columns)) + y[:, None] * rng.normal(size=columns)
    for j in range(1, columns):
        X[:, j] += rng.normal() * X[:, j - 1]
    return X, y


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 4))
def test_gaussian_naive_bayes_is_scikit_learns(seed, classes, columns):
    X, y = numbers(seed, 40, columns, classes)
    weights = np.random.default_rng(seed).random(40) + 0.1
    for sample_weight in (None, weights):
        found = NaiveBayesClassifier("mle", numeric="gaussian").fit(X, y, sample_weight)
        expected = GaussianNB(var_smoothing=0).fit(X, y, sample_weight)
        np.testing.assert_allclose(
            found.predict_joint_log_proba(X), expected.predict_joint_log_proba(X), rtol=1e-6, atol=1e-6
        )
        assert (found.predict(X) == expected.predict(X)).all()


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_kernels_are_scipys(seed):
    X, y = numbers(seed, 50, 2)
    model = NaiveBayesClassifier("mle", numeric="kernel").fit(X, y)
    joint = np.tile(np.log(np.bincount(y) / 50), (50, 1))
    for j, c in product(range(2), range(2)):
        own = X[y == c, j]
        h = silverman(own, np.ones(own.size), 0.0)
        density = stats.gaussian_kde(own, bw_method=h / own.std(ddof=1))
        joint[:, c] += density.logpdf(X[:, j])
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-6, atol=1e-6)


def information(X, y, i, j) -> float:
    """−½ Σ_c P(c) ln(1 − ρ²_c)."""
    return sum(
        -0.5 * np.mean(y == c) * log(1 - np.corrcoef(X[y == c, i], X[y == c, j])[0, 1] ** 2)
        for c in np.unique(y)
    )


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_the_gaussian_tree_is_the_heaviest_and_its_densities_are_regressions(seed, columns):
    X, y = numbers(seed, 60, columns)
    model = TANClassifier(parameters="mle", numeric="gaussian").fit(X, y)
    parents = [[int(p[1:]) for p in model.network_.parents[f"x{j}"]] for j in range(columns)]
    assert parents[0] == []
    assert all(len(of) == 1 for of in parents[1:])

    def weight(tree):
        return sum(information(X, y, parent, j) for j, parent in enumerate(tree) if parent >= 0)

    best = max(weight(tree) for tree in all_trees(columns))
    assert weight([of[0] if of else -1 for of in parents]) == pytest.approx(best, rel=1e-9)
    joint = np.tile(np.log(np.bincount(y) / 60), (60, 1))
    for c, j in product(range(2), range(columns)):
        own = X[y == c]
        if not parents[j]:
            joint[:, c] += stats.norm.logpdf(X[:, j], own[:, j].mean(), own[:, j].std())
            continue
        line = stats.linregress(own[:, parents[j][0]], own[:, j])
        fitted = line.intercept + line.slope * own[:, parents[j][0]]
        at = line.intercept + line.slope * X[:, parents[j][0]]
        joint[:, c] += stats.norm.logpdf(X[:, j], at, (own[:, j] - fitted).std())
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-6, atol=1e-6)


def mixed(rows: int = 300):
    """A word, a number that depends on it, and one that does not."""
    rng = np.random.default_rng(3)
    word = rng.choice(["a", "b", "c"], rows)
    y = rng.integers(0, 2, rows)
    first = np.where(word == "a", -3.0, np.where(word == "b", 0.0, 3.0)) * (1 - 2 * y) + rng.normal(size=rows)
    frame = pd.DataFrame({"word": word, "first": first, "second": rng.normal(size=rows) + y})
    return frame, np.where(y == 1, "yes", "no")


def test_numbers_may_depend_on_words_but_not_words_on_numbers():
    X, y = mixed()
    model = TANClassifier(numeric="gaussian").fit(X, y)
    assert model.network_.parents["first"] == ("word",)
    assert model.network_.parents["word"] == ()
    assert model.score(X, y) > NaiveBayesClassifier(numeric="gaussian").fit(X, y).score(X, y) + 0.2
    # Each cell of the table: five pseudo-rows of the class's own distribution.
    of_class = X["first"][y == "no"]
    own = X["first"][(y == "no") & (X["word"] == "a")]
    mean = (own.sum() + 5 * of_class.mean()) / (len(own) + 5)
    square = ((own - mean) ** 2).sum() + 5 * (of_class.var(ddof=0) + (of_class.mean() - mean) ** 2)
    means, variances = model.continuous_.by_value[0]
    assert means[0, 0] == pytest.approx(mean)
    assert variances[0, 0] == pytest.approx(square / (len(own) + 5))


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.integers(0, 4)), min_size=1, max_size=12).filter(
        lambda rows: any(weight for _, weight in rows)
    ),
    st.floats(0, 1),
)
def test_quantiles_of_weighted_values_are_those_of_repeated_ones(rows, share):
    values, weights = np.array(rows).T
    repeated = np.repeat(values, weights.astype(int))
    assert quantile(values, weights, share) == pytest.approx(np.quantile(repeated, share), abs=1e-9)


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.lists(st.integers(1, 5), min_size=30, max_size=30))
def test_a_row_of_weight_two_is_the_row_twice_for_kernels(seed, weights):
    X, y = numbers(seed, 30)
    model = NaiveBayesClassifier(numeric="kernel").fit(X, y, sample_weight=weights)
    twice = NaiveBayesClassifier(numeric="kernel").fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    asked = np.random.default_rng(seed).normal(size=(9, X.shape[1]), scale=3)
    np.testing.assert_allclose(model.predict_proba(asked), twice.predict_proba(asked), atol=1e-9)


@pytest.mark.parametrize("kind", ["gaussian", "kernel"])
def test_gaps_and_constants_leave_probabilities(kind):
    X, y = mixed(80)
    X.loc[::5, "first"] = np.nan
    X.loc[::7, "word"] = None
    X["constant"] = 1.5
    for missing in ("category", "drop", "available"):
        models = [NaiveBayesClassifier(numeric=kind, missing=missing)]
        models += [TANClassifier(numeric=kind, missing=missing)] * (kind == "gaussian")
        for model in models:
            proba = model.fit(X, y).predict_proba(X)
            np.testing.assert_allclose(proba.sum(axis=1), 1)
            shifted = model.set_params(class_prior={"no": 0.9, "yes": 0.1}).fit(X, y).predict_proba(X)
            assert shifted[:, 0].mean() > proba[:, 0].mean()
            model.set_params(class_prior=None)


def missing_here_and_there(rows: int = 200):
    """The mixed table with one number more, and cells that are missing."""
    X, y = mixed(rows)
    X["third"] = X["first"] / 2 + np.random.default_rng(4).normal(size=rows)
    X["other"] = np.random.default_rng(5).choice(["u", "v"], rows)
    X.loc[::7, "second"] = np.nan
    X.loc[::9, "word"] = None
    X.loc[::11, "first"] = np.nan
    return X, y


MODELS = [
    (learner, kind, missing)
    for learner, kind in (
        (NaiveBayesClassifier, "gaussian"),
        (NaiveBayesClassifier, "kernel"),
        (TANClassifier, "gaussian"),
    )
    for missing in ("category", "available")
]


@pytest.mark.parametrize(("learner", "kind", "missing"), MODELS)
def test_models_go_through_files(learner, kind, missing, tmp_path):
    X, y = missing_here_and_there()
    model = learner(numeric=kind, missing=missing).fit(X, y)
    save_model(model, tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    assert again.numeric == kind
    assert again.network_ == model.network_
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.explain(X[:5]).contributions, model.explain(X[:5]).contributions)


def _set(plain, path, value):
    for key in path[:-1]:
        plain = plain[key]
    plain[path[-1]] = value


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["columns"], [0, 1, 2], "not those of the columns of numbers"),
        (["parents"], [None], "1 parents of 3"),
        (["parents", 0], ["numeric", 0], "form a cycle"),
        (["parents", 0], ["discrete", 1], "is not the parent of a number"),
        (["parents", 0], ["numeric", 7], "is not the parent of a number"),
        (["mean", 0, 0], "nan", "'nan' is not a number"),
        (["mean"], [[1.0]], "not 3 by 2 finite numbers"),
        (["variance", 0, 0], 0, "a variance is not above 0"),
        (["by_value"], [], "has no densities by value"),
        (["by_value", 0, 0], 9, "which has no discrete parent"),
        (["kernels"], [[[[1.0], [1.0], 0.5]]], "one for each column of numbers and class"),
    ],
)
def test_densities_that_do_not_fit_together_are_refused(path, value, message):
    X, y = missing_here_and_there()
    model = TANClassifier(numeric="gaussian").fit(X, y)
    plain = plain_densities(model.continuous_)
    densities_from_plain(plain, model.encoder_, 2)
    _set(plain, path, value)
    with pytest.raises(DataError, match=message):
        densities_from_plain(plain, model.encoder_, 2)


@pytest.mark.parametrize(
    "kernel", [[[], [], 1.0], [[1.0], [1.0, 2.0], 1.0], [[1.0], [0.0], 1.0], [[1.0], [1.0], 0.0]]
)
def test_kernels_that_do_not_fit_together_are_refused(kernel):
    X, y = mixed(40)
    model = NaiveBayesClassifier(numeric="kernel").fit(X, y)
    plain = plain_densities(model.continuous_)
    densities_from_plain(plain, model.encoder_, 2)
    plain["kernels"][0][0] = kernel
    with pytest.raises(DataError, match="kernel"):
        densities_from_plain(plain, model.encoder_, 2)


def test_a_file_without_the_densities_that_it_names_is_refused(tmp_path, monkeypatch):
    X, y = mixed(60)
    model = NaiveBayesClassifier(numeric="gaussian").fit(X, y)
    del model.continuous_
    save_model(model, tmp_path / "m.json")
    with pytest.raises(DataError, match="numeric = 'gaussian', but there are no densities"):
        load_model(tmp_path / "m.json")


@pytest.mark.parametrize(("learner", "kind", "missing"), MODELS)
@pytest.mark.parametrize("attribute", ["first", "second", "third", "word", "other"])
def test_what_if_is_prediction_with_one_value_changed(learner, kind, missing, attribute):
    X, y = missing_here_and_there()
    model = learner(numeric=kind, missing=missing, class_prior={"no": 0.3, "yes": 0.7}).fit(X, y)
    row = X.iloc[[5]]
    found = model.what_if(row, attribute)
    numeric = attribute not in ("word", "other")
    assert len(found.values) == len(found.probabilities) > 1
    for place, (value, probabilities) in enumerate(zip(found.values, found.probabilities, strict=True)):
        changed = row.assign(**{attribute: row[attribute].iloc[0]})
        if place != found.current:
            unknown = np.nan if numeric else None
            changed[attribute] = unknown if value == "missing" else float(value) if numeric else value
        np.testing.assert_allclose(model.predict_proba(changed)[0], probabilities, atol=1e-12)
    with pytest.raises(DataError, match="takes one row, found 2"):
        model.what_if(X.iloc[:2], attribute)


def test_what_if_of_a_number_that_is_missing():
    X, y = missing_here_and_there()
    row = X.iloc[[0]]
    for missing in ("category", "available"):
        model = NaiveBayesClassifier(numeric="gaussian", missing=missing).fit(X, y)
        found = model.what_if(row, "first")
        if missing == "available":
            assert found.current is None
        else:
            assert found.values[found.current] == "missing"
            np.testing.assert_allclose(found.probabilities[found.current], model.predict_proba(row)[0])
    assert round_steps(3.0, 3.0) == [3.0]
    assert round_steps(0.0, 1.7e6) == [0.0, 2e5, 4e5, 6e5, 8e5, 1e6, 1.2e6, 1.4e6, 1.6e6]


def test_tables_of_numbers_are_their_moments():
    X, y = missing_here_and_there()
    model = TANClassifier(numeric="gaussian").fit(X, y)
    made = model.continuous_
    assert model.network_.parents["first"] == ("word",)
    table = model.table("first")
    assert table.parent == "word"
    frame = table.to_frame()
    assert list(frame["word"])[:4] == ["a", "b", "c", "missing"]
    assert pd.isna(frame["word"][4])  # where the word is not known
    line = frame[(frame["class"] == "yes") & (frame["word"] == "b")].iloc[0]
    assert line["mean"] == made.by_value[0][0][1, 1]
    assert line["deviation"] == np.sqrt(made.by_value[0][1][1, 1])
    missing = X["first"].isna()
    for label in ("no", "yes"):
        share = frame[frame["class"] == label]["P(missing)"].iloc[0]
        assert share == pytest.approx(missing[y == label].mean(), abs=0.05)
    slopes = model.table("third")
    assert slopes.parent == "first"
    assert list(slopes.columns) == ["mean", "deviation", "slope", "deviation given first"]
    assert "f(third | class, first)" in slopes._repr_html_()
    kernels = NaiveBayesClassifier(numeric="kernel").fit(X, y).table("first").columns
    assert kernels["kernels"].sum() == (~missing).sum()
    words = NaiveBayesClassifier(numeric="gaussian").fit(X, y).table("word")
    np.testing.assert_allclose(words.probabilities.sum(axis=-2), 1)
    assert all(
        "first" not in model.table(name).parents or len(model.table(name).levels[0]) == 2
        for name in ("word", "other")
    )


@pytest.mark.parametrize("name", ["nb", "tan"])
@pytest.mark.parametrize("missing", ["category", "available"])
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_a_select_has_the_densities(name, missing, dialect, connect):
    X, y = missing_here_and_there(80)
    X.loc[3, "second"] = 1e6  # far outside: the densities of both classes are below all numbers
    learner = {"nb": NaiveBayesClassifier, "tan": TANClassifier}[name]
    model = learner(numeric="gaussian", missing=missing, class_prior={"no": 0.3, "yes": 0.7}).fit(X, y)
    asked = pd.concat([X, X.iloc[:3].assign(word="new"), X.iloc[:3].assign(first=np.nan, word=None)])
    shown = asked.astype(object).where(asked.notna(), None)
    select = model.to_sql("t", dialect)
    base = connect(dialect)
    base.execute("CREATE TABLE t (word TEXT, first DOUBLE, second DOUBLE, third DOUBLE, other TEXT)")
    base.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", shown.values.tolist())
    found = base.execute(select).fetchall()
    np.testing.assert_allclose(
        np.array([row[-3:-1] for row in found], dtype=float), model.predict_proba(asked), atol=1e-9
    )
    assert [row[-1] for row in found] == model.predict(asked).tolist()


def test_samples_are_those_of_the_densities():
    X, y = missing_here_and_there()
    model = TANClassifier(numeric="gaussian").fit(X, y)
    rows, labels = model.sample(40_000, random_state=0)
    few, few_labels = model.sample(7, random_state=0)
    assert (few == rows[:7]).all()
    assert (few_labels == labels[:7]).all()
    frame = pd.DataFrame(rows, columns=X.columns)
    made, (means, variances) = model.continuous_, model.continuous_.by_value[0]
    for c, label in enumerate(model.classes_):
        own = frame[(labels == label) & (frame["word"] == "c")]["first"].dropna().astype(float)
        assert own.mean() == pytest.approx(means[c, 2], abs=0.1)
        assert own.std() == pytest.approx(np.sqrt(variances[c, 2]), rel=0.05)
        both = frame[labels == label][["first", "third"]].dropna().astype(float)
        assert stats.linregress(both["first"], both["third"]).slope == pytest.approx(
            made.slope[2, c], abs=0.03
        )
    kernel = NaiveBayesClassifier(numeric="kernel").fit(X, y)
    rows, labels = kernel.sample(20_000, random_state=0)
    for c, label in enumerate(kernel.classes_):
        points, _, width = kernel.continuous_.kernels[0][c]
        own = rows[(labels == label), 1]
        own = own[own != None].astype(float)  # noqa: E711
        assert own.mean() == pytest.approx(points.mean(), abs=0.1)
        assert own.var() == pytest.approx(points.var() + width**2, rel=0.05)


def test_parameters_are_counted():
    X, y = mixed()
    # class 1; word 2 of 3 values in 2 classes; 2 numbers with mean and variance in 2 classes
    assert NaiveBayesClassifier(numeric="gaussian").fit(X, y).n_parameters_ == 1 + 4 + 8
    tree = TANClassifier(numeric="gaussian").fit(X, y)
    kinds = [None if parent is None else parent[0] for parent in tree.continuous_.parents]
    assert tree.n_parameters_ == 5 + sum({None: 4, "numeric": 6, "discrete": 12}[kind] for kind in kinds)
    with pytest.raises(NotThereError, match="kernels keep the rows themselves"):
        _ = NaiveBayesClassifier(numeric="kernel").fit(X, y).n_parameters_


def test_strengths_of_arcs_are_those_of_the_densities(tmp_path, capsys):
    X, y = mixed()
    X["class"] = y
    X.to_csv(tmp_path / "d.csv", index=False)
    fit = [
        "fit",
        str(tmp_path / "d.csv"),
        "--learner",
        "tan:numeric=gaussian",
        "-o",
        str(tmp_path / "m.json"),
    ]
    assert main(fit) == 0
    capsys.readouterr()
    assert main(["show", str(tmp_path / "m.json"), "--strongest", "1", "--json"]) == 0
    strongest = json.loads(capsys.readouterr().out)[0]
    assert (strongest["parent"], strongest["child"]) == ("word", "first")
    made, within = load_model(tmp_path / "m.json").continuous_, 0.0
    for c, label in enumerate(("no", "yes")):
        shares = X["word"][y == label].value_counts(normalize=True).sort_index()
        within += np.mean(y == label) * (log(made.variance[0, c]) - shares @ np.log(made.by_value[0][1][c]))
    assert strongest["strength"] == pytest.approx(within / 2, abs=0.01)


def test_what_holds_tables_only_is_refused_in_a_sentence():
    X, y = mixed(60)
    model = NaiveBayesClassifier(numeric="gaussian").fit(X, y)
    for what, refused in {
        "BIF holds": lambda: model.to_bif(),
        "XMLBIF holds": lambda: model.to_xmlbif(),
        "the nodes of the graph hold": lambda: model.to_networkx(),
        "DiscreteBayesianNetwork holds": lambda: model.to_pgmpy(),
    }.items():
        with pytest.raises(DataError, match=rf"{what} tables only, .* numeric='gaussian': cut them"):
            refused()
    with pytest.raises(DataError, match="keeps the training rows, which one SELECT does not hold"):
        NaiveBayesClassifier(numeric="kernel").fit(X, y).to_sql("t")
    assert not hasattr(model.set_params(numeric=None).fit(X, y), "continuous_")
    with pytest.raises(DataError, match='numeric="kernel" is for naive Bayes'):
        TANClassifier(numeric="kernel").fit(X, y)
    with pytest.raises(DataError, match="a column is called so"):
        NaiveBayesClassifier(numeric="gaussian").fit(X.rename(columns={"word": "gaussian"}), y)


def test_compare_takes_them():
    learners = ["nb", "nb:numeric=gaussian", "nb:numeric=kernel", "tan:numeric=gaussian"]
    result = compare(learners, {"iris": load_dataset("iris")}, repeats=1, progress=False)
    assert all(result.accuracy["iris"][learner] > 0.9 for learner in learners)


@parametrize_with_checks([NaiveBayesClassifier(numeric="gaussian"), TANClassifier(numeric="gaussian")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
