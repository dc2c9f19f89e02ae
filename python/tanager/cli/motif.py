"""Binding-site motifs: learn one, look at it, compare kinds of them, find sites in a genome.

examples:
  tanager motif fit sites.txt -o motif.json
  tanager motif show motif.json --logo logo.png
  tanager motif show motif.json --format meme -o motif.meme
  tanager motif compare folder-of-site-files --plots plots
  tanager motif scan motif.json genome.fa.gz --p-value 1e-6 -o hits.bed

Sites are aligned: one per line, or FASTA, all of one length, letters A, C, G and T. Motifs are files that
`tanager motif fit` wrote, or MEME's or JASPAR's.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tanager.cli._arguments import add_json, print_json, print_json_list, say, whole_from
from tanager.cli._outputs import add_force, check_folder, check_outputs, check_plot, check_replaced, talk
from tanager.exceptions import CapacityError, DataError, DataWarning
from tanager.motifs import (
    COMPARED,
    MODELS,
    Motif,
    compare_motifs,
    fit_motif,
    matrix,
    open_motifs,
    plot_logo,
    read_sites,
    save_motif,
    scan_fasta,
    score_distribution,
    with_p_values,
    write_bed,
    write_jaspar,
    write_meme,
)
from tanager.motifs.logo import information
from tanager.motifs.motif import MOTIF_KIND
from tanager.motifs.scan import genome_background
from tanager.output import is_standard, text_output, write_text
from tanager.report.plots import save_axes
from tanager.settings import did_you_mean
from tanager.text_table import aligned


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
        "--models",
        nargs="+",
        choices=COMPARED,
        default=list(COMPARED),
        help="kinds of motif, and a mixture of two trees (default: all)",
    )
    compare.add_argument("--folds", type=int, default=10, help="number of folds (default: 10)")
    compare.add_argument("--seed", type=whole_from(0), default=0, help="of the folds (default: 0)")
    compare.add_argument("--plots", type=Path, metavar="FOLDER", help="write scatter plots of all pairs here")
    compare.add_argument("--format", choices=("png", "svg", "pdf"), default="png", help="of the plots")
    _add_learning(compare)
    add_json(compare)
    show = actions.add_parser("show", help="look at a motif, or write it for other programs")
    show.add_argument("motif", type=Path, help="a motif file: tanager's, MEME's or JASPAR's")
    show.add_argument("--name", help="which one, where a file holds several (default: the first)")
    show.add_argument(
        "--format",
        choices=("text", "meme", "jaspar"),
        default="text",
        help="form of the output (default: text)",
    )
    show.add_argument("--logo", type=Path, metavar="FILE", help="draw its sequence logo: PNG, SVG or PDF")
    where = show.add_mutually_exclusive_group()
    where.add_argument("-o", "--output", type=Path, metavar="FILE", help="write here instead of printing")
    add_json(where)
    scan = actions.add_parser("scan", help="find sites in a FASTA file, both strands, as BED")
    scan.add_argument("motif", type=Path, help="the motif file: tanager's, MEME's or JASPAR's")
    scan.add_argument("--name", help="which motif, where a file holds several (default: the first)")
    scan.add_argument("genome", type=Path, help="FASTA file, possibly .gz")
    wanted = scan.add_mutually_exclusive_group()
    wanted.add_argument("--threshold", type=float, help="the least log-odds (natural logarithm)")
    wanted.add_argument("--p-value", type=float, metavar="P", help="the highest p-value")
    wanted.add_argument("--top", type=int, help="the number of best windows (default: 100)")
    scan.add_argument(
        "--background",
        default="uniform",
        metavar="B",
        help="uniform, genome, or four shares of A,C,G,T (default: uniform)",
    )
    where = scan.add_mutually_exclusive_group()
    where.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write BED here, not to the terminal"
    )
    add_json(where)


def _add_learning(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--score", default="bic", help="score of the structure (default: bic)")
    parser.add_argument("--parameters", default="dirichlet", help="estimator of tables (default: dirichlet)")


def run(arguments: argparse.Namespace) -> None:
    """Do what the action says."""
    {"fit": _fit, "compare": _compare, "show": _show, "scan": _scan}[arguments.action](arguments)


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
    motif = _chosen(arguments)
    background = _background(arguments.background)
    if isinstance(background, str):
        if is_standard(arguments.genome):
            raise DataError("--background genome reads the genome twice, and standard input can be read once")
        background = list(genome_background(arguments.genome))
    threshold = arguments.threshold
    if arguments.p_value is not None:
        threshold = score_distribution(motif, background).threshold(arguments.p_value)
    top = arguments.top if threshold is not None or arguments.top is not None else 100
    hits = scan_fasta(motif, arguments.genome, threshold=threshold, top=top, background=background)
    try:
        hits = with_p_values(hits, motif, background)
    except CapacityError as error:
        warnings.warn(f"{error}: hits have none", DataWarning, stacklevel=2)
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


def _chosen(arguments: argparse.Namespace) -> Motif:
    motifs = {motif.name: motif for motif in reversed(open_motifs(arguments.motif))}
    if arguments.name is None:
        return next(reversed(motifs.values()))
    if arguments.name not in motifs:
        near = did_you_mean(arguments.name, motifs)
        raise DataError(
            f"{arguments.motif} has no motif {arguments.name!r}{near}; it has {', '.join(motifs)}"
        )
    return motifs[arguments.name]


def _show(arguments: argparse.Namespace) -> None:
    if arguments.json and arguments.format != "text":
        raise DataError(f"--json does not go with --format {arguments.format}")
    check_outputs([arguments.output, arguments.logo], [arguments.motif], arguments.json)
    check_plot(arguments.logo)
    motif = _chosen(arguments)
    probabilities = matrix(motif)
    bits = information(probabilities)
    if arguments.logo is not None:
        save_axes(plot_logo(motif), arguments.logo)
    if arguments.json:
        found = {"name": motif.name, "model": motif.model, "sites": motif.sites, "width": motif.width}
        print_json(
            {**found, "edges": motif.network.edges, "matrix": probabilities.tolist(), "bits": bits.tolist()}
        )
        return
    forms: dict[str, Callable[[Motif], str]] = {
        "text": _described,
        "meme": write_meme,
        "jaspar": write_jaspar,
    }
    text = forms[arguments.format](motif)
    if arguments.output is None:
        say(text.rstrip("\n"))
    else:
        write_text(arguments.output, text.rstrip("\n") + "\n")


def _described(motif: Motif) -> str:
    """A motif for people: the matrix with its bits, and what depends on what."""
    probabilities = matrix(motif)
    bits = information(probabilities)
    rows = [
        [str(place + 1), *(f"{share:.3f}" for share in row), f"{bit:.2f}", "█" * round(10 * bit)]
        for place, (row, bit) in enumerate(zip(probabilities.tolist(), bits.tolist(), strict=True))
    ]
    consensus = "".join("ACGT"[int(code)] for code in probabilities.argmax(axis=1))
    head = [
        f"{motif.name}: {motif.model}, {motif.sites} sites of {motif.width} letters, {bits.sum():.1f} bits",
        f"most frequent letters: {consensus}",
        "",
        *aligned(["position", *"ACGT", "bits", ""], rows, "rrrrrrl", rules=False),
    ]
    depends = ["", "positions that depend on others:", str(motif.network)] if motif.network.edges else []
    return "\n".join([*head, *depends])


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
