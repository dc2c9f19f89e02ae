"""Reproduce a paper's tables: its numbers, ours, the difference, and whether chance explains it.

papers:
  ckg    Carvalho and Oliveira: consistent k-graphs, table 1
  bckg   Carvalho, Oliveira and Sagot: BFS-consistent k-graphs on binding sites, figure 1
  acll   Carvalho, Adão and Mateus: approximate conditional log-likelihood, tables 1 and 2
  asb    Mihaljević, Larrañaga and Bielza: augmented semi-naive Bayes, tables 2 and 3
  tan    Dadresan: tree-augmented networks, tables 1 and 2

Without --full it does less of the same, in under two minutes. Data that are not bundled are taken from
--data-dir.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from tanager.cli._arguments import add_json, print_json, say, whole_from
from tanager.cli._outputs import check_folder, check_outputs
from tanager.evaluation.cache import default_cache_folder
from tanager.output import write_text
from tanager.reproduce import Options, papers, reproduce
from tanager.reproduce._plots import html, save_plots
from tanager.reproduce._text import markdown, plain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("paper", choices=papers(), help="which paper")
    parser.add_argument("--full", action="store_true", help="everything as in the paper, which takes longer")
    parser.add_argument("--data-dir", metavar="FOLDER", help="folder with data that are not bundled")
    parser.add_argument(
        "--seed", type=whole_from(0), default=0, help="seed of splits and samples (default: 0)"
    )
    parser.add_argument("--jobs", type=whole_from(1), metavar="N", help="threads")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write Markdown")
    parser.add_argument(
        "--plots", type=Path, metavar="FOLDER", help="also draw its figures, and the numbers against ours"
    )
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="also write one page with tables and figures"
    )
    parser.add_argument("--no-cache", action="store_true", help="compute everything anew, keep nothing")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Reproduce and print."""
    check_outputs([arguments.markdown, arguments.html], json=arguments.json)
    check_folder(arguments.plots)
    options = Options(
        quick=not arguments.full,
        data_dir=arguments.data_dir,
        random_state=arguments.seed,
        n_jobs=arguments.jobs,
        progress=not arguments.no_progress,
        cache=None if arguments.no_cache else default_cache_folder() / "cells",
    )
    result = reproduce(arguments.paper, options)
    if arguments.json:
        print_json(result.as_dict())
    else:
        # As wide as the terminal, within reason; 100 columns where the output goes into a file.
        columns = shutil.get_terminal_size((100, 24)).columns
        say(plain(result, min(max(columns, 60), 120)))
    if arguments.markdown is not None:
        write_text(arguments.markdown, markdown(result))
    if arguments.plots is not None:
        save_plots(result, arguments.plots)
    if arguments.html is not None:
        write_text(arguments.html, html(result))
