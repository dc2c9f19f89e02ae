"""Wrapper learners beside R's bnclassify, and a step of their search beside one naive Bayes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from data import Table, generate
from r_peers import measure_r
from timing import PeakMemory, best_time

LEARNERS = ("bsej", "fssj")
#: Bundled tables on which whole searches are timed.
SEARCHED = ("vehicle", "car", "tic-tac-toe")


class Searched:
    """A bundled table as it is loaded, and the time of searches on it."""

    def __init__(self, name: str) -> None:
        import tanager

        self.table = tanager.load_dataset(name)
        self.categorical = not any(isinstance(value, float) for value in np.asarray(self.table.X)[0])

    def measure(self, threads: int, budget: float) -> Iterator[tuple[str, float, int | None]]:
        """Learner, seconds and peak memory of `Estimator().fit(X, y)`."""
        import tanager

        for learner, estimator in (("bsej", tanager.BSEJClassifier), ("fssj", tanager.FSSJClassifier)):
            model = estimator(n_jobs=threads)
            with PeakMemory() as memory:
                model.fit(self.table.X, self.table.y)
            yield (
                learner,
                best_time(lambda model=model: model.fit(self.table.X, self.table.y), budget),
                memory.bytes,
            )


@dataclass
class WrapperLine:
    """What a learner needed for a table. A round tries every operation once; the last one takes none."""

    data: str
    learner: str
    seconds: float
    rounds: int
    round_to_nb: float  # seconds of a round over those of one naive Bayes fit and prediction
    bnclassify: float | None  # bnclassify's seconds over ours


def wrapper_tables(quick: bool) -> list[Table]:
    """Chess-like data, and two bundled sets."""
    return [generate("chess", 800 if quick else None), bundled("car"), bundled("tic-tac-toe")]


def bundled(name: str) -> Table:
    """A bundled categorical set as codes."""
    import tanager

    table = tanager.load_dataset(name)
    columns = [np.unique(column, return_inverse=True) for column in np.asarray(table.X).astype(str).T]
    classes, y = np.unique(np.asarray(table.y).astype(str), return_inverse=True)
    codes = np.asfortranarray(np.column_stack([codes for _, codes in columns]).astype(np.uint8))
    return Table(name, codes, [len(levels) for levels, _ in columns], y.astype(np.uint8), len(classes))


def compare_wrappers(
    table: Table, threads: int, budget: float, limit: float
) -> tuple[list[WrapperLine], str | None]:
    """tanager's times and their ratios, and why there are none to bnclassify, where there are none."""
    from tanager import _core

    data = _core.Dataset(table.codes, table.arities, table.classes, table.n_classes)

    def fit(learner: str) -> _core.Network:
        return _core.fit(data, learner, {}, "ll", "laplace", threads)[0]

    naive_bayes = best_time(lambda: fit("nb").posterior(data, threads), budget)
    (theirs,) = measure_r(table, budget, limit, LEARNERS, ("bnclassify",))
    lines = []
    for learner in LEARNERS:
        rounds = len(fit(learner).search[2]) + 1
        seconds = best_time(lambda learner=learner: fit(learner), budget)
        peer = theirs.seconds.get(learner)
        ratio = None if peer is None else peer / seconds
        lines.append(WrapperLine(table.name, learner, seconds, rounds, seconds / rounds / naive_bayes, ratio))
    return lines, theirs.skipped
