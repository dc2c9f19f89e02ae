"""Classifiers and densities with scikit-learn's contract, one class per file."""

from tanager.estimators.base import BayesianNetworkClassifier
from tanager.estimators.bckg import BCkGClassifier
from tanager.estimators.bckg_density import BCkGDensity
from tanager.estimators.ckg import CkGClassifier
from tanager.estimators.ckg_density import CkGDensity
from tanager.estimators.density import BayesianNetworkDensity
from tanager.estimators.independent_density import IndependentDensity
from tanager.estimators.naive_bayes import NaiveBayesClassifier
from tanager.estimators.tan import TANClassifier
from tanager.estimators.tree_density import TreeDensity

__all__ = [
    "CLASSIFIERS",
    "DENSITIES",
    "BCkGClassifier",
    "BCkGDensity",
    "BayesianNetworkClassifier",
    "BayesianNetworkDensity",
    "CkGClassifier",
    "CkGDensity",
    "IndependentDensity",
    "NaiveBayesClassifier",
    "TANClassifier",
    "TreeDensity",
]

#: Every classifier by its registered name.
CLASSIFIERS: dict[str, type[BayesianNetworkClassifier]] = {
    "nb": NaiveBayesClassifier,
    "tan": TANClassifier,
    "ckg": CkGClassifier,
    "bckg": BCkGClassifier,
}

#: Every density by the registered name of its learner.
DENSITIES: dict[str, type[BayesianNetworkDensity]] = {
    "nb": IndependentDensity,
    "tan": TreeDensity,
    "ckg": CkGDensity,
    "bckg": BCkGDensity,
}
