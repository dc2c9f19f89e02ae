"""Classifiers with scikit-learn's contract, one class per file."""

from tanager.estimators.base import BayesianNetworkClassifier
from tanager.estimators.naive_bayes import NaiveBayesClassifier
from tanager.estimators.tan import TANClassifier

__all__ = ["CLASSIFIERS", "BayesianNetworkClassifier", "NaiveBayesClassifier", "TANClassifier"]

#: Every classifier by its registered name.
CLASSIFIERS: dict[str, type[BayesianNetworkClassifier]] = {"nb": NaiveBayesClassifier, "tan": TANClassifier}
