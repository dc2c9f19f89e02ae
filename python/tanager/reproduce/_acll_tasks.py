"""The data on which scores are compared by the conditional log-likelihood of their TANs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tanager._core import Dataset
from tanager.data import LabelCodes, Table, TableEncoder, list_datasets, load_dataset
from tanager.motifs import read_sites
from tanager.reproduce._options import Options
from tanager.reproduce._sites import site_files, site_task

__all__ = ["CodedTask", "site_tasks", "table_tasks"]

_LARGEST_QUICK = 6000
"""Rows of the largest table of the quick mode."""


@dataclass(frozen=True)
class CodedTask:
    """Encoded data with its classes."""

    name: str
    data: Dataset
    classes: NDArray[np.intp]


def site_tasks(n_classes: int, options: Options, repeat: int = 0) -> Iterator[CodedTask]:
    """Sites against shuffled ones; with three classes, the next file's sites are the third (the last file's
    next is the first).

    `repeat` tells apart several samples of the background.
    """
    files = site_files(options.data_dir)
    for index, path in enumerate(files):
        random = np.random.default_rng([options.random_state, repeat, index, n_classes])
        others = [read_sites(files[(index + step) % len(files)]).codes for step in range(1, n_classes - 1)]
        codes, classes = site_task(read_sites(path).codes, others, random)
        data = Dataset(codes, [4] * codes.shape[1], class_codes=classes, n_classes=n_classes)
        yield CodedTask(path.stem, data, classes)


def table_tasks(n_classes: int, options: Options) -> Iterator[CodedTask]:
    """The tables that are bundled or in the data folder and have so many classes.

    For three classes also those with more, reduced to the rows of their three largest (of equally large ones
    the first): other tables' classes cannot be added to a table with its own attributes.
    """
    for info in list_datasets(options.data_dir):
        if info.classes and (info.classes < n_classes or (n_classes == 2 and info.classes > 2)):
            continue
        if options.quick and (info.rows > _LARGEST_QUICK or not info.rows):
            continue
        table = load_dataset(info.name, data_dir=options.data_dir)
        task = _coded(table, n_classes)
        if task is not None:
            yield task


def _coded(table: Table, n_classes: int) -> CodedTask | None:
    labels = LabelCodes().fit(table.y)
    present = len(labels.classes_)
    if present < n_classes or (n_classes == 2 and present > 2):
        return None
    if present > n_classes:
        sizes = np.bincount(labels.codes_, minlength=present)
        largest = np.sort(np.argsort(-sizes, kind="stable")[:n_classes])
        rows = np.isin(labels.codes_, largest)
        table, labels = table.take(rows), LabelCodes().fit(np.asarray(table.y)[rows])
    encoded = TableEncoder().fit_transform(table.X, labels.codes_)
    data = Dataset.from_columns(encoded.columns, encoded.arities, labels.codes_, n_classes)
    return CodedTask(table.name, data, labels.codes_.astype(np.intp))
