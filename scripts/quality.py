"""How good are the probabilities? Our learners beside forests, boosting and regression, on the same folds.

    python scripts/quality.py --cache DIR [--data FOLDER] [--learners refined,tan,...] [--full] [--write]
    python scripts/quality.py --cache DIR [--data FOLDER] --smoothing [--write]

For every table and learner: log-loss, RMSE, accuracy, calibration error and processor time of the fits over
five stratified folds (seed 0). Everything that is learned (cuts, codings, choices by inner cross-validation)
is learned within the training parts. Tables above 20,000 rows are cut to a seeded sample of 20,000.
Probabilities of the held-out rows are kept in the cache; whoever changes a learner deletes its files there.
`--write` puts the tables into README.md and docs/learners/refined.md, between their marks. `--smoothing`
compares TAN with hierarchical smoothing and with Dirichlet's instead, for docs/parameters.md.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import tanager

FOLDS, SEED, MOST_ROWS, THREADS = 5, 0, 20_000, 2
NUMERIC = make_column_selector(dtype_include="number")
WORDS = make_column_selector(dtype_exclude="number")
#: Rivals of the table of ranks, in its order; the others are shown beside them.
FOUR = ("refined", "forest", "boosting", "logistic")
RIVALS = ("forest", "boosting", "logistic", "ebm")
LEARNERS = (*FOUR, "tan", "nb", "asb")
#: TAN with two smoothings.
SMOOTHINGS = {"tan-dirichlet": tanager.Dirichlet(5.0), "tan-hierarchical": tanager.Hierarchical()}
MEASURES = ("log-loss", "RMSE", "accuracy", "calibration error", "CPU seconds")


def learner(name: str) -> Any:
    """A fresh learner that takes a pandas frame with numbers and categories."""
    one_hot = OneHotEncoder(handle_unknown="ignore")
    if name == "forest":
        forest = RandomForestClassifier(500, random_state=SEED, n_jobs=THREADS)
        return make_pipeline(
            ColumnTransformer([("n", "passthrough", NUMERIC), ("c", one_hot, WORDS)]), forest
        )
    if name == "boosting":
        # Boosting takes at most 255 categories and no strings: codes, told to be categories.
        codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=255)
        columns = ColumnTransformer([("c", codes, WORDS), ("n", "passthrough", NUMERIC)])
        return _Boosting(columns)
    if name == "logistic":
        scaled = make_pipeline(SimpleImputer(), StandardScaler())
        columns = ColumnTransformer([("n", scaled, NUMERIC), ("c", one_hot, WORDS)])
        return make_pipeline(columns, LogisticRegression(max_iter=2000))
    if name == "ebm":
        from interpret.glassbox import ExplainableBoostingClassifier

        return ExplainableBoostingClassifier(random_state=SEED, n_jobs=THREADS)
    if name in SMOOTHINGS:
        return tanager.TANClassifier(parameters=SMOOTHINGS[name], n_jobs=THREADS)
    ours = tanager.estimators.CLASSIFIERS[name]()
    return ours.set_params(n_jobs=THREADS)


class _Boosting:
    """Gradient boosting that is told how many of the coded columns are categories."""

    def __init__(self, columns: ColumnTransformer) -> None:
        self.columns = columns

    def fit(self, X: Any, y: Any) -> _Boosting:
        coded = self.columns.fit_transform(X)
        words = len(WORDS(X))
        # Where a class has a single row, none can be held out to stop early by.
        early = False if np.bincount(y)[np.unique(y)].min() < 2 else "auto"
        model = HistGradientBoostingClassifier(
            random_state=SEED, categorical_features=list(range(words)), early_stopping=early
        )
        self.model = model.fit(coded, y)
        self.classes_ = model.classes_
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        probabilities: NDArray[np.float64] = self.model.predict_proba(self.columns.transform(X))
        return probabilities


def tables(folder: Path | None) -> dict[str, Callable[[], Any]]:
    """Every bundled table and, where given, those of a folder; by name."""
    found: dict[str, Callable[[], Any]] = {}
    for path in sorted(folder.iterdir()) if folder else ():
        if ".csv" in path.suffixes and path.name != "MANIFEST.csv":
            found[path.name.split(".")[0]] = lambda path=path: tanager.read_table(path)
    for info in tanager.list_datasets():
        if info.classes and info.origin in ("bundled", "generated"):
            found[info.name] = lambda name=info.name: tanager.load_dataset(name)
    return dict(sorted(found.items()))


def frame_of(table: Any) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Attributes and class codes, cut to a seeded sample."""
    X = table.X.to_pandas()
    y = np.unique(np.asarray(table.y).astype(str), return_inverse=True)[1]
    if len(y) > MOST_ROWS:
        kept = np.sort(np.random.default_rng(SEED).choice(len(y), MOST_ROWS, replace=False))
        X, y = X.iloc[kept].reset_index(drop=True), y[kept]
    return X, y


def held_out(name: str, X: pd.DataFrame, y: NDArray[Any]) -> tuple[NDArray[np.float64], float]:
    """P(c | x) of every row by the learner of the other folds, and the processor seconds of all fits."""
    probabilities = np.zeros((len(y), int(y.max()) + 1))
    seconds = 0.0
    if name in RIVALS:
        # They know NaN, but no other sign of a missing value.
        X = X.astype(dict.fromkeys(X.select_dtypes("number").columns, "float64"))
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(X, y):
        model = learner(name)
        start = time.process_time()
        model.fit(X.iloc[train], y[train])
        seconds += time.process_time() - start
        probabilities[np.ix_(test, np.asarray(model.classes_, dtype=int))] = model.predict_proba(X.iloc[test])
    return probabilities, seconds


def cached(
    cache: Path, name: str, table: str, load: Callable[[], Any]
) -> tuple[NDArray[np.float64], NDArray[Any], float]:
    """`held_out`, from the cache where it is there."""
    path = cache / f"{table}.{name}.npz"
    if not path.exists():
        X, y = frame_of(load())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            probabilities, seconds = held_out(name, X, y)
        part = path.with_suffix(f".{os.getpid()}.part.npz")
        np.savez_compressed(part, probabilities=probabilities, y=y, seconds=seconds)
        part.rename(path)
        print(f"{table} {name}: {seconds:.1f} s", file=sys.stderr, flush=True)
    with np.load(path) as kept:
        return kept["probabilities"], kept["y"], float(kept["seconds"])


def measures(probabilities: NDArray[np.float64], y: NDArray[Any], seconds: float) -> dict[str, float]:
    """One number for each of MEASURES, over all held-out rows."""
    own = np.clip(probabilities[np.arange(len(y)), y], 1e-15, 1.0)
    one_hot = np.eye(probabilities.shape[1])[y]
    brier = float(((probabilities - one_hot) ** 2).sum(axis=1).mean())
    return {
        "log-loss": float(-np.log(own).mean()),
        "RMSE": float(np.sqrt(brier / probabilities.shape[1])),
        "accuracy": float((probabilities.argmax(axis=1) == y).mean()),
        "calibration error": calibration_error(probabilities, y),
        "CPU seconds": seconds,
    }


def calibration_error(probabilities: NDArray[np.float64], y: NDArray[Any], bins: int = 10) -> float:
    """Σ_b (n_b / N) |accuracy − confidence| over bins of equal width of the largest probability."""
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == y
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = np.bincount(place, weights=right - confidence, minlength=bins)
    return float(np.abs(gaps).sum() / len(y))


def mean_ranks(values: NDArray[np.float64], larger_is_better: bool) -> NDArray[np.float64]:
    """Mean ranks of the columns, 1 the best, ties shared; values are compared to six digits."""
    signed = np.round(-values if larger_is_better else values, 6)
    return np.asarray(rankdata(signed, axis=1).mean(axis=0))


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rank_table(found: dict[str, dict[str, dict[str, float]]], learners: Sequence[str]) -> str:
    """Mean ranks of the learners over the tables that all of them have."""
    rows = []
    ranks = []
    for measure in MEASURES:
        values = np.array([[found[table][one][measure] for one in learners] for table in found])
        ranks.append(mean_ranks(values, measure == "accuracy"))
    for place, one in enumerate(learners):
        rows.append([one, *(f"{of_measure[place]:.2f}" for of_measure in ranks)])
    return markdown(["mean rank", *MEASURES], rows)


def value_table(found: dict[str, dict[str, dict[str, float]]], learners: Sequence[str], measure: str) -> str:
    """The values of one measure; the best of each line is bold."""
    rows = []
    for table, of_table in found.items():
        values = [of_table[one][measure] for one in learners]
        best = max(values) if measure == "accuracy" else min(values)
        shown = [f"**{value:.3f}**" if value == best else f"{value:.3f}" for value in values]
        rows.append([table, *shown])
    return markdown([measure, *learners], rows)


def lost(found: dict[str, dict[str, dict[str, float]]], share: float = 1.15) -> list[str]:
    """Tables where the log-loss of refined networks is above `share` times the best of the four."""
    return [
        table
        for table, of_table in found.items()
        if of_table["refined"]["log-loss"] > share * min(of_table[one]["log-loss"] for one in FOUR)
    ]


def times(found: dict[str, dict[str, dict[str, float]]]) -> str:
    """The processor time of refined networks beside that of the forest, in a sentence."""
    ratios = {t: of["refined"]["CPU seconds"] / of["forest"]["CPU seconds"] for t, of in found.items()}
    as_fast = sum(ratio <= 1.0 for ratio in ratios.values())
    slow = [f"{table} ({ratio:.1f} ×)" for table, ratio in ratios.items() if ratio > 2.0]
    return (
        f"In processor time refined took no longer than the forest on {as_fast} of {len(ratios)} tables, "
        f"and more than twice as long on {', '.join(slow) if slow else 'none'}."
    )


def report(found: dict[str, dict[str, dict[str, float]]], learners: Sequence[str]) -> str:
    """What goes into the documents; of fewer learners than the four their ranks alone."""
    if not set(FOUR) <= set(learners):
        return rank_table(found, learners)
    beyond = lost(found)
    four = rank_table(found, FOUR)
    parts = [
        f"Mean ranks over {len(found)} tables ({FOLDS} folds, seed {SEED}; 1 is the best): "
        f"{', '.join(found)}.",
        four,
        f"Log-loss within 1.15 × the best of the four on {len(found) - len(beyond)} of {len(found)} tables; "
        f"not on {', '.join(beyond) if beyond else 'none'}. {times(found)}",
    ]
    others = [one for one in learners if one not in FOUR]
    if others:
        rivals = " and more rivals" if "ebm" in others else ""
        parts += [f"With our other learners{rivals} beside them:", rank_table(found, learners)]
    return "\n\n".join(parts)


def smoothing(found: dict[str, dict[str, dict[str, float]]]) -> str:
    """On how many tables hierarchical smoothing has the lower log-loss, and the values of all."""
    lower = [
        table
        for table, of_table in found.items()
        if of_table["tan-hierarchical"]["log-loss"] < of_table["tan-dirichlet"]["log-loss"]
    ]
    text = f"The log-loss of TAN is lower with it than with `dirichlet(n0=5)` on {len(lower)} of {len(found)}"
    return f"{text} tables:\n\n{value_table(found, list(SMOOTHINGS), 'log-loss')}"


def reliability(cache: Path, names: Sequence[str], path: Path) -> None:
    """For three tables how often the most probable class is right, by how probable it was said to be."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 3.4), layout="constrained")
    axes = figure.subplots(1, len(names), sharey=True)
    for ax, table in zip(axes, names, strict=True):
        ax.plot([0, 1], [0, 1], color="#999999", lw=0.8)
        for one in ("refined", "nb", "forest", "boosting"):
            file = cache / f"{table}.{one}.npz"
            if not file.exists():
                continue
            with np.load(file) as kept:
                probabilities, y = kept["probabilities"], kept["y"]
            confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == y
            place = np.minimum((confidence * 10).astype(int), 9)
            bins = [b for b in range(10) if (place == b).sum() >= 5]
            points = [(confidence[place == b].mean(), right[place == b].mean()) for b in bins]
            ax.plot(*zip(*points, strict=True), marker="o", ms=3, lw=1.2, label=one)
        ax.set_title(table, loc="left", fontsize=10)
        ax.set_xlabel("probability of the predicted class")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    axes[0].set_ylabel("share that is right")
    axes[-1].legend(frameon=False, fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


def put(path: Path, mark: str, text: str) -> None:
    """Puts text between the marks of a document."""
    old = path.read_text(encoding="utf-8")
    if f"<!-- {mark}: begin -->" not in old:
        raise SystemExit(f"{path} has no marks {mark}")
    new = re.sub(
        rf"(<!-- {mark}: begin -->\n).*?(<!-- {mark}: end -->)",
        lambda found: f"{found[1]}{text}\n{found[2]}",
        old,
        flags=re.DOTALL,
    )
    path.write_text(new, encoding="utf-8")


def main() -> None:
    """Measures what the cache does not have, then prints or writes the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--tables", help="some of the tables, by name")
    parser.add_argument("--learners", default=",".join(LEARNERS))
    parser.add_argument("--full", action="store_true", help="with explainable boosting machines")
    parser.add_argument("--cached", action="store_true", help="only what the cache has of the four")
    parser.add_argument("--smoothing", action="store_true", help="TAN with two smoothings instead")
    parser.add_argument("--write", action="store_true", help="write into README.md and docs")
    asked = parser.parse_args()
    asked.cache.mkdir(parents=True, exist_ok=True)
    learners = [*asked.learners.split(","), *(["ebm"] if asked.full else [])]
    if asked.smoothing:
        learners = list(SMOOTHINGS)
    elif asked.write and not set(FOUR) <= set(learners):
        parser.error(f"--write needs all of {', '.join(FOUR)} among --learners")
    found: dict[str, dict[str, dict[str, float]]] = {}
    for table, load in tables(asked.data).items():
        if asked.tables and table not in asked.tables.split(","):
            continue
        if asked.cached and not all((asked.cache / f"{table}.{one}.npz").exists() for one in learners):
            continue
        found[table] = {one: measures(*cached(asked.cache, one, table, load)) for one in learners}
    root = Path(__file__).resolve().parents[1]
    text = smoothing(found) if asked.smoothing else report(found, learners)
    print(text)
    if asked.smoothing:
        if asked.write:
            put(root / "docs" / "parameters.md", "smoothing", text)
        return
    values = "\n\n".join(value_table(found, learners, measure) for measure in MEASURES)
    if not asked.write:
        print(values)
        return
    put(root / "README.md", "quality", text)
    put(root / "docs" / "learners" / "refined.md", "quality", f"{text}\n\n{values}")
    shown = [name for name in ("diabetes", "heart-statlog", "vehicle") if name in found]
    if shown:
        reliability(asked.cache, shown, root / "docs" / "learners" / "reliability.svg")


if __name__ == "__main__":
    main()
