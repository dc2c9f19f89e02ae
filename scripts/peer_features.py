"""Tries features of this library and of others on one small table: docs/compare-libraries.md.

python scripts/peer_features.py                 # prints the table
python scripts/peer_features.py --why           # and what each trial that failed said
python scripts/peer_features.py --write

The trials are in benches/features: each calls what a user would call and checks the outcome. A library not
here has no column: bnlearn and bnclassify are asked through Rscript (R_LIBS), Weka through the jar that
WEKA_JAR names, by a JDK from 17 on; scikit-learn, pgmpy, pyAgrum (with IPython, for its explanations) and
Khiops are those that are installed.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE, TRIALS = ROOT / "docs" / "compare-libraries.md", ROOT / "benches" / "features"
BEGIN, END = "<!-- features: begin -->", "<!-- features: end -->"
#: A row: the name of the trials, and what the table calls it.
FEATURES = {
    "text": "text or factors as categories, without an encoder",
    "numbers": "numbers beside categories",
    "densities": "numbers that are not cut",
    "missing_fit": "missing values at fit",
    "missing_predict": "missing values at predict",
    "unknown": "at predict, a category that fit did not know of",
    "weights": "weights of rows",
    "parts": "learning part by part, to the same model",
    "pipeline": "an estimator in scikit-learn's pipelines",
    "explained": "what each attribute adds to a prediction",
    "selection": "attributes selected by cross-validated accuracy",
    "arcs": "arcs demanded and forbidden",
    "sampled": "rows drawn from the model",
    "saved": "models saved and read back",
    "written": "a network file that another library reads",
    "read": "a network file of another library read",
    "sql": "prediction in SQL",
}
#: Libraries in Python: what the package is called, and the module and class of its trials.
PYTHON = {
    "tanager": ("tanager", "ours", "Tanager"),
    "pyAgrum": ("pyagrum", "pyagrum_trials", "PyAgrum"),
    "pgmpy": ("pgmpy", "pgmpy_trials", "Pgmpy"),
    "Khiops": ("khiops", "khiops_trials", "Khiops"),
    "scikit-learn": ("scikit-learn", "scikit", "ScikitLearn"),
}
ORDER = ("tanager", "bnlearn", "bnclassify", "pyAgrum", "pgmpy", "Weka", "Khiops", "scikit-learn")


def trials_of(module: str) -> Any:
    """A module of the trials."""
    if str(TRIALS.parent) not in sys.path:
        sys.path.insert(0, str(TRIALS.parent))
    return importlib.import_module(f"features.{module}")


def outcome(trial: Callable[[], None]) -> str:
    """ "yes", "needs PACKAGE" or what failed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trial()
    except trials_of("common").Needs as absent:
        return f"needs {absent}"
    except Exception as failure:
        return f"{type(failure).__name__}: {failure}"
    return "yes"


def python_outcomes(library: str) -> dict[str, str]:
    """The outcomes of a library in Python by feature; features without a trial are left out."""
    _, module, name = PYTHON[library]
    trials = getattr(trials_of(module), name)
    found = {}
    for feature in [feature for feature in FEATURES if feature in vars(trials)]:
        with tempfile.TemporaryDirectory() as folder:
            found[feature] = outcome(getattr(trials(Path(folder)), feature))
    return found


def outside_outcomes(command: list[str]) -> dict[str, dict[str, str]]:
    """The same, by library, of those that another program tries; what it writes is read here."""
    found: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        trials = trials_of("common").Trials(Path(folder))
        trials.hand_over()
        ran = subprocess.run([*command, folder], capture_output=True, text=True, check=True)
        for line in ran.stdout.splitlines():
            library, feature, said = line.split("\t", 2)
            found.setdefault(library, {})[feature] = said
        for library, outcomes in found.items():
            if outcomes.get("written") == "yes":
                outcomes["written"] = outcome(partial(trials.check_written, library))
    return found


def r_versions() -> dict[str, str]:
    if shutil.which("Rscript") is None:
        return {}
    script = """for (name in c("bnlearn", "bnclassify"))
        if (requireNamespace(name, quietly = TRUE)) cat(name, format(packageVersion(name)), "\\n")"""
    said = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=True).stdout
    return dict(line.split() for line in said.splitlines())


def weka_version() -> dict[str, str]:
    jar = os.environ.get("WEKA_JAR", "")
    if not Path(jar).is_file() or shutil.which("java") is None:
        return {}
    with zipfile.ZipFile(jar) as opened:
        return {"Weka": opened.read("weka/core/version.txt").decode().strip().replace("-", ".")}


def python_versions() -> dict[str, str]:
    found = {}
    for library, (package, *_) in PYTHON.items():
        try:
            found[library] = version(package) if library != "tanager" else ""
        except PackageNotFoundError:
            continue
    return found


def try_all() -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Versions and outcomes, by library."""
    versions = {**python_versions(), **r_versions(), **weka_version()}
    outcomes = {library: python_outcomes(library) for library in versions if library in PYTHON}
    if {"bnlearn", "bnclassify"} & set(versions):
        outcomes |= outside_outcomes(["Rscript", "--vanilla", str(TRIALS / "trials.R")])
    if "Weka" in versions:
        # When Weka starts it looks for the user's packages, in a way that newer Javas have to be asked for.
        java = ["java", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-cp", os.environ["WEKA_JAR"]]
        outcomes |= outside_outcomes([*java, str(TRIALS / "WekaTrials.java")])
    return versions, outcomes


def mark(said: str | None) -> str:
    if said == "yes":
        return "yes"
    return f"({said.split()[1]})" if said and said.startswith("needs ") else "—"


def table(versions: dict[str, str], outcomes: dict[str, dict[str, str]]) -> str:
    libraries = [library for library in ORDER if library in outcomes]
    titles = [f"{library} {versions[library]}".strip() for library in libraries]
    lines = [f"| | {' | '.join(titles)} |", "|---" * (len(libraries) + 1) + "|"]
    for feature, title in FEATURES.items():
        marks = [mark(outcomes[library].get(feature)) for library in libraries]
        lines.append(f"| {title} | {' | '.join(marks)} |")
    return "\n".join(lines)


def main() -> None:
    versions, outcomes = try_all()
    drawn = table(versions, outcomes)
    if "--write" in sys.argv[1:]:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        PAGE.write_text(f"{before}{BEGIN}\n{drawn}\n{END}{after}", encoding="utf-8")
    print(drawn)
    if "--why" in sys.argv[1:]:
        for library, tried in outcomes.items():
            for feature, said in tried.items():
                if said != "yes":
                    print(f"{library}, {feature}: {' '.join(said.split())[:200]}")


if __name__ == "__main__":
    main()
