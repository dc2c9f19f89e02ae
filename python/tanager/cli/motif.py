"""Binding-site motifs: learn one, compare kinds of them, find sites in a genome.

examples:
  tanager motif fit sites.txt -o motif.json
  tanager motif compare folder-of-site-files --plots plots
  tanager motif scan motif.json genome.fa.gz --threshold 8 -o hits.bed

Sites are aligned: one per line, or FASTA, all of one length, letters A, C, G and T.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

from tanager.cli._arguments import add_json, print_json, print_json_list, say
from tanager.cli._outputs import add_force, check_folder, check_outputs, check_replaced, talk
from tanager.exceptions import DataError
from tanager.motifs import (
    MODELS,
    compare_motifs,
    fit_motif,
    load_motif,
    read_sites,
    save_motif,
    scan_fasta,
    write_bed,
)
from tanager.motifs.motif import MOTIF_KIND
from tanager.output import text_output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command: three commands of its own."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    fit = actions.add_parser("fit", help="learn a motif from aligned sites")
    fit.add_argument("sites", type=Path, help="file of aligned sites: one per line, or FASTA")
    fit.add_argument("-o", "--output", type=Path, metavar="FILE", help="the motif file to write")
    add_force(fit, "a motif of tanager")
    fit.add_argument("--model", choices=MODELS, default="bc2g", help="kind of motif (default: bc2g)")
    fit.add_argument("--k", type=int, help="the most parents of a position, for c2g and bc2g (default: 2)")
    fit.add_argument("--root", help="root of the tree: a position from 1 on, or best")
    _add_learning(fit)
    add_json(fit)
    compare = actions.add_parser("compare", help="cross-validate kinds of motif over a folder of site files")
    compare.add_argument("folder", type=Path, help="folder of site files")
    compare.add_argument(
        "--models", nargs="+", choices=MODELS, default=list(MODELS), help="kinds of motif (default: all)"
    )
    compare.add_argument("--folds", type=int, default=10, help="number of folds (default: 10)")
    compare.add_argument("--seed", type=int, default=0, help="of the folds (default: 0)")
    compare.add_argument("--plots", type=Path, metavar="FOLDER", help="write scatter plots of all pairs here")
    compare.add_argument("--format", choices=("png", "svg", "pdf"), default="png", help="of the plots")
    _add_learning(compare)
    add_json(compare)
    scan = actions.add_parser("scan", help="find sites in a FASTA file, both strands, as BED")
    scan.add_argument("motif", type=Path, help="the motif file")
    scan.add_argument("genome", type=Path, help="FASTA file, possibly .gz")
    wanted = scan.add_mutually_exclusive_group()
    wanted.add_argument("--threshold", type=float, help="the least log-odds (natural logarithm)")
    wanted.add_argument("--top", type=int, help="the number of best windows (default: 100)")
    scan.add_argument(
        "--background",
        default="uniform",
        metavar="B",
        help="uniform, genome, or four shares of A,C,G,T (default: uniform)",
    )
    scan.add_argument("-o", "--output", type=Path, metavar="FILE", help="write BED here, not to the terminal")
    add_json(scan)


def _add_learning(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--score", default="bic", help="score of the structure (default: bic)")
    parser.add_argument("--parameters", default="dirichlet", help="estimator of tables (default: dirichlet)")


def run(arguments: argparse.Namespace) -> None:
    """Do what the action says."""
    {"fit": _fit, "compare": _compare, "scan": _scan}[arguments.action](arguments)


def _fit(arguments: argparse.Namespace) -> None:
    check_outputs([arguments.output], [arguments.sites], arguments.json)
    check_replaced(arguments.output, MOTIF_KIND, "a motif of tanager", arguments.force)
    sites = read_sites(arguments.sites)
    settings: dict[str, Any] = {}
    if arguments.root is not None:
        if arguments.model == "pssm":
            raise DataError("--root does not apply to pssm, whose positions are independent")
        settings["root"] = _root(arguments.root, sites.width)
    motif = fit_motif(
        sites,
        arguments.model,
        k=arguments.k,
        score=arguments.score,
        parameters=arguments.parameters,
        settings=settings,
    )
    if arguments.output is not None:
        save_motif(motif, arguments.output)
    loss = -float(motif.log_density(sites).mean())
    if arguments.json:
        output = None if arguments.output is None else str(arguments.output)
        found = {"name": motif.name, "model": motif.model, "sites": motif.sites, "width": motif.width}
        print_json({**found, "edges": motif.network.edges, "training_loss": loss, "output": output})
        return
    out = talk([arguments.output])
    say(f"{motif.model} of {motif.name}: {motif.sites} sites of {motif.width} letters", out)
    say(f"−ln P of a site it learned from: {loss:.3f} (compare gives an honest estimate)\n", out)
    say(motif.network, out)
    if arguments.output is not None and out is sys.stdout:
        say(f"\nwrote {arguments.output}")


def _root(text: str, width: int) -> int | str:
    if text == "best":
        return text
    if text.isascii() and text.isdigit() and 1 <= int(text) <= width:
        return int(text) - 1
    raise DataError(f"root {text!r} is not a position: positions are 1 to {width}, or best")


def _compare(arguments: argparse.Namespace) -> None:
    check_folder(arguments.plots)
    found = compare_motifs(
        arguments.folder,
        arguments.models,
        folds=arguments.folds,
        score=arguments.score,
        parameters=arguments.parameters,
        random_state=arguments.seed,
    )
    plots = [] if arguments.plots is None else found.plot(arguments.plots, arguments.format)
    if arguments.json:
        print_json({**found.as_dict(), "plots": [str(path) for path in plots]})
        return
    say(found.to_markdown())
    for path in plots:
        say(f"wrote {path}")


def _scan(arguments: argparse.Namespace) -> None:
    check_outputs([arguments.output], [arguments.motif, arguments.genome], arguments.json)
    motif = load_motif(arguments.motif)
    top = arguments.top if arguments.threshold is not None or arguments.top is not None else 100
    hits = scan_fasta(
        motif,
        arguments.genome,
        threshold=arguments.threshold,
        top=top,
        background=_background(arguments.background),
    )
    if arguments.json:
        # A window that the motif makes impossible has no score that JSON could hold.
        print_json_list(
            vars(hit) | {"score": hit.score if math.isfinite(hit.score) else None} for hit in hits
        )
    elif arguments.output is None:
        write_bed(hits, sys.stdout, motif.name)
    else:
        with text_output(arguments.output) as file:
            count = write_bed(hits, file, motif.name)
        say(f"wrote {count} hits to {arguments.output}", talk([arguments.output]))


def _background(text: str) -> list[float] | str:
    if text == "uniform":
        return [0.25] * 4
    if text == "genome":
        return text
    try:
        return [float(share) for share in text.split(",")]
    except ValueError:
        raise DataError(
            f"background {text!r} is not allowed: uniform, genome, or four shares such as 0.3,0.2,0.2,0.3"
        ) from None
