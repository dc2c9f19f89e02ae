"""The XML form of the Bayesian interchange format, version 0.3, as Weka, pgmpy and JavaBayes read it."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from tanager.escape import printable
from tanager.export.described import DescribedNetwork

__all__ = ["xmlbif_text"]


def xmlbif_text(network: DescribedNetwork) -> str:
    """The network in XMLBIF 0.3; the last GIVEN and then FOR vary fastest.

    Names and values are as they are, but for characters that cannot be seen, most of which XML has no way to
    write: these are spelled out.
    """
    root = ET.Element("BIF", VERSION="0.3")
    body = ET.SubElement(root, "NETWORK")
    ET.SubElement(body, "NAME").text = "tanager"
    for variable in network.variables:
        element = ET.SubElement(body, "VARIABLE", TYPE="nature")
        ET.SubElement(element, "NAME").text = printable(variable.name)
        for state in variable.states:
            ET.SubElement(element, "OUTCOME").text = printable(state)
    for variable in network.variables:
        element = ET.SubElement(body, "DEFINITION")
        ET.SubElement(element, "FOR").text = printable(variable.name)
        for parent in variable.parents:
            ET.SubElement(element, "GIVEN").text = printable(network.variables[parent].name)
        ET.SubElement(element, "TABLE").text = " ".join(f"{p:.17g}" for p in variable.table.ravel().tolist())
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
