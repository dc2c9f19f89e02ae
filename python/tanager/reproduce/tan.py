"""Tree-augmented networks: F1 on the lung-cancer network and on three data sets, every F1 labelled."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from sklearn.naive_bayes import MultinomialNB

from tanager.data import load_dataset
from tanager.data.columns import Factor
from tanager.evaluation.compare import compare
from tanager.evaluation.metrics import evaluate
from tanager.evaluation.task import Task, as_task
from tanager.reproduce._options import Options, available
from tanager.reproduce._paper import published, reproduction
from tanager.reproduce._tables import Figure, ReproducedTable, Reproduction, difference_interval

__all__ = ["bayes_optimal_f1", "reproduce"]

_TRAIN, _TEST = 100_000, 10_000
_WORDS = "nb, multinomial"
_KINDS = {"f1_positive": "F1 of the positive class", "f1_weighted": "weighted F1"}


def reproduce(options: Options) -> Reproduction:
    """Tables 1 and 2; quick mode draws fewer samples and repeats cross-validation less often."""
    tables, missing = available(list(published("tan")["uci"]), options)
    uci = [figure for name in tables for figure in _uci(name, options)]
    shown = [
        ReproducedTable("Table 1: F1 on the lung-cancer network", tuple(_lung(options)), decimals=2),
        ReproducedTable("Table 2: F1 on data sets", tuple(uci), decimals=1),
    ]
    positive, weighted = (100.0 * value for value in bayes_optimal_f1())
    best = {"positive": positive, "weighted": weighted}
    return reproduction("tan", shown, missing, train=_TRAIN, test=_TEST, draws=_draws(options), **best)


def bayes_optimal_f1() -> tuple[float, float]:
    """F1 of the positive class and weighted F1 of the best possible classifier on the lung-cancer network.

    Both follow from the network's own probabilities, summed over its 16 rows.

    >>> [round(100 * value, 2) for value in bayes_optimal_f1()]
    [95.75, 99.26]
    """
    cancer_given = {(1, 1): 0.5, (1, 0): 0.2, (0, 1): 0.3, (0, 0): 0.01}
    right = {0: 0.0, 1: 0.0}
    named = {0: 0.0, 1: 0.0}
    held = {0: 0.0, 1: 0.0}
    for pollution, smoker, xray, dyspnoea in product((0, 1), repeat=4):
        before = (0.1 if pollution else 0.9) * (0.2 if smoker else 0.8)
        sick = cancer_given[pollution, smoker]
        joint = {
            1: before * sick * (0.95 if xray else 0.05) * (0.85 if dyspnoea else 0.15),
            0: before * (1 - sick) * (0.01 if xray else 0.99) * (0.02 if dyspnoea else 0.98),
        }
        best = 1 if joint[1] > joint[0] else 0
        right[best] += joint[best]
        named[best] += joint[0] + joint[1]
        for label in (0, 1):
            held[label] += joint[label]
    f1 = {label: 2 * right[label] / (named[label] + held[label]) for label in (0, 1)}
    return f1[1], held[0] * f1[0] + held[1] * f1[1]


def _draws(options: Options) -> int:
    return 3 if options.quick else 20


def _lung(options: Options) -> list[Figure]:
    learners = {
        "nb": "nb",
        "tree": "tree",
        "svm": "sklearn.svm.LinearSVC:dual=false",
        "tan": "tan:parameters=laplace",
    }
    found: dict[tuple[str, str], list[float]] = {
        (learner, kind): [] for learner in learners for kind in _KINDS
    }
    for draw in range(_draws(options)):
        seed = options.random_state + draw
        task = as_task(load_dataset("lung-cancer", rows=_TRAIN + _TEST, random_state=seed))
        split = (np.arange(_TRAIN), np.arange(_TRAIN, _TRAIN + _TEST))
        result = compare(
            learners,
            {"lung-cancer": task},
            cv=[split],
            n_jobs=options.n_jobs,
            progress=options.progress,
            cache=options.cache,
        )
        for (learner, kind), values in found.items():
            if learner in learners:
                values.append(100.0 * result.table(kind)["lung-cancer"][learner])
        for kind, value in zip(_KINDS, _multinomial(task), strict=True):
            found.setdefault((_WORDS, kind), []).append(100.0 * value)
    figures = []
    for (learner, kind), values in found.items():
        spread = float(np.std(values, ddof=1)) * math.sqrt(1 + 1 / len(values))
        ours = float(np.mean(values))
        paper = published("tan")["lung"]["nb" if learner == _WORDS else learner]
        figures.append(Figure(learner, _KINDS[kind], paper, ours, 1.96 * spread))
    limits = dict(zip(_KINDS, bayes_optimal_f1(), strict=True))
    figures += [Figure("best possible", _KINDS[kind], None, 100.0 * limits[kind]) for kind in _KINDS]
    return figures


def _multinomial(task: Task) -> tuple[float, float]:
    """F1 of the positive class and weighted F1 of multinomial naive Bayes on the columns as 0 and 1."""
    factors = [task.X.raw(name) for name in task.feature_names]
    counts = np.column_stack([factor.codes for factor in factors if isinstance(factor, Factor)])
    model = MultinomialNB().fit(counts[:_TRAIN], task.y[:_TRAIN])
    scores = evaluate(task.y[_TRAIN:], model.predict_proba(counts[_TRAIN:]))
    return scores["f1_positive"], scores["f1_weighted"]


def _uci(name: str, options: Options) -> list[Figure]:
    learners = {"nb": "nb", "tree": "tree", "svm": "svm", "tan": "tan:parameters=laplace"}
    task = as_task(load_dataset(name, data_dir=options.data_dir))
    result = compare(
        learners,
        {name: task},
        repeats=1 if options.quick else 5,
        random_state=options.random_state,
        n_jobs=options.n_jobs,
        progress=options.progress,
        cache=options.cache,
    )
    figures = []
    for learner in learners:
        paper, ours = (
            published("tan")["uci"][name][learner],
            100.0 * result.table("f1_weighted")[name][learner],
        )
        reach = 100.0 * difference_interval(paper / 100.0, ours / 100.0, task.n_rows, task.n_rows)
        figures.append(Figure(name, learner, paper, ours, reach))
    return figures
