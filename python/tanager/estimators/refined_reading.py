"""Reading a refined network: its terms, why a row, what if, which attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tanager import _core
from tanager.data import EncodedTable, TableEncoder, column_labels
from tanager.estimators.ordered import OrderedCodes
from tanager.estimators.readable import ReadableClassifier, group_texts, mutual_information
from tanager.exceptions import CapacityError
from tanager.reading import Explanation, Importances, TermTable

__all__ = ["RefinedReading", "Term"]

#: The most lines of a term's table.
MOST_LINES = 1_000_000
#: Rows that importances are averaged over.
IMPORTANCE_ROWS = 4000


@dataclass(frozen=True)
class Term:
    """One term of the sum: the attributes of a node, and the parents that it looks at.

    `parents` are those of all structures that the model averages.
    """

    name: str
    attributes: tuple[str, ...]
    parents: tuple[str, ...]

    @classmethod
    def of(cls, names: Sequence[str], members: Sequence[int], parents: Sequence[Sequence[int]]) -> Term:
        """From positions; parents in the order in which the structures name them."""
        attributes = tuple(names[member] for member in members)
        seen = dict.fromkeys(parent for of_structure in parents for parent in of_structure)
        return cls(" × ".join(attributes), attributes, tuple(names[parent] for parent in seen))


class RefinedReading(ReadableClassifier):
    """What a fitted refined network can be asked."""

    terms_: list[Term]
    importances_: tuple[NDArray[np.float64], NDArray[np.float64]]

    if TYPE_CHECKING:
        ordered_: OrderedCodes

        def _log_posterior(self, table: EncodedTable, steps: EncodedTable | None) -> NDArray[np.float64]: ...
        def _contributions(self, table: EncodedTable, steps: EncodedTable | None) -> NDArray[np.float64]: ...

    @property
    def _refined(self) -> _core.Refined:
        return cast(_core.Refined, self.model_)

    def explain(self, X: Any) -> Explanation:
        """The log-posterior of each row as a sum of one term for each node; see `Explanation`.

        >>> from tanager import RefinedClassifier, load_dataset
        >>> car = load_dataset("car")
        >>> model = RefinedClassifier("kdb", ridge=1.0).fit(car.X, car.y)
        >>> explanation = model.explain(car.X[:2])
        >>> bool(np.allclose(explanation.log_proba(), model.predict_log_proba(car.X[:2])))
        True
        """
        check_is_fitted(self)
        fine = self._reader.transform(X)
        base = np.asarray(self._refined.bias)
        if self.class_prior_ is not None:
            with np.errstate(divide="ignore"):
                base = base + np.log(self.class_prior_) - np.asarray(self._refined.log_prior)
        values = group_texts(self._reader, fine, [members for members, _ in self._refined.terms])
        terms = tuple(term.name for term in self.terms_)
        rest = np.exp(np.asarray(self._refined.log_prior))
        contributions = self._contributions(*self.ordered_.split(fine))
        return Explanation(terms, tuple(self.classes_.tolist()), base, contributions, values, rest)

    @property
    def _reader(self) -> TableEncoder:
        return self.ordered_.fine

    def _log_joint(self, table: EncodedTable) -> NDArray[np.float64]:
        return self._log_posterior(*self.ordered_.split(table))

    def table(self, attribute: str | int) -> TermTable:  # type: ignore[override]
        """The term of an attribute for every value of it and of its parents.

        A numeric attribute has one line for each interval between its cuts and steps.
        """
        check_is_fitted(self)
        column = self._column(attribute)
        names = column_labels(self.encoder_.names, self.n_features_in_)
        place = self._place(column, self._refined.terms)
        term, encoder = self.terms_[place], self._reader
        of_parents = [names.index(parent) for parent in term.parents]
        used = [*of_parents, *self._refined.terms[place][0]]
        # Parents have the network's values: each stands with the first of its fine ones.
        codes = [
            _first_codes(self.ordered_, i) if i in of_parents else list(range(encoder.columns[i].arity))
            for i in used
        ]
        lines = int(np.prod([len(values) for values in codes], dtype=np.float64))
        if lines > MOST_LINES:
            raise CapacityError(f"the table of {term.name!r} would have {lines} lines, at most {MOST_LINES}")
        grid = np.array(list(product(*codes)), dtype=np.int64).reshape(lines, len(used))
        columns: list[Any] = [
            np.full(lines, np.iinfo(encoding.dtype).max, encoding.dtype) for encoding in encoder.columns
        ]
        for i, column_codes in zip(used, grid.T, strict=True):
            columns[i] = column_codes.astype(encoder.columns[i].dtype)
        arities = [encoding.arity for encoding in encoder.columns]
        fine = EncodedTable(columns, arities)
        levels = tuple(
            tuple(self.encoder_.describe(i, code) for code in range(self.encoder_.columns[i].arity))
            if i in of_parents
            else tuple(encoder.describe(i, code) for code in range(encoder.columns[i].arity))
            for i in used
        )
        values = self._contributions(*self.ordered_.split(fine))[:, place]
        shape = [len(of_axis) for of_axis in levels]
        return TermTable(
            term.attributes, term.parents, levels, tuple(self.classes_.tolist()), values.reshape(*shape, -1)
        )

    def importances(self) -> Importances:
        """How much each attribute says about the class, over the training rows.

        The mean over rows (at most 4,000) of Σ_c P(c | x) |t_c − Σ_c' P(c' | x) t_c'|, t the attribute's
        term, in nats; and its information on the class I(X; C) by the training counts.
        """
        check_is_fitted(self)
        names = column_labels(self.encoder_.names, self.n_features_in_)
        contributions, information = self.importances_
        return Importances(
            dict(zip(names, contributions.tolist(), strict=True)),
            dict(zip(names, information.tolist(), strict=True)),
        )

    def _keep_importances(self, table: EncodedTable, steps: EncodedTable | None, codes: NDArray[Any]) -> None:
        information = np.zeros(self.n_features_in_)
        for column, (of_column, arity) in enumerate(zip(table.columns, table.arities, strict=True)):
            known = of_column < arity
            s = len(self.classes_)
            cells = of_column[known].astype(np.int64) * s + codes[known]
            joint = np.bincount(cells, minlength=arity * s).reshape(arity, s)
            information[column] = mutual_information(joint / max(int(joint.sum()), 1))
        rows = np.arange(0, table.rows, -(-table.rows // IMPORTANCE_ROWS))
        table, steps = table.take(rows), None if steps is None else steps.take(rows)
        terms = self._contributions(table, steps)
        posterior = np.exp(self._log_posterior(table, steps))[:, None, :]
        mean = (posterior * terms).sum(axis=2, keepdims=True)
        of_terms = (posterior * np.abs(terms - mean)).sum(axis=2).mean(axis=0)
        contributions = np.zeros(self.n_features_in_)
        for (members, _), value in zip(self._refined.terms, of_terms, strict=True):
            contributions[list(members)] = value
        self.importances_ = contributions, information


def _first_codes(ordered: OrderedCodes, column: int) -> list[int]:
    """For each of the network's values of a column the first fine code that stands for it."""
    encoding, cuts = ordered.encoder.columns[column], ordered.cuts[column]
    if encoding.binning is None or cuts is None:
        return list(range(encoding.arity))
    fine = np.union1d(encoding.binning.cut_points, cuts)
    first = [0, *(np.searchsorted(fine, encoding.binning.cut_points) + 1).tolist()]
    return [*first, len(fine) + 1] if encoding.missing_level else first
