"""Classifiers and densities with scikit-learn's contract, one class per file."""

from tanager.estimators.asb import ASBClassifier
from tanager.estimators.base import BayesianNetworkClassifier
from tanager.estimators.bckg import BCkGClassifier
from tanager.estimators.bckg_density import BCkGDensity
from tanager.estimators.bsej import BSEJClassifier
from tanager.estimators.ckg import CkGClassifier
from tanager.estimators.ckg_density import CkGDensity
from tanager.estimators.density import BayesianNetworkDensity
from tanager.estimators.ffss import FFSSClassifier
from tanager.estimators.fss import FSSClassifier
from tanager.estimators.fssj import FSSJClassifier
from tanager.estimators.independent_density import IndependentDensity
from tanager.estimators.naive_bayes import NaiveBayesClassifier
from tanager.estimators.stan import STANClassifier
from tanager.estimators.tan import TANClassifier
from tanager.estimators.tree_density import TreeDensity

__all__ = [
    "CLASSIFIERS",
    "DENSITIES",
    "ASBClassifier",
    "BCkGClassifier",
    "BCkGDensity",
    "BSEJClassifier",
    "BayesianNetworkClassifier",
    "BayesianNetworkDensity",
    "CkGClassifier",
    "CkGDensity",
    "FFSSClassifier",
    "FSSClassifier",
    "FSSJClassifier",
    "IndependentDensity",
    "NaiveBayesClassifier",
    "STANClassifier",
    "TANClassifier",
    "TreeDensity",
]

#: Every classifier by its registered name.
CLASSIFIERS: dict[str, type[BayesianNetworkClassifier]] = {
    "nb": NaiveBayesClassifier,
    "tan": TANClassifier,
    "ckg": CkGClassifier,
    "bckg": BCkGClassifier,
    "stan": STANClassifier,
    "ffss": FFSSClassifier,
    "fss": FSSClassifier,
    "fssj": FSSJClassifier,
    "bsej": BSEJClassifier,
    "asb": ASBClassifier,
}

#: Every density by the registered name of its learner.
DENSITIES: dict[str, type[BayesianNetworkDensity]] = {
    "nb": IndependentDensity,
    "tan": TreeDensity,
    "ckg": CkGDensity,
    "bckg": BCkGDensity,
}
