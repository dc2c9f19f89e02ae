"""Learning from counts: of statistics, of a table that is read in parts, of batches that come one by one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from tanager import _core
from tanager.data.encoding_settings import ScanSettings
from tanager.data.labels import LabelCodes
from tanager.data.parts import Split
from tanager.data.schema import Schema
from tanager.data.sources import is_source, open_source
from tanager.data.weights import check_class_prior, check_weights, class_weights
from tanager.estimators.estimator import BayesianNetworkEstimator
from tanager.exceptions import DataError, DataTypeError, DataWarning, NotThereError, TanagerError
from tanager.registry import LEARNERS
from tanager.settings import is_whole
from tanager.statistics import Statistics
from tanager.streaming import Family, Progress, Rows, SourceRows, count_varying, find_schema

__all__ = ["CountedEstimator"]

Passes = Callable[[Sequence[Family]], NDArray[np.float64]]

#: What is made anew from the counts after more rows have come.
_MADE = ("model_", "network_", "structure_score_", "rows_")


def _from_pairs(estimator: Any) -> bool:
    return bool(estimator._pairs_suffice)


def _takes_batches(estimator: Any) -> bool:
    # what is raised is the cause of the attribute's absence
    if not _from_pairs(estimator):
        raise NotThereError(
            f"{type(estimator).__name__} needs more than the counts of pairs, which are what is kept of a "
            f"batch; batches take {_able_from_pairs()}"
        )
    estimator._check_counted()
    return True


def _able_from_pairs() -> str:
    """The learners whose structure and tables follow from the counts of pairs."""
    return ", ".join(name for name, learner in LEARNERS.items() if learner.pairs_suffice)


def _asked_again(given: Any, estimator: Any) -> Any:
    """What a property gives, or the reason that it has for giving nothing."""
    try:
        return given.__get__(estimator, type(estimator))
    except AttributeError as error:
        if isinstance(error.__cause__, TanagerError):  # as scikit-learn's `available_if` tells it
            raise NotThereError(str(error.__cause__)) from None
        raise


class CountedEstimator(BayesianNetworkEstimator):
    """What classifiers and densities share that learn from counts alone."""

    #: The counts of all rows that `partial_fit` was given.
    statistics_: Statistics
    #: The number of rows that were counted, after `fit_statistics`, `partial_fit` or a fit in parts.
    rows_: int

    def fit_statistics(
        self, statistics: Statistics, *, passes: Passes | None = None, memory: int | None = None
    ) -> Self:
        """Learns structure and tables from counts, as `fit` would from the rows.

        Parameters:
            statistics: the counts.
            passes: where the rows can be gone through again, a function that counts families (child, parents,
                whether the class is a parent) over all of them, one table after another: for learners that
                need tables of more than two columns.
            memory: bytes for the tables of one pass; None for a quarter of the machine's.
        """
        if not isinstance(statistics, Statistics):
            raise DataTypeError(f"statistics is a {type(statistics).__name__}, allowed is a Statistics")
        if not (_from_pairs(self) or (passes is not None and self._about.counts_suffice)):
            more = (
                "; fit(source, target=…) reads the rows again for larger tables"
                if self._about.counts_suffice
                else ""
            )
            raise DataError(
                f"{type(self).__name__} needs more than the counts of pairs; "
                f"from statistics learn {_able_from_pairs()}{more}"
            )
        self._check_counted()
        self._forget()
        self._fit_counts(statistics, None if _from_pairs(self) else passes, memory)
        return self

    def _check_counted(self) -> None:
        """Refuses settings that need the rows."""

    def _forget(self) -> None:
        """A new fit begins: batches of another one do not count."""
        for name in ("statistics_", "rows_"):
            self.__dict__.pop(name, None)

    def _fit_counts(
        self, statistics: Statistics, passes: Passes | None = None, memory: int | None = None
    ) -> None:
        schema = statistics.schema
        prior = self._check_schema(schema)
        if not statistics.rows:
            raise DataError("the statistics have no rows: there is nothing to learn from")
        counts, passes = self._weighed(statistics.counts, schema, passes)
        model, score = self._learn_counts(counts, schema.labels, passes, memory)
        encoder = schema.encoder(self.handle_unknown, type(self).__name__, self.n_jobs)
        if schema.classes is not None:
            self.classes_, self.class_prior_ = schema.classes, prior
        self._keep(encoder, model, score, None if schema.classes is None else "class")
        self.rows_ = statistics.rows

    @property
    def _pairs_suffice(self) -> bool:
        return self._about.pairs_suffice

    def _learn_counts(
        self, counts: _core.Statistics, names: list[str], passes: Passes | None, memory: int | None
    ) -> tuple[_core.Network, float | None]:
        """Structure, tables and score; a learner that is more than one network has its own way."""
        settings, score = self._settings(names), self._score()
        return _core.fit(
            counts, self.learner, settings, score, self.parameters, self.n_jobs, passes=passes, memory=memory
        )

    def _check_schema(self, schema: Schema) -> NDArray[np.float64] | None:
        """Refuses a schema of another kind of estimator; gives the classes' prior, where there is one."""
        if schema.missing != self.missing:
            raise DataError(
                f"missing is {self.missing!r}, but the statistics were counted with {schema.missing!r}"
            )
        is_classifier = hasattr(self, "class_prior")
        if not is_classifier:
            if schema.classes is not None:
                raise DataError(
                    "the statistics have classes: a density is learned from counts without a class"
                )
            return None
        if schema.classes is None:
            raise DataError(
                "the statistics have no classes: a classifier is learned from counts given the class"
            )
        if len(schema.classes) < 2:
            label = schema.classes.tolist()[0]
            raise DataError(f"y has one class, {label!r}: a classifier needs at least two")
        prior = self.class_prior
        return None if prior is None else check_class_prior(prior, schema.classes)

    def _weighed(
        self, counts: _core.Statistics, schema: Schema, passes: Passes | None
    ) -> tuple[_core.Statistics, Passes | None]:
        """The counts with the weights of the classes."""
        weight = getattr(self, "class_weight", None)
        if weight is None or schema.classes is None:
            return counts, passes
        by_class = class_weights(weight, schema.classes, np.asarray(counts.class_counts(), dtype=np.float64))
        if passes is None:
            return counts.weighed(by_class.tolist()), None
        unweighed = passes

        def weighed(families: Sequence[Family]) -> NDArray[np.float64]:
            cells, start = unweighed(families), 0
            for child, parents, _ in families:
                size = len(by_class) * int(np.prod([schema.arities[i] for i in [child, *parents]]))
                cells[start : start + size].reshape(len(by_class), -1)[:] *= by_class[:, None]
                start += size
            return cells

        return counts.weighed(by_class.tolist()), weighed

    def _fit_source(
        self,
        X: Any,
        target: str | None,
        weight: str | None,
        schema: Schema | None,
        memory: int | None,
        progress: Progress | None,
    ) -> Self:
        """Learns from a table that is read in parts."""
        if not is_source(X):
            return self._fit_frame(X, target, weight)
        self._check_in_parts()
        source = open_source(X, target, weight, categorical=self.categorical)
        rows = SourceRows(source, progress, self.n_jobs)
        self._fit_rows(rows, schema, memory)
        rows.left_out.warn(rows.name, stacklevel=3)
        return self

    def _check_in_parts(self) -> None:
        """Refuses a learner, or settings, that counts do not suffice for."""
        if not self._about.counts_suffice:
            able = ", ".join(name for name, learner in LEARNERS.items() if learner.counts_suffice)
            raise DataError(
                f"{type(self).__name__} looks at the rows one by one and needs all of them in memory; "
                f"from a table that is read in parts learn {able}"
            )
        self._check_counted()

    def _fit_rows(self, rows: Rows, schema: Schema | None = None, memory: int | None = None) -> Self:
        """Learns from rows that are gone through as often as is needed, wherever they are."""
        self._check_in_parts()
        if memory is not None and (not is_whole(memory) or memory < 1):
            raise DataError(f"memory = {memory!r} is not allowed: it is a number of bytes from 1 on")
        if rows.once and schema is None:
            raise DataError(
                f"{rows.name} can be read only once, but finding the schema and counting are two passes: "
                "give schema=, or a source that can be read again"
            )
        if rows.once and not _from_pairs(self):
            raise DataError(
                f"{type(self).__name__} needs tables of more than two columns, "
                f"for which the rows are read again, but {rows.name} can be read only once"
            )
        if schema is None:
            schema = find_schema(rows, self._told(ScanSettings))
            self._check_schema(schema)
            statistics = count_varying(rows, schema)
        else:
            self._check_schema(schema)
            statistics = rows.count(schema)
            rows.left_out.check(rows.name)
        if not statistics.rows:
            raise DataError(f"{rows.name} has no rows to learn from")

        def passes(families: Sequence[Family]) -> NDArray[np.float64]:
            return rows.families(schema, families)

        self._forget()
        self._fit_counts(statistics, None if _from_pairs(self) else passes, memory)
        return self

    def _fit_frame(self, X: Any, target: str | None, weight: str | None) -> Self:
        """A frame in memory with its labels among its columns."""
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            raise DataTypeError(
                f"target = {target!r} names a column, but X is a {type(X).__name__}, not a frame"
            )
        rows = Split(target, weight, ()).taken_out(frame, "")
        rows.left_out.check("the frame")
        fitted: Self = self.fit(rows.X, rows.y, sample_weight=rows.weights)
        rows.left_out.warn("the frame", stacklevel=4)
        return fitted

    def _more(
        self, X: Any, y: Any, classes: NDArray[Any] | None, weights: Any, schema: Schema | None
    ) -> Self:
        """Counts a batch; the schema is that of the first one, or was given, and grows with new levels."""
        weights = None if weights is None else check_weights(weights)
        statistics = self.__dict__.get("statistics_")
        if statistics is None:
            if schema is None:
                encoder = self._encoder()
                codes = None if classes is None else LabelCodes.of(classes).encode(y)
                encoder.fit_transform(X, codes, weights)
                schema = Schema.of(encoder, classes)
            self._check_schema(schema)
            statistics = Statistics(schema)
        # Sums are of one piece: a batch that is refused leaves the estimator as it was.
        larger = statistics.grown(X, weights)
        larger.update(X, y, weights, n_jobs=self.n_jobs)
        self._forget()
        self.statistics_ = larger
        for name in _MADE:
            self.__dict__.pop(name, None)
        schema = larger.schema
        if schema.classes is not None:
            self.classes_, self.class_prior_ = schema.classes, self._check_schema(schema)
        self._keep_encoder(schema.encoder(self.handle_unknown, type(self).__name__, self.n_jobs))
        return self

    def __getattr__(self, name: str) -> Any:
        # Only what is not there: structure and tables after more rows have come. Python also comes here when
        # a property says that it is not there, and has lost by then what it said.
        statistics = self.__dict__.get("statistics_")
        if name in _MADE and statistics is not None and "model_" not in self.__dict__:
            self._fit_counts(statistics)
            if name in self.__dict__:
                return self.__dict__[name]
        given = next((vars(kind)[name] for kind in type(self).__mro__ if name in vars(kind)), None)
        if hasattr(given, "__get__"):
            return _asked_again(given, self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class CountedClassifier(CountedEstimator):
    """Classifiers that take batches."""

    @available_if(_takes_batches)  # type: ignore[untyped-decorator]
    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        schema: Schema | None = None,
    ) -> Self:
        """Counts a batch of rows; structure and tables are made anew from all of them when next needed.

        Levels that come later are taken in. Cuts of columns of numbers are those of the first batch, or of
        `schema`. After `fit`, whose rows were not kept as counts, batches begin anew, with a warning.

        Parameters:
            X: rows.
            y: their labels.
            classes: all labels that will ever come; needed at the first call, unless there is a schema.
            sample_weight: weights of the rows.
            schema: names, levels, cuts and classes, instead of those of the first batch.
        """
        given = None if classes is None else LabelCodes().fit(classes).classes_
        known = self.__dict__.get("statistics_")
        if known is not None:
            if given is not None and given.tolist() != known.schema.classes.tolist():
                raise DataError(
                    f"`classes={classes!r}` is not the same as on last call to partial_fit, "
                    f"was: {known.schema.classes.tolist()!r}"
                )
        elif schema is None and given is None:
            if "classes_" not in self.__dict__:
                raise DataError("classes must be passed on the first call to partial_fit.")
            warnings.warn(
                "partial_fit begins anew: of fit it keeps levels, cuts and classes, but not the rows",
                DataWarning,
                stacklevel=2,
            )
            schema = Schema.of(self.encoder_, self.classes_)
        return self._more(X, y, given, sample_weight, schema)


class CountedDensity(CountedEstimator):
    """Densities that take batches."""

    @available_if(_takes_batches)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, schema: Schema | None = None
    ) -> Self:
        """Counts a batch of rows; structure and tables are made anew from all of them when next needed.

        Levels that come later are taken in. Cuts of columns of numbers are those of the first batch, or of
        `schema`; y is not looked at.
        """
        return self._more(X, None, None, sample_weight, schema)
