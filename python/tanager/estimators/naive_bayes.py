"""Naive Bayes."""

from __future__ import annotations

from typing import Unpack

from tanager.estimators.base import ClassifierSettings
from tanager.estimators.mixed import MixedClassifier
from tanager.parameters import ParametersLike

__all__ = ["NaiveBayesClassifier"]


class NaiveBayesClassifier(MixedClassifier):
    """Every attribute depends on the class alone: P(c, x) = P(c) Π P(x_i | c).

    With ``numeric="gaussian"`` or ``"kernel"`` numbers are not cut: they have a normal density given the
    class, or a sum of normal kernels with Silverman's bandwidth (1986, `silverman1986`).

    Parameters:
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        **settings: those of `BayesianNetworkClassifier`.

    >>> from tanager import NaiveBayesClassifier
    >>> X = [["sun", "hot"], ["sun", "mild"], ["rain", "mild"], ["rain", "cool"]]
    >>> model = NaiveBayesClassifier().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([["rain", "mild"]]).tolist()
    ['yes']
    >>> model.predict_proba([["rain", "mild"]]).round(3)
    array([[0.25, 0.75]])
    """

    learner = "nb"

    def __init__(
        self,
        parameters: ParametersLike = "laplace",
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.parameters = parameters
