"""A comparison's JSON, checked before anything is made of it: every report can then rely on its form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tanager.document import check_version, parse_json
from tanager.evaluation.diagnostics import BINS, STEPS
from tanager.evaluation.metrics import METRICS
from tanager.exceptions import DataError
from tanager.input import read_bytes

__all__ = ["FORMAT", "VERSION", "read_comparison"]

FORMAT = "tanager-comparison"
VERSION = 1

#: Metrics that comparisons kept before they were there do not have.
_LATER = ("precision_macro", "recall_macro", "precision_positive", "recall_positive")

_Check = Callable[[Any], bool]


def read_comparison(source: str | Path) -> dict[str, Any]:
    """The fields of a comparison from its text, or from the file that it is in; anything else is refused."""
    if isinstance(source, Path):
        data: str | bytes = read_bytes(source)
        where = str(source)
    elif isinstance(source, str):
        data, where = source, "the text"
    else:
        raise DataError(f"a comparison is read from text or from a Path, not from {type(source).__name__}")
    content = parse_json(data, where, "a comparison of tanager")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError(f"{where}: this is not a comparison of tanager")
    check_version(content.get("version"), VERSION, where, FORMAT)
    try:
        _check_comparison(content)
    except _Misfit as misfit:
        raise DataError(f"{where}: the comparison does not fit together: {misfit}") from None
    return {name: content[name] for name in (*_COMPARISON, "diagnostics")}


class _Misfit(Exception):
    pass


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 53


def _positive(value: Any) -> bool:
    return _count(value) and value > 0


def _number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e300


def _mapping(value: Any) -> bool:
    return isinstance(value, dict)


def _list_of(inner: _Check) -> _Check:
    return lambda value: isinstance(value, list) and all(map(inner, value))


def _edge(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_text, value))


def _none_or(inner: _Check) -> _Check:
    return lambda value: value is None or inner(value)


_number_or_none = _none_or(_number)


def _square(value: Any, size: int) -> bool:
    """A matrix of counts, or nothing."""
    rows = _list_of(_list_of(_count))
    return value is None or (rows(value) and [len(row) for row in value] == [size] * size)


_COMPARISON: dict[str, _Check] = {
    "learners": _list_of(_text),
    "datasets": _list_of(_mapping),
    "cells": _list_of(_mapping),
    "setup": _mapping,
    "provenance": _mapping,
    "networks": _list_of(_mapping),
}
_SETUP: dict[str, _Check] = {"learners": _mapping, "splits": _text}
_DATASET: dict[str, _Check] = {
    "name": _text,
    "rows": _count,
    "attributes": _count,
    "numeric_attributes": _count,
    "classes": _list_of(_text),
    "checksum": _text,
}
_CELL: dict[str, _Check] = {
    "dataset": _text,
    "learner": _text,
    "repeat": _count,
    "fold": _count,
    "n_train": _count,
    "n_test": _positive,
    "correct": _count,
    "metrics": _mapping,
    "fit_seconds": _number_or_none,
    "predict_seconds": _number_or_none,
}
_PREDICTIONS: dict[str, _Check] = {
    "rows": _list_of(_count),
    "true": _list_of(_text),
    "predicted": _list_of(_text),
    "probabilities": _none_or(_list_of(_list_of(_number))),
}
_NETWORK: dict[str, _Check] = {
    "dataset": _text,
    "learner": _text,
    "nodes": _list_of(_text),
    "edges": _list_of(_edge),
    "groups": _list_of(_list_of(_text)),
    "strengths": _list_of(_number),
}
_TABLE: dict[str, _Check] = {
    "names": _list_of(_text),
    "header": _list_of(_text),
    "rows": _list_of(_list_of(_text)),
}
_DIAGNOSTICS: dict[str, _Check] = {
    "dataset": _text,
    "learner": _text,
    "roc": _none_or(_mapping),
    "reliability": _none_or(_mapping),
}


def _check(value: dict[str, Any], form: dict[str, _Check], what: str) -> None:
    for name, right in form.items():
        if name not in value:
            raise _Misfit(f"{what} has no {name!r}")
        if not right(value[name]):
            raise _Misfit(f"{name!r} of {what} has not the form that it should have")


def _check_diagnostics(content: dict[str, Any]) -> None:
    """Counts of as many steps and bins as all have."""
    content.setdefault("diagnostics", [])  # older files have none
    _check(content, {"diagnostics": _list_of(_mapping)}, "it")
    names = [data["name"] for data in content["datasets"]]
    for number, found in enumerate(content["diagnostics"]):
        what = f"diagnostics {number}"
        _check(found, _DIAGNOSTICS, what)
        if found["dataset"] not in names or found["learner"] not in content["learners"]:
            raise _Misfit(f"{what} are of a learner or data set that there is not")
        for name, fields, length in (
            ("roc", ("in", "out"), STEPS),
            ("reliability", ("rows", "sure", "right"), BINS),
        ):
            counts = found[name]
            if counts is None:
                continue
            for field in fields:
                listed = counts.get(field) if _mapping(counts) else None
                if not _list_of(_share)(listed) or len(listed or []) != length:
                    raise _Misfit(f"{name!r} of {what} has not the form that it should have")


def _share(value: Any) -> bool:
    return _number(value) and value >= 0


def _check_comparison(content: dict[str, Any]) -> None:
    _check(content, _COMPARISON, "it")
    for number, data in enumerate(content["datasets"]):
        _check(data, _DATASET, f"data set {number}")
    learners, datasets = content["learners"], [data["name"] for data in content["datasets"]]
    for names, what in ((learners, "learner"), (datasets, "data set")):
        if not names:
            raise _Misfit(f"there is no {what}")
        if len(set(names)) < len(names):
            raise _Misfit(f"a {what} occurs twice")
    _check({"learners": {}, "splits": "", **content["setup"]}, _SETUP, "its setup")
    _check({"versions": {}, **content["provenance"]}, {"versions": _mapping}, "its provenance")
    places = {(dataset, learner) for dataset in datasets for learner in learners}
    seen = set()
    for number, cell in enumerate(content["cells"]):
        what = f"cell {number}"
        _check(cell, _CELL, what)
        wanted: dict[str, _Check] = dict.fromkeys(
            (name for name in METRICS if name in cell["metrics"] or name not in _LATER), _number_or_none
        )
        _check(cell["metrics"], wanted, f"the metrics of {what}")
        if (cell["dataset"], cell["learner"]) not in places:
            raise _Misfit(f"{what} is of a learner or data set that there is not")
        _check({"error": "", **cell}, {"error": _text}, what)
        classes = next(
            len(data["classes"]) for data in content["datasets"] if data["name"] == cell["dataset"]
        )
        if not _square(cell.get("confusion"), classes):
            raise _Misfit(f"the confusion matrix of {what} has not the form that it should have")
        if cell["correct"] > cell["n_test"]:
            raise _Misfit(f"{what} has more rows predicted right than tested")
        place = cell["dataset"], cell["learner"], cell["repeat"], cell["fold"]
        if place in seen:
            raise _Misfit(f"{what} occurs twice")
        seen.add(place)
        if cell.get("predictions") is not None:
            _check(cell, {"predictions": _mapping}, what)
            _check_predictions(cell["predictions"], what)
    if {place[:2] for place in seen} != places:
        raise _Misfit("a learner has no cell on some data set")
    by_learner = {learner: {(d, r, f) for d, other, r, f in seen if other == learner} for learner in learners}
    if any(found != by_learner[learners[0]] for found in by_learner.values()):
        raise _Misfit("the learners have different folds")
    _check_diagnostics(content)
    for number, network in enumerate(content["networks"]):
        _check_network(network, f"network {number}")


def _check_predictions(predictions: Any, what: str) -> None:
    _check(predictions, _PREDICTIONS, f"the predictions of {what}")
    chances = predictions["probabilities"]
    lengths = {len(predictions[name]) for name in ("rows", "true", "predicted")}
    if len(lengths) > 1 or (chances is not None and {len(chances)} != lengths):
        raise _Misfit(f"the predictions of {what} have lists of different lengths")


def _check_network(network: dict[str, Any], what: str) -> None:
    _check(network, _NETWORK, what)
    _check({"score": None, **network}, {"score": _number_or_none}, what)
    if len(network["strengths"]) not in (0, len(network["edges"])):
        raise _Misfit(f"{what} has not one strength for each edge")
    _check({"tables": [], **network}, {"tables": _list_of(_mapping)}, what)
    for table in network.get("tables", []):
        _check(table, _TABLE, f"a table of {what}")
        if any(len(row) != len(table["header"]) for row in table["rows"]):
            raise _Misfit(f"a table of {what} has rows of different lengths")
    nodes = set(network["nodes"])
    named = [name for group in (*network["edges"], *network["groups"]) for name in group]
    if len(nodes) < len(network["nodes"]) or not nodes.issuperset(named):
        raise _Misfit(f"{what} names nodes twice, or nodes that it has not")
    grouped = [name for group in network["groups"] for name in group]
    if len(set(grouped)) < len(grouped) or [] in network["groups"]:
        raise _Misfit(f"{what} has a node in two groups, or an empty group")
