"""Dask on a real local cluster: the bits of memory, a killed worker, errors in one sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

import tanager.dask
from engines import require_engine
from tanager import (
    BCkGClassifier,
    DataError,
    DataTypeError,
    FSSClassifier,
    KDBClassifier,
    NaiveBayesClassifier,
    TANClassifier,
    TreeDensity,
)
from tanager.exceptions import DataWarning

pytestmark = [
    pytest.mark.engine,
    pytest.mark.xdist_group("dask"),
    # What Dask's own dependencies say of each other.
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"
    ),
]

LEARNERS = [NaiveBayesClassifier(), TANClassifier(), BCkGClassifier(), KDBClassifier()]


def table(n=900, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    few = rng.integers(0, 4, n)
    return pd.DataFrame(
        {
            "text": np.where(rng.random(n) < 0.3, "a", np.where(y == 1, "b", "c")),
            "few": few,
            "real": np.round(rng.normal(size=n) + y, 1),
            "more": (few + rng.integers(0, 2, n)) % 5,
            "class": np.where(y == 1, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def client():
    require_engine("dask", "distributed")
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_frames_give_the_bits_of_memory(client):
    import dask.dataframe as dd

    frame = table()
    divided = dd.from_pandas(frame, npartitions=11)
    X = frame.drop(columns="class")
    for learner in LEARNERS:
        expected = clone(learner).fit(X, frame["class"])
        fitted = tanager.dask.fit(clone(learner), divided, target="class", client=client)
        assert fitted.network_.parents == expected.network_.parents
        assert fitted.rows_ == len(frame)
        assert_array_equal(fitted.predict_proba(X), expected.predict_proba(X))
    lazy = tanager.dask.predict_proba(fitted, divided.drop(columns="class"))
    assert_array_equal(lazy.compute(), expected.predict_proba(X))


def test_rows_without_a_class_are_left_out(client):
    """Some of a partition and all of one, also where weights come beside the table."""
    import dask.dataframe as dd

    frame = table()
    frame["w"] = np.arange(len(frame)) % 3 + 1.0
    gone = (np.arange(len(frame)) % 7 == 5) | (np.arange(len(frame)) < 100)
    gaps = frame.assign(**{"class": frame["class"].astype(object).where(~gone, None)})
    known = frame[~gone]
    X = known.drop(columns=["class", "w"])
    divided = dd.from_pandas(gaps, npartitions=11)
    beside = divided.drop(columns="w")
    for rows, weight in ((divided, "w"), (beside, divided["w"]), (beside, None)):
        expected = TANClassifier().fit(X, known["class"], None if weight is None else known["w"])
        with pytest.warns(DataWarning) as warned:
            fitted = tanager.dask.fit(
                TANClassifier(), rows, target="class", sample_weight=weight, client=client
            )
        (said,) = [str(one.message) for one in warned if "left out" in str(one.message)]
        assert said.startswith(f"the Dask table: {gone.sum()} of {len(frame)} rows are left out")
        assert_array_equal(fitted.predict_proba(X), expected.predict_proba(X))
    with pytest.raises(DataError, match="the Dask table: no row has a label, column 'class' is empty"):
        tanager.dask.fit(TANClassifier(), divided[divided["class"].isna()], target="class", client=client)
    shorter = dd.from_pandas(frame["w"], npartitions=11).map_partitions(
        lambda part: part[1:], meta=("w", float)
    )
    with pytest.raises(DataError, match=r"the Dask table: .*sample_weight has 81 rows, but X has 82"):
        tanager.dask.fit(TANClassifier(), beside, target="class", sample_weight=shorter, client=client)
    with pytest.raises(DataError, match="Input y contains NaN"):
        tanager.dask.fit(TANClassifier(), beside.drop(columns="class"), beside["class"], client=client)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_worker_loses_nothing(client, tmp_path):
    import dask.dataframe as dd

    frame = table()
    parts = [frame[k : k + 100] for k in range(0, 900, 100)]
    calls = tmp_path / "calls"

    def part(k):
        with open(calls, "a") as file:
            file.write(f"{k}\n")
        # In the second pass, after others of it have been counted.
        killed = tmp_path / "killed"
        if k == 6 and calls.read_text().split().count("6") == 2 and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return parts[k]

    before = {worker["pid"] for worker in _workers(client)}
    divided = dd.from_map(part, range(9), meta=frame[:0])
    fitted = tanager.dask.fit(TANClassifier(), divided, target="class")
    assert (tmp_path / "killed").exists()
    assert {worker["pid"] for worker in _workers(client)} != before
    X = frame.drop(columns="class")
    expected = TANClassifier().fit(X, frame["class"])
    assert fitted.rows_ == len(frame)
    assert_array_equal(fitted.predict_proba(X), expected.predict_proba(X))


def _workers(client):
    client.wait_for_workers(2)
    return [{"pid": pid} for pid in client.run(os.getpid).values()]


def test_arrays_weights_and_densities(client):
    import dask.array as da
    import dask.dataframe as dd

    frame = table()
    X, y = frame[["few", "more"]].to_numpy(), (frame["class"] == "yes").to_numpy().astype(int)
    weights = np.arange(900) % 4 + 0.0
    expected = TANClassifier().fit(X, y, weights).predict_proba(X)
    blocks = da.from_array(X, chunks=(250, 1))
    fitted = tanager.dask.fit(
        TANClassifier(),
        blocks,
        da.from_array(y, chunks=250),
        sample_weight=da.from_array(weights, chunks=250),
    )
    assert_array_equal(fitted.predict_proba(X), expected)
    assert_array_equal(tanager.dask.predict_proba(fitted, blocks).compute(), expected)
    divided = dd.from_pandas(frame.assign(w=weights), npartitions=4)
    fitted = tanager.dask.fit(
        TANClassifier(), divided[["few", "more", "w", "class"]], target="class", sample_weight="w"
    )
    assert_array_equal(fitted.predict_proba(frame[["few", "more"]]), expected)
    density = tanager.dask.fit(TreeDensity(), divided[["few", "more", "text"]])
    own = frame[["few", "more", "text"]]
    assert_array_equal(density.score_samples(own), TreeDensity().fit(own).score_samples(own))


def test_what_is_wrong_is_said_in_one_sentence(client):
    import dask.array as da
    import dask.dataframe as dd

    frame = table()
    divided = dd.from_pandas(frame, npartitions=3)

    def refused(match, *arguments, error=DataError, **options):
        with pytest.raises(error, match=match) as raised:
            tanager.dask.fit(*arguments, **options)
        assert "\n" not in str(raised.value)

    refused("there is no column 'label'; columns are text, few", TANClassifier(), divided, target="label")
    changed = dd.from_map(lambda k: frame.assign(few="x") if k == 2 else frame, range(3), meta=frame[:0])
    refused(
        "column 'few' holds categories in partition 2, but numbers in partition 0",
        TANClassifier(),
        changed,
        target="class",
    )
    lacking = dd.from_map(
        lambda k: frame.drop(columns="more") if k == 1 else frame,
        range(3),
        meta=frame[:0],
        enforce_metadata=False,
    )
    refused("the Dask table: .*more", TANClassifier(), lacking, target="class")
    refused("needs all of them in memory; .*learn nb, tan", FSSClassifier(), divided, target="class")
    refused("X is a DataFrame, allowed are Dask", TANClassifier(), frame, target="class", error=DataTypeError)
    refused(
        "X has 3 partitions, but y has 4: repartition them alike",
        TANClassifier(),
        divided.drop(columns="class"),
        da.zeros(900, chunks=225),
    )
    refused("labels are given twice", TANClassifier(), divided, divided["few"], target="class")


def test_what_is_not_installed_is_named():
    code = """
import sys
sys.modules["dask"] = sys.modules["pyspark"] = None
import tanager
for module in (tanager.dask, tanager.spark):
    try:
        module.fit(tanager.TANClassifier(), None, target="y")
    except tanager.MissingPackageError as error:
        print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == [
        "tanager.dask needs dask, which is not installed: pip install 'tanager-learn[dask]'",
        "tanager.spark needs pyspark, which is not installed: pip install 'tanager-learn[spark]', "
        "and a Java runtime",
    ]
