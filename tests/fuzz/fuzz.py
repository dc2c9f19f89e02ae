"""Changed files and odd tables against every reader and learner: refused in a sentence, or answered well.

    python tests/fuzz/fuzz.py --seconds 30              # as tests/all.sh runs it
    python tests/fuzz/fuzz.py --seconds 3600 --seed 7   # a long one; tests/fuzz/long.sh runs two of them
    python tests/fuzz/fuzz.py --replay                  # only the corpus of past failures

What fails is put into the corpus, to be committed with its fix. A case that takes longer than it may, or more
memory, fails too; one that ends the process is still there as ``case.*`` in the folder named at the start.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from files import ALLOWED, Target, targets
from tables import one_table

CORPUS = Path(__file__).resolve().parent / "corpus"
MOST_SECONDS = 60  # of one case; they take milliseconds
MOST_MEMORY = 8 << 30


class Slow(BaseException):
    """A case that does not end; not an Exception, so that no reader takes it for its own."""


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Ends what runs too long."""

    def ring(*_: object) -> None:
        raise Slow(f"not done after {MOST_SECONDS} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(MOST_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def failure(run: object, *arguments: object) -> str | None:
    """What went wrong, or None; sentences are right."""
    try:
        with watched():
            run(*arguments)  # type: ignore[operator]
    except ALLOWED as error:
        return None if str(error).strip() else "an error without a sentence"
    except (Exception, Slow):
        return traceback.format_exc()
    return None


def replay(found: list[Target]) -> list[str]:
    """The names of the cases in the corpus that fail."""
    failed = []
    for target in found:
        for case in sorted((CORPUS / target.name).glob("*")):
            wrong = failure(target.run, case)
            if wrong is not None:
                failed.append(f"{target.name}/{case.name}:\n{wrong}")
    for line in (CORPUS / "tables.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            wrong = failure(one_table, int(line.split()[0]))
            if wrong is not None:
                failed.append(f"table {line}:\n{wrong}")
    return failed


def keep(target: Target, data: bytes, wrong: str, seed: int) -> str:
    """Puts a case into the corpus."""
    folder = CORPUS / target.name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"seed-{seed}{target.suffix}").write_bytes(data)
    return f"{target.name}, seed {seed}, kept in {folder}:\n{wrong}"


def one_file(target: Target, folder: Path, seed: int) -> tuple[bytes, str | None]:
    """One changed file, and what went wrong with it."""
    rng = random.Random(seed)
    data = target.change(rng, rng.choice(target.seeds), target.seeds)
    path = folder / f"case{target.suffix}"
    path.write_bytes(data)
    return data, failure(target.run, path)


def main() -> int:
    """0 where nothing failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rounds", type=int, help="so many cases of every target, however long they take")
    parser.add_argument("--seed", type=int, default=0, help="of the first case (default: 0)")
    parser.add_argument("--only", help="one target, such as csv, model or tables")
    parser.add_argument("--replay", action="store_true", help="only the corpus")
    chosen = parser.parse_args()
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    folder = Path(tempfile.mkdtemp(prefix="tanager-fuzz-"))
    print(f"cases are written to {folder}", flush=True)
    found = [target for target in targets(folder) if chosen.only in (None, target.name)]
    failed = replay(found)
    count = rounds = 0
    end = time.monotonic() + chosen.seconds
    while not chosen.replay and len(failed) < 20:
        if rounds == chosen.rounds or (chosen.rounds is None and time.monotonic() > end):
            break
        seed = chosen.seed * 10**9 + rounds
        rounds += 1
        for target in found:
            data, wrong = one_file(target, folder, seed)
            count += 1
            if wrong is not None:
                failed.append(keep(target, data, wrong, seed))
        if chosen.only in (None, "tables"):
            (folder / "case.table").write_text(str(seed))
            wrong = failure(one_table, seed)
            count += 1
            if wrong is not None:
                failed.append(f"table {seed}, to be added to {CORPUS / 'tables.txt'}:\n{wrong}")
    for text in failed:
        print(text, file=sys.stderr)
    print(f"{count} cases, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
