"""Weka, timed inside of Java (see WekaPeer.java); WEKA_JAR names its jar."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from data import Table
from outside import measure_outside, skipped
from timing import Outcome

SOURCE = Path(__file__).with_name("WekaPeer.java")
PEERS = ["Weka"]


def measure_weka(table: Table, budget: float, limit: float) -> list[Outcome]:
    """What Weka needs for naive Bayes and TAN; Java is stopped after `limit` seconds."""
    jar = os.environ.get("WEKA_JAR")
    if jar is None:
        return skipped(PEERS, "WEKA_JAR does not name Weka's jar")
    if not Path(jar).is_file():
        return skipped(PEERS, f"there is no file {jar}, which WEKA_JAR names")
    if shutil.which("java") is None:
        return skipped(PEERS, "java is not installed")
    # Weka looks for packages of the user's when it starts, in a way that newer Javas have to be asked for.
    opened = ["--add-opens", "java.base/java.lang=ALL-UNNAMED"]
    command = ["java", *opened, "-cp", jar, str(SOURCE)]
    return measure_outside(PEERS, command, table, budget, limit, ("nb", "tan"))
