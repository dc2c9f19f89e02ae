"""Learning from Spark data frames: the executors count, only counts travel.

>>> import tanager.spark
>>> tanager.spark.fit("not an estimator", None, target="class")
Traceback (most recent call last):
tanager.exceptions.DataTypeError: a str cannot be fitted: allowed are tanager's estimators
"""

from __future__ import annotations

import importlib
import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from tanager.data.parts import Part, Split
from tanager.estimators.counted import CountedEstimator
from tanager.exceptions import CapacityError, DataError, DataTypeError, MissingPackageError
from tanager.workers import ClusterRows, Task, merge_all, run_task

__all__ = ["fit", "transform"]

#: Results of more partitions than these are merged by further tasks before they come to the driver.
FAN = 16
#: The most bytes that a value of Spark holds.
MOST_BYTES = (1 << 31) - 1

Estimator = TypeVar("Estimator")


def fit(
    estimator: Estimator,
    df: Any,
    *,
    target: str | None,
    features: Sequence[str] | None = None,
    weight: str | None = None,
    memory: int | None = None,
) -> Estimator:
    """Learns from a Spark data frame as `estimator.fit` would from the whole table.

    Every partition is counted where it is, as Arrow batches, and counts are merged by further tasks; what
    is lost with its executor Spark counts again. The estimator is fitted in place: an ordinary, local one.
    The rows are gone through at least twice: `df.cache()` where that is cheaper than to make them again.

    Parameters:
        estimator: one of tanager's that learn from counts.
        df: a Spark data frame.
        target: the column of the labels; None for a density.
        features: the columns to learn from; None for all others.
        weight: the column of the rows' weights, where there is one.
        memory: bytes for the larger tables of one pass; None for a quarter of the driver's.
    """
    if not isinstance(estimator, CountedEstimator):
        raise DataTypeError(
            f"a {type(estimator).__name__} cannot be fitted: allowed are tanager's estimators"
        )
    _check_frame(df)
    taken = [column for column in (target, weight) if column is not None]
    names = [name for name in df.columns if name not in taken] if features is None else list(features)
    Split(target, weight, names).check(df.columns, "the Spark table")

    def selected(columns: Sequence[str]) -> Any:
        return df.select(*[f"`{name}`" for name in (*columns, *taken)])

    rows = selected(names)
    # A remote session does not tell how many there are.
    partitions = rows.rdd.getNumPartitions() if hasattr(rows, "_jdf") else FAN * FAN

    def run(task: Task) -> Any:
        # Of Parquet only what is looked at is read.
        own = names if task.columns is None else list(task.columns)
        found = selected(own).mapInArrow(_counted(task, own, target, weight), "found binary")
        if partitions > FAN:
            found = found.repartition(math.isqrt(partitions)).mapInArrow(_merged(task), "found binary")
        return merge_all(task, [pickle.loads(row[0]) for row in found.collect()])

    counted = ClusterRows(run, "the Spark table")
    estimator._fit_rows(counted, memory=memory)
    counted.left_out.warn(counted.name, stacklevel=2)
    return estimator


def transform(
    model: Any, df: Any, *, probability: str = "probability", prediction: str = "prediction"
) -> Any:
    """The data frame with two more columns: the probabilities of the classes, in the order of
    `model.classes_`, and the most probable class."""
    _check_frame(df)
    if not hasattr(model, "feature_names_in_"):
        raise DataError("the model knows no names of columns: it was not learned from a frame")
    names = [str(name) for name in model.feature_names_in_]
    for name in names:
        if name not in df.columns:
            raise DataError(f"the Spark table: there is no column {name!r}, which the model needs")
    for name in (probability, prediction):
        if name in df.columns:
            raise DataError(f"the Spark table has a column {name!r} already: choose another name")
    types = importlib.import_module("pyspark.sql.types")
    kind = {
        bool: types.BooleanType(),
        int: types.LongType(),
        float: types.DoubleType(),
        str: types.StringType(),
    }
    label = type(model.classes_.tolist()[0])
    if label not in kind:
        raise DataTypeError(f"classes that are a {label.__name__} have no column in Spark")
    added = [
        types.StructField(probability, types.ArrayType(types.DoubleType(), False), False),
        types.StructField(prediction, kind[label], False),
    ]
    return df.mapInArrow(
        _predicted(model, names, [probability, prediction]), types.StructType([*df.schema.fields, *added])
    )


Batches = Callable[[Iterator[Any]], Iterator[Any]]


def _counted(task: Task, names: list[str], target: str | None, weight: str | None) -> Batches:
    """What an executor does with a partition."""

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        where, split = f"partition {_partition()}", Split(target, weight, ())

        def parts() -> Iterator[Part]:
            for batch in batches:
                part = split.part(batch, where)
                if part is not None:
                    yield replace(part, X=part.X.select(names))

        yield _row(run_task(task, parts()))

    return count


def _merged(task: Task) -> Batches:
    """What an executor does with what others have found."""

    def merge(batches: Iterator[Any]) -> Iterator[Any]:
        yield _row(
            merge_all(task, (pickle.loads(one.as_py()) for batch in batches for one in batch.column(0)))
        )

    return merge


def _predicted(model: Any, names: list[str], added: list[str]) -> Batches:
    """What an executor does with rows of which the classes are asked for."""

    def predict(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            table = pa.Table.from_batches([batch])
            rows = model.predict_proba(table.select(names)) if table.num_rows else np.empty((0, 1))
            labels = model.classes_[rows.argmax(axis=1)].tolist()
            ends = np.arange(len(rows) + 1, dtype=np.int32) * rows.shape[1]
            probabilities = pa.ListArray.from_arrays(pa.array(ends), pa.array(np.ravel(rows)))
            columns = [*batch.columns, probabilities, pa.array(labels)]
            yield pa.RecordBatch.from_arrays(columns, [*batch.schema.names, *added])

    return predict


def _row(found: Any) -> Any:
    """What was found, as a batch of one row; an error where it is too large for one."""
    import pyarrow as pa

    data = pickle.dumps(found, protocol=5)
    if len(data) > MOST_BYTES:
        error = CapacityError(
            f"what one partition counts takes {len(data):,} bytes, a value of Spark at most {MOST_BYTES:,}"
        )
        data = pickle.dumps(error)
    return pa.RecordBatch.from_arrays([pa.array([data], pa.binary())], ["found"])


def _partition() -> int:
    context = importlib.import_module("pyspark").TaskContext.get()
    return -1 if context is None else int(context.partitionId())


def _check_frame(df: Any) -> None:
    try:
        importlib.import_module("pyspark")
    except ImportError:
        raise MissingPackageError(
            "tanager.spark needs pyspark, which is not installed: pip install 'tanager-learn[spark]', "
            "and a Java runtime"
        ) from None
    if not (type(df).__module__.startswith("pyspark") and hasattr(df, "mapInArrow")):
        raise DataTypeError(f"df is a {type(df).__name__}, allowed is a data frame of Spark")
