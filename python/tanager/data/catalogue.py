"""The catalogue of data sets: generated, bundled with the package, in a folder, or on OpenML."""

from __future__ import annotations

import difflib
import gzip
import json
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np

from tanager.data.columns import Factor, Numbers, RawColumn
from tanager.data.formats import make_table, parse_arff, read_table
from tanager.data.generated import GENERATORS
from tanager.data.table import DatasetInfo, Frame, Table
from tanager.exceptions import DataError, DataTypeError
from tanager.settings import is_whole

__all__ = ["list_datasets", "load_dataset"]

#: File names that a data folder may hold, by what follows the set's name.
SUFFIXES = (".csv", ".csv.gz", ".arff", ".arff.gz", ".parquet")
#: Other names of bundled sets.
ALIASES = {"heart": "heart-statlog"}


def list_datasets(data_dir: str | Path | None = None) -> list[DatasetInfo]:
    """Every set that needs no network, by name: generated, bundled, and those in the data folder.

    Sets of the folder are listed by their files, without being read: their sizes are 0.

    >>> [info.rows for info in list_datasets() if info.name == "tic-tac-toe"]
    [958]
    """
    known = {info.name: info for info in _index()}
    for path in _folder_files(data_dir):
        name = _stem(path)
        if name not in known:
            known[name] = DatasetInfo(name, 0, 0, 0, 0, False, "folder", str(path), "unknown", "")
    return [known[name] for name in sorted(known)]


def load_dataset(
    name: str, *, rows: int | None = None, random_state: int = 0, data_dir: str | Path | None = None
) -> Table:
    """A data set by name.

    Looked for, in this order: among the generated and the bundled sets, in the data folder (`data_dir`, or
    the environment variable TANAGER_DATA), and on OpenML where there is a network.

    Parameters:
        name: see `list_datasets`.
        rows: size of a sampled set (lung-cancer, waveform, led); others have none.
        random_state: seed of a sampled set.
        data_dir: a folder of .csv, .csv.gz, .arff, .arff.gz or .parquet files, read by `read_table`.

    >>> table = load_dataset("tic-tac-toe")
    >>> table.X.shape, sorted(set(table.y))
    ((958, 9), ['negative', 'positive'])
    """
    if not isinstance(name, str):
        raise DataTypeError(f"name = {name!r} is not allowed: it is the name of a data set, as text")
    if rows is not None and not is_whole(rows):
        raise DataTypeError(f"rows = {rows!r} is not allowed: it is a whole number from 1 on")
    if name in GENERATORS:
        return _generate(name, rows, random_state)
    if rows is not None:
        raise DataError(f"rows = {rows} is not allowed: data set {name!r} is not sampled, its size is fixed")
    bundled = {info.name: info for info in _index() if info.origin == "bundled"}
    if name in bundled:
        return _bundled(bundled[name])
    for path in _folder_files(data_dir):
        if _stem(path) == name:
            return _from_folder(path)
    if name in ALIASES:
        return _bundled(bundled[ALIASES[name]])
    return _from_openml(name)


def describe(table: Table, origin: str, source: str, licence: str, description: str = "") -> DatasetInfo:
    """The catalogue's entry for a table, counted from the table itself."""
    columns = [table.X.raw(name) for name in table.X.columns]
    return DatasetInfo(
        name=table.name,
        rows=len(table),
        attributes=len(columns),
        numeric=sum(isinstance(column, Numbers) for column in columns),
        classes=0 if table.y is None else len(set(table.y.tolist())),
        missing=any(bool(column.missing_mask().any()) for column in columns),
        origin=origin,
        source=source,
        licence=licence,
        checksum=table.checksum,
        description=description,
    )


def _generate(name: str, rows: int | None, random_state: int) -> Table:
    generator = GENERATORS[name]
    if rows is not None and not generator.sampled:
        raise DataError(
            f"rows = {rows} is not allowed: data set {name!r} is complete, it has {generator.rows} rows"
        )
    if rows is not None and rows < 1:
        raise DataError(f"rows = {rows} is not allowed, at least 1 is needed")
    table = generator.make(rows or generator.rows, random_state)
    return replace(
        table, info=describe(table, "generated", generator.source, "none needed", generator.description)
    )


@cache
def _index() -> tuple[DatasetInfo, ...]:
    """Generated sets at their default size, and what the package's index says of the bundled ones."""
    text = resources.files("tanager.data").joinpath("tables", "index.json").read_text(encoding="utf-8")
    return tuple(DatasetInfo(**entry) for entry in json.loads(text))


def index_text(bundled: list[DatasetInfo]) -> str:
    """The index as kept in the package; made anew whenever a set changes."""
    generated = [
        info for info in (load_dataset(name).info for name in sorted(GENERATORS)) if info is not None
    ]
    return json.dumps([asdict(info) for info in [*generated, *bundled]], indent=1, ensure_ascii=False) + "\n"


def _bundled(info: DatasetInfo) -> Table:
    path = resources.files("tanager.data").joinpath("tables", f"{info.name}.arff.gz")
    text = gzip.decompress(path.read_bytes()).decode("utf-8")
    return replace(make_table(parse_arff(text, path.name), info.name, "class"), info=info)


def _folder_files(data_dir: str | Path | None) -> Iterator[Path]:
    folder = data_dir if data_dir is not None else os.environ.get("TANAGER_DATA")
    if not folder:
        return
    if not Path(folder).is_dir():
        raise DataError(f"the data folder {str(folder)!r} does not exist")
    yield from sorted(path for path in Path(folder).iterdir() if path.name.endswith(SUFFIXES))


def _stem(path: Path) -> str:
    name = path.name.removesuffix(".gz")
    return name[: name.rindex(".")]


def _from_folder(path: Path) -> Table:
    table = replace(read_table(path), name=_stem(path))
    return replace(table, info=describe(table, "folder", str(path), "unknown"))


def _from_openml(name: str) -> Table:
    from sklearn.datasets import fetch_openml

    known = [info.name for info in list_datasets()]
    if not re.fullmatch(r"\w[\w.()+ -]*", str(name)):
        raise DataError(f"{name!r} is not the name of a data set; known are {', '.join(known)}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # scikit-learn's about every try that failed
            fetched = fetch_openml(
                name, version=1, as_frame=False, parser="liac-arff", n_retries=1, delay=0.2
            )
    except (OSError, ValueError) as error:  # no network, or no such set
        near = difflib.get_close_matches(name, known, n=1)
        raise DataError(
            f"there is no data set {name!r} here, and OpenML did not provide it ({type(error).__name__}); "
            + (f"did you mean {near[0]!r}? " if near else "")
            + f"known are {', '.join(known)}; a file {name}.csv in the folder that TANAGER_DATA names is too"
        ) from error
    columns: dict[str, RawColumn] = {}
    for i, feature in enumerate(fetched.feature_names):
        values = fetched.data[:, i].astype(np.float64)
        levels = (fetched.categories or {}).get(feature)
        if levels is None:
            columns[feature] = Numbers(values)
        else:
            codes = np.where(np.isnan(values), -1, values).astype(np.int64)
            columns[feature] = Factor(codes, list(levels), declared=True)
    target = (fetched.target_names or ["class"])[0]
    table = Table(name, Frame(columns), np.asarray(fetched.target), target)
    licence = fetched.details.get("licence", "unknown") if fetched.get("details") else "unknown"
    return replace(table, info=describe(table, "openml", fetched.get("url") or f"OpenML {name}", licence))
