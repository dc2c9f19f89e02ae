"""Fitted networks in the forms that other programs read."""

from tanager.export.bif import bif_text
from tanager.export.densities import Normal
from tanager.export.described import DescribedNetwork, Variable
from tanager.export.graphs import networkx_graph, pgmpy_network
from tanager.export.sql import DIALECTS, sql_select
from tanager.export.xmlbif import xmlbif_text

__all__ = [
    "DIALECTS",
    "DescribedNetwork",
    "Normal",
    "Variable",
    "bif_text",
    "networkx_graph",
    "pgmpy_network",
    "sql_select",
    "xmlbif_text",
]
