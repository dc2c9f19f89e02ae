"""Refined networks: a network's terms, fitted for the conditional likelihood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from tanager import _core
from tanager.data import EncodedTable, column_labels
from tanager.data.sources import is_source
from tanager.estimators.base import BayesianNetworkClassifier, ClassifierSettings
from tanager.estimators.composed import WithoutJoint
from tanager.estimators.ordered import OrderedCodes
from tanager.estimators.refined_reading import RefinedReading, Term
from tanager.estimators.wrapper import given_folds, seed_of
from tanager.exceptions import DataError, DataTypeError
from tanager.network import Network
from tanager.settings import is_number, is_whole, parent_limit

__all__ = ["Candidate", "RefinedClassifier"]

#: The most rows that structure and ridge are chosen on; the fits themselves use all.
CHOICE_ROWS = 4000
#: How many of the best candidates are averaged.
KEEP = 3
#: The structures of "auto": k parents by I(X; P | C), or by I(X; P | C) − I(X; P).
AUTOMATIC = ("kdb:0", "kdb:1", "away:1", "kdb:2", "away:2", "kdb:3", "away:3")
#: Those that are also learned from numbers in so many bins of equal frequency: the MDL rule does not cut
#: columns that tell of the class only together.
BY_QUANTILES, QUANTILE_BINS = AUTOMATIC[1:5], 6
#: With more columns than this it takes too long beside what is gained: pairs of columns outnumber the rows.
MOST_BY_QUANTILES = 100


@dataclass(frozen=True)
class Candidate:
    """A structure and a ridge that the model averages, and the mean log-loss of rows held out from them.

    The structure is "nb", "tan", "kdb" or "away" with the number of parents, and perhaps ", quantiles", where
    numbers are in bins of equal frequency, or the name of a class; the log-loss is NaN where there was
    nothing to choose.
    """

    structure: str
    ridge: float
    log_loss: float


@dataclass(frozen=True)
class _Coding:
    """A way to cut the columns of numbers, and the structures that are learned from it.

    Attributes:
        ordered: the codes.
        shapes: the structures, as the core takes them.
        numbers: those of columns that are cut by the MDL rule, to be cut anew without rows that are held out.
        said: what the names of its candidates say of it.
    """

    ordered: OrderedCodes
    shapes: list[Any]
    numbers: list[tuple[int, NDArray[np.float64]]]
    said: str = ""


class RefinedClassifier(RefinedReading, WithoutJoint):
    """A Bayesian network whose terms are fitted for the conditional likelihood.

    The class given a row is a sum of one term for each node, which the reader can look at:

        ln P(c | x) = b_c + Σ_i [ w_i ln θ_i(x_i | c, pa_i) + Σ_d δ_id(c; x_i, P_1 … P_d−1) + steps ] − ln Z

    θ are tables with hierarchical smoothing, w how far they are believed, δ corrections for each value and
    context that occurs, and the steps of a column of numbers go up and down at its quantiles. Structure and
    ridge, and whether numbers are in bins of the MDL rule or of equal frequency, are chosen by
    cross-validation on log-loss within the training rows, on at most 4,000 of them; the best, and others
    nearly as good, are fitted to all rows and averaged term by term: three in all.

    A missing attribute has no term (summed out, θ gives 1; δ, which no distribution goes with, are left out
    like it), and in the terms of its children the path of contexts ends before it. A value or context that
    training never saw has no δ of its own. There is nothing to sum out: `missing_at_predict`
    changes nothing.

    Parameters:
        structure: "auto" (k-dependence networks with up to 3 parents, of two kinds, with two kinds of bins),
            "nb", "tan", "kdb" with `k` parents, or a classifier of tanager, fitted or not: its structure is
            learned anew.
        ridge: the precision λ of δ, or "auto": from 100 to 0.001.
        cv: folds of the choice: a number, a splitter, or pairs of (train, test) rows.
        bins: the most steps of a column of numbers.
        random_state: the seed of folds and sample.
        k: the parents of "kdb".
        progress: called with the steps done and expected.
        **settings: those of `BayesianNetworkClassifier`.

    Fitted: `terms_`, `candidates_` (what is averaged), and `network_` (the best structure).

    >>> from tanager import RefinedClassifier, load_dataset
    >>> car = load_dataset("car")
    >>> model = RefinedClassifier().fit(car.X, car.y)
    >>> [term.name for term in model.terms_][:3]
    ['Buying', 'Maint', 'Doors']
    """

    learner = "refined"
    _is = "a sum of terms"

    ordered_: OrderedCodes
    model_: _core.Refined  # type: ignore[assignment]
    candidates_: list[Candidate]

    def __init__(
        self,
        structure: Any = "auto",
        ridge: float | str = "auto",
        cv: Any = 4,
        bins: int = 16,
        random_state: Any = 0,
        *,
        k: int = 2,
        progress: Callable[[int, int], object] | None = None,
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.structure = structure
        self.ridge = ridge
        self.cv = cv
        self.bins = bins
        self.random_state = random_state
        self.k = k
        self.progress = progress

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **source: Any) -> Self:
        """Chooses structure and ridge, fits the terms. X is a frame or a 2-D array, y the labels; or X is a
        frame with the column of the labels, which `target` names.
        """
        self._check_told_once(y, sample_weight, source.get("target"), source.get("weight"))
        if y is None and ("target" in source or is_source(X)):
            return self._fit_source(X, source.get("target"), source.get("weight"), None, None, None)
        ridge, bins = self._ridge(), _whole("bins", self.bins, 1)
        numbers: dict[int, NDArray[np.float64]] = {}

        def encode(X: Any, codes: NDArray[Any], weights: Any) -> tuple[OrderedCodes, EncodedTable]:
            ordered, fine, of_cut_columns = OrderedCodes.fit(self._encoder(), bins, X, codes, weights)
            if self._chooses():
                numbers.update(of_cut_columns)
            return ordered, fine

        ordered, rows = self._training(X, y, sample_weight, encode)
        encoder = ordered.encoder
        shapes, shown = self._shapes(X, y, sample_weight, encoder.n_features)
        names = column_labels(encoder.names, encoder.n_features)
        kept = [(column, values[rows.kept]) for column, values in numbers.items()]
        codings = [_Coding(ordered, shapes, kept), *self._quantiles(ordered, shapes)]
        split = [coding.ordered.split(rows.table, ordered) for coding in codings]
        tables = [rows.labelled(table, names) for table, _ in split]
        model, best, chosen = _core.fit_refined(
            [(table, coding.shapes, coding.numbers) for table, coding in zip(tables, codings, strict=True)],
            _steps(split[0][1]),
            ordered.stepped,
            ridge,
            self.cv if is_whole(self.cv) else 2,
            seed_of(self.random_state),
            CHOICE_ROWS,
            KEEP,
            rows.folds,
            self.n_jobs,
            self.progress,
        )
        # Only now, so that nothing half-fitted stays behind after an error or an interruption.
        coding = codings[best]
        self.candidates_ = [
            Candidate(shown[shapes.index(coding.shapes[place])] + coding.said, ridge, loss)
            for place, ridge, loss in chosen
        ]
        self._keep_refined(model, coding.ordered, rows.classes, rows.prior)
        self._keep_importances(*split[best], rows.codes)
        return self

    def _quantiles(self, ordered: OrderedCodes, shapes: list[Any]) -> list[_Coding]:
        """The coding with bins of equal frequency, where there is one to choose."""
        asked = (self.structure, self.discretize)
        if not (all(isinstance(word, str) for word in asked) and asked == ("auto", "mdl")):
            return []
        if ordered.encoder.n_features > MOST_BY_QUANTILES:
            return []
        by_quantiles = ordered.by_quantiles(QUANTILE_BINS)
        own = [shape for shape in shapes if shape in BY_QUANTILES]
        return [_Coding(by_quantiles, own, [], ", quantiles")] if by_quantiles is not None and own else []

    def _folds(self, codes: NDArray[Any]) -> tuple[NDArray[np.uint32], int] | None:
        return given_folds(self.cv, codes) if self._chooses() and not is_whole(self.cv) else None

    def _keep_refined(
        self,
        model: _core.Refined,
        ordered: OrderedCodes,
        classes: NDArray[Any],
        prior: NDArray[np.float64] | None,
    ) -> None:
        """Everything that is known of a fitted model, for `fit` and for files."""
        self.ordered_, self.model_, self.class_prior_, self.classes_ = ordered, model, prior, classes
        names = self._keep_encoder(ordered.encoder)
        nodes = [(node[0], node[1]) for node in model.parts()[3]]
        self.network_ = Network.build(names, nodes[: len(model.terms)])
        self.terms_ = [Term.of(names, members, [nodes[i][1] for i in of]) for members, of in model.terms]

    def _chooses(self) -> bool:
        return self.ridge == "auto" or (isinstance(self.structure, str) and self.structure == "auto")

    def _ridge(self) -> float | None:
        if isinstance(self.ridge, str) and self.ridge == "auto":
            return None
        if not is_number(self.ridge):
            raise DataTypeError(f'ridge = {self.ridge!r} is not allowed: it is a positive number or "auto"')
        return float(self.ridge)

    def _shapes(self, X: Any, y: Any, sample_weight: Any, columns: int) -> tuple[list[Any], list[str]]:
        """The structures to choose from, as the core takes them and as they are shown."""
        structure = self.structure
        if isinstance(structure, str):
            if structure == "auto":
                shapes = [shape for shape in AUTOMATIC if int(shape[-1]) < max(columns, 1)]
                return shapes, ["nb" if shape == "kdb:0" else shape.replace(":", " ") for shape in shapes]
            if structure in ("nb", "tan"):
                return ["kdb:0" if structure == "nb" else "tan"], [structure]
            if structure == "kdb":
                k = parent_limit(self.k, max(columns - 1, 0))
                return [f"kdb:{k}"], [f"kdb {k}"]
        elif isinstance(structure, BayesianNetworkClassifier) and not isinstance(
            structure, RefinedClassifier
        ):
            learned = clone(structure).fit(X, y, sample_weight)
            ours, theirs = self._encoding_of(self), self._encoding_of(structure)
            if ours != theirs:
                raise DataError("structure: the classifier reads its columns otherwise than this one does")
            return [learned.model_.nodes], [type(structure).__name__]
        raise DataError(
            f"structure = {structure!r} is not allowed, "
            'allowed are "auto", "nb", "tan", "kdb" and a classifier of tanager'
        )

    @staticmethod
    def _encoding_of(model: BayesianNetworkClassifier) -> tuple[Any, ...]:
        settings = ("discretize", "categorical", "numeric", "missing")
        return tuple(repr(getattr(model, name)) for name in settings)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(c | x) of each row and class, in the order of `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """ln P(c | x) of each row and class, in the order of `classes_`."""
        check_is_fitted(self)
        return self._log_posterior(*self.ordered_.transform(X))

    def _log_posterior(self, table: EncodedTable, steps: EncodedTable | None) -> NDArray[np.float64]:
        scores = self.model_.scores(table.data, _steps(steps), self.ordered_.stepped, self.n_jobs)
        posterior: NDArray[np.float64] = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        return posterior if self.class_prior_ is None else self._shift(posterior)

    def _contributions(self, table: EncodedTable, steps: EncodedTable | None) -> NDArray[np.float64]:
        return self.model_.contributions(table.data, _steps(steps), self.ordered_.stepped, self.n_jobs)


def _steps(steps: EncodedTable | None) -> _core.Dataset | None:
    return None if steps is None else steps.data


def _whole(name: str, value: Any, least: int) -> int:
    if is_whole(value) and value >= least:
        return int(value)
    sentence = f"{name} = {value!r} is not allowed: it is a whole number from {least} on"
    raise DataError(sentence) if is_whole(value) else DataTypeError(sentence)
