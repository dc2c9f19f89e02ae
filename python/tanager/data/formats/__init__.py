"""Files: CSV, ARFF, Parquet."""

from tanager.data.formats.arff import parse_arff
from tanager.data.formats.contents import Contents
from tanager.data.formats.csv import parse_csv
from tanager.data.formats.read import make_table, read_table

__all__ = ["Contents", "make_table", "parse_arff", "parse_csv", "read_table"]
