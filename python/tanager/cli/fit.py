"""Learn a classifier from a data set and write it to a model file.

examples:
  tanager fit car -o car.json
  tanager fit patients.csv --target outcome --drop id --learner bckg:k=2,score=mdl -o model.json.gz
  tanager fit big.parquet --target outcome -o model.json
  zcat patients.csv.gz | tanager fit - -o - > model.json

The file is JSON (compressed where its name ends in .gz), versioned, and safe to load. Folders of
Parquet files and large files are read in parts, never whole.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from tanager.cli._arguments import (
    add_data_options,
    add_json,
    is_file,
    known_learners_text,
    open_table,
    print_json,
    say,
    whole_from,
)
from tanager.cli._outputs import add_force, check_outputs, check_replaced, talk
from tanager.cli._streamed import add_stream_options, in_parts, shown_progress, source_with_target
from tanager.evaluation.learner import as_learner
from tanager.evaluation.networks import described_network
from tanager.evaluation.progress import watched_search
from tanager.evaluation.task import as_task
from tanager.exceptions import DataError
from tanager.model_file import MODEL_KIND, save_model
from tanager.report.network_text import text_tree


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument(
        "data", help="name of a data set, or a file (CSV, ARFF, Parquet; - is standard input)"
    )
    parser.epilog = f"{parser.epilog}\n\n{known_learners_text()}"
    parser.add_argument("--learner", default="tan", metavar="LEARNER", help="as for compare (default: tan)")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the model file")
    add_force(parser, "a model of tanager")
    add_data_options(parser)
    add_stream_options(parser)
    parser.add_argument(
        "--memory",
        type=whole_from(1),
        metavar="BYTES",
        help="for larger tables that are counted in one pass over parts",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Fit, save, and say what was learned."""
    learner = as_learner(arguments.learner)
    if not learner.is_tanager:
        raise DataError(f"only tanager's own learners can be saved, not {arguments.learner!r}")
    inputs = [arguments.data] if is_file(arguments.data) else []
    check_outputs([arguments.output], inputs, arguments.json)
    check_replaced(arguments.output, MODEL_KIND, "a model of tanager", arguments.force)
    if in_parts(arguments.data, arguments.stream):
        _run_in_parts(arguments, learner.estimator)
        return
    table = open_table(arguments.data, arguments, arguments.target)
    if table.y is None or table.target is None:
        raise DataError(f"{arguments.data} has no class column {arguments.target!r}")
    with watched_search(learner.estimator) as estimator:
        model = estimator.fit(table.X, table.y, sample_weight=table.weights)
    network = described_network(model, table.X, table.y, table.weights)
    right = float((model.predict(table.X) == table.y).mean())
    notes = {
        "learner": arguments.learner,
        "data": table.name,
        "rows": len(table),
        "checksum": as_task(table).checksum,
        "network": network,
    }
    save_model(model, arguments.output, table.target, notes)
    if arguments.json:
        print_json({**notes, "output": str(arguments.output), "training_accuracy": right})
        return
    out = talk([arguments.output])
    attributes = len(table.feature_names)
    say(
        f"{arguments.learner} learned from {table.name}: {len(table)} rows, {attributes} attributes, "
        f"class {table.target!r}",
        out,
    )
    say(
        f"accuracy on the rows it learned from: {100 * right:.2f} % (compare gives an honest estimate)\n", out
    )
    say(text_tree(network, table.target), out)
    if out is sys.stdout:
        say(f"\nwrote {arguments.output}")


def _run_in_parts(arguments: argparse.Namespace, estimator: Any) -> None:
    """Fit, save, and say what was learned, of a table that is never whole in memory."""
    source, target = source_with_target(arguments)
    for kind in ("categorical", "numeric"):
        if getattr(arguments, kind):
            estimator.set_params(**{kind: getattr(arguments, kind)})
    with shown_progress() as progress:
        model = estimator.fit(source, memory=arguments.memory, progress=progress)
    rows = model.rows_
    parents = {child: list(parents) for child, parents in model.network_.parents.items()}
    notes = {"learner": arguments.learner, "data": source.name, "rows": rows, "parents": parents}
    save_model(model, arguments.output, target, notes)
    if arguments.json:
        print_json({**notes, "output": str(arguments.output)})
        return
    out = talk([arguments.output])
    said = f"{rows} rows, {len(parents)} attributes, class {target!r}"
    say(f"{arguments.learner} learned from {source.name}: {said}", out)
    for parent, child in model.network_.edges:
        say(f"{parent} → {child}", out)
    if out is sys.stdout:
        say(f"wrote {arguments.output}")
