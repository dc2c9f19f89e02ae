"""Compare learners on data sets, with statistics, as tables and pictures.

examples:
  tanager compare nb tan --data car
  tanager compare nb tan bckg:k=2,score=mdl forest --data car vote chess --html report.html
  tanager compare tan 'tan:score=bdeu(ess=10)' --data my.csv --target outcome --cv 10 --repeats 1

Learners are tanager's with parameters after a colon, peers from scikit-learn by a short name, or any
classifier of an installed package by its import path, such as xgboost.XGBClassifier. Data sets are names
that `tanager datasets` lists, or files.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from tanager.cli._arguments import (
    add_data_options,
    add_json,
    is_file,
    known_learners_text,
    open_table,
    say,
    whole_from,
)
from tanager.cli._outputs import check_folder, check_outputs, needs_package, talk
from tanager.data import Table, list_datasets
from tanager.evaluation.cache import default_cache_folder
from tanager.evaluation.compare import compare
from tanager.evaluation.comparison import Comparison
from tanager.evaluation.learner import as_learner, is_learner, known_learners
from tanager.evaluation.metrics import METRICS
from tanager.exceptions import DataError
from tanager.output import is_standard
from tanager.report.terminal import show
from tanager.settings import did_you_mean
from tanager.text_table import aligned

DEFAULT = ["nb", "tan"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.epilog = f"{parser.epilog}\n\n{known_learners_text()}"
    parser.add_argument("learners", nargs="*", default=DEFAULT, metavar="LEARNER", help="default: nb tan")
    parser.add_argument(
        "--data",
        nargs="+",
        default=["car"],
        metavar="DATA",
        help="names or files, - is standard input (default: car)",
    )
    add_data_options(parser)
    how = parser.add_argument_group("evaluation")
    split = how.add_mutually_exclusive_group()
    split.add_argument("--cv", type=int, default=5, metavar="K", help="stratified folds (default: 5)")
    split.add_argument("--hold-out", type=float, metavar="SHARE", help="test on this share instead of folds")
    how.add_argument("--repeats", type=int, default=5, metavar="R", help="times to split anew (default: 5)")
    how.add_argument("--seed", type=whole_from(0), default=0, help="seed of the splits (default: 0)")
    how.add_argument(
        "--discretize",
        choices=("fold", "before", "none"),
        default="fold",
        help="cut numbers within training parts (default), before splitting as many papers do, or not at all",
    )
    how.add_argument("--complete", action="store_true", help="leave out rows with missing values")
    how.add_argument("--positive", metavar="LABEL", help="positive class of two, for its F1")
    how.add_argument(
        "--jobs", type=whole_from(1), metavar="N", help="threads; times are only comparable with 1"
    )
    what = parser.add_argument_group("output")
    what.add_argument("--metric", choices=tuple(METRICS), default="accuracy", help="measure of the table")
    what.add_argument("--confusion", action="store_true", help="also print confusion matrices")
    what.add_argument("--html", type=Path, metavar="FILE", help="write one self-contained page")
    what.add_argument("--markdown", type=Path, metavar="FILE", help="write Markdown")
    what.add_argument("--latex", type=Path, metavar="FILE", help="write a LaTeX table")
    what.add_argument("--csv", type=Path, metavar="FILE", help="write one line per fold")
    what.add_argument("--plots", type=Path, metavar="FOLDER", help="write plots as PNG, SVG and PDF")
    what.add_argument("--predictions", type=Path, metavar="FILE", help="write out-of-fold predictions as CSV")
    what.add_argument(
        "--spreadsheet",
        action="store_true",
        help="in CSV, an apostrophe before text that would be calculated",
    )
    what.add_argument(
        "--networks", action="store_true", help="learn and show networks for several data sets too"
    )
    add_json(what)
    kept = parser.add_argument_group("interrupted runs continue from finished folds")
    where = kept.add_mutually_exclusive_group()
    where.add_argument("--cache", type=Path, metavar="FOLDER", help="where finished folds are kept")
    where.add_argument("--no-cache", action="store_true", help="compute everything anew, keep nothing")
    kept.add_argument("--no-progress", action="store_true", help="no progress bar")


def run(arguments: argparse.Namespace) -> None:
    """Compare, print, and write what was asked for."""
    _sort_out_learners(arguments)
    outputs = [getattr(arguments, name) for name in ("html", "markdown", "latex", "csv", "predictions")]
    check_outputs(outputs, [name for name in arguments.data if is_file(name)], arguments.json)
    check_folder(arguments.plots)
    if arguments.html is not None:
        needs_package("jinja2", "pages")
    for learner in arguments.learners:
        as_learner(learner)  # a name that there is not is told before anything is read
    tables = {table.name: table for table in (_opened(name, arguments) for name in arguments.data)}
    if len(tables) < len(arguments.data):
        raise DataError("two data sets have the same name")
    result = compare(
        arguments.learners,
        tables,
        cv=arguments.cv if arguments.hold_out is None else arguments.hold_out,
        repeats=arguments.repeats,
        random_state=arguments.seed,
        discretize=arguments.discretize,
        n_jobs=arguments.jobs,
        progress=not arguments.no_progress,
        complete=arguments.complete,
        positive=arguments.positive,
        predictions=arguments.predictions is not None,
        networks=arguments.networks or arguments.html is not None or len(tables) == 1,
        cache=None if arguments.no_cache else arguments.cache or default_cache_folder() / "cells",
    )
    _write(result, arguments)
    if arguments.json:
        sys.stdout.write(result.to_json() + "\n")
    else:
        show(result, arguments.metric, talk(outputs), trees=arguments.networks or len(tables) == 1)
        if arguments.confusion:
            say(f"\n{_confusion(result)}", talk(outputs))


def _sort_out_learners(arguments: argparse.Namespace) -> None:
    """Learners that stand after --data are learners all the same, unless data are called so."""
    known = {info.name for info in list_datasets(arguments.data_dir)}
    words = [name for name in arguments.data if not is_file(name) and name not in known and is_learner(name)]
    if words:
        given = [] if arguments.learners == DEFAULT else arguments.learners
        arguments.learners = [*given, *words]
        arguments.data = [name for name in arguments.data if name not in words] or ["car"]


def _opened(name: str, arguments: argparse.Namespace) -> Table:
    """A data set; a word that is none may be a learner that stands after --data, misspelt."""
    try:
        return open_table(name, arguments, arguments.target)
    except DataError as error:
        near = did_you_mean(name.partition(":")[0], known_learners())
        known = [info.name for info in list_datasets(arguments.data_dir)]
        if not near or is_file(name) or did_you_mean(name, known):
            raise
        raise DataError(f"{name!r} is not a learner{near}, and as data: {error}") from error


def _confusion(result: Comparison) -> str:
    """The confusion matrices of every data set and learner that has a result."""
    blocks = []
    for data in result.datasets:
        for learner in result.learners:
            if any(cell.get("confusion") is None for cell in result._cells_of(data["name"], learner)):
                continue
            counts = result.confusion(data["name"], learner).tolist()
            rows = [[label, *map(str, row)] for label, row in zip(data["classes"], counts, strict=True)]
            lines = aligned(["true, predicted", *data["classes"]], rows, "l")
            blocks.append("\n".join([f"{learner} on {data['name']}, rows over all folds", *lines]))
    return "\n\n".join(blocks)


def _write(result: Comparison, arguments: argparse.Namespace) -> None:
    written = []
    for path, write in (
        (arguments.html, result.to_html),
        (arguments.markdown, result.to_markdown),
        (arguments.latex, result.to_latex),
        (arguments.csv, partial(result.to_csv, spreadsheet=arguments.spreadsheet)),
        (arguments.predictions, partial(result.predictions_to_csv, spreadsheet=arguments.spreadsheet)),
    ):
        if path is not None:
            write(path)
            written += [] if is_standard(path) else [str(path)]
    if arguments.plots is not None:
        written += _plots(result, arguments.plots)
    for name in written:
        say(f"wrote {name}", sys.stderr)


def _plots(result: Comparison, folder: Path) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for ending in ("png", "svg", "pdf"):
        written.append(result.plot_accuracy_time(folder / f"accuracy-time.{ending}"))
        for number, dataset in enumerate(result.dataset_names):
            written.append(result.plot_roc(dataset, folder / f"roc-{number}.{ending}"))
            written.append(result.plot_reliability(dataset, folder / f"reliability-{number}.{ending}"))
        if len(result.learners) > 1 and len(result.datasets) > 1:
            written.append(result.plot_critical_difference(folder / f"critical-difference.{ending}"))
            best = min(result.ranks, key=lambda name: result.ranks[name])
            for index, other in enumerate(result.learners):
                if other != best:
                    target = folder / f"scatter-{index}.{ending}"
                    written.append(result.plot_scatter(other, best, target))
    return [str(path) for path in written]
