"""Averaged one-dependence and two-dependence estimators."""

from __future__ import annotations

from typing import Any, Unpack

from tanager import _core
from tanager.estimators.base import ClassifierSettings
from tanager.estimators.composed import WithoutJoint
from tanager.exceptions import DataError
from tanager.settings import flag, is_whole, whole

__all__ = ["AODEClassifier"]


class AODEClassifier(WithoutJoint):
    """The average of all networks in which one attribute, or one pair, is a parent of all others.

    There is no structure to choose, and no search: AODE averages n networks, A2DE n (n − 1) / 2,

        P(c, x) ∝ Σ_p P(c, x_p) Π_{j ∉ p} P(x_j | c, x_p)

    p each attribute, or each pair, whose value occurs in at least `min_count` rows. Where there is none the
    model is naive Bayes. Missing and unseen values leave their terms out; `missing_at_predict` changes
    nothing.

    Parameters:
        order: 1 for AODE, 2 for A2DE, whose tables of all triples of columns are refused before any is made
            where they would not fit.
        weights: None, or "mi": each p weighs as much as it tells about the class, I(X_p; C).
        subsumption: whether values that others of the row imply, in 100 rows at least, are left out.
        min_count: the rows in which the value of p occurs, at least.
        **settings: those of `BayesianNetworkClassifier`.

    `network_`, `table` and `importances` are of the naive Bayes that it falls back to.

    >>> from tanager import AODEClassifier, load_dataset
    >>> car = load_dataset("car")
    >>> model = AODEClassifier(weights="mi").fit(car.X, car.y)
    >>> model.predict(car.X[:2]).tolist()
    ['unacc', 'unacc']
    """

    learner = "aode"
    _is = "an average over super-parents"

    model_: _core.Aode  # type: ignore[assignment]

    def __init__(
        self,
        order: int = 1,
        weights: str | None = None,
        subsumption: bool = False,
        min_count: int = 1,
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.order = order
        self.weights = weights
        self.subsumption = subsumption
        self.min_count = min_count

    def _settings(self, names: list[str]) -> dict[str, Any]:
        if not is_whole(self.order) or self.order not in (1, 2):
            raise DataError(f"order = {self.order!r} is not allowed: it is 1 or 2")
        if self.weights not in (None, "mi"):
            raise DataError(f'weights = {self.weights!r} is not allowed: it is None or "mi"')
        return super()._settings(names) | {
            "subsumption": flag(self.subsumption, "subsumption"),
            "min_count": min(whole(self.min_count, "min_count"), 2**32 - 1),
        }

    @property
    def _pairs_suffice(self) -> bool:
        return self.order == 1

    def _compose(self, evidence: Any, names: list[str], passes: Any = None, memory: int | None = None) -> Any:
        return _core.fit_aode(evidence, self._settings(names), self.n_jobs, passes, memory)
