"""Every learner on every bundled table: accuracy, log-loss and time, and the ranks of docs/learners/which.md.

    python scripts/which_learner.py --cache FILE [--learners 'nb;tan;...'] [--tables car,...] [--write]

Five stratified folds (seed 0), everything learned within the training parts, every learner as it is unless
told otherwise; variants are written as on the command line. Log-loss counts a probability below 1e-9 as 1e-9.
The time is the processor time of fit and predict over all folds, of all threads together. A line of JSON for
each table and learner is kept in the cache, and is not measured again while it is there. `--write` puts the
tables of all lines into the page, between its marks.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold

import tanager
from tanager.evaluation.learner import as_learner

PAGE = Path(__file__).resolve().parents[1] / "docs" / "learners" / "which.md"
#: As on the command line. Learners of a given structure are not here: there is none to give.
LEARNERS = (
    "nb",
    "wnb",
    "wnb:weights=awnb",
    "wnb:weights=manb",
    "ffss",
    "fss",
    "fssj",
    "bsej",
    "tan",
    "tan:parameters=hierarchical",
    "atan",
    "stan",
    "asb",
    "tanhc",
    "tanhc:superparent=true",
    "aode",
    "aode:weights=mi",
    "aode:order=2",
    "kdb",
    "kdb:k=5,selective=true",
    "ekdb",
    "ckg",
    "bckg",
    "order",
    "refined",
)
MEASURES = ("accuracy", "log-loss", "seconds")


def measure(table: tanager.Table, learner: str) -> dict[str, Any]:
    """One line of the cache."""
    X, y = table.X, np.asarray(table.y)
    classes = sorted(set(y.tolist()))
    truth = np.array([classes.index(label) for label in y.tolist()])
    posterior = np.zeros((len(y), len(classes)))
    start = time.process_time()
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(truth, truth):
        model = as_learner(learner).estimator
        model.set_params(n_jobs=2)
        model.fit(X[train], y[train])
        known = [classes.index(label) for label in model.classes_.tolist()]
        posterior[np.ix_(test, known)] = model.predict_proba(X[test])
    seconds = time.process_time() - start
    own = posterior[np.arange(len(y)), truth]
    return {
        "table": table.name,
        "learner": learner,
        "accuracy": float((posterior.argmax(axis=1) == truth).mean()),
        "log-loss": float(-np.log(np.maximum(own, 1e-9)).mean()),
        "seconds": seconds,
    }


def read(cache: Path) -> list[dict[str, Any]]:
    """What has been measured."""
    return [json.loads(line) for line in cache.read_text("utf-8").splitlines()] if cache.exists() else []


def ranks(lines: list[dict[str, Any]]) -> tuple[list[str], list[str], dict[str, np.ndarray]]:
    """Learners, the tables on which all of them were measured, and the ranks [learner, table] by measure."""
    names = [name for name in LEARNERS if any(line["learner"] == name for line in lines)]
    found = {(line["table"], line["learner"]): line for line in lines}
    all_tables = sorted({line["table"] for line in lines})
    tables = [table for table in all_tables if all((table, name) in found for name in names)]
    values = {m: np.array([[found[t, n][m] for t in tables] for n in names]) for m in MEASURES}
    # Accuracies and log-losses that differ by rounding are equal.
    values = {m: np.round(-v if m == "accuracy" else v, 9) for m, v in values.items()}
    return names, tables, {m: rankdata(v, axis=0) for m, v in values.items()}


def rank_table(lines: list[dict[str, Any]]) -> str:
    """Mean ranks, the best log-loss first, and the median time beside naive Bayes."""
    names, tables, by_measure = ranks(lines)
    found = {(line["table"], line["learner"]): line for line in lines}
    mean = {m: by_measure[m].mean(axis=1) for m in MEASURES}
    rows = ["| learner | log-loss | accuracy | time | time ÷ `nb` |", "|---|---|---|---|---|"]
    for place in np.argsort(mean["log-loss"], kind="stable"):
        name = names[place]
        ratio = np.median([found[t, name]["seconds"] / found[t, "nb"]["seconds"] for t in tables])
        cells = " | ".join(f"{mean[m][place]:.1f}" for m in ("log-loss", "accuracy", "seconds"))
        rows.append(f"| `{name}` | {cells} | {ratio:.3g} |")
    count = f"Mean ranks of {len(names)} learners on {len(tables)} tables ({', '.join(tables)}); 1 is best."
    return f"{count}\n\n" + "\n".join(rows)


def best_table(lines: list[dict[str, Any]]) -> str:
    """For each table the best learners."""
    names, tables, _ = ranks(lines)
    found = {(line["table"], line["learner"]): line for line in lines}
    rows = ["| table | least log-loss | | largest accuracy | |", "|---|---|---|---|---|"]
    for table in tables:
        low = min(names, key=lambda name: found[table, name]["log-loss"])
        high = max(names, key=lambda name: found[table, name]["accuracy"])
        least, most = found[table, low]["log-loss"], found[table, high]["accuracy"]
        rows.append(f"| {table} | `{low}` | {least:.3f} | `{high}` | {100 * most:.1f} % |")
    return "\n".join(rows)


def write(page: Path, lines: list[dict[str, Any]]) -> None:
    """Puts the tables between their marks."""
    text = page.read_text("utf-8")
    for name, made in (("ranks", rank_table(lines)), ("best", best_table(lines))):
        mark = re.compile(rf"(<!-- {name}: begin -->\n).*?(<!-- {name}: end -->)", re.DOTALL)
        text = mark.sub(lambda found, made=made: f"{found[1]}{made}\n{found[2]}", text)
    page.write_text(text, "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, required=True, help="the file of what has been measured")
    parser.add_argument("--learners", default=";".join(LEARNERS), help="which, with ; between them")
    parser.add_argument("--tables", default="", help="which bundled tables; all unless given")
    parser.add_argument("--write", action="store_true", help="write the page from the cache")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    learners = options.learners.split(";")
    # Not those of TANAGER_DATA: the page is the same wherever it is made.
    bundled = [info.name for info in tanager.list_datasets() if info.origin != "folder"]
    wanted = options.tables.split(",") if options.tables else bundled
    done = {(line["table"], line["learner"]) for line in read(options.cache)}
    for learner in learners:
        for name in wanted:
            if (name, learner) not in done:
                line = measure(tanager.load_dataset(name), learner)
                with options.cache.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
                told = "  ".join(f"{m} {line[m]:.4f}" for m in MEASURES)
                print(f"{name:<24} {learner:<28} {told}", flush=True)
    if options.write:
        write(PAGE, read(options.cache))


if __name__ == "__main__":
    main()
