"""Reading a fitted classifier: why a row, what if, which attributes, which table.

Everything is exact and comes from the fitted tables alone: where a sum over values that are not known is
needed, the model's own elimination gives it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tanager.data import EncodedTable, TableEncoder
from tanager.data.columns import from_array
from tanager.data.table import Frame
from tanager.estimators.estimator import BayesianNetworkEstimator
from tanager.exceptions import DataError
from tanager.network import parents_first
from tanager.reading import ConditionalTable, Explanation, Importances, WhatIf
from tanager.settings import is_whole

__all__ = ["ReadableClassifier", "group_texts", "mutual_information", "value_texts"]


class ReadableClassifier(BayesianNetworkEstimator):
    """What every classifier over a network can be asked once it is fitted."""

    classes_: NDArray[Any]
    class_prior_: NDArray[np.float64] | None

    def explain(self, X: Any) -> Explanation:
        """The log-posterior of each row as a sum of one term for each node; see `Explanation`.

        >>> from tanager import TANClassifier, load_dataset
        >>> car = load_dataset("car")
        >>> model = TANClassifier().fit(car.X, car.y)
        >>> explanation = model.explain(car.X[:2])
        >>> explanation.contributions.shape
        (2, 6, 4)
        >>> bool(np.allclose(explanation.log_proba(), model.predict_log_proba(car.X[:2])))
        True
        """
        check_is_fitted(self)
        table = self.encoder_.transform(X)
        nodes = self.model_.nodes
        with np.errstate(divide="ignore"):
            trained = np.asarray(self.model_.log_prior)
            base = trained if self.class_prior_ is None else np.log(np.asarray(self.class_prior_))
        base = np.where(np.isneginf(trained), -np.inf, base)
        rest = np.exp(trained) if self.class_prior_ is None else np.asarray(self.class_prior_)
        values = group_texts(self.encoder_, table, [members for members, _ in nodes])
        terms = tuple(" × ".join(group) for group in self.network_.groups)
        return Explanation(terms, tuple(self.classes_.tolist()), base, self._terms(table), values, rest)

    def what_if(self, row: Any, attribute: str | int) -> WhatIf:
        """P(c | x) of one row for every value of one attribute, all others as they are.

        `row` is a frame or table of one row, a sequence of values, or a mapping from names to values.

        >>> from tanager import TANClassifier, load_dataset
        >>> car = load_dataset("car")
        >>> model = TANClassifier().fit(car.X, car.y)
        >>> print(model.what_if(car.X[:1], "Safety"))
        Safety     P(acc)  P(good)  P(unacc)  P(vgood)
        low (now)   0.000    0.001     0.996     0.002
        med         0.000    0.000     0.999     0.001
        high        0.000    0.000     1.000     0.000
        """
        check_is_fitted(self)
        table = self._one_encoded(self._one_row(row))
        column = self._column(attribute)
        encoding = self._reader.columns[column]
        arity = encoding.arity
        columns: list[Any] = [np.repeat(codes, arity) for codes in table.columns]
        current = int(columns[column][0])
        columns[column] = np.arange(arity).astype(columns[column].dtype)
        joint = self._log_joint(EncodedTable(columns, table.arities))
        return WhatIf(
            encoding.name,
            encoding.texts,
            tuple(self.classes_.tolist()),
            np.exp(joint),
            current if current < arity else None,
        )

    def table(self, attribute: str | int) -> ConditionalTable:
        """P(attribute | parents, class) by names and values; of joined attributes their common table.

        >>> from tanager import NaiveBayesClassifier
        >>> model = NaiveBayesClassifier().fit([["sun"], ["sun"], ["rain"]], ["out", "out", "in"])
        >>> print(model.table("x0"))
        x0    P(· | in)  P(· | out)
        rain     0.6667      0.2500
        sun      0.3333      0.7500
        """
        check_is_fitted(self)
        column = self._column(attribute)
        names = self.encoder_.labels
        nodes = self.model_.nodes
        place = self._place(column, nodes)
        members, parents = nodes[place]
        encodings = self.encoder_.columns
        return ConditionalTable(
            tuple(names[i] for i in members),
            tuple(names[i] for i in parents),
            tuple(encodings[i].texts for i in (*parents, *members)),
            tuple(self.classes_.tolist()),
            np.exp(self.model_.table(place)),
        )

    def importances(self) -> Importances:
        """How much each attribute says about the class, under the model itself.

        The expected absolute contribution of node i with parents π, in nats, is

            E_{x_i, π} Σ_c P(c | x_i, π) |t_c − Σ_c' P(c' | x_i, π) t_c'|,   t_c = ln P(x_i | π, c)

        and its information on the class I(X_i; C) = E ln [P(x_i, c) / (P(x_i) P(c))]. All probabilities are
        exact sums over the network; numbers that are not cut are integrated over,
        with errors below 1e-3 nats.

        >>> from tanager import TANClassifier, load_dataset
        >>> car = load_dataset("car")
        >>> list(TANClassifier().fit(car.X, car.y).importances())[:2]
        ['Safety', 'Maint']
        """
        check_is_fitted(self)
        names = self.encoder_.labels
        contributions = dict.fromkeys(names, 0.0)
        information = dict.fromkeys(names, 0.0)
        for place, (members, parents) in enumerate(self.model_.nodes):
            value = self._expected_contribution(place, parents)
            for member in members:
                contributions[names[member]] = value
                information[names[member]] = self._information(member)
        return Importances(contributions, information)

    def _terms(self, table: EncodedTable) -> NDArray[np.float64]:
        """The contributions, rows × nodes × classes."""
        nodes = self.model_.nodes
        used = sorted({column for members, parents in nodes for column in (*members, *parents)})
        known = np.ones(table.rows, dtype=np.bool_)
        for column in used:
            known &= table.columns[column] < table.arities[column]
        terms = np.zeros((table.rows, len(nodes), len(self.classes_)))
        for place, (members, parents) in enumerate(nodes):
            index = tuple(table.columns[column][known] for column in (*parents, *members))
            terms[known, place] = self.model_.table(place)[index]
        rest = np.flatnonzero(~known)
        if len(rest):
            terms[rest] = self._terms_of_incomplete(table.take(rest))
        return terms

    def _terms_of_incomplete(self, table: EncodedTable) -> NDArray[np.float64]:
        """The chain rule over the nodes, parents first: ln P(c, x_1..i) − ln P(c, x_1..i−1).

        What is missing is summed out. For a node with all its parents known that is ln θ; for one of which
        nothing is known it is 0.
        """
        nodes = self.model_.nodes
        columns = [np.full_like(codes, np.iinfo(codes.dtype).max) for codes in table.columns]
        before = np.tile(np.asarray(self.model_.log_prior), (table.rows, 1))
        terms = np.zeros((table.rows, len(nodes), len(self.classes_)))
        for place in parents_first(nodes):
            for member in nodes[place][0]:
                columns[member] = table.columns[member]
            data = self._dataset(EncodedTable(columns, table.arities))
            after = self.model_.log_joint(data, self.n_jobs, self._approximate())
            with np.errstate(invalid="ignore"):
                terms[:, place] = np.where(np.isneginf(before), 0.0, after - before)
            before = after
        return terms

    def _expected_contribution(self, place: int, parents: Sequence[int]) -> float:
        log_theta = self.model_.table(place)
        arities = [self.encoder_.columns[parent].arity for parent in parents]
        given = self._log_joint_of(parents, list(product(*map(range, arities))))
        s = len(self.classes_)
        t = log_theta.reshape(int(np.prod(arities, dtype=np.int64)), -1, s)
        joint = np.exp(given[:, None, :] + t)
        total = joint.sum(axis=2, keepdims=True)
        posterior = np.divide(joint, total, out=np.zeros_like(joint), where=total > 0)
        finite = np.where(posterior > 0, t, 0.0)
        mean = (posterior * finite).sum(axis=2, keepdims=True)
        return float((joint * np.abs(finite - mean)).sum())

    def _information(self, column: int) -> float:
        arity = self.encoder_.columns[column].arity
        joint = np.exp(self._log_joint_of([column], [(code,) for code in range(arity)]))
        return mutual_information(joint)

    def _log_joint_of(self, columns: Sequence[int], rows: list[tuple[int, ...]]) -> NDArray[np.float64]:
        """ln P(c, x) where only the given columns are known, for each of their values in `rows`."""
        encodings = self.encoder_.columns
        codes: list[Any] = [
            np.full(len(rows), np.iinfo(encoding.dtype).max, encoding.dtype) for encoding in encodings
        ]
        for position, column in enumerate(columns):
            codes[column] = np.array([row[position] for row in rows], dtype=encodings[column].dtype)
        table = EncodedTable(codes, [encoding.arity for encoding in encodings])
        return self.model_.log_joint(self._dataset(table), self.n_jobs, self._approximate())

    def _log_joint(self, table: EncodedTable) -> NDArray[np.float64]:
        """ln P(c | x) with the prior in force."""
        posterior = self.model_.log_posterior(self._dataset(table), self.n_jobs, self._approximate())
        return posterior if self.class_prior_ is None else self._shift(posterior)

    if TYPE_CHECKING:

        def _shift(self, posterior: NDArray[np.float64]) -> NDArray[np.float64]: ...

        def _approximate(self) -> bool: ...

    def _arc_information(self, parent: str, child: str) -> float | None:
        """I(parent; child | class) of an arc, where it is not that of codes; see `MixedReading`."""
        return None

    @property
    def _reader(self) -> TableEncoder:
        """What reads tables as finely as questions are asked."""
        return self.encoder_

    def _one_encoded(self, one: Any) -> EncodedTable:
        """The codes of a table of one row."""
        table = self._reader.transform(one)
        if table.rows != 1:
            raise DataError(f"what_if takes one row, found {table.rows}")
        return table

    def _place(self, column: int, nodes: Sequence[tuple[Sequence[int], Any]]) -> int:
        """The node that a column is in."""
        for place, (members, _) in enumerate(nodes):
            if column in members:
                return place
        name = self.encoder_.labels[column]
        raise DataError(f"the learner left {name!r} out of the network")

    def _column(self, attribute: str | int) -> int:
        names = self.encoder_.labels
        if isinstance(attribute, str) and attribute in names:
            return names.index(attribute)
        if is_whole(attribute) and 0 <= int(attribute) < len(names):
            return int(attribute)
        shown = ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
        raise DataError(f"{attribute!r} is not an attribute: attributes are {shown}, or positions from 0 on")

    def _one_row(self, row: Any) -> Any:
        """A table of one row from whatever a person has in hand."""
        names = self.encoder_.labels
        if isinstance(row, Mapping):
            absent = [name for name in names if name not in row]
            if absent:
                raise DataError(f"the row has no value of {absent[0]!r}; it needs {', '.join(names)}")
            row = [row[name] for name in names]
        if getattr(row, "ndim", None) == 2 or hasattr(row, "columns"):
            return row
        values = list(row)
        if values and isinstance(values[0], list | tuple | np.ndarray):
            return row
        if len(values) != len(names):
            raise DataError(f"the row has {len(values)} values, but the model has {len(names)} attributes")
        columns = {}
        for name, value in zip(names, values, strict=True):
            cell = np.empty(1, dtype=object)
            cell[0] = value
            columns[name] = from_array(cell, f"column {name!r}")
        return Frame(columns)


def mutual_information(joint: NDArray[np.float64]) -> float:
    """I of two variables, in nats, from their joint probabilities."""
    outer = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    cells = joint > 0
    return max(float((joint[cells] * np.log(joint[cells] / outer[cells])).sum()), 0.0)


def group_texts(
    encoder: TableEncoder, table: EncodedTable, groups: Sequence[Sequence[int]]
) -> tuple[tuple[str, ...], ...]:
    """The values of each row and group of columns as text."""
    texts = [value_texts(encoder, table, column) for column in range(len(encoder.columns))]
    return tuple(
        tuple(" × ".join(str(texts[member][row]) for member in members) for members in groups)
        for row in range(table.rows)
    )


def value_texts(encoder: TableEncoder, table: EncodedTable, column: int) -> NDArray[Any]:
    """The value of each row as text; "?" where it is missing or was not seen at fit."""
    encoding, codes = encoder.columns[column], table.columns[column]
    lookup = np.array([*encoding.texts, "?"], dtype=object)
    texts: NDArray[Any] = lookup[np.minimum(codes.astype(np.int64), encoding.arity)]
    return texts
