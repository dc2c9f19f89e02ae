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
    """pyAgrum's TAN, as its own `skbn` classifier learns it, from the frame to the tables.

    It leaves out the edges below half the mean mutual information: its forest is the heaviest
    part of the tree.
    """

    name = "pyAgrum"
    needs = "pyagrum"

    def prepare(self, table: Table, threads: int) -> None:
        import pandas
        import pyagrum
        from pyagrum.skbn import _learningMethods as methods

        self.methods, self.pyagrum = methods, pyagrum
        self.x, self.y = table.codes, table.classes
        self.names = [f"x{i}" for i in range(table.columns)]
        self.frame = table.frame()
        self.frame["class"] = pandas.Categorical.from_codes(
            table.classes.astype(np.int8), categories=[f"c{value:02d}" for value in range(table.n_classes)]
        )
        self.threads = threads
        self.variables = [
            pyagrum.LabelizedVariable(name, name, list(self.frame[name].cat.categories))
            for name in ["class", *self.names]
        ]

    def template(self):
        network = self.pyagrum.BayesNet()
        for variable in self.variables:
            network.add(variable)
        return network

    def tan_fit(self) -> None:
        learner = self.pyagrum.BNLearner(self.frame, self.template())
        learner.setNumberOfThreads(self.threads)
        learner.useSmoothingPrior(1)
        self.network = self.methods._fitTAN(self.x, self.y, self.template(), learner, self.names, "class")

    def arcs(self) -> list[tuple[int, int]]:
        named = [tuple(self.network.variable(i).name() for i in arc) for arc in self.network.arcs()]
        return [(int(a[1:]), int(b[1:])) for a, b in named if a != "class"]


class Pgmpy:
    """pgmpy's TreeSearch and maximum likelihood tables."""

    name = "pgmpy"
    needs = "pgmpy"

    def prepare(self, table: Table, threads: int) -> None:
        import pandas

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pgmpy.estimators import TreeSearch
            from pgmpy.models import DiscreteBayesianNetwork
        logging.getLogger("pgmpy").setLevel(logging.ERROR)
        self.search, self.network = TreeSearch, DiscreteBayesianNetwork
        self.threads = threads
        self.frame = table.frame()
        self.frame["class"] = pandas.Categorical(table.classes)

    def tan_fit(self) -> None:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            search = self.search(self.frame, root_node="x0", n_jobs=self.threads)
            tree = search.estimate("tan", class_node="class", show_progress=False)
            self.edges = list(tree.edges())
            self.network(self.edges).fit(self.frame)

    def arcs(self) -> list[tuple[int, int]]:
        return [(int(a[1:]), int(b[1:])) for a, b in self.edges if a != "class"]


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
