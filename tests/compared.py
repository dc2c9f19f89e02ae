"""A small mixed table, two learners of scikit-learn, and results without their times."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from tanager.evaluation.comparison import Comparison


def frame(rows: int = 120, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A frame with words, numbers and gaps whose class depends on all of them."""
    rng = np.random.default_rng(seed)
    word = rng.choice(["red", "green", "blue"], rows)
    number = rng.normal(size=rows).round(2)
    noise = rng.choice(["u", "v"], rows)
    y = np.where((word == "red") ^ (number > 0.3), "yes", "no")
    table = pd.DataFrame({"word": word, "number": number, "noise": noise})
    table.loc[[3, 9], "noise"] = None
    table.loc[[5], "number"] = np.nan
    return table, y


def trees() -> dict[str, object]:
    return {"tree": DecisionTreeClassifier(random_state=0), "guess": DummyClassifier(strategy="prior")}


def without_times(result: Comparison) -> list[dict[str, object]]:
    return [{k: v for k, v in cell.items() if not k.endswith("seconds")} for cell in result.cells]
