"""Looks among the public names of other libraries for what tanager has: docs/compare-libraries.md.

python scripts/peer_names.py                    # prints the table
python scripts/peer_names.py --write

A name in the table is one that the library has; a dash says that nothing the library names matches the row's
pattern. bnlearn and bnclassify are asked through Rscript (R_LIBS), Weka through the jar that WEKA_JAR names;
scikit-learn, pgmpy, pyAgrum and Khiops are those that are installed.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import warnings
import zipfile
from importlib.metadata import version
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "compare-libraries.md"
#: A row: what it is, tanager's name, and the pattern that others' names are looked through by.
ROWS = {
    "naive Bayes": ("NaiveBayesClassifier", r"^naive\.?_?bayes$|^categoricalnb$|^nb$"),
    "tree-augmented naive Bayes": ("TANClassifier", r"^tan$|^tan_cl$|tree\.bayes|treesearch"),
    "TAN by accuracy": ("TANHCClassifier", r"tan_?hc|superparent|^search\.global\.tan$"),
    "AODE": ("AODEClassifier", r"aode"),
    "KDB": ("KDBClassifier", r"kdb|k_?dependence"),
    "joined attributes: BSEJ, FSSJ": ("BSEJClassifier", r"bsej|fssj"),
    "weighted naive Bayes": ("WeightedNaiveBayesClassifier", r"awnb|wanbia|manb|^khiopsclassifier$"),
    "the average over all trees": ("AveragedTANClassifier", r"tan_?bma|averaged_?tan|bmatan"),
    "k-graphs": ("CkGClassifier", r"k_?graph|\bc?kg\b"),
    "fitted for the conditional likelihood": ("RefinedClassifier", r"\bwanbia_?c|\belr\b|discriminative"),
    "networks of any shape by score": ("—", r"^(lagd)?hillclimb(search|er)?$|^hc$|greedyhill"),
    "answers to any query": ("—", r"cpquery|variableelimination$|lazypropagation$|margincalculator"),
}


def python_names(*modules: str) -> set[str]:
    """Public names of modules, and of the methods of their classes."""
    found: set[str] = set()
    for module in map(importlib.import_module, modules):
        for name in dir(module):
            thing = getattr(module, name)
            found |= {name, *(dir(thing) if isinstance(thing, type) else [])}
    return {name for name in found if not name.startswith("_")}


def pyagrum_names() -> set[str]:
    """With the methods of learning that its classifier names in its documentation alone."""
    classifier = importlib.import_module("pyagrum.skbn").BNClassifier
    text = f"{classifier.__doc__} {classifier.__init__.__doc__}"
    return python_names("pyagrum", "pyagrum.skbn") | set(re.findall(r"\w+", text))


def sklearn_names() -> set[str]:
    return {name for name, _ in importlib.import_module("sklearn.utils").all_estimators()}


def r(script: str) -> str:
    """What R prints."""
    return subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=True).stdout


def r_package(name: str) -> tuple[str, set[str]]:
    number = r(f"cat(format(packageVersion('{name}')))")
    return f"{name} {number}", set(r(f"cat(getNamespaceExports('{name}'))").split())


def weka() -> tuple[str, set[str]]:
    with zipfile.ZipFile(os.environ["WEKA_JAR"]) as jar:
        number = jar.read("weka/core/version.txt").decode().strip().replace("-", ".")
        classes = [name for name in jar.namelist() if re.match(r"weka/[^$]*\.class$", name)]
        # Searches by accuracy have the names of those by score, in a package of their own.
        of_global = {f"search.global.{Path(name).stem}" for name in classes if "/search/global/" in name}
        return f"Weka {number}", {Path(name).stem for name in classes} | of_global


def libraries() -> dict[str, set[str]]:
    """The names of each library, by the library's name and version."""
    return {
        **dict([r_package("bnlearn"), r_package("bnclassify")]),
        f"pyAgrum {version('pyagrum')}": pyagrum_names(),
        f"pgmpy {version('pgmpy')}": python_names("pgmpy.estimators", "pgmpy.models", "pgmpy.inference"),
        **dict([weka()]),
        f"Khiops {version('khiops')}": python_names("khiops.sklearn", "khiops.core"),
        f"scikit-learn {version('scikit-learn')}": sklearn_names(),
    }


def table() -> str:
    others = libraries()
    lines = [f"| | tanager | {' | '.join(others)} |", "|---" * (len(others) + 2) + "|"]
    for title, (ours, pattern) in ROWS.items():
        cells = [f"`{ours}`" if ours != "—" else ours]
        for names in others.values():
            matching = sorted(name for name in names if re.search(pattern, name, re.IGNORECASE))
            cells.append(", ".join(f"`{name}`" for name in matching[:2]) or "—")
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    warnings.simplefilter("ignore")
    drawn = table()
    if "--write" in sys.argv[1:]:
        begin, end = "<!-- names: begin -->", "<!-- names: end -->"
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(begin)
        after = rest.partition(end)[2]
        PAGE.write_text(f"{before}{begin}\n{drawn}\n{end}{after}", encoding="utf-8")
    print(drawn)


if __name__ == "__main__":
    main()
