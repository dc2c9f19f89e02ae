"""Learning from Dask frames and arrays: the workers count, only counts travel.

>>> import tanager.dask
>>> tanager.dask.fit("not an estimator", None)
Traceback (most recent call last):
tanager.exceptions.DataTypeError: a str cannot be fitted: allowed are tanager's estimators
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

import narwhals.stable.v2 as nw
import numpy as np

from tanager.data.parts import Part, Split
from tanager.estimators.counted import CountedEstimator
from tanager.exceptions import DataError, DataTypeError, MissingPackageError
from tanager.workers import ClusterRows, Task, merge_all, run_task

__all__ = ["fit", "predict_proba"]

#: So many results are merged by one task.
FAN = 8

Estimator = TypeVar("Estimator")


def fit(
    estimator: Estimator,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    sample_weight: Any = None,
    client: Any = None,
    memory: int | None = None,
) -> Estimator:
    """Learns from a Dask frame or array as `estimator.fit` would from the whole table.

    Every partition is counted where it is, and counts are merged on the workers, in a tree. Partitions that
    are lost with their worker are counted again. The estimator is fitted in place: an ordinary, local one.

    Parameters:
        estimator: one of tanager's that learn from counts.
        X: a Dask DataFrame, or a 2-D Dask array.
        y: a Dask Series or 1-D array of labels, in partitions like those of X.
        target: instead of y, the column of X that holds the labels.
        sample_weight: weights as a Dask Series or array, or the name of their column.
        client: a `distributed.Client`; None for the one that is there, or Dask's own scheduler without one.
        memory: bytes for the larger tables of one pass; None for a quarter of this machine's.
    """
    if not isinstance(estimator, CountedEstimator):
        raise DataTypeError(
            f"a {type(estimator).__name__} cannot be fitted: allowed are tanager's estimators"
        )
    dask = _dask()
    if target is not None and y is not None:
        raise DataError(f"labels are given twice: as y and as target = {target!r}")
    weight = sample_weight if isinstance(sample_weight, str) else None
    weights = None if weight is not None else sample_weight
    pieces = _pieces(X, y, weights)
    columns = list(getattr(X, "columns", ()))
    Split(target, weight, ()).check(columns, "the Dask table")

    def run(task: Task) -> Any:
        count = dask.delayed(_count, pure=False)
        own = pieces
        if task.columns is not None and columns:  # of Parquet only what is looked at is read
            looked_at = {*task.columns, target, weight}
            own = _pieces(X[[column for column in columns if column in looked_at]], y, weights)
        level = [count(task, f"partition {k}", target, weight, *piece) for k, piece in enumerate(own)]
        merge = dask.delayed(merge_all, pure=False)
        while len(level) > 1:
            level = [merge(task, level[k : k + FAN]) for k in range(0, len(level), FAN)]
        return _computed(level[0], client)

    rows = ClusterRows(run, "the Dask table")
    estimator._fit_rows(rows, memory=memory)
    rows.left_out.warn(rows.name, stacklevel=2)
    return estimator


def predict_proba(model: Any, X: Any) -> Any:
    """P(c | x) of each row and class, in the order of `model.classes_`: a Dask array, not computed yet."""
    _dask()
    meta = np.empty((0, len(model.classes_)))
    if hasattr(X, "map_partitions"):
        return X.map_partitions(_probabilities, model, meta=meta)
    if not hasattr(X, "map_blocks"):
        raise _no_dask(X, "X")
    chunks = (X.chunks[0], (len(model.classes_),))
    rows = X.rechunk({1: -1})
    return rows.map_blocks(_probabilities, model, dtype=np.float64, chunks=chunks, meta=meta)


def _probabilities(part: Any, model: Any) -> Any:
    return model.predict_proba(part) if len(part) else np.empty((0, len(model.classes_)))


def _count(
    task: Task, where: str, target: str | None, weight: str | None, X: Any, y: Any, weights: Any
) -> Any:
    """What a worker does with a partition."""
    if not len(X):
        return task.start()
    own = None if weights is None else np.asarray(weights, dtype=np.float64)

    def parts() -> Iterator[Part]:
        part = Part(X, y, own, where)
        if target is not None or weight is not None:
            table = nw.from_native(X, eager_only=True)
            part = Split(target, weight, ()).taken_out(table, where, own)
        yield part if y is None else replace(part, y=y)

    return run_task(task, parts())


def _pieces(X: Any, y: Any, weights: Any) -> list[tuple[Any, Any, Any]]:
    """The partitions, each with its labels and weights."""
    parts = _partitions(X, "X")
    lists = [parts]
    for values, what in ((y, "y"), (weights, "sample_weight")):
        own = [None] * len(parts) if values is None else _partitions(values, what)
        if len(own) != len(parts):
            raise DataError(
                f"X has {len(parts)} partitions, but {what} has {len(own)}: repartition them alike"
            )
        lists.append(own)
    return list(zip(*lists, strict=True))


def _partitions(values: Any, what: str) -> list[Any]:
    if not hasattr(values, "to_delayed"):
        raise _no_dask(values, what)
    if hasattr(values, "rechunk") and values.ndim == 2:
        values = values.rechunk({1: -1})
    return list(np.ravel(np.asarray(values.to_delayed(), dtype=object)))


def _no_dask(values: Any, what: str) -> DataTypeError:
    return DataTypeError(f"{what} is a {type(values).__name__}, allowed are Dask frames and arrays")


def _computed(value: Any, client: Any) -> Any:
    # To read a partition and to count it are one task: else it may travel to another worker in between.
    with _dask().config.set({"optimization.fuse.delayed": True}):
        return value.compute() if client is None else client.compute(value).result()


def _dask() -> Any:
    try:
        return importlib.import_module("dask")
    except ImportError:
        raise MissingPackageError(
            "tanager.dask needs dask, which is not installed: pip install 'tanager-learn[dask]'"
        ) from None
