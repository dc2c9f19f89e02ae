"""Bayesian network classifiers: naive Bayes, optimal TANs and what is built on them."""

from tanager._core import Dataset, __version__
from tanager.data import (
    EqualFrequency,
    EqualWidth,
    MDLDiscretizer,
    Table,
    list_datasets,
    load_dataset,
    mdl_cut_points,
    read_table,
)
from tanager.estimators import (
    BCkGClassifier,
    BCkGDensity,
    CkGClassifier,
    CkGDensity,
    IndependentDensity,
    NaiveBayesClassifier,
    TANClassifier,
    TreeDensity,
)
from tanager.evaluation.compare import compare
from tanager.evaluation.comparison import Comparison
from tanager.evaluation.conditional_likelihood import conditional_log_likelihood
from tanager.exceptions import CapacityError, ColumnError, DataError, DataTypeError, TanagerError
from tanager.functions import (
    acll_constants,
    acll_constants_monte_carlo,
    ancestors,
    best_parents,
    bfs_order,
    edge_weights,
    family_counts,
    family_score,
    maximum_branching,
    maximum_spanning_tree,
    network_score,
)
from tanager.model_file import load_model, save_model
from tanager.network import Network
from tanager.parameters import MLE, ACLLParameters, Dirichlet, Laplace
from tanager.scores import ACLL, AIC, BD, BIC, K2, LL, MDL, MIT, BDe, BDeu

__all__ = [
    "ACLL",
    "AIC",
    "BD",
    "BIC",
    "K2",
    "LL",
    "MDL",
    "MIT",
    "MLE",
    "ACLLParameters",
    "BCkGClassifier",
    "BCkGDensity",
    "BDe",
    "BDeu",
    "CapacityError",
    "CkGClassifier",
    "CkGDensity",
    "ColumnError",
    "Comparison",
    "DataError",
    "DataTypeError",
    "Dataset",
    "Dirichlet",
    "EqualFrequency",
    "EqualWidth",
    "IndependentDensity",
    "Laplace",
    "MDLDiscretizer",
    "NaiveBayesClassifier",
    "Network",
    "TANClassifier",
    "Table",
    "TanagerError",
    "TreeDensity",
    "__version__",
    "acll_constants",
    "acll_constants_monte_carlo",
    "ancestors",
    "best_parents",
    "bfs_order",
    "compare",
    "conditional_log_likelihood",
    "edge_weights",
    "family_counts",
    "family_score",
    "list_datasets",
    "load_dataset",
    "load_model",
    "maximum_branching",
    "maximum_spanning_tree",
    "mdl_cut_points",
    "network_score",
    "read_table",
    "save_model",
]
