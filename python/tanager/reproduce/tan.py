"""Tree-augmented networks: F1 on the lung-cancer network and on three data sets, every F1 labelled."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import SVC

from tanager.data import load_dataset
from tanager.data.columns import Factor
from tanager.data.generated import PUBLISHED_LUNG_CANCER, lung_cancer
from tanager.estimators import TANClassifier
from tanager.evaluation.metrics import evaluate
from tanager.evaluation.task import Task, as_task
from tanager.network import Network
from tanager.reproduce._options import Options, available
from tanager.reproduce._paper import published, reproduction
from tanager.reproduce._tables import Figure, ReproducedTable, Reproduction, difference_interval

__all__ = ["bayes_optimal_f1", "reproduce"]

_TRAIN, _TEST = 100_000, 10_000
_LEARNERS = {"nb": "nb", "tree": "tree", "tan": "tan:parameters=laplace"}
_WORDS = "nb, multinomial"
_KINDS = {"f1_positive": "F1 of the positive class", "f1_weighted": "weighted F1"}
_SHARES = {"precision_positive": "precision", "recall_positive": "recall"}
_KERNELS = ("linear", "poly", "rbf", "sigmoid")


def reproduce(options: Options) -> Reproduction:
    """Tables 1 and 2; quick mode draws fewer samples and repeats cross-validation less often."""
    tables, missing = available(list(published("tan")["uci"]), options)
    uci = [figure for name in tables for figure in _uci(name, options)]
    shown = [
        ReproducedTable("Table 1: F1 on the lung-cancer network", tuple(_lung(options)), decimals=2),
        ReproducedTable("Table 2: F1 on data sets", tuple(uci), decimals=1),
        _untweaked(options),
    ]
    positive, weighted = (100.0 * value for value in bayes_optimal_f1())
    return reproduction(
        "tan",
        shown,
        missing,
        networks=[_learned(options)],
        train=_TRAIN,
        test=_TEST,
        draws=_draws(options),
        positive=positive,
        weighted=weighted,
    )


def _learned(options: Options) -> tuple[str, Network]:
    """Figure 5: the TAN of one sample of the report's size."""
    table = lung_cancer(_TRAIN, options.random_state)
    model = TANClassifier(parameters="laplace", smoothed=1.0, n_jobs=options.n_jobs).fit(table.X, table.y)
    return "Figure 5: the network learned from one sample", model.network_


def _untweaked(options: Options) -> ReproducedTable:
    """The network with the probabilities of its book: the report says that all predict one class."""
    table = lung_cancer(_TRAIN + _TEST, options.random_state, PUBLISHED_LUNG_CANCER)
    split = (np.arange(_TRAIN), np.arange(_TRAIN, _TRAIN + _TEST))
    result = options.compare(_LEARNERS, {"as published": as_task(table)}, cv=[split])
    share = float(np.mean(np.asarray(table.y)[_TRAIN:]))
    figures = []
    for learner in result.learners:
        called = result.confusion("as published", learner)[:, 1].sum()
        note = f"{int(called)} of {_TEST:,} rows called positive, {100 * share:.2f} % are"
        for kind in ("accuracy", "f1_positive", "f1_weighted"):
            value = 100.0 * result.table(kind)["as published"][learner]
            figures.append(Figure(learner, _KINDS.get(kind, kind), None, value, note=note))
            note = ""
    return ReproducedTable("The network as published, before the report changed it", tuple(figures), "%", 2)


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
    found: dict[tuple[str, str], list[float]] = {
        (learner, kind): [] for learner in _LEARNERS for kind in (*_KINDS, *_SHARES)
    }
    for draw in range(_draws(options)):
        seed = options.random_state + draw
        task = as_task(load_dataset("lung-cancer", rows=_TRAIN + _TEST, random_state=seed))
        split = (np.arange(_TRAIN), np.arange(_TRAIN, _TRAIN + _TEST))
        result = options.compare(_LEARNERS, {"lung-cancer": task}, cv=[split])
        for (learner, kind), values in found.items():
            if learner in _LEARNERS:
                values.append(100.0 * result.table(kind)["lung-cancer"][learner])
        for name, scores in {_WORDS: _multinomial(task), **_kernels(task)}.items():
            for kind in (*_KINDS, *_SHARES):
                found.setdefault((name, kind), []).append(100.0 * scores[kind])
    figures = []
    for (learner, kind), values in found.items():
        spread = float(np.std(values, ddof=1)) * math.sqrt(1 + 1 / len(values))
        ours = float(np.mean(values))
        known = "nb" if learner == _WORDS else learner.partition(",")[0]
        paper = published("tan")["lung"][known] if kind in _KINDS else None
        reach = 1.96 * spread if kind in _KINDS else None
        figures.append(
            Figure(learner, (_KINDS | _SHARES)[kind], paper, ours, reach, ours_interval=1.96 * spread)
        )
    limits = dict(zip(_KINDS, bayes_optimal_f1(), strict=True))
    figures += [Figure("best possible", _KINDS[kind], None, 100.0 * limits[kind]) for kind in _KINDS]
    return figures


def _bits(task: Task) -> NDArray[np.int64]:
    """The columns as 0 and 1."""
    factors = [task.X.raw(name) for name in task.feature_names]
    return np.column_stack([factor.codes for factor in factors if isinstance(factor, Factor)]).astype(
        np.int64
    )


def _multinomial(task: Task) -> dict[str, float]:
    """The measures of multinomial naive Bayes on the columns as 0 and 1."""
    counts = _bits(task)
    model = MultinomialNB().fit(counts[:_TRAIN], task.y[:_TRAIN])
    return evaluate(task.y[_TRAIN:], model.predict_proba(counts[_TRAIN:]))


def _kernels(task: Task) -> dict[str, dict[str, float]]:
    """The measures of support vector machines with every kernel that scikit-learn has a name for.

    There are 16 different rows: weighted by how often they occur, they are the same problem as all rows.
    """
    bits, found = _bits(task), {}
    trained = np.column_stack([bits[:_TRAIN], task.y[:_TRAIN]])
    rows, times = np.unique(trained, axis=0, return_counts=True)
    gamma = 1.0 / (bits.shape[1] * bits[:_TRAIN].var())  # scikit-learn's "scale", of all rows
    for kernel in _KERNELS:
        model = SVC(kernel=kernel, gamma=gamma, max_iter=1_000_000)
        model.fit(rows[:, :-1], rows[:, -1], sample_weight=times)
        predicted = model.predict(bits[_TRAIN:]).astype(np.intp)
        found[f"svm, {kernel}"] = evaluate(task.y[_TRAIN:], np.eye(2)[predicted])
    return found


def _uci(name: str, options: Options) -> list[Figure]:
    learners = {"nb": "nb", "tree": "tree", "svm": "svm", "tan": _LEARNERS["tan"]}
    task = as_task(load_dataset(name, data_dir=options.data_dir))
    repeats = 1 if options.quick else 5
    result = options.compare(learners, {name: task}, repeats=repeats, random_state=options.random_state)
    figures = []
    for learner in learners:
        paper, ours = (
            published("tan")["uci"][name][learner],
            100.0 * result.table("f1_weighted")[name][learner],
        )
        reach = 100.0 * difference_interval(paper / 100.0, ours / 100.0, task.n_rows, task.n_rows)
        figures.append(Figure(name, learner, paper, ours, reach))
    return figures
