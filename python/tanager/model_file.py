"""Fitted classifiers as files: versioned JSON, no pickle, checked on load."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data.columns import column_name
from tanager.data.encoding import TableEncoder
from tanager.data.encoding_settings import WORDS
from tanager.data.plain_columns import (
    check_distinct,
    classes_from_plain,
    column_from_plain,
    plain_classes,
    plain_column,
)
from tanager.data.plain_numbers import log_probabilities, numbers, plain_logarithms
from tanager.data.weights import check_class_prior
from tanager.document import read_document, write_document
from tanager.estimators import CLASSIFIERS, BayesianNetworkClassifier
from tanager.estimators import composed_file as composed
from tanager.estimators.aode import AODEClassifier
from tanager.estimators.averaged_tan import AveragedTANClassifier
from tanager.estimators.kdb_ensemble import KDBEnsembleClassifier
from tanager.estimators.mixed import MixedClassifier
from tanager.estimators.mixed_file import densities_from_plain, plain_densities
from tanager.estimators.refined import RefinedClassifier
from tanager.estimators.refined_file import plain_refined, restore_refined
from tanager.estimators.weighted_nb import WeightedNaiveBayesClassifier
from tanager.exceptions import DataError
from tanager.model_parameters import parameter_from_plain, plain_parameter
from tanager.settings import is_whole

__all__ = ["MODEL_KIND", "MODEL_VERSION", "ModelFile", "load_model", "read_model_file", "save_model"]

#: Every cell, or the cells of a join that occurred and their rows, last that of all others.
NodeTable = NDArray[np.float64] | tuple[NDArray[np.uint32], NDArray[np.float64]]

MODEL_KIND = "tanager-model"
MODEL_VERSION = 1

#: Parameters of the run, not of the model; a file holds none of them.
NOT_SAVED = ("n_jobs", "progress")

#: How models that are more than one network become plain numbers, and models again.
_COMPOSED: dict[type, tuple[Callable[[Any], dict[str, Any]], Callable[[Mapping[str, Any], int], Any]]] = {
    AODEClassifier: (composed.plain_aode, composed.restored_aode),
    AveragedTANClassifier: (composed.plain_averaged_tan, composed.restored_averaged_tan),
    KDBEnsembleClassifier: (composed.plain_kdb_ensemble, composed.restored_kdb_ensemble),
    WeightedNaiveBayesClassifier: (composed.plain_weighted_nb, composed.restored_weighted_nb),
}


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds: the classifier, the name of its class column, and notes on its origin."""

    model: BayesianNetworkClassifier
    target: str
    notes: dict[str, Any]


def save_model(
    model: BayesianNetworkClassifier,
    path: str | Path,
    target: str = "class",
    notes: Mapping[str, Any] | None = None,
) -> None:
    """Write a fitted classifier; a name that ends in ``.gz`` is compressed.

    `target` is the name of the class column and `notes` are anything in JSON, for those who read the file.
    Parameters are kept, but for `n_jobs` and `progress`, and but for functions and other libraries' objects:
    a warning names these, and the loaded model cannot be fitted again until they are set.

    >>> import tempfile
    >>> from tanager import TANClassifier
    >>> X, y = [["a", "x"], ["b", "y"], ["b", "x"], ["a", "y"]], ["yes", "no", "no", "yes"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(TANClassifier().fit(X, y), f"{folder}/model.json")
    ...     load_model(f"{folder}/model.json").predict([["b", "y"]]).tolist()
    ['no']
    """
    if not hasattr(model, "model_"):
        raise DataError(f"this {type(model).__name__} is not fitted yet: there is nothing to save")
    if CLASSIFIERS.get(model.learner) is not type(model):
        raise DataError(f"{type(model).__name__} is not a registered classifier and cannot be saved")
    settings: dict[str, Any] = {}
    for name, value in sorted(model.get_params(deep=False).items()):
        if name not in NOT_SAVED:
            settings[name] = plain_parameter(value, name)
    content = {
        "learner": model.learner,
        "parameters": settings,
        "target": target,
        "notes": dict(notes or {}),
        **plain_classes(model.classes_),
        "encoder": _plain_encoder(model.encoder_),
        "class_prior": None if model.class_prior_ is None else model.class_prior_.tolist(),
        **_plain_model(model),
    }
    write_document(path, MODEL_KIND, MODEL_VERSION, content)


def _plain_model(model: BayesianNetworkClassifier) -> dict[str, Any]:
    if isinstance(model, RefinedClassifier):
        return plain_refined(model)
    if type(model) in _COMPOSED:
        return _COMPOSED[type(model)][0](model.model_)
    arities, log_prior, nodes, tables, concentrations = model.model_.parts()
    score = getattr(model, "structure_score_", None)
    made = getattr(model, "continuous_", None)
    return {
        **({} if made is None else {"densities": plain_densities(made)}),
        "arities": list(arities),
        "log_prior": plain_logarithms(np.asarray(log_prior)),
        "nodes": [{"members": list(members), "parents": list(parents)} for members, parents in nodes],
        "tables": [_plain_table(table) for table in tables],
        "concentrations": concentrations,
        "structure_score": None if score is None else float(score),
    }


def load_model(path: str | Path) -> BayesianNetworkClassifier:
    """The classifier that `save_model` wrote; a file that does not fit together is refused."""
    return read_model_file(path).model


def read_model_file(path: str | Path) -> ModelFile:
    """The classifier that `save_model` wrote, with its target and notes."""
    content = read_document(path, MODEL_KIND, MODEL_VERSION)
    try:
        return ModelFile(_rebuilt(content), str(content["target"]), dict(content["notes"]))
    except KeyError as error:
        raise DataError(f"{path}: the model does not fit together: there is no {error}") from None
    except RecursionError:
        raise DataError(f"{path}: the model does not fit together: it is nested too deeply") from None
    except (IndexError, TypeError, ValueError, ArithmeticError, AttributeError, MemoryError) as error:
        raise DataError(f"{path}: the model does not fit together: {error}") from None


def _rebuilt(content: dict[str, Any]) -> BayesianNetworkClassifier:
    name = content["learner"]
    if name not in CLASSIFIERS:
        raise DataError(f"unknown learner {name!r}, known are {', '.join(CLASSIFIERS)}")
    model = CLASSIFIERS[name]()
    known = model.get_params(deep=False)
    settings = {n: v for n, v in content["parameters"].items() if n in known and n not in NOT_SAVED}
    model.set_params(**{name: parameter_from_plain(value) for name, value in settings.items()})
    encoder = _encoder(content["encoder"], type(model).__name__)
    arities = [int(arity) for arity in content["arities"]]
    if arities != [column.arity for column in encoder.columns]:
        raise DataError("the tables have other sizes than the columns")
    classes = classes_from_plain(content["classes"], content.get("classes_dtype"))
    prior = content.get("class_prior")
    class_prior = None if prior is None else check_class_prior(prior, classes)
    if isinstance(model, RefinedClassifier):
        restore_refined(model, content, encoder, classes, class_prior)
        return model
    model.class_prior_, model.classes_ = class_prior, classes
    score = content.get("structure_score")
    score = None if score is None else float(numbers([score])[0])
    _, restored = _COMPOSED.get(type(model), (None, _restored_network))
    model._keep(encoder, restored(content, len(classes)), score, "class")
    _restore_densities(model, content.get("densities"))
    return model


def _restored_network(content: Mapping[str, Any], s: int) -> _core.Network:
    arities = [int(arity) for arity in content["arities"]]
    if len(content["log_prior"]) != s:
        raise DataError(f"{s} classes but {len(content['log_prior'])} priors")
    nodes = [_node(node, len(arities)) for node in content["nodes"]]
    if len(nodes) != len(content["tables"]):
        raise DataError(f"{len(nodes)} nodes but {len(content['tables'])} tables")
    tables = [_table(table) for table in content["tables"]]
    network = _core.Network.from_parts(
        arities,
        log_probabilities(content["log_prior"]).tolist(),
        nodes,
        tables,
        _concentrations(content.get("concentrations"), nodes),
    )
    _check_probabilities(network, arities, nodes, tables)
    return network


def _restore_densities(model: BayesianNetworkClassifier, plain: Any) -> None:
    """Those of numbers that are not cut; a model has them where its `numeric` says so, and only there."""
    wanted = isinstance(model, MixedClassifier) and model.numeric in ("gaussian", "kernel")
    if wanted != (plain is not None):
        raise DataError(f"numeric = {model.numeric!r}, but there are {'no ' * wanted}densities of numbers")
    if isinstance(model, MixedClassifier) and plain is not None:
        made = densities_from_plain(plain, model.encoder_, len(model.classes_))
        if bool(made.kernels) != (model.numeric == "kernel" and bool(made.columns)):
            raise DataError(f"numeric = {model.numeric!r} does not go with these densities")
        model._keep_numbers(made)


def _node(plain: dict[str, Any], columns: int) -> tuple[list[int], list[int]]:
    members, parents = list(plain["members"]), list(plain["parents"])
    for column in [*members, *parents]:
        if not is_whole(column) or not 0 <= column < columns:
            raise DataError(f"a node names column {column!r}, columns are 0 to {columns - 1}")
    return members, parents


def _concentrations(
    plain: list[list[float]] | None, nodes: list[tuple[list[int], list[int]]]
) -> list[list[float]] | None:
    """Of the class and of each node, one for each level; files of other estimators have none."""
    if plain is None:
        return None
    found = [[float(value) for value in levels] for levels in plain]
    if [len(levels) for levels in found] != [1, *(len(parents) + 2 for _, parents in nodes)]:
        raise DataError("the concentrations are not one for each level of each node")
    if not all(math.isfinite(value) and value > 0 for levels in found for value in levels):
        raise DataError("a concentration is not a finite number above 0")
    return found


def _check_probabilities(
    model: _core.Network,
    arities: list[int],
    nodes: list[tuple[list[int], list[int]]],
    tables: list[NodeTable],
) -> None:
    """Every distribution sums to 1: the prior, and each node's given its parents and the class."""
    if abs(float(np.exp(model.log_prior).sum()) - 1) > composed.TOLERANCE:
        raise DataError("the classes' probabilities do not sum to 1")
    for place, ((members, parents), table) in enumerate(zip(nodes, tables, strict=True)):
        if isinstance(table, tuple):
            cells, rows = table
            theta = np.exp(rows).reshape(len(cells) + 1, -1)
            others = math.prod(arities[member] for member in members) - len(cells)
            sums = theta[:-1].sum(axis=0) + others * theta[-1]
        else:
            axes = tuple(range(len(parents), len(parents) + len(members)))
            sums = np.exp(model.table(place)).sum(axis=axes)
        if (np.abs(sums - 1) > composed.TOLERANCE).any():
            raise DataError(f"the probabilities of node {place} do not sum to 1")


def _plain_table(table: NodeTable) -> list[float | None] | dict[str, Any]:
    """Every cell; of a join of many values those that occurred and their rows, last that of all others."""
    if isinstance(table, tuple):
        return {"cells": table[0].tolist(), "rows": plain_logarithms(table[1])}
    return plain_logarithms(table)


def _table(plain: Any) -> NodeTable:
    if not isinstance(plain, dict):
        return log_probabilities(plain)
    cells = plain["cells"]
    if not isinstance(cells, list) or not all(is_whole(cell) and 0 <= cell < 2**32 for cell in cells):
        raise DataError("the cells of a join's table are not whole numbers below 2³²")
    return np.array(cells, dtype=np.uint32), log_probabilities(plain["rows"])


def _plain_encoder(encoder: TableEncoder) -> dict[str, Any]:
    return {
        "names": encoder.names,
        "missing": encoder.missing,
        "handle_unknown": encoder.handle_unknown,
        "columns": [plain_column(column) for column in encoder.columns],
    }


def _encoder(plain: dict[str, Any], estimator: str) -> TableEncoder:
    for name, allowed in WORDS.items():
        if plain[name] not in allowed:
            raise DataError(f"{name} = {plain[name]!r} is not allowed, allowed are {', '.join(allowed)}")
    encoder = TableEncoder(
        missing=plain["missing"], handle_unknown=plain["handle_unknown"], estimator=estimator
    )
    encoder.columns = [column_from_plain(column) for column in plain["columns"]]
    if not (plain["names"] is None or isinstance(plain["names"], list)):
        raise DataError("the names of the columns are not a list")
    encoder.names = None if plain["names"] is None else [column_name(name) for name in plain["names"]]
    if encoder.names is not None:
        check_distinct(encoder.names, "column name")
        if len(encoder.names) != encoder.n_features:
            raise DataError(f"{len(encoder.names)} names for {encoder.n_features} columns")
    return encoder
