"""Reading a classifier in which numbers have densities: what if, tables, samples, a SELECT."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tanager.data import EncodedTable
from tanager.estimators.base import BayesianNetworkClassifier
from tanager.estimators.continuous import ContinuousTables
from tanager.exceptions import DataError, NotThereError
from tanager.export import DescribedNetwork, Normal, sql_select
from tanager.reading import ConditionalTable, DensityTable, WhatIf
from tanager.settings import random_source

__all__ = ["MixedReading", "round_steps"]

Floats = NDArray[np.float64]


class MixedReading(BayesianNetworkClassifier):
    """What a classifier with densities of numbers can be asked; without them, what any classifier can."""

    if TYPE_CHECKING:
        continuous_: ContinuousTables

        def _numbers(self, X: Any, columns: list[int]) -> Floats: ...
        def _joint(self, table: EncodedTable, numbers: Floats) -> Floats: ...
        def _normalised(self, joint: Floats) -> Floats: ...

    def what_if(self, row: Any, attribute: str | int) -> WhatIf:
        """P(c | x) of one row for every value of one attribute, all others as they are.

        `row` is a frame or table of one row, a sequence of values, or a mapping from names to values. A
        number that is not cut takes round values from two deviations below the lowest mean of a class to two
        above the highest, beside its own.

        >>> from tanager import NaiveBayesClassifier, load_dataset
        >>> iris = load_dataset("iris")
        >>> model = NaiveBayesClassifier(numeric="gaussian").fit(iris.X, iris.y)
        >>> print(model.what_if(iris.X[60:61], "petalwidth"))
        petalwidth  P(Iris-setosa)  P(Iris-versicolor)  P(Iris-virginica)
        0                    0.000               1.000              0.000
        0.5                  0.000               1.000              0.000
        1 (now)              0.000               1.000              0.000
        1.5                  0.000               1.000              0.000
        2                    0.000               0.974              0.026
        2.5                  0.000               0.001              0.999
        """
        check_is_fitted(self)
        if not hasattr(self, "continuous_"):
            return super().what_if(row, attribute)
        one = self._one_row(row)
        table = self._one_encoded(one)
        column, made = self._column(attribute), self.continuous_
        encoding = self.encoder_.columns[column]
        numbers = self._numbers(one, list(made.columns))
        if column in made.columns:
            place = made.columns.index(column)
            own = float(numbers[0, place])
            grid = sorted({*round_steps(*made.range_of(place)), *([own] if np.isfinite(own) else [])})
            texts = [f"{value:.6g}" for value in grid]
            current: int | None = grid.index(own) if np.isfinite(own) else None
            codes = [0] * len(grid)
            if encoding.missing_level:
                current = len(grid) if current is None else current
                grid, texts, codes = [*grid, np.nan], [*texts, "missing"], [*codes, encoding.missing_code]
        else:
            codes = list(range(encoding.arity))
            texts = list(encoding.texts)
            now = int(table.columns[column][0])
            current, grid = (now if now < encoding.arity else None), []
        columns: list[Any] = [np.repeat(known, len(codes)) for known in table.columns]
        columns[column] = np.array(codes).astype(columns[column].dtype)
        numbers = np.repeat(numbers, len(codes), axis=0)
        if grid:
            numbers[:, made.columns.index(column)] = grid
        joint = self._joint(EncodedTable(columns, table.arities), numbers)
        probabilities = np.exp(self._normalised(joint))
        return WhatIf(encoding.name, tuple(texts), tuple(self.classes_.tolist()), probabilities, current)

    def table(self, attribute: str | int) -> ConditionalTable | DensityTable:  # type: ignore[override]
        """P(attribute | parents, class) by names and values; of a number that is not cut, its density.

        >>> from tanager import NaiveBayesClassifier, load_dataset
        >>> iris = load_dataset("iris")
        >>> print(NaiveBayesClassifier(numeric="gaussian").fit(iris.X, iris.y).table("petalwidth"))
        class             mean  deviation
        Iris-setosa      0.244   0.106132
        Iris-versicolor  1.326   0.195765
        Iris-virginica   2.026    0.27189
        """
        check_is_fitted(self)
        if not hasattr(self, "continuous_"):
            return super().table(attribute)
        column = self._column(attribute)
        if column in self.continuous_.columns:
            return self._density_table(column)
        return self._without_numbers(super().table(attribute))

    def _without_numbers(self, table: ConditionalTable) -> ConditionalTable:
        """The core has a number as one value, of which there is nothing to show; "missing" may be another."""
        encodings = {column.name: column for column in self.encoder_.columns}
        one = [encodings[name].binning is not None for name in table.parents]
        dropped = [place for place, number in enumerate(one) if number and len(table.levels[place]) == 1]
        levels = [
            tuple("missing" if text == "missing" else "known" for text in texts)
            if place < len(one) and one[place]
            else texts
            for place, texts in enumerate(table.levels)
        ]
        return replace(
            table,
            parents=tuple(name for place, name in enumerate(table.parents) if place not in dropped),
            levels=tuple(texts for place, texts in enumerate(levels) if place not in dropped),
            probabilities=table.probabilities.squeeze(axis=tuple(dropped)),
        )

    def _density_table(self, column: int) -> DensityTable:
        made, s = self.continuous_, len(self.classes_)
        names = self.encoder_.labels
        place = made.columns.index(column)
        parent = made.parents[place]
        classes, given = np.arange(s), list[str | None]([None] * s)
        columns = {"mean": made.mean[place], "deviation": np.sqrt(made.variance[place])}
        above = None
        if made.kernels:
            columns["kernels"] = np.array([float(points.size) for points, _, _ in made.kernels[place]])
            columns["bandwidth"] = np.array([width for _, _, width in made.kernels[place]])
        elif parent is not None and parent[0] == "numeric":
            above = names[made.columns[parent[1]]]
            columns["slope"] = made.slope[place]
            columns[f"deviation given {above}"] = np.sqrt(made.residual[place])
        elif parent is not None:
            above = names[parent[1]]
            means, variances = made.by_value[place]
            encoding = self.encoder_.columns[parent[1]]
            values = encoding.texts
            classes = np.repeat(classes, len(values) + 1)
            given = [*values, None] * s
            columns = {
                "mean": np.column_stack([means, made.mean[place]]).ravel(),
                "deviation": np.sqrt(np.column_stack([variances, made.variance[place]]).ravel()),
            }
        if self.encoder_.columns[column].missing_level:
            log = self._log_joint_of([column], [(self.encoder_.columns[column].arity - 1,)])[0]
            columns["P(missing)"] = np.exp(log - self.model_.log_prior)[classes]
        labels = tuple(self.classes_[classes].tolist())
        return DensityTable(names[column], above, labels, tuple(given), columns)

    @property
    def n_parameters_(self) -> int:
        """The free parameters of the prior, all tables, and the normal densities of numbers.

        A number has a mean and a variance for each class, with a numeric parent a slope too, and with a
        discrete one a mean and a variance for each of its values.
        """
        found = super().n_parameters_
        if not hasattr(self, "continuous_"):
            return found
        made, s = self.continuous_, len(self.classes_)
        if made.kernels:
            raise NotThereError("kernels keep the rows themselves: such a model has no number of parameters")
        for place, parent in enumerate(made.parents):
            if parent is None:
                found += 2 * s
            else:
                found += 3 * s if parent[0] == "numeric" else 2 * made.by_value[place][0].size
        return found

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[NDArray[Any], NDArray[Any]]:
        """Draws rows with their labels: X and y.

        Values are levels; numbers that are not cut are numbers; None where missing. Labels follow the prior
        of training. With the same `random_state` fewer rows are the first of more.
        """
        check_is_fitted(self)
        if not hasattr(self, "continuous_"):
            return super().sample(n_samples, random_state)
        seed = int(random_source(random_state).randint(2**31))
        rows, classes = self._drawn(n_samples, seed)
        codes, _ = self._codes(len(rows), int(random_source(seed).randint(2**31)))
        made = self.continuous_
        known = np.zeros((len(rows), len(made.columns)), dtype=np.bool_)
        for place, column in enumerate(made.columns):
            known[:, place] = codes[column] == 0
        numbers = made.draw(np.asarray(classes), known, codes, seed)
        for place, column in enumerate(made.columns):
            rows[:, column] = numbers[:, place]
            rows[~known[:, place], column] = None
        labels: NDArray[Any] = self.classes_[classes]
        return rows, labels

    def to_sql(self, table: str, dialect: str = "sqlite") -> str:
        """One SELECT that scores the rows of a table: its columns, P(class) of every class, the prediction.

        `dialect` is "sqlite", "duckdb" or "postgres". Columns have the names that `fit` saw. NULL is missing;
        values that fit did not see count as unknown. The numbers are those of `predict_proba`. Densities of
        numbers that are not cut need the function EXP, which sqlite has since 3.35 where its mathematical
        functions are built in; kernels, which are the training rows, have no SELECT.
        """
        check_is_fitted(self)
        if not hasattr(self, "continuous_"):
            return super().to_sql(table, dialect)
        made = self.continuous_
        if made.kernels:
            raise DataError(
                'numeric="kernel" keeps the training rows, which one SELECT does not hold; "gaussian" has one'
            )
        names = self.encoder_.labels
        normals = []
        for place, (column, parent) in enumerate(zip(made.columns, made.parents, strict=True)):
            numeric = None if parent is None or parent[0] != "numeric" else parent[1]
            normals.append(
                Normal(
                    name=names[column],
                    mean=made.mean[place],
                    variance=made.variance[place],
                    slope=made.slope[place],
                    residual=made.residual[place],
                    numeric=None if numeric is None else (names[made.columns[numeric]], made.mean[numeric]),
                    discrete=None
                    if parent is None or parent[0] != "discrete"
                    else (parent[1], *made.by_value[place]),
                )
            )
        return sql_select(DescribedNetwork.of(self, "class"), table, dialect, normals)

    def _arc_information(self, parent: str, child: str) -> float | None:
        """I(parent; child | C) of an arc to a number, by the fitted densities; None of other arcs."""
        names = self.encoder_.labels
        if not hasattr(self, "continuous_") or names.index(child) not in self.continuous_.columns:
            return None
        made, prior = self.continuous_, np.exp(self.model_.log_prior)
        place = made.columns.index(names.index(child))
        above = made.parents[place]
        if above is None or above[0] == "numeric":
            return float(0.5 * prior @ np.log(made.variance[place] / made.residual[place]))
        _, variances = made.by_value[place]
        codes: list[tuple[int, ...]] = [(code,) for code in range(variances.shape[1])]
        share = np.exp(self._log_joint_of([above[1]], codes) - self.model_.log_prior).T
        within = (share * np.log(variances)).sum(axis=1)
        return max(float(0.5 * prior @ (np.log(made.variance[place]) - within)), 0.0)


def round_steps(low: float, high: float, about: int = 9) -> list[float]:
    """Round numbers from `low` to `high`: multiples of 1, 2 or 5 times a power of ten.

    >>> round_steps(0.03, 2.57)
    [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    """
    wide = (high - low) / about
    if not wide > 0 or not np.isfinite(wide):
        return [low]
    power = 10.0 ** np.floor(np.log10(wide))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= wide * (1 - 1e-9))
    first, last = int(np.round(low / step)), int(np.round(high / step))
    return [float(f"{place * step:.6g}") for place in range(first, last + 1)]
