"""Damaged, hostile and foreign files: one sentence and exit code 2, whatever they hold."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets

from tanager import Comparison, NaiveBayesClassifier, compare, load_model, save_model
from tanager.cli import main
from tanager.document import _digest
from tanager.evaluation.learner import as_learner
from tanager.exceptions import DataError
from tanager.motifs import Sites, fit_motif, load_motif, read_sites, save_motif, scan_fasta

X = np.array([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 10)


def refused(capsys, *arguments) -> str:
    """The one line that a command says before it ends with exit code 2."""
    assert main([str(argument) for argument in arguments]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1, said
    assert "Traceback" not in said
    return said


# -- names call nothing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["sklearn.datasets.clear_data_home", "sklearn.datasets.clear_data_home:data_home=x"]
)
def test_a_function_is_named_and_not_called(monkeypatch, capsys, name):
    called = []
    monkeypatch.setattr(sklearn.datasets, "clear_data_home", lambda *a, **k: called.append(a))
    said = refused(capsys, "compare", name, "--data", "car", "--no-cache")
    assert "sklearn.datasets.clear_data_home is not a classifier as scikit-learn has them" in said
    assert called == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sklearn.linear_model.LinearRegression", "is not a classifier"),
        ("sklearn.base.ClassifierMixin", "is not a classifier"),
        ("sklearn.base.BaseEstimator", "is not a classifier"),
        ("sklearn.show_versions", "is not a classifier"),
        ("sklearn.__version__", "is not a classifier"),
        ("sklearn.os.system", "there is no class"),
        ("sklearn.tests.test_base.MyEstimator", "there is no class"),
        ("sklearn.conftest.pytest_generate_tests", "there is no class"),
        ("sklearn.multiclass.OneVsRestClassifier", "cannot be made by its name"),
        ("os.system", "os.system is not a classifier"),
    ],
)
def test_only_classifiers_may_be_named(name, message):
    with pytest.raises(DataError, match=message):
        as_learner(name)


def test_a_constructor_is_only_called_on_a_classifier(monkeypatch):
    class Trap:
        def __init__(self) -> None:
            raise AssertionError("this is no classifier, and was called")

    monkeypatch.setattr(sklearn.datasets, "Trap", Trap, raising=False)
    with pytest.raises(DataError, match="is not a classifier"):
        as_learner("sklearn.datasets.Trap")


def test_classifiers_by_import_path_still_work():
    assert as_learner("sklearn.tree.ExtraTreeClassifier:max_depth=2").estimator.max_depth == 2


# -- damaged gzip --------------------------------------------------------------------------------------------


def damages(data: bytes):
    """A gzip file cut off, with a flipped bit, and with other bytes in its middle."""
    yield data[: len(data) // 2]
    yield data[:-3]
    middle = bytearray(data)
    middle[len(data) // 2] ^= 0x10
    yield bytes(middle)
    yield data[:12] + b"\xff" * 20 + data[32:]


def test_damaged_gzip_is_one_sentence_everywhere(tmp_path, capsys):
    sites = "\n".join(["ACGTAC", "ACGAAC", "TCGAAC", "GGTTAA"] * 20)
    save_motif(fit_motif(read_sites_of(tmp_path, sites)), tmp_path / "motif.json")
    save_model(NaiveBayesClassifier().fit(X, X[:, 0]), tmp_path / "model.json")
    genome = ">one\n" + "ACGTACGGTCAATTGC" * 400
    table = "a,b,class\n" + "\n".join(",".join(row) for row in np.column_stack([X, X[:, 0]]).tolist())
    files = {
        "genome.fa.gz": (genome.encode(), ["motif", "scan", tmp_path / "motif.json"]),
        "sites.txt.gz": (sites.encode(), ["motif", "fit"]),
        "data.csv.gz": (table.encode(), ["compare", "nb", "--no-cache", "--data"]),
        "model.json.gz": ((tmp_path / "model.json").read_bytes(), ["show"]),
        "motif.json.gz": ((tmp_path / "motif.json").read_bytes(), ["motif", "scan"]),
    }
    for name, (content, command) in files.items():
        path = tmp_path / name
        rest = [path] if name == "motif.json.gz" else []
        for damaged in damages(gzip.compress(content)):
            path.write_bytes(damaged)
            said = refused(capsys, *command, path, *rest)
            assert "the gzip file is damaged" in said, said


def read_sites_of(folder: Path, text: str) -> Sites:
    (folder / "sites.txt").write_text(text)
    return read_sites(folder / "sites.txt")


def test_a_genome_with_an_endless_header_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("tanager.motifs.scan.LONGEST_HEADER", 1000)
    monkeypatch.setattr("tanager.motifs.scan.BLOCK", 512)
    (tmp_path / "genome.fa").write_text(">" + "x" * 5000 + "\nACGT\n")
    motif = fit_motif(Sites.from_strings(["ACGT", "ACGA"]), "pssm")
    with pytest.raises(DataError, match="a header has more than 1,000 bytes"):
        list(scan_fasta(motif, tmp_path / "genome.fa", top=1))


# -- models --------------------------------------------------------------------------------------------------


def model_text(folder: Path) -> str:
    save_model(NaiveBayesClassifier().fit(X, X[:, 0]), folder / "model.json", notes={"rows": 40})
    return (folder / "model.json").read_text()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"rows": 40', '"rows": 1e999', "1e999 is too large for a number of 64 bits"),
        ('"rows": 40', '"rows": -1e999', "-1e999 is too large"),
        ('"rows": 40', '"rows": NaN', "NaN is not a number in JSON"),
        ('"rows": 40', '"rows": ' + "[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ('"rows": 40', '"rows": ' + "[" * 900 + "]" * 900, "damaged, its checksum|nested too deeply"),
        ('"rows": 40', '"rows": ' + "9" * 5000, "which would be JSON"),
        ('"rows": 40', '"rows": 40,', "line [0-9]+: this is not a tanager-model file, which would be JSON"),
    ],
)
def test_numbers_and_nesting_that_json_should_not_have(tmp_path, capsys, before, after, message):
    text = model_text(tmp_path)
    assert before in text
    (tmp_path / "model.json").write_text(text.replace(before, after))
    with pytest.raises(DataError, match=message):
        load_model(tmp_path / "model.json")
    refused(capsys, "show", tmp_path / "model.json")


def hole(content, *places):
    """A way into a document: all places but the last, and the last."""
    for place in places[:-1]:
        content = content[place]
    return content, places[-1]


@pytest.mark.parametrize(
    ("places", "value"),
    [
        (("tables", 0, 0), "nan"),
        (("tables", 0, 0), "-0.5"),
        (("tables", 0, 0), True),
        (("tables", 0), "nan"),
        (("log_prior", 0), "nan"),
        (("log_prior", 0), [0.5]),
        (("structure_score",), "nan"),
        (("classes", 0), ["float", "nan"]),
        (("classes", 0), ["int", "12"]),
        (("encoder", "columns", 0, "levels", 0), ["bool", "yes"]),
        (("encoder", "columns", 0, "name"), 3),
        (("encoder", "names"), ["a", "a"]),
        (("encoder", "names"), "ab"),
        (("encoder", "names", 0), {"a": 1}),
        (("classes_dtype",), "<U4,<U4"),
        (("arities", 0), 10**30),
        (("class_prior",), ["nan", "nan"]),
    ],
)
def test_what_is_no_number_never_gets_into_a_model(tmp_path, places, value):
    frame = {"a": X[:, 0].tolist(), "b": X[:, 1].tolist()}
    pandas = pytest.importorskip("pandas")
    save_model(NaiveBayesClassifier().fit(pandas.DataFrame(frame), X[:, 0]), tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    inner, last = hole(document["content"], *places)
    inner[last] = value
    document["checksum"] = _digest(document["content"])
    (tmp_path / "model.json").write_text(json.dumps(document))
    with pytest.raises(DataError, match="the model does not fit together"):
        load_model(tmp_path / "model.json")


def test_nan_in_a_motif_is_refused(tmp_path):
    save_motif(fit_motif(Sites.from_strings(["ACGT", "ACGA"]), "pssm"), tmp_path / "motif.json")
    document = json.loads((tmp_path / "motif.json").read_text())
    document["content"]["tables"][0][0] = "nan"
    document["checksum"] = _digest(document["content"])
    (tmp_path / "motif.json").write_text(json.dumps(document))
    with pytest.raises(DataError, match="'nan' is not a number"):
        load_motif(tmp_path / "motif.json")


@pytest.mark.parametrize("network", [3, {"edges": []}, {"edges": [], "strengths": "abc"}, {"strengths": [1]}])
def test_notes_are_only_notes(tmp_path, capsys, network):
    path = tmp_path / "model.json"
    save_model(
        NaiveBayesClassifier().fit(X, X[:, 0]), path, notes={"network": network, "rows": {}, "data": 1}
    )
    for form in ("text", "dot", "svg"):
        assert main(["show", str(path), "--format", form]) == 0
    assert main(["show", str(path), "--strongest", "2"]) == 0


# -- comparisons ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    data = {"one": (X, X[:, 0]), "two": (X, X[:, 1])}
    options = {"cv": 2, "repeats": 1, "progress": False, "predictions": True, "networks": True}
    return compare(["nb", "tan"], data, **options)


@pytest.mark.parametrize(
    "source",
    [
        "", "{}", "[]", "null", "3", "not JSON", "[" * 100_000, '{"format": 1e999}', "\ud800", "9" * 5000,
        '{"format": "tanager-comparison"}', '{"format": "tanager-comparison", "version": 99}',
        '{"format": "tanager-comparison", "version": 1}',
        '{"format": "tanager-comparison", "version": 1, "learners": ["a"], "datasets": [], "cells": [], '
        '"setup": {}, "provenance": {}, "networks": []}',
        b"{}", None, 3, Path(__file__),
    ],
)  # fmt: skip
def test_anything_that_is_no_comparison_is_refused(source):
    with pytest.raises(DataError, match=r"comparison|too large"):
        Comparison.from_json(source)


def walk(value, places=()):
    """Every place in a document."""
    yield places
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inner:
        yield from walk(entry, (*places, key))


def test_a_comparison_with_anything_changed_is_refused_or_reported(comparison):
    """Whatever stands in whatever place: a sentence, or a comparison of which every report can be made."""
    text = comparison.to_json()
    whole = json.loads(text)
    del whole["summary"]
    random = np.random.default_rng(0)
    places = [place for place in walk(whole) if place]
    values = [None, -1, 1e308, "x", [], {}, [[]], True, "<script>"]
    taken = read = 0
    for place in random.permutation(len(places))[:300]:
        document = json.loads(json.dumps(whole))
        inner, last = hole(document, *places[place])
        if random.integers(4) == 0:
            del inner[last]
        else:
            inner[last] = values[random.integers(len(values))]
        taken += 1
        try:
            again = Comparison.from_json(json.dumps(document))
        except DataError:
            continue
        read += 1
        for report in ("to_text", "to_markdown", "to_latex", "to_csv", "to_html", "to_json"):
            getattr(again, report)()
    assert 0 < read < taken


def test_what_was_written_can_be_read(comparison, tmp_path):
    comparison.to_json(tmp_path / "result.json")
    again = Comparison.from_json(tmp_path / "result.json")
    assert again.to_json() == comparison.to_json()
