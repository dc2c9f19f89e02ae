"""Every public name of the package, which `tanager` gives as its own."""

from tanager import estimators, parameters, scores
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
from tanager.data.schema import Schema
from tanager.estimators import *
from tanager.evaluation.compare import compare
from tanager.evaluation.comparison import Comparison
from tanager.evaluation.conditional_likelihood import (
    approximate_conditional_log_likelihood,
    conditional_log_likelihood,
    conditional_relative_entropy,
)
from tanager.exceptions import (
    CapacityError,
    ColumnError,
    DataError,
    DataTypeError,
    DataWarning,
    MissingPackageError,
    TanagerError,
    UnknownNameError,
)
from tanager.functions import (
    GTest,
    acll_constants,
    acll_constants_monte_carlo,
    ancestors,
    best_parents,
    bfs_order,
    chi2_forest,
    edge_weights,
    family_counts,
    family_score,
    g_test,
    maximum_branching,
    maximum_spanning_tree,
    memory_limit,
    network_score,
    set_memory_limit,
)
from tanager.model_file import load_model, save_model
from tanager.network import Network
from tanager.parameters import *
from tanager.reading import ConditionalTable, DensityTable, Explanation, Importances, TermTable, WhatIf
from tanager.scores import *
from tanager.statistics import Statistics

__all__ = [
    "CapacityError",
    "ColumnError",
    "Comparison",
    "ConditionalTable",
    "DataError",
    "DataTypeError",
    "DataWarning",
    "Dataset",
    "DensityTable",
    "EqualFrequency",
    "EqualWidth",
    "Explanation",
    "GTest",
    "Importances",
    "MDLDiscretizer",
    "MissingPackageError",
    "Network",
    "Schema",
    "Statistics",
    "Table",
    "TanagerError",
    "TermTable",
    "UnknownNameError",
    "WhatIf",
    "__version__",
    "acll_constants",
    "acll_constants_monte_carlo",
    "ancestors",
    "approximate_conditional_log_likelihood",
    "best_parents",
    "bfs_order",
    "chi2_forest",
    "compare",
    "conditional_log_likelihood",
    "conditional_relative_entropy",
    "edge_weights",
    "family_counts",
    "family_score",
    "g_test",
    "list_datasets",
    "load_dataset",
    "load_model",
    "maximum_branching",
    "maximum_spanning_tree",
    "mdl_cut_points",
    "memory_limit",
    "network_score",
    "read_table",
    "save_model",
    "set_memory_limit",
]
__all__ += estimators.__all__
__all__ += parameters.__all__
__all__ += scores.__all__
