"""Ensembles of selective k-dependence classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tanager import _core
from tanager.data import EncodedTable, TableEncoder
from tanager.data.discretise import Binning
from tanager.data.encoding import ColumnEncoding
from tanager.data.encoding_settings import EncodingSettings
from tanager.data.sources import is_source
from tanager.estimators.base import ClassifierSettings
from tanager.estimators.composed import WithoutJoint
from tanager.estimators.kdb import KDBClassifier
from tanager.estimators.ordered import OrderedCodes
from tanager.estimators.readable import value_texts
from tanager.estimators.wrapper import seed_of
from tanager.reading import ConditionalTable, Explanation, Importances
from tanager.registry import LEARNERS
from tanager.settings import flag, one_of, whole

__all__ = ["KDBEnsembleClassifier"]

#: The most intervals of equal frequency from whose ends cuts are drawn, beside those of the MDL rule.
QUANTILES = 256


class KDBEnsembleClassifier(WithoutJoint):
    """The mean of selective KDBs whose orders and cuts are drawn.

    Each member is a `KDBClassifier` with hierarchical smoothing. The first takes the attributes in the order
    of what they tell about the class, and the cuts of the MDL rule; the others draw theirs: the next
    attribute of the order in proportion to I(X; C), cuts of numbers in proportion to how far they exceed
    what the rule asks for. Attributes that tell nothing about the class are left out. Their probabilities
    are averaged.

    Parameters:
        n_estimators: how many members.
        k: the most attribute parents.
        selective: whether a prefix of the order and a number of parents up to k are selected.
        selection: the leave-one-out loss by which they are: "log_loss", "rmse" or "zero_one".
        random_state: the seed of orders and cuts.
        **settings: those of `BayesianNetworkClassifier`.

    Fitted: `estimators_`, and `network_` and `table`, which are of the first member. Cuts are drawn where
    `discretize` is "mdl"; those of a transformer are taken as they are.

    >>> from tanager import KDBEnsembleClassifier, load_dataset
    >>> car = load_dataset("car")
    >>> model = KDBEnsembleClassifier(n_estimators=5, k=3).fit(car.X, car.y)
    >>> len(model.estimators_), model.predict(car.X[:2]).tolist()
    (5, ['unacc', 'unacc'])
    """

    learner = "ekdb"
    _is = "an ensemble"

    model_: _core.KdbEnsemble  # type: ignore[assignment]

    def __init__(
        self,
        n_estimators: int = 20,
        k: int = 5,
        selective: bool = True,
        random_state: Any = 0,
        *,
        selection: str = "log_loss",
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.n_estimators = n_estimators
        self.k = k
        self.selective = selective
        self.random_state = random_state
        self.selection = selection

    def _settings(self, names: list[str]) -> dict[str, Any]:
        return super()._settings(names) | {
            "n_estimators": whole(self.n_estimators, "n_estimators", 1),
            "selective": flag(self.selective, "selective"),
            "selection": one_of(self.selection, "selection", LEARNERS[self.learner].words("selection")),
            "random_state": seed_of(self.random_state),
        }

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **source: Any) -> Self:
        """Fits the members. X is a frame or a 2-D array, y the labels; or X is a frame with the column of the
        labels, which `target` names.
        """
        self._check_told_once(y, sample_weight, source.get("target"), source.get("weight"))
        if y is None and ("target" in source or is_source(X)):
            return self._fit_source(X, source.get("target"), source.get("weight"), None, None, None)
        coarse: list[TableEncoder] = []

        def encode(X: Any, codes: NDArray[Any], weights: Any) -> tuple[TableEncoder, EncodedTable]:
            encoder = self._encoder()
            if not (isinstance(self.discretize, str) and self.discretize == "mdl"):
                return encoder, encoder.fit_transform(X, codes, weights)
            ordered, fine, _ = OrderedCodes.fit(encoder, QUANTILES, X, codes, weights)
            coarse.append(ordered.encoder)
            return ordered.fine, fine

        encoder, rows = self._training(X, y, sample_weight, encode)
        names = encoder.labels
        ladders = _ladders(encoder, coarse[0]) if coarse else [None] * encoder.n_features
        model = _core.fit_kdb_ensemble(
            rows.labelled(rows.table, names), ladders, self._settings(names), self.n_jobs
        )
        encoder, model = _without_unused_cuts(encoder, model)
        self.class_prior_, self.classes_ = rows.prior, rows.classes
        self._keep(encoder, model, None, "class")  # type: ignore[arg-type]
        return self

    @property
    def estimators_(self) -> list[KDBClassifier]:
        """The members, each a fitted `KDBClassifier` that reads tables by itself."""
        check_is_fitted(self)
        _, intervals, networks = self.model_.parts()
        members = []
        for of_member, network in zip(intervals, networks, strict=True):
            member = KDBClassifier(**{name: getattr(self, name) for name in _SHARED})
            encoder = copy(self.encoder_)  # without what it keeps to read its own columns
            encoder.columns = [
                _merged(column, places)
                for column, places in zip(self.encoder_.columns, of_member, strict=True)
            ]
            member.classes_, member.class_prior_ = self.classes_, self.class_prior_
            member._keep(encoder, network, None, "class")
            members.append(member)
        return members

    def explain(self, X: Any) -> Explanation:
        """The log-posterior of each row as a sum: for each attribute the mean of what it adds in the members.

        One more term, "averaging", is what the mean of the members' probabilities has over the mean of their
        logarithms: large where they disagree.

        >>> from tanager import KDBEnsembleClassifier, load_dataset
        >>> car = load_dataset("car")
        >>> model = KDBEnsembleClassifier(n_estimators=3, k=2).fit(car.X, car.y)
        >>> explanation = model.explain(car.X[:2])
        >>> explanation.terms[-1], bool(
        ...     np.allclose(explanation.log_proba(), model.predict_log_proba(car.X[:2]))
        ... )
        ('averaging', True)
        """
        check_is_fitted(self)
        members, table = self.estimators_, self.encoder_.transform(X)
        names = self.encoder_.labels
        terms = np.zeros((table.rows, len(names) + 1, len(self.classes_)))
        for member in members:
            of_member = member.explain(X)
            for place, ((column,), _) in enumerate(member.model_.nodes):
                terms[:, column] += of_member.contributions[:, place] / len(members)
        prior = np.exp(np.asarray(self.model_.log_prior)) if self.class_prior_ is None else self.class_prior_
        with np.errstate(divide="ignore"):
            base = np.log(prior)
        rest = self.predict_log_proba(X) - terms[:, :-1].sum(axis=1)
        with np.errstate(invalid="ignore"):
            rest = np.where(np.isneginf(base), 0.0, rest - base)
        terms[:, -1] = rest - rest.max(axis=1, keepdims=True)
        texts = [value_texts(self.encoder_, table, column).tolist() for column in range(len(names))]
        values = tuple((*(of_column[row] for of_column in texts), "") for row in range(table.rows))
        return Explanation((*names, "averaging"), tuple(self.classes_.tolist()), base, terms, values, prior)

    def table(self, attribute: str | int) -> ConditionalTable:
        """P(attribute | parents, class) of the first member; see `KDBClassifier.table`."""
        check_is_fitted(self)
        return self.estimators_[0].table(attribute)

    def importances(self) -> Importances:
        """The mean of the members' importances."""
        check_is_fitted(self)
        each = [member.importances() for member in self.estimators_]

        def mean(mappings: Sequence[Any]) -> dict[str, float]:
            return {name: float(np.mean([one[name] for one in mappings])) for name in mappings[0]}

        return Importances(mean([one.contributions for one in each]), mean([one.information for one in each]))


#: Settings that members have from the ensemble: how tables are read.
_SHARED = ("k", "selective", "selection", "missing_at_predict", *EncodingSettings.__annotations__)


def _ladders(fine: TableEncoder, coarse: TableEncoder) -> list[tuple[int, list[int]] | None]:
    """For each column of numbers its ordered values, and behind which of them the MDL rule cuts."""
    ladders: list[tuple[int, list[int]] | None] = []
    for column, few in zip(fine.columns, coarse.columns, strict=True):
        if column.binning is None or few.binning is None:
            ladders.append(None)
        else:
            cuts = np.searchsorted(column.binning.cut_points, few.binning.cut_points)
            ladders.append((column.binning.bins, cuts.tolist()))
    return ladders


def _without_unused_cuts(
    encoder: TableEncoder, model: _core.KdbEnsemble
) -> tuple[TableEncoder, _core.KdbEnsemble]:
    """The same ensemble with the cuts that some member uses: rows are read quicker, and shown shorter."""
    arities, intervals, networks = model.parts()
    columns, kept_of = list(encoder.columns), []
    for i, column in enumerate(columns):
        used = [np.asarray(of_member[i]) for of_member in intervals if of_member[i] is not None]
        if column.binning is None or not used:
            kept_of.append(np.arange(arities[i]))
            continue
        bins = column.binning.bins
        cut = np.any([np.diff(places[:bins]) > 0 for places in used], axis=0)
        kept_of.append(np.append(np.flatnonzero(np.append(cut, True)), np.arange(bins, arities[i])))
        columns[i] = replace(column, binning=Binning(column.binning.cut_points[cut]))
    smaller = copy(encoder)
    smaller.columns = columns
    fewer = [
        [
            None if places is None else np.asarray(places)[kept].tolist()
            for places, kept in zip(of_member, kept_of, strict=True)
        ]
        for of_member in intervals
    ]
    return smaller, _core.KdbEnsemble.from_parts([len(kept) for kept in kept_of], fewer, networks)


def _merged(column: ColumnEncoding, places: Sequence[int] | None) -> ColumnEncoding:
    """The encoding of a member, whose intervals are unions of the ensemble's."""
    if column.binning is None or places is None:
        return column
    cut = np.diff(np.asarray(places)[: column.binning.bins]) > 0
    return replace(column, binning=Binning(column.binning.cut_points[cut]))
