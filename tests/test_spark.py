"""Spark in local mode, with Python workers: the bits of memory, a killed worker, errors in one sentence."""

from __future__ import annotations

import os
import signal
import sys

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

import tanager.spark
from engines import require_engine
from tanager import (
    BCkGClassifier,
    DataError,
    DataTypeError,
    KDBClassifier,
    NaiveBayesClassifier,
    TANClassifier,
    TreeDensity,
)
from tanager.exceptions import DataWarning
from test_dask import table

pytestmark = [
    pytest.mark.engine,
    pytest.mark.xdist_group("spark"),
    # What Spark's own dependencies say of each other.
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"
    ),
]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    require_engine("pyspark", java=True)
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    folder = str(tmp_path_factory.mktemp("spark"))
    # Two threads; a task that is lost is tried up to four times.
    builder = SparkSession.builder.master("local[2,4]").appName("tanager")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": folder,
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "200",
    }.items():
        builder = builder.config(name, value)
    # Spark answers Ctrl-C by cancelling its jobs, also after it has stopped: later tests want theirs back.
    before = signal.getsignal(signal.SIGINT)
    session = builder.getOrCreate()
    yield session
    session.stop()
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def frame(tmp_path):
    """The table, and as four files that Spark reads as they are."""
    own = table()
    folder = tmp_path / "rows"
    folder.mkdir()
    import pyarrow as pa

    for k in range(4):
        pq.write_table(
            pa.Table.from_pandas(own[225 * k : 225 * (k + 1)], preserve_index=False), folder / f"{k}.parquet"
        )
    return own, str(folder)


def test_frames_give_the_bits_of_memory(spark, frame, monkeypatch):
    own, folder = frame
    df = spark.read.parquet(folder)
    X = own.drop(columns="class")
    for learner in (NaiveBayesClassifier(), TANClassifier(), BCkGClassifier(), KDBClassifier()):
        expected = clone(learner).fit(X, own["class"])
        fitted = tanager.spark.fit(clone(learner), df, target="class")
        assert fitted.network_.parents == expected.network_.parents
        assert fitted.rows_ == len(own)
        assert_array_equal(fitted.predict_proba(X), expected.predict_proba(X))
    # Merged by further tasks, and of some columns.
    monkeypatch.setattr(tanager.spark, "FAN", 1)
    some = tanager.spark.fit(TreeDensity(), df, target=None, features=["few", "more"])
    assert_array_equal(
        some.score_samples(X[["few", "more"]]),
        TreeDensity().fit(X[["few", "more"]]).score_samples(X[["few", "more"]]),
    )
    predicted = tanager.spark.transform(fitted, df, probability="p")
    assert predicted.columns == [*own.columns, "p", "prediction"]
    rows = [row.asDict() for row in predicted.collect()]
    found = pd.DataFrame(rows)
    assert_array_equal(np.array(found["p"].tolist()), fitted.predict_proba(found[list(X.columns)]))
    assert_array_equal(found["prediction"], fitted.predict(found[list(X.columns)]))


def test_rows_without_a_class_are_left_out(spark, frame):
    own, folder = frame
    gone = own["few"].eq(0) & own["more"].ne(0)
    rows = spark.read.parquet(folder)
    gaps = rows.selectExpr(
        *[f"`{name}`" for name in own.columns if name != "class"],
        "if(few = 0 and more != 0, null, class) as class",
    )
    X = own[~gone].drop(columns="class")
    expected = TANClassifier().fit(X, own["class"][~gone])
    with pytest.warns(DataWarning) as warned:
        fitted = tanager.spark.fit(TANClassifier(), gaps, target="class")
    (said,) = [str(one.message) for one in warned if "left out" in str(one.message)]
    assert said.startswith(f"the Spark table: {gone.sum()} of {len(own)} rows are left out")
    assert_array_equal(fitted.predict_proba(X), expected.predict_proba(X))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_worker_loses_nothing(spark, frame, tmp_path):
    own, folder = frame
    killed, begun = str(tmp_path / "killed"), str(tmp_path / "begun")

    def fragile(batches):
        # In the second pass over these rows, once.
        for batch in batches:
            if "few" in batch.schema.names and os.path.exists(begun) and not os.path.exists(killed):
                open(killed, "w").close()
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch
        open(begun, "w").close()

    df = spark.read.parquet(folder)
    fitted = tanager.spark.fit(TANClassifier(), df.mapInArrow(fragile, df.schema), target="class")
    assert os.path.exists(killed)
    X = own.drop(columns="class")
    assert fitted.rows_ == len(own)
    assert_array_equal(fitted.predict_proba(X), TANClassifier().fit(X, own["class"]).predict_proba(X))


def test_what_is_wrong_is_said_in_one_sentence(spark, frame):
    _, folder = frame
    df = spark.read.parquet(folder)

    def refused(match, error=DataError, **options):
        with pytest.raises(error, match=match) as raised:
            tanager.spark.fit(TANClassifier(), **options)
        assert "\n" not in str(raised.value)

    refused("the Spark table: there is no column 'label'; columns are text, few", df=df, target="label")
    refused(
        "df is a DataFrame, allowed is a data frame of Spark", df=table(), target="class", error=DataTypeError
    )
    negative = df.withColumn("w", -df["few"] - 1.0)
    refused(
        "the Spark table: partition [0-3]: sample_weight, row 0: -", df=negative, target="class", weight="w"
    )
    model = TANClassifier().fit(table().drop(columns="class"), table()["class"])
    with pytest.raises(DataError, match="there is no column 'more', which the model needs"):
        tanager.spark.transform(model, df.drop("more"))
