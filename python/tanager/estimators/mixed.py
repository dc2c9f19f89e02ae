"""Classifiers whose columns of numbers need not be cut."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.data import EncodedTable, LabelCodes, TableEncoder, weigh_classes
from tanager.data.columns import Factor, as_number
from tanager.data.discretise import EqualWidth
from tanager.data.frames import Header, raw_table
from tanager.estimators.continuous import ContinuousTables, fit_continuous
from tanager.estimators.mixed_importances import MixedImportances
from tanager.exceptions import DataError
from tanager.network import Network
from tanager.reading import Explanation

__all__ = ["MixedClassifier"]

Floats = NDArray[np.float64]


class MixedClassifier(MixedImportances):
    """A classifier that takes ``numeric="gaussian"`` and ``numeric="kernel"``.

    The core then sees a column of numbers as one value (and "missing", where that is a category); its density
    given the class, and in a tree given its parent, is a factor beside the core's tables.
    """

    #: Whether columns of numbers have parents.
    _tree_of_numbers = False

    continuous_: ContinuousTables

    def _learn_numbers(self, X: Any, y: Any, sample_weight: Any) -> None:
        kind = self._density()
        if kind is None:
            return
        names = self.encoder_.labels
        columns = [i for i, column in enumerate(self.encoder_.columns) if column.binning is not None]
        if kind in names:
            raise DataError(f"numeric = {kind!r} is not clear: a column is called so; give it in a list")
        labels = LabelCodes().fit(y)
        codes = labels.codes_.astype(np.int64)
        weights = weigh_classes(self.class_weight, labels.classes_, labels.codes_, sample_weight)
        values, table = self._numbers(X, columns), self.encoder_.transform(X)
        if self.missing == "drop":
            kept = table.complete_rows()
            values, codes, table = values[kept], codes[kept], table.take(kept)
            weights = None if weights is None else weights[kept]
        known = {
            i: (self._codes_of(table, i), column.arity)
            for i, column in enumerate(self.encoder_.columns)
            if column.binning is None and column.arity > 1
        }
        tree = self._tree_of_numbers
        self._keep_numbers(
            fit_continuous(values, columns, codes, len(self.classes_), weights, known, kind, tree)
        )

    def _keep_numbers(self, made: ContinuousTables) -> None:
        """Densities of numbers, fitted or from a file."""
        names = self.encoder_.labels
        self.network_ = _network(names, self.model_.nodes, made)
        self.continuous_ = made

    def _forget(self) -> None:
        super()._forget()
        self.__dict__.pop("continuous_", None)

    def _check_counted(self) -> None:
        kind = self._density()
        if kind is not None:
            raise DataError(
                f"numeric={kind!r} looks at the numbers themselves and needs all rows in memory; counts are "
                "of numbers that are cut"
            )

    def _density(self) -> str | None:
        """The density of numbers, where they are not cut."""
        word = self.numeric
        if not isinstance(word, str) or word not in ("gaussian", "kernel"):
            return None
        if word == "kernel" and self._tree_of_numbers:
            raise DataError('numeric="kernel" is for naive Bayes: kernels have no tree, "gaussian" has')
        return word

    def _encoder(self) -> TableEncoder:
        encoder = super()._encoder()
        if self._density() is not None:
            encoder.numeric, encoder.discretize = None, EqualWidth(1)
        return encoder

    def _numbers(self, X: Any, columns: list[int]) -> Floats:
        names = self.encoder_.names
        table = raw_table(X, None if names is None else Header(names), type(self).__name__, fitted=True)
        found = np.full((table.rows, len(columns)), np.nan)
        for place, i in enumerate(columns):
            column = table.columns[i]
            found[:, place] = _floats(column) if isinstance(column, Factor) else column.floats()
        return np.where(np.isfinite(found), found, np.nan)

    def _codes_of(self, table: EncodedTable, column: int) -> NDArray[np.int64]:
        codes = table.columns[column]
        return np.where(codes == np.iinfo(codes.dtype).max, -1, codes.astype(np.int64))

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """ln P(c, x) of each row and class, in the order of `classes_`; the prior is that of training.

        Of numbers that are not cut it is a density.
        """
        if not hasattr(self, "continuous_"):
            return super().predict_joint_log_proba(X)
        return self._joint(self.encoder_.transform(X), self._numbers(X, list(self.continuous_.columns)))

    def _joint(self, table: EncodedTable, numbers: Floats) -> Floats:
        """ln P(c, x) of encoded rows with their numbers."""
        joint = self.model_.log_joint(self._dataset(table), self.n_jobs, self._approximate())
        densities: Floats = joint + self._log_densities(table, numbers).sum(axis=1)
        return densities

    def _log_densities(self, table: EncodedTable, numbers: Floats) -> Floats:
        """ln f(x_j | parent, c) of each row, column of numbers and class."""
        made = self.continuous_
        wanted = {parent[1] for parent in made.parents if parent is not None and parent[0] == "discrete"}
        return made.log_densities(numbers, {i: self._codes_of(table, i) for i in wanted})

    def explain(self, X: Any) -> Explanation:
        """The log-posterior of each row as a sum of one term for each node; see `Explanation`.

        The term of a number that is not cut is the logarithm of its density given its parent and the class.
        """
        found = super().explain(X)
        if not hasattr(self, "continuous_"):
            return found
        places = {members[0]: place for place, (members, _) in enumerate(self.model_.nodes)}
        columns = list(self.continuous_.columns)
        numbers = self._numbers(X, columns)
        densities = self._log_densities(self.encoder_.transform(X), numbers)
        contributions = found.contributions.copy()
        texts = [list(values) for values in found.values]
        for j, column in enumerate(columns):
            contributions[:, places[column]] += densities[:, j]
            for row in np.flatnonzero(~np.isnan(numbers[:, j])):
                texts[row][places[column]] = f"{numbers[row, j]:.6g}"
        return replace(found, contributions=contributions, values=tuple(map(tuple, texts)))

    def predict_log_proba(self, X: Any) -> Floats:
        """ln P(c | x) of each row and class, in the order of `classes_`."""
        if not hasattr(self, "continuous_"):
            return super().predict_log_proba(X)
        return self._normalised(self.predict_joint_log_proba(X))

    def _normalised(self, joint: Floats) -> Floats:
        """ln P(c | x) with the prior in force."""
        total = np.logaddexp.reduce(joint, axis=1, keepdims=True)
        impossible = np.isneginf(total)
        with np.errstate(invalid="ignore"):
            posterior: Floats = np.where(impossible, self.model_.log_prior, joint - total)
        return posterior if self.class_prior_ is None else self._shift(posterior)

    def predict_proba(self, X: Any) -> Floats:
        """P(c | x) of each row and class, in the order of `classes_`."""
        if not hasattr(self, "continuous_"):
            return super().predict_proba(X)
        proba: Floats = np.exp(self.predict_log_proba(X))
        return proba


def _floats(column: Factor) -> Floats:
    """Levels as numbers; what is none is missing."""
    values: Floats = np.array([*map(as_number, column.levels), None], dtype=np.float64)[column.codes]
    return values


def _network(names: list[str], nodes: Any, made: ContinuousTables) -> Network:
    """The core's arcs between discrete columns, and those to columns of numbers."""
    numbers = {column: place for place, column in enumerate(made.columns)}
    arcs = []
    for members, parents in nodes:
        place = numbers.get(members[0])
        if place is None:
            arcs.append((members, [parent for parent in parents if parent not in numbers]))
            continue
        parent = made.parents[place]
        if parent is None:
            arcs.append((members, []))
        else:
            arcs.append((members, [made.columns[parent[1]] if parent[0] == "numeric" else parent[1]]))
    return Network.build(names, arcs)
