"""What the classifiers share that search by cross-validated accuracy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from tanager.estimators.base import BayesianNetworkClassifier, ClassifierSettings, Search
from tanager.estimators.selecting import SelectingClassifier
from tanager.exceptions import DataError
from tanager.parameters import ParametersLike
from tanager.settings import is_whole, random_source

__all__ = ["GroupSearchClassifier", "SearchStep", "WrapperClassifier"]


class SearchStep(NamedTuple):
    """A step of a search: its number from 1 on, what was done, and the accuracy after it."""

    step: int
    operation: str
    accuracy: float


class WrapperClassifier(BayesianNetworkClassifier):
    """The base of the classifiers whose structure is found by cross-validated accuracy.

    Fitted, it has beside the attributes of all classifiers:

    - ``search_path_``: a list of (step, operation, accuracy), one for each step taken;
    - ``search_start_``: the accuracy before the first step;
    - ``search_skipped_``: how many joins were not tried because their table would exceed the memory limit.
    """

    cv: Any
    random_state: Any
    epsilon: float
    progress: Callable[[int, int], object] | None

    search_path_: list[SearchStep]
    search_start_: float
    search_skipped_: int

    def _settings(self, names: list[str]) -> dict[str, Any]:
        settings = super()._settings(names) | {"random_state": seed_of(self.random_state)}
        cv = settings.pop("cv")
        return settings | {"cv": int(cv)} if is_whole(cv) else settings

    def _folds(self, codes: NDArray[Any]) -> tuple[NDArray[np.uint32], int] | None:
        if is_whole(self.cv):
            smallest = int(np.unique(codes, return_counts=True)[1].min())
            if self.cv >= 2 and smallest < self.cv:
                warnings.warn(
                    f"The least populated class in y has only {smallest} members, which is less than "
                    f"cv={self.cv}: some folds have none of them.",
                    UserWarning,
                    stacklevel=4,
                )
            return None
        return given_folds(self.cv, codes)

    def _keep_search(self, search: Search, names: list[str]) -> None:
        total, start, steps, skipped = search
        self.search_path_ = [
            SearchStep(number, describe(operation, subject, names), correct / total)
            for number, (operation, subject, correct) in enumerate(steps, 1)
        ]
        self.search_start_, self.search_skipped_ = start / total, skipped
        if skipped:
            warnings.warn(
                f"{skipped} joins were not tried: their tables would exceed the memory limit.",
                UserWarning,
                stacklevel=4,
            )


class GroupSearchClassifier(SelectingClassifier, WrapperClassifier):
    """The base of the classifiers that are a naive Bayes over groups of attributes, found by a search."""

    def __init__(
        self,
        cv: Any = 5,
        parameters: ParametersLike = "laplace",
        random_state: Any = 0,
        *,
        epsilon: float = 0.0,
        progress: Callable[[int, int], object] | None = None,
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.cv = cv
        self.parameters = parameters
        self.random_state = random_state
        self.epsilon = epsilon
        self.progress = progress


def seed_of(random_state: Any) -> int:
    """The seed that a `random_state` stands for.

    >>> seed_of(7)
    7
    """
    if is_whole(random_state):
        if not 0 <= random_state < 2**32:
            raise DataError(
                f"random_state = {random_state} is not allowed: a seed lies between 0 and 2³² − 1"
            )
        return int(random_state)
    return int(random_source(random_state).randint(2**31 - 1))


def given_folds(cv: Any, codes: NDArray[Any]) -> tuple[NDArray[np.uint32], int]:
    """The fold of each row, and how many there are, from a splitter or from pairs of (train, test) rows.

    Each row is tested at most once, by the model of all rows that are not tested with it. A row that is never
    tested has the number of folds for its own.

    >>> import numpy as np
    >>> given_folds([([1, 2], [0]), ([0, 2], [1])], np.array([0, 1, 1]))
    (array([0, 1, 2], dtype=uint32), 2)
    """
    from sklearn.model_selection import check_cv  # takes long to import

    rows = len(codes)
    try:
        splits = list(check_cv(cv, codes, classifier=True).split(np.zeros((rows, 1)), codes))
    except (TypeError, ValueError) as error:
        raise DataError(f"cv = {cv!r} is not allowed: {error}") from error
    fold_of_row = np.full(rows, len(splits), dtype=np.uint32)
    for fold, (train, test) in enumerate(splits):
        tested = np.zeros(rows, dtype=bool)
        tested[test] = True
        trained = np.zeros(rows, dtype=bool)
        trained[train] = True
        if (trained == tested).any():
            raise DataError(f"cv: fold {fold} does not train on exactly the rows that it does not test")
        if (fold_of_row[tested] != len(splits)).any():
            raise DataError(f"cv: fold {fold} tests rows that another fold tests, too")
        fold_of_row[tested] = fold
    return fold_of_row, len(splits)


def describe(operation: str, subject: list[list[int]], names: list[str]) -> str:
    """An operation in words; joined attributes are written a × b.

    >>> describe("merge", [[0, 2], [1]], ["a", "b", "c"])
    'merge a × c and b'
    >>> describe("join", [[1], [0, 2]], ["a", "b", "c"])
    'join b to a × c'
    >>> describe("delete", [[1]], ["a", "b", "c"])
    'delete b'
    >>> describe("arc", [[1], [0]], ["a", "b", "c"])
    'arc b → a'
    """
    link = {"join": " to ", "merge": " and ", "arc": " → "}.get(operation, "")
    return f"{operation} " + link.join(" × ".join(names[member] for member in group) for group in subject)
