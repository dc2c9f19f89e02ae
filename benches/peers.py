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
    "tan_fit": "tan fit",
    "tan_predict": "tan predict_proba",
}


class Tanager:
    """This library: from the encoded `Dataset` to the tables of the model, Laplace smoothing."""

    name = "tanager"
    needs = "tanager"

    def prepare(self, table: Table, threads: int) -> None:
        from tanager import _core

        self.core, self.threads = _core, threads
        self.data = _core.Dataset(table.codes, table.arities, table.classes, table.n_classes)

    def nb_fit(self) -> None:
        self.model, _ = self.core.fit_classifier(self.data, "nb", {}, "ll", "laplace", self.threads)

    def nb_predict(self) -> None:
        self.posterior = self.model.posterior(self.data, self.threads)

    def probabilities(self) -> np.ndarray:
        return self.posterior

    def tan_fit(self) -> None:
        self.model, _ = self.core.fit_classifier(self.data, "tan", {}, "ll", "laplace", self.threads)

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

        self.x, self.y = table.codes, table.classes
        prior = (np.bincount(table.classes, minlength=table.n_classes) + 1) / (table.rows + table.n_classes)
        self.model = CategoricalNB(alpha=1.0, class_prior=prior, min_categories=table.arities)

    def nb_fit(self) -> None:
        self.model.fit(self.x, self.y)

    def nb_predict(self) -> None:
        self.posterior = self.model.predict_proba(self.x)

    def probabilities(self) -> np.ndarray:
        return self.posterior


class PyAgrum:
    """pyAgrum's TAN, as its own `skbn` classifier learns it, on a learner that has read the data already.

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
        frame = pandas.DataFrame(table.codes, columns=self.names)
        frame["class"] = table.classes
        self.variables = [pyagrum.RangeVariable("class", "class", 0, table.n_classes - 1)]
        for name, arity in zip(self.names, table.arities, strict=True):
            self.variables.append(pyagrum.RangeVariable(name, name, 0, arity - 1))
        self.learner = pyagrum.BNLearner(frame, self.template())
        self.learner.setNumberOfThreads(threads)
        self.learner.useSmoothingPrior(1)

    def template(self):
        network = self.pyagrum.BayesNet()
        for variable in self.variables:
            network.add(variable)
        return network

    def tan_fit(self) -> None:
        self.network = self.methods._fitTAN(
            self.x, self.y, self.template(), self.learner, self.names, "class"
        )

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
        self.frame = pandas.DataFrame(table.codes, columns=[f"x{i}" for i in range(table.columns)])
        self.frame["class"] = table.classes

    def tan_fit(self) -> None:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            search = self.search(self.frame, root_node="x0", n_jobs=self.threads)
            tree = search.estimate("tan", class_node="class", show_progress=False)
            self.edges = list(tree.edges())
            self.network(self.edges).fit(self.frame)

    def arcs(self) -> list[tuple[int, int]]:
        return [(int(a[1:]), int(b[1:])) for a, b in self.edges if a != "class"]


PYTHON_PEERS = [Tanager, ScikitLearn, PyAgrum, Pgmpy]
