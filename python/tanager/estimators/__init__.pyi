"""Classifiers and densities with scikit-learn's contract, one class per file."""

# Written by scripts/registry_tables.py from the core's registry.

from tanager.estimators.aode import AODEClassifier as AODEClassifier
from tanager.estimators.asb import ASBClassifier as ASBClassifier
from tanager.estimators.averaged_tan import AveragedTANClassifier as AveragedTANClassifier
from tanager.estimators.base import BayesianNetworkClassifier as BayesianNetworkClassifier
from tanager.estimators.bckg import BCkGClassifier as BCkGClassifier
from tanager.estimators.bckg_density import BCkGDensity as BCkGDensity
from tanager.estimators.bsej import BSEJClassifier as BSEJClassifier
from tanager.estimators.ckg import CkGClassifier as CkGClassifier
from tanager.estimators.ckg_density import CkGDensity as CkGDensity
from tanager.estimators.density import BayesianNetworkDensity as BayesianNetworkDensity
from tanager.estimators.ffss import FFSSClassifier as FFSSClassifier
from tanager.estimators.fss import FSSClassifier as FSSClassifier
from tanager.estimators.fssj import FSSJClassifier as FSSJClassifier
from tanager.estimators.independent_density import IndependentDensity as IndependentDensity
from tanager.estimators.kdb import KDBClassifier as KDBClassifier
from tanager.estimators.kdb_ensemble import KDBEnsembleClassifier as KDBEnsembleClassifier
from tanager.estimators.mixture_density import MixtureOfTreesDensity as MixtureOfTreesDensity
from tanager.estimators.naive_bayes import NaiveBayesClassifier as NaiveBayesClassifier
from tanager.estimators.network import NetworkClassifier as NetworkClassifier
from tanager.estimators.order import OrderSearchClassifier as OrderSearchClassifier
from tanager.estimators.refined import RefinedClassifier as RefinedClassifier
from tanager.estimators.stan import STANClassifier as STANClassifier
from tanager.estimators.tan import TANClassifier as TANClassifier
from tanager.estimators.tanhc import TANHCClassifier as TANHCClassifier
from tanager.estimators.tree_density import TreeDensity as TreeDensity
from tanager.estimators.weighted_nb import WeightedNaiveBayesClassifier as WeightedNaiveBayesClassifier

__all__ = [
    "AODEClassifier",
    "ASBClassifier",
    "AveragedTANClassifier",
    "BCkGClassifier",
    "BCkGDensity",
    "BSEJClassifier",
    "CkGClassifier",
    "CkGDensity",
    "FFSSClassifier",
    "FSSClassifier",
    "FSSJClassifier",
    "IndependentDensity",
    "KDBClassifier",
    "KDBEnsembleClassifier",
    "MixtureOfTreesDensity",
    "NaiveBayesClassifier",
    "NetworkClassifier",
    "OrderSearchClassifier",
    "RefinedClassifier",
    "STANClassifier",
    "TANClassifier",
    "TANHCClassifier",
    "TreeDensity",
    "WeightedNaiveBayesClassifier",
]

CLASSIFIERS: dict[str, type[BayesianNetworkClassifier]]
DENSITIES: dict[str, type[BayesianNetworkDensity]]
