"""The XML form of the Bayesian interchange format, version 0.3, as Weka, pgmpy and JavaBayes read it."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from tanager.export.described import DescribedNetwork

__all__ = ["xmlbif_text"]

# XML has no way to write most control characters.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xmlbif_text(network: DescribedNetwork) -> str:
    """The network in XMLBIF 0.3: names and values as they are; the last GIVEN and then FOR vary fastest."""
    root = ET.Element("BIF", VERSION="0.3")
    body = ET.SubElement(root, "NETWORK")
    ET.SubElement(body, "NAME").text = "tanager"
    for variable in network.variables:
        element = ET.SubElement(body, "VARIABLE", TYPE="nature")
        ET.SubElement(element, "NAME").text = _clean(variable.name)
        for state in variable.states:
            ET.SubElement(element, "OUTCOME").text = _clean(state)
    for variable in network.variables:
        element = ET.SubElement(body, "DEFINITION")
        ET.SubElement(element, "FOR").text = _clean(variable.name)
        for parent in variable.parents:
            ET.SubElement(element, "GIVEN").text = _clean(network.variables[parent].name)
        ET.SubElement(element, "TABLE").text = " ".join(f"{p:.17g}" for p in variable.table.ravel().tolist())
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
