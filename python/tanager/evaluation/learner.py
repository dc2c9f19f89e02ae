"""Learners as `compare` sees them: a label, a key for the cache, and fit-and-predict on rows of a task."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

from tanager.estimators import CLASSIFIERS
from tanager.evaluation.counting import cross_validate_by_counting
from tanager.evaluation.encoding import encoding_pipeline
from tanager.evaluation.learner_key import estimator_key, is_described
from tanager.evaluation.learner_text import Call, Value, parse_learner
from tanager.evaluation.splits import Split
from tanager.evaluation.task import Task
from tanager.exceptions import DataError, DataTypeError, MissingPackageError
from tanager.settings import did_you_mean
from tanager.specification import SPECIFICATIONS

__all__ = ["PEERS", "Learner", "Prediction", "as_learner", "is_learner", "known_learners"]

# Peers from scikit-learn that can be asked for by a short name; any other by its full import path.
PEERS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "sklearn-nb": ("sklearn.naive_bayes.CategoricalNB", {}),
    "gaussian-nb": ("sklearn.naive_bayes.GaussianNB", {}),
    "logistic": ("sklearn.linear_model.LogisticRegression", {"max_iter": 2000}),
    "tree": ("sklearn.tree.DecisionTreeClassifier", {"random_state": 0}),
    "forest": ("sklearn.ensemble.RandomForestClassifier", {"random_state": 0}),
    "boosting": ("sklearn.ensemble.HistGradientBoostingClassifier", {"random_state": 0}),
    "svm": ("sklearn.svm.SVC", {}),
    "knn": ("sklearn.neighbors.KNeighborsClassifier", {}),
    "majority": ("sklearn.dummy.DummyClassifier", {"strategy": "prior"}),
}


@dataclass(frozen=True)
class Prediction:
    """Class probabilities of test rows (rows × classes of the task) and what they cost.

    `probabilistic` is False for an estimator without probabilities: its rows are then 0 but for the predicted
    class. `predict_seconds` is None where the time cannot be told apart; `fit_seconds` is then all of it.
    """

    probabilities: NDArray[np.float64]
    probabilistic: bool
    fit_seconds: float
    predict_seconds: float | None


@dataclass(frozen=True)
class Learner:
    """An unfitted estimator under a label that tables show."""

    label: str
    estimator: Any

    @property
    def is_tanager(self) -> bool:
        """Does the estimator take mixed frames itself?"""
        return self._package == __name__.split(".")[0]

    @property
    def _package(self) -> str:
        return type(self.estimator).__module__.split(".")[0]

    @property
    def key(self) -> str:
        """Class and every parameter: what a cached result depends on, besides the label."""
        return estimator_key(self.estimator)

    @property
    def is_cacheable(self) -> bool:
        """Does the key tell everything that a result depends on?"""
        return is_described(self.estimator)

    def build(self, task: Task) -> Any:
        """A fresh estimator for this task's columns, encoding included where it needs one."""
        return clone(self.estimator) if self.is_tanager else encoding_pipeline(self.estimator, task)

    def weights(self, task: Task, rows: NDArray[np.intp] | None = None) -> dict[str, NDArray[np.float64]]:
        """What `fit` is given beside rows and labels: the rows' weights, where there are any."""
        if task.weights is None:
            return {}
        if not self.is_tanager and not has_fit_parameter(self.estimator, "sample_weight"):
            raise DataError(
                f"data set {task.name!r} has row weights, but {self.label} cannot train on weighted rows; "
                "to leave the weights out, give the pair (table.X, table.y)"
            )
        # A peer is the last step of a pipeline.
        name = (
            "sample_weight" if self.is_tanager else f"{type(self.estimator).__name__.lower()}__sample_weight"
        )
        return {name: task.weights if rows is None else task.weights[rows]}

    def fit_predict(self, task: Task, train: NDArray[np.intp], test: NDArray[np.intp]) -> Prediction:
        """Fit on the rows `train`, predict the rows `test`."""
        model = self.build(task)
        X_train, X_test = task.rows(train), task.rows(test)
        weights = self.weights(task, train)
        start = time.perf_counter()
        if self.is_tanager or self._package == "sklearn":
            y = task.target(train)
            place = {label: code for code, label in enumerate(task.labels.tolist())}
        else:  # some packages want classes numbered from 0 on, without a gap
            present, y = np.unique(task.y[train], return_inverse=True)
            place = dict(enumerate(present.tolist()))
        model.fit(X_train, y, **weights)
        fitted = time.perf_counter()
        probabilities, probabilistic = predict_aligned(model, X_test, place, len(task.classes))
        return Prediction(probabilities, probabilistic, fitted - start, time.perf_counter() - fitted)

    def cross_validate(self, task: Task, splits: Sequence[Split]) -> list[Prediction] | None:
        """All folds from one pass of counting, or None where that would not equal fitting each of them.

        The time of the whole is shared out evenly; it cannot be told apart into fitting and predicting.
        """
        if not self.is_tanager:
            return None
        start = time.perf_counter()
        parts = cross_validate_by_counting(self.estimator, task, splits)
        if parts is None:
            return None
        share = (time.perf_counter() - start) / len(splits)
        return [Prediction(probabilities, True, share, None) for probabilities in parts]


def predict_aligned(
    model: Any, X: Any, place: Mapping[Any, int], n_classes: int
) -> tuple[NDArray[np.float64], bool]:
    """Probabilities of all classes, by their places; a class that the training rows lacked gets 0."""
    if hasattr(model, "predict_proba"):
        given = np.asarray(model.predict_proba(X), dtype=np.float64)
        aligned = np.zeros((given.shape[0], n_classes))
        aligned[:, [place[label] for label in np.asarray(model.classes_).tolist()]] = given
        return aligned, True
    predicted = [place[label] for label in np.asarray(model.predict(X)).ravel().tolist()]
    return np.eye(n_classes)[predicted], False


def known_learners() -> list[str]:
    """Names that a specification may begin with: tanager's classifiers, then peers from scikit-learn."""
    return [*CLASSIFIERS, *PEERS]


def is_learner(text: str) -> bool:
    """Whether text begins with the name of a learner.

    >>> is_learner("tan:score=bic"), is_learner("car"), is_learner("sklearn.svm.LinearSVC")
    (True, False, True)
    >>> is_learner("xgboost.XGBClassifier:max_depth=3"), is_learner("table.csv"), is_learner("TABLE.CSV")
    (True, False, False)
    """
    name = text.strip().partition(":")[0]
    a_class = re.fullmatch(r"[A-Za-z_]\w*(\.\w+)*\.[A-Z]\w*[a-z]\w*", name) is not None
    return name in known_learners() or name.startswith("sklearn.") or a_class


def as_learner(learner: Any, label: str | None = None) -> Learner:
    """A learner from a specification such as ``"bckg:k=2,score=mdl"``, or from an estimator.

    >>> as_learner("tree:max_depth=3").key.split("(")[0]
    'sklearn.tree._classes.DecisionTreeClassifier'
    """
    if isinstance(learner, Learner):
        return learner
    if isinstance(learner, str):
        return Learner(label or learner.strip(), _estimator(learner))
    if not hasattr(learner, "fit") or not hasattr(learner, "get_params") or isinstance(learner, type):
        raise DataTypeError(f"a learner is a name or a scikit-learn classifier, not {learner!r}")
    if not is_classifier(learner):
        raise DataTypeError(f"{type(learner).__name__} is not a classifier")
    return Learner(label or _label(learner), learner)


def _label(estimator: Any) -> str:
    """The class and the parameters that differ from their defaults."""
    defaults = {name: repr(value) for name, value in _defaults(estimator).items()}
    changed = [
        f"{name}={value!r}"
        for name, value in sorted(estimator.get_params(deep=False).items())
        if defaults.get(name) != repr(value)
    ]
    return f"{type(estimator).__name__}({', '.join(changed)})" if changed else type(estimator).__name__


def _defaults(estimator: Any) -> dict[str, Any]:
    try:
        return dict(type(estimator)().get_params(deep=False))
    except TypeError:  # a required argument: every parameter is then worth showing
        return {}


def _estimator(text: str) -> Any:
    specification = parse_learner(text)
    defaults: dict[str, Any] = {}
    kind: Any
    if specification.name in CLASSIFIERS:
        kind = CLASSIFIERS[specification.name]
    elif specification.name in PEERS or "." in specification.name:
        path, defaults = PEERS.get(specification.name, (specification.name, {}))
        kind = _peer(path, text)
    else:
        near = did_you_mean(specification.name, known_learners())
        raise DataError(f"unknown learner {specification.name!r}{near}; known: {', '.join(known_learners())}")
    try:
        estimator = kind(**defaults)
    except TypeError as error:  # one that is built around another, or abstract
        raise DataError(f"learner {text!r} cannot be made by its name: {error}") from None
    if not is_classifier(estimator):
        raise DataError(f"learner {text!r}: {specification.name} is not a classifier")
    allowed = estimator.get_params(deep=False)
    for name, value in specification.arguments:
        if name not in allowed:
            raise DataError(
                f"learner {text!r} has no parameter {name!r}; it has: {', '.join(sorted(allowed))}"
            )
        estimator.set_params(**{name: _built(name, value, text)})
    return estimator


def _peer(path: str, text: str) -> type[Any]:
    """A classifier of an installed package by its import path; nothing else is ever called."""
    module, _, name = path.rpartition(".")
    # modules that are not meant to be imported
    hidden = any(part.startswith("_") or part in ("conftest", "tests") for part in module.split("."))
    try:
        kind = None if hidden else getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        package = module.partition(".")[0]
        if isinstance(error, ModuleNotFoundError) and error.name == package:
            raise MissingPackageError(f"learner {text!r} needs {package}, which is not installed") from None
        kind = None
    if kind is None:
        raise DataError(f"learner {text!r}: there is no class {path}")
    if not (isinstance(kind, type) and all(hasattr(kind, word) for word in ("fit", "predict", "get_params"))):
        raise DataError(f"learner {text!r}: {path} is not a classifier as scikit-learn has them")
    return kind


def _built(parameter: str, value: Value, text: str) -> Any:
    """A score or parameter estimator object where the value is a call, else the value itself."""
    if not isinstance(value, Call):
        return value
    named = SPECIFICATIONS.get(parameter)
    if named is None:
        raise DataError(
            f"learner {text!r}: only score and parameters take a value with settings, not {parameter}"
        )
    what = {"parameters": "parameter estimator"}.get(parameter, parameter)
    if value.name.lower() not in named:
        raise DataError(
            f"learner {text!r}: there is no {what} {value.name!r}; known: {', '.join(sorted(named))}"
        )
    for name, inner in value.arguments:
        if isinstance(inner, Call):
            raise DataError(f"learner {text!r}: {name} of {value.name} is a number or a word")
    try:
        return named[value.name.lower()](**dict(value.arguments))
    except TypeError as error:
        raise DataError(f"learner {text!r}: {error}") from None
