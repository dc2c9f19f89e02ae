"""What a run was measured with: the machine, and the versions of what is there."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

#: Libraries in Python, and what their packages are called; tanager may be a source tree, without a package.
PACKAGES = {
    "numpy": "numpy",
    "scikit-learn": "scikit-learn",
    "pyAgrum": "pyagrum",
    "pgmpy": "pgmpy",
    "Khiops": "khiops",
}
R_VERSIONS = """for (name in c("bnlearn", "bnclassify")) if (requireNamespace(name, quietly = TRUE))
    cat("R", format(getRversion()), "\\n", name, format(packageVersion(name)), "\\n")"""


def measured_with() -> dict[str, Any]:
    """Processor, cores, system and versions; no date, so that it is the same where they are."""
    return {
        "processor": processor(),
        "cores": cores(),
        "system": operating_system(),
        "versions": {**python_versions(), **r_versions(), **weka_versions()},
    }


def processor() -> str:
    """The model as the system names it, or the architecture where it names none."""
    told = Path("/proc/cpuinfo")
    if told.is_file() and (model := re.search(r"^model name\s*: (.+)$", told.read_text(), re.MULTILINE)):
        return model[1].strip()
    if platform.system() == "Darwin":
        return printed(["sysctl", "-n", "machdep.cpu.brand_string"]).strip()
    return platform.processor() or platform.machine()


def cores() -> int | None:
    """Those that this process may use, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def operating_system() -> str:
    """The distribution and its release; those of the kernel say less to whoever measures again."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.platform(terse=True)


def python_versions() -> dict[str, str]:
    """Python's and those of its libraries that are installed."""
    import tanager

    found = {"Python": platform.python_version(), "tanager": tanager.__version__}
    for library, package in PACKAGES.items():
        try:
            found[library] = version(package)
        except PackageNotFoundError:
            continue
    return found


def r_versions() -> dict[str, str]:
    """R's and those of its packages, where there is one of them."""
    lines = printed(["Rscript", "--vanilla", "-e", R_VERSIONS]).splitlines()
    return dict(line.split() for line in lines)


def weka_versions() -> dict[str, str]:
    """Java's and Weka's, where WEKA_JAR names its jar."""
    jar = Path(os.environ.get("WEKA_JAR", ""))
    if not jar.is_file():
        return {}
    try:
        with zipfile.ZipFile(jar) as opened:
            number = opened.read("weka/core/version.txt").decode().strip().replace("-", ".")
    except (KeyError, zipfile.BadZipFile):  # another jar: hours of measuring are not to be lost for it
        return {}
    said = printed(["java", "--version"]).split()  # as in: openjdk 17.0.15 2025-04-15
    return {"Java": said[1], "Weka": number} if said else {}


def printed(command: list[str]) -> str:
    """What a program prints; nothing where it is absent or fails."""
    if shutil.which(command[0]) is None:
        return ""
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if ran.returncode else ran.stdout
