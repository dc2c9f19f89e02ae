"""Fitted networks in other programs: the same posteriors there."""

import io
import os
import subprocess
from itertools import product

import numpy as np
import pandas as pd
import pytest

from tanager import (
    ASBClassifier,
    BCkGClassifier,
    DataError,
    NaiveBayesClassifier,
    TANClassifier,
    load_dataset,
)
from tanager.estimators import CLASSIFIERS


def joined():
    """A classifier with a group of two attributes and an arc between groups."""
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(0, 2, (3, 600))
    y = (a ^ b) * 1
    d = np.where(rng.random(600) < 0.85, c, 1 - c)
    return ASBClassifier().fit(pd.DataFrame({"a": a, "b": b, "c": c, "d": d}), y)


def networks():
    vote, iris = load_dataset("vote"), load_dataset("iris")
    yield "tan", TANClassifier().fit(vote.X, vote.y)
    yield "bckg", BCkGClassifier(k=2).fit(vote.X, vote.y)
    yield "numeric", TANClassifier().fit(iris.X, iris.y)
    yield "prior", NaiveBayesClassifier(class_prior=[0.2, 0.8]).fit(vote.X, vote.y)
    yield "joined", joined()


NETWORKS = dict(networks())


def brute_force(variables, evidence):
    """P(class | evidence) by summing the product of all tables; `evidence` maps positions to states."""
    free = [i for i in range(1, len(variables)) if i not in evidence]
    total = np.zeros(len(variables[0].states))
    for c in range(len(total)):
        for values in product(*(range(len(variables[i].states)) for i in free)):
            state = {0: c, **evidence, **dict(zip(free, values, strict=True))}
            p = variables[0].table[c]
            for i, variable in enumerate(variables[1:], start=1):
                p *= variable.table[(*(state[j] for j in variable.parents), state[i])]
            total[c] += p
    return total / total.sum()


def test_a_group_is_one_variable_of_tuples():
    model = NETWORKS["joined"]
    assert any(len(group) == 2 for group in model.network_.groups)
    described = model._described("class")
    group = next(v for v in described.variables if len(v.columns) == 2)
    assert group.name == "a × b"
    assert group.states == ("(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)")
    rows = pd.DataFrame(list(product((0, 1), repeat=4)), columns=list("abcd"))
    for row, expected in zip(rows.itertuples(index=False), model.predict_proba(rows), strict=True):
        evidence = {}
        for place, variable in enumerate(described.variables[1:], start=1):
            values = [getattr(row, "abcd"[column]) for column in variable.columns]
            evidence[place] = int("".join(map(str, values)), 2)
        assert np.allclose(brute_force(described.variables, evidence), expected, atol=1e-12)


def cases(model, rows):
    """Codes of some rows of what the model was fitted on, and what it predicts."""
    table = model.encoder_.transform(rows)
    described = model._described("class")
    for t in range(table.rows):
        states = {}
        for variable in described.variables[1:]:
            code = 0
            for column in variable.columns:
                code = code * table.arities[column] + int(table.columns[column][t])
            states[variable.name] = code
        yield t, states


def rows_of(name):
    if name == "joined":
        return pd.DataFrame(list(product((0, 1), repeat=4)), columns=list("abcd"))
    return load_dataset("iris" if name == "numeric" else "vote").X.to_pandas().iloc[:12]


@pytest.mark.parametrize("name", NETWORKS)
def test_pgmpy_computes_the_same_posteriors(name):
    inference = pytest.importorskip("pgmpy.inference")
    model = NETWORKS[name]
    network = model.to_pgmpy()
    assert network.check_model()
    engine = inference.VariableElimination(network)
    described = model._described("class")
    expected = model.predict_proba(rows_of(name))
    for t, states in list(cases(model, rows_of(name)))[:4]:
        evidence = {v.name: v.states[states[v.name]] for v in described.variables[1:]}
        found = engine.query(["class"], evidence=evidence, show_progress=False).values
        assert np.allclose(found, expected[t], atol=1e-6)


@pytest.mark.parametrize("form", ["bif", "xmlbif"])
@pytest.mark.parametrize("name", NETWORKS)
def test_pgmpy_reads_the_files(name, form, tmp_path):
    readwrite = pytest.importorskip("pgmpy.readwrite")
    inference = pytest.importorskip("pgmpy.inference")
    model = NETWORKS[name]
    path = tmp_path / f"network.{form}"
    getattr(model, f"to_{form}")(path)
    reader = readwrite.BIFReader if form == "bif" else readwrite.XMLBIFReader
    network = reader(str(path)).get_model()
    engine = inference.VariableElimination(network)
    described = model._described("class")
    names = _names(described, form)
    expected = model.predict_proba(rows_of(name))
    for t, states in list(cases(model, rows_of(name)))[:3]:
        evidence = {}
        for variable, (own, values) in zip(described.variables[1:], names[1:], strict=True):
            evidence[own] = values[states[variable.name]]
        found = engine.query([names[0][0]], evidence=evidence, show_progress=False)
        order = [found.state_names[names[0][0]].index(state) for state in names[0][1]]
        assert np.allclose(found.values[order], expected[t], atol=1e-6)


def _names(described, form):
    from tanager.export.described import identifiers

    if form == "xmlbif":
        return [(variable.name, variable.states) for variable in described.variables]
    names = identifiers((variable.name for variable in described.variables), "x")
    return [(n, identifiers(v.states, "v")) for n, v in zip(names, described.variables, strict=True)]


@pytest.mark.parametrize("name", NETWORKS)
def test_agrum_reads_the_bif_file(name, tmp_path):
    gum = pytest.importorskip("pyagrum")
    model = NETWORKS[name]
    path = tmp_path / "network.bif"
    model.to_bif(path)
    network = gum.loadBN(str(path))
    engine = gum.LazyPropagation(network)
    described = model._described("class")
    names = _names(described, "bif")
    expected = model.predict_proba(rows_of(name))
    for t, states in list(cases(model, rows_of(name)))[:3]:
        evidence = {}
        for variable, (own, values) in zip(described.variables[1:], names[1:], strict=True):
            evidence[own] = values[states[variable.name]]
        engine.setEvidence(evidence)
        engine.makeInference()
        found = engine.posterior("class")
        labels = list(network.variable("class").labels())
        assert np.allclose([found[labels.index(state)] for state in names[0][1]], expected[t], atol=1e-6)


def test_networkx_has_tables():
    graph = NETWORKS["bckg"].to_networkx()
    for _, node in graph.nodes(data=True):
        assert np.allclose(node["table"].sum(axis=-1), 1)
        assert len(node["states"]) == node["table"].shape[-1]
    assert all(graph.has_edge("class", name) for name in graph if name != "class")


def holes(frame, seed=0):
    """The same rows with values taken out, and one that fit did not see."""
    rng = np.random.default_rng(seed)
    frame = frame.astype(object).where(rng.random(frame.shape) > 0.3, None)
    if frame.iloc[:, 0].map(type).eq(str).any():
        frame.iloc[0, 0] = "never seen"
    return frame


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
@pytest.mark.parametrize("name", NETWORKS)
def test_a_select_scores_as_predict_proba_does(name, engine, connect):
    model = NETWORKS[name]
    complete = rows_of(name)
    frame = pd.concat([complete, holes(complete)], ignore_index=True).astype(object)
    frame = frame.where(frame.notna(), None)
    expected = model.predict_proba(frame)
    query = model.to_sql("data rows", engine)
    columns = ", ".join(f'"{name}" {_type(frame[name])}' for name in frame)
    base = connect(engine)
    base.execute(f'CREATE TABLE "data rows" ({columns})')
    marks = ", ".join("?" * frame.shape[1])
    base.executemany(f'INSERT INTO "data rows" VALUES ({marks})', frame.values.tolist())
    found = base.execute(query).fetchall()
    s = len(model.classes_)
    probabilities = np.array([row[-1 - s : -1] for row in found], dtype=float)
    assert np.allclose(probabilities, expected, atol=1e-9)
    assert [row[-1] for row in found] == model.predict(frame).tolist()


@pytest.mark.skipif("TANAGER_POSTGRES" not in os.environ, reason="TANAGER_POSTGRES names no server's URI")
@pytest.mark.parametrize("name", NETWORKS)
def test_a_select_scores_in_postgres_too(name):
    """By psql, in a table that is gone with the connection."""
    model = NETWORKS[name]
    complete = rows_of(name)
    frame = pd.concat([complete, holes(complete)], ignore_index=True).astype(object)
    frame = frame.where(frame.notna(), None)
    types = {"DOUBLE": "DOUBLE PRECISION"}
    columns = ", ".join(f'"{c}" {types.get(_type(frame[c]), _type(frame[c]))}' for c in frame)

    def literal(value):
        return "NULL" if value is None else "'" + str(value).replace("'", "''") + "'"

    rows = ", ".join(f"({', '.join(map(literal, row))})" for row in frame.values.tolist())
    script = f'CREATE TEMP TABLE "data rows" ({columns});\nINSERT INTO "data rows" VALUES {rows};\n'
    query = model.to_sql("data rows", "postgres").rstrip().rstrip(";")
    command = ["psql", "-X", "-q", "--csv", "-v", "ON_ERROR_STOP=1", os.environ["TANAGER_POSTGRES"]]
    done = subprocess.run(command, input=f"{script}{query};\n", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = pd.read_csv(io.StringIO(done.stdout))
    s = len(model.classes_)
    assert np.allclose(found.iloc[:, -1 - s : -1].to_numpy(float), model.predict_proba(frame), atol=1e-9)
    assert found.iloc[:, -1].astype(str).tolist() == [str(label) for label in model.predict(frame)]


#: Averages and refined terms, which are not one network with tables.
NOT_ONE_NETWORK = {"aode", "atan", "ekdb", "refined", "wnb"}


@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_every_learner_of_one_network_exports_and_the_others_say_why_not(learner, connect):
    car = load_dataset("car")
    model = CLASSIFIERS[learner]().fit(car.X[:400], car.y[:400])
    if learner in NOT_ONE_NETWORK:
        for export in (model.to_bif, model.to_xmlbif, model.to_networkx, lambda: model.to_sql("t")):
            with pytest.raises(DataError):
                export()
        return
    assert model.to_bif().count("probability (") == model.to_xmlbif().count("<DEFINITION>")
    assert len(model.to_networkx()) == len(model.network_.groups) + 1
    frame = holes(car.X.to_pandas().iloc[::60].reset_index(drop=True))
    frame = frame.where(frame.notna(), None)
    base = connect()
    base.execute(f"CREATE TABLE t ({', '.join(frame.columns)})")
    base.executemany(f"INSERT INTO t VALUES ({', '.join('?' * frame.shape[1])})", frame.values.tolist())
    found = [row[-1 - len(model.classes_) : -1] for row in base.execute(model.to_sql("t")).fetchall()]
    assert np.allclose(np.array(found, float), model.predict_proba(frame), atol=1e-9)


def _type(column):
    first = next((value for value in column if value is not None), "")
    return "TEXT" if isinstance(first, str) else "INTEGER" if isinstance(first, int) else "DOUBLE"


def test_a_select_joins_more_tables_than_sqlite_does_at_once(connect):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (50, 90))
    model = NaiveBayesClassifier().fit(X, rng.integers(0, 3, 50))
    base = connect()
    base.execute(f"CREATE TABLE t ({', '.join(f'x{i} INTEGER' for i in range(90))})")
    base.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 90)})", X[:3].tolist())
    found = np.array([row[-4:-1] for row in base.execute(model.to_sql("t")).fetchall()])
    assert np.allclose(found, model.predict_proba(X[:3]), atol=1e-9)


def test_quotes_in_names_and_values_stay_data(connect):
    frame = pd.DataFrame({'a"; DROP TABLE t; --': ["it's", "x"] * 6})
    y = ["o'k", "no"] * 6
    model = NaiveBayesClassifier().fit(frame, y)
    base = connect()
    base.execute('CREATE TABLE t ("a""; DROP TABLE t; --" TEXT)')
    base.executemany("INSERT INTO t VALUES (?)", frame.values.tolist())
    assert [row[-1] for row in base.execute(model.to_sql("t")).fetchall()] == y
    with pytest.raises(DataError, match="dialect = 'oracle' is not allowed"):
        model.to_sql("t", "oracle")


def test_impossible_rows_get_the_prior(connect):
    model = NaiveBayesClassifier(parameters="mle").fit([["a", "x"], ["b", "y"], ["b", "x"]], [0, 1, 1])
    base = connect()
    base.execute("CREATE TABLE t (x0 TEXT, x1 TEXT)")
    base.execute("INSERT INTO t VALUES ('a', 'y')")
    found = base.execute(model.to_sql("t")).fetchall()[0]
    assert np.allclose(found[-3:-1], model.predict_proba([["a", "y"]])[0])
