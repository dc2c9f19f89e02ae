"""Tables in: encoding, discretisation, files and the catalogue of data sets."""

from tanager.data.discretise import EqualFrequency, EqualWidth, MDLDiscretizer, mdl_cut_points
from tanager.data.encoding import ColumnEncoding, EncodedTable, TableEncoder
from tanager.data.labels import LabelCodes
from tanager.data.weights import check_weights

__all__ = [
    "ColumnEncoding",
    "EncodedTable",
    "EqualFrequency",
    "EqualWidth",
    "LabelCodes",
    "MDLDiscretizer",
    "TableEncoder",
    "check_weights",
    "mdl_cut_points",
]
