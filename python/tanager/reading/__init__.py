"""What a fitted model says, as objects that print, draw and become frames."""

from tanager.reading.conditional_table import ConditionalTable
from tanager.reading.density_table import DensityTable
from tanager.reading.explanation import Explanation
from tanager.reading.importances import Importances
from tanager.reading.term_table import TermTable
from tanager.reading.what_if import WhatIf

__all__ = ["ConditionalTable", "DensityTable", "Explanation", "Importances", "TermTable", "WhatIf"]
