"""Weka, timed inside of Java (see WekaPeer.java); WEKA_JAR names its jar."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from data import Table
from outside import measure_outside
from timing import Outcome

SOURCE = Path(__file__).with_name("WekaPeer.java")
PEER = "Weka"


def measure_weka(table: Table, budget: float, limit: float) -> Outcome:
    """What Weka needs for naive Bayes and TAN; Java starts for each, and is stopped after `limit` seconds."""
    jar = os.environ.get("WEKA_JAR")
    if jar is None:
        return Outcome(PEER, skipped="WEKA_JAR does not name Weka's jar")
    if not Path(jar).is_file():
        return Outcome(PEER, skipped=f"there is no file {jar}, which WEKA_JAR names")
    if shutil.which("java") is None:
        return Outcome(PEER, skipped="java is not installed")
    # Weka looks for packages of the user's when it starts, in a way that newer Javas have to be asked for.
    opened = ["--add-opens", "java.base/java.lang=ALL-UNNAMED"]
    command = ["java", *opened, "-cp", jar, str(SOURCE)]
    return measure_outside(PEER, command, table, budget, limit, ("nb", "tan"))
