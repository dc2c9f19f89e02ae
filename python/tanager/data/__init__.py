"""Tables in: encoding, discretisation, files and the catalogue of data sets."""

from tanager.data.catalogue import list_datasets, load_dataset
from tanager.data.discretise import EqualFrequency, EqualWidth, MDLDiscretizer, mdl_cut_points
from tanager.data.encoding import ColumnEncoding, EncodedTable, TableEncoder
from tanager.data.formats import read_table
from tanager.data.frames import column_labels
from tanager.data.labels import LabelCodes
from tanager.data.table import DatasetInfo, Frame, Table
from tanager.data.weights import check_class_prior, check_weights, weigh_classes

__all__ = [
    "ColumnEncoding",
    "DatasetInfo",
    "EncodedTable",
    "EqualFrequency",
    "EqualWidth",
    "Frame",
    "LabelCodes",
    "MDLDiscretizer",
    "Table",
    "TableEncoder",
    "check_class_prior",
    "check_weights",
    "column_labels",
    "list_datasets",
    "load_dataset",
    "mdl_cut_points",
    "read_table",
    "weigh_classes",
]
