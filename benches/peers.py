"""The libraries that are compared, each as a class with untimed preparation and timed tasks.

A peer has `name`, `needs` (a module that has to be importable) and a `prepare(table, threads)`. Its tasks are
methods, by the names in `TASKS`; what it does not offer it does not define. After `tan_fit`, `arcs()` gives
the tree as (parent, child) positions; after `nb_predict`, `probabilities()` gives P(class | row).
"""

from __future__ import annotations

import contextlib
import io
import logging
import warnings

import numpy as np

from data import Table

LEARNERS = ("nb", "tan", "wnb")
TASKS = {
    "nb_fit": "nb fit",
    "nb_predict": "nb predict_proba",
    "nb_one_row": "nb predict_proba, one row",
    "tan_fit": "tan fit",
    "tan_predict": "tan predict_proba",
    "tan_one_row": "tan predict_proba, one row",
    "wnb_fit": "wnb fit",
    "wnb_predict": "wnb predict_proba",
}
"""In the order in which they are shown; they are timed in that of `ORDER`."""

ORDER = ("fit", "one_row", "predict")
"""A learner's tasks, the longest last: whoever is stopped within it has been timed in the others."""


class Tanager:
    """This library as it is called: naive Bayes on scikit-learn's array, the rest on others' frame."""

    name = "tanager"
    needs = "tanager"

    def prepare(self, table: Table, threads: int) -> None:
        import tanager

        self.x, self.frame, self.y = table.array(), table.frame(), table.classes.astype(np.int64)
        self.nb = tanager.NaiveBayesClassifier(parameters="laplace", n_jobs=threads)
        self.tan = tanager.TANClassifier(parameters="laplace", n_jobs=threads)
        self.wnb = tanager.WeightedNaiveBayesClassifier(n_jobs=threads)

    def nb_fit(self) -> None:
        self.nb.fit(self.x, self.y)

    def nb_predict(self) -> None:
        self.posterior = self.nb.predict_proba(self.x)

    def nb_one_row(self) -> None:
        self.nb.predict_proba(self.x[:1])

    def probabilities(self) -> np.ndarray:
        return self.posterior

    def tan_fit(self) -> None:
        self.tan.fit(self.frame, self.y)

    def tan_predict(self) -> None:
        self.tan.predict_proba(self.frame)

    def tan_one_row(self) -> None:
        self.tan.predict_proba(self.frame[:1])

    def arcs(self) -> list[tuple[int, int]]:
        return [(int(a[1:]), int(b[1:])) for a, b in self.tan.network_.edges]

    def wnb_fit(self) -> None:
        self.wnb.fit(self.frame, self.y)

    def wnb_predict(self) -> None:
        self.wnb.predict_proba(self.frame)


class TanagerCore:
    """The core alone, on data that are encoded already: no user calls it; it tells what the way in costs."""

    name = "tanager, core alone"
    needs = "tanager"

    def prepare(self, table: Table, threads: int) -> None:
        from tanager import _core

        self.core, self.threads = _core, threads
        self.data = _core.Dataset(table.codes, table.arities, table.classes, table.n_classes)

    def nb_fit(self) -> None:
        self.model, _ = self.core.fit(self.data, "nb", {}, "ll", "laplace", self.threads)

    def nb_predict(self) -> None:
        self.posterior = self.model.posterior(self.data, self.threads)

    def probabilities(self) -> np.ndarray:
        return self.posterior

    def tan_fit(self) -> None:
        self.model, _ = self.core.fit(self.data, "tan", {}, "ll", "laplace", self.threads)

    def tan_predict(self) -> None:
        self.posterior = self.model.posterior(self.data, self.threads)

    def arcs(self) -> list[tuple[int, int]]:
        return [(parent, members[0]) for members, parents in self.model.nodes for parent in parents]


class ScikitLearn:
    """scikit-learn's CategoricalNB with the same smoothing; the class prior is given, smoothed likewise."""

    name = "scikit-learn"
    needs = "sklearn"

    def prepare(self, table: Table, threads: int) -> None:
        from sklearn.naive_bayes import CategoricalNB

        self.x, self.y = table.array(), table.classes.astype(np.int64)
        prior = (np.bincount(table.classes, minlength=table.n_classes) + 1) / (table.rows + table.n_classes)
        self.model = CategoricalNB(alpha=1.0, class_prior=prior, min_categories=table.arities)

    def nb_fit(self) -> None:
        self.model.fit(self.x, self.y)

    def nb_predict(self) -> None:
        self.posterior = self.model.predict_proba(self.x)

    def nb_one_row(self) -> None:
        self.model.predict_proba(self.x[:1])

    def probabilities(self) -> np.ndarray:
        return self.posterior


class PyAgrum:
    """pyAgrum's classifier for scikit-learn, which writes its frame to a file and reads it again.

    Its TAN leaves out the edges below half the mean mutual information: that forest is the heaviest part of
    the tree.
    """

    name = "pyAgrum"
    needs = "pyagrum"

    def prepare(self, table: Table, threads: int) -> None:
        warnings.simplefilter("ignore")  # that more than ten classes make no sense
        import pyagrum
        from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
        from pyagrum.skbn import BNClassifier

        pyagrum.setNumberOfThreads(threads)
        self.x, self.y = table.frame(), table.classes.astype(np.int64)
        self.nb, self.tan = (
            BNClassifier(
                type_processor=DiscreteTypeProcessor(),
                learningMethod=method,
                prior="Smoothing",
                priorWeight=1.0,
            )
            for method in ("NaiveBayes", "TAN")
        )

    def nb_fit(self) -> None:
        self.nb.fit(self.x, self.y)

    def nb_predict(self) -> None:
        self.posterior = self.nb.predict_proba(self.x)

    def nb_one_row(self) -> None:
        self.nb.predict_proba(self.x[:1])

    def probabilities(self) -> np.ndarray:
        """Those of its network: of two classes, predictions are stretched so that a threshold becomes ½."""
        if self.posterior.shape[1] != 2:
            return self.posterior
        stretched, threshold = self.posterior[:, 1], self.nb.threshold_
        above = threshold + (1 - threshold) * (2 * stretched - 1)
        second = np.where(stretched < 0.5, 2 * threshold * stretched, above)
        return np.column_stack([1 - second, second])

    def tan_fit(self) -> None:
        self.tan.fit(self.x, self.y)

    def tan_predict(self) -> None:
        self.tan.predict_proba(self.x)

    def tan_one_row(self) -> None:
        self.tan.predict_proba(self.x[:1])

    def arcs(self) -> list[tuple[int, int]]:
        network = self.tan.bn_
        named = [tuple(network.variable(i).name() for i in arc) for arc in network.arcs()]
        return [(int(a[1:]), int(b[1:])) for a, b in named if a != "y"]


class Pgmpy:
    """pgmpy's networks: TreeSearch and maximum likelihood tables. Its `NaiveBayes` cannot predict."""

    name = "pgmpy"
    needs = "pgmpy"

    def prepare(self, table: Table, threads: int) -> None:
        import pandas

        warnings.simplefilter("ignore")
        from pgmpy.estimators import TreeSearch
        from pgmpy.models import DiscreteBayesianNetwork

        logging.getLogger("pgmpy").setLevel(logging.ERROR)
        self.search, self.network = TreeSearch, DiscreteBayesianNetwork
        self.threads = threads
        self.x = table.frame()
        self.frame = self.x.assign(**{"class": pandas.Categorical(table.classes)})

    def nb_fit(self) -> None:
        self.nb = self.network([("class", name) for name in self.x]).fit(self.frame)

    def nb_predict(self) -> None:
        self._predict(self.nb, self.x)

    def nb_one_row(self) -> None:
        self._predict(self.nb, self.x[:1])

    def tan_fit(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()):
            search = self.search(self.frame, root_node="x0", n_jobs=self.threads)
            tree = search.estimate("tan", class_node="class", show_progress=False)
        self.tan = self.network(list(tree.edges())).fit(self.frame)

    def tan_predict(self) -> None:
        self._predict(self.tan, self.x)

    def tan_one_row(self) -> None:
        self._predict(self.tan, self.x[:1])

    def arcs(self) -> list[tuple[int, int]]:
        return [(int(a[1:]), int(b[1:])) for a, b in self.tan.edges() if a != "class"]

    @staticmethod
    def _predict(model, rows) -> None:
        with contextlib.redirect_stderr(io.StringIO()):  # its progress
            model.predict_probability(rows)


class Khiops:
    """Khiops's selective naive Bayes without trees: it groups values and weights attributes in its own way.

    Its programs have to be on the PATH, as they are where its environment is activated.
    """

    name = "Khiops"
    needs = "khiops"

    def prepare(self, table: Table, threads: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that its sample data are not there
            from khiops.core import get_runner
            from khiops.sklearn import KhiopsClassifier

            get_runner().max_cores = threads
        self.x, self.y = table.frame(), table.classes.astype(np.int64)
        self.model = KhiopsClassifier(n_trees=0)

    def wnb_fit(self) -> None:
        self.model.fit(self.x, self.y)

    def wnb_predict(self) -> None:
        self.model.predict_proba(self.x)


PYTHON_PEERS = [Tanager, TanagerCore, ScikitLearn, PyAgrum, Pgmpy, Khiops]
