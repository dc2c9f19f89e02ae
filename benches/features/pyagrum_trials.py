"""pyAgrum's trials: its classifier, and its learner and inference where the classifier has no door."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from features.common import ATTRIBUTES, LABEL, Trials, need, posteriors_by_pyagrum


class PyAgrum(Trials):
    def model(self):
        processor = need("pyagrum.lib.discreteTypeProcessor").DiscreteTypeProcessor(
            defaultDiscretizationMethod="quantile", defaultNumberOfBins=5
        )
        return need("pyagrum.skbn").BNClassifier(
            type_processor=processor, learningMethod="NaiveBayes", prior="Smoothing", priorWeight=1
        )

    def network(self, rows, missing=False, weights=(), prior=1):
        """Naive Bayes by pyAgrum's learner."""
        gum = need("pyagrum")
        rows.fillna("?").to_csv(self.folder / "pyagrum.csv", index=False)
        domains = [f"{name}{{{'|'.join(sorted(self.nominal[name].unique()))}}}" for name in ATTRIBUTES]
        template = gum.fastBN(";".join(f"{LABEL}{{no|yes}}->{domain}" for domain in domains))
        learner = gum.BNLearner(str(self.folder / "pyagrum.csv"), template, ["?"])
        if prior is None:
            learner.useNoPrior()
        elif prior == 1:
            learner.useSmoothingPrior(1)
        else:
            learner.useDirichletPrior(*prior)
        if missing:
            learner.useEM(1e-4)
        for row, weight in enumerate(weights):
            learner.setRecordWeight(row, float(weight))
        return learner.learnParameters(template)

    def text(self):
        self.check(self.model().fit(self.X, self.y).predict_proba(self.X))

    def numbers(self):
        self.check(self.model().fit(self.mixed, self.y).predict_proba(self.mixed), 0.9)

    def missing_fit(self):
        network = self.network(self.blanks.assign(kind=self.y), missing=True)
        self.check(posteriors_by_pyagrum(network, self.X))

    def missing_predict(self):
        self.check(posteriors_by_pyagrum(self.network(self.nominal), self.blanks))

    def unknown(self):
        try:
            self.check(self.model().fit(self.X, self.y).predict_proba(self.strange), 0.7)
        except Exception:
            self.check(posteriors_by_pyagrum(self.network(self.nominal), self.strange), 0.7)

    def weights(self):
        weighted = self.network(self.nominal, weights=self.weights_of_rows)
        repeated = self.network(self.repeated)
        self.same(posteriors_by_pyagrum(weighted, self.X), posteriors_by_pyagrum(repeated, self.X))

    def parts(self):
        """With the network of the first part as the prior of the second."""
        first = self.network(self.nominal[:80], prior=None)
        both = self.network(self.nominal[80:], prior=(first, 80))
        whole = self.network(self.nominal, prior=None)
        self.same(posteriors_by_pyagrum(both, self.X), posteriors_by_pyagrum(whole, self.X))

    def pipeline(self):
        pipeline = clone(make_pipeline(FunctionTransformer(), self.model()))
        assert cross_val_score(pipeline, self.mixed, self.y, cv=2, scoring="neg_log_loss").mean() > -0.5

    def explained(self):
        """Shapley values of the classes' log-odds: with the base they sum to those of the posterior."""
        explain, network = need("pyagrum.explain"), self.network(self.nominal)
        found = explain.ConditionalShapValues(network, LABEL).compute((self.nominal.head(1), True))
        odds = found.baseline + np.array([sum(found[code].values()) for code in (0, 1)])
        expected = posteriors_by_pyagrum(network, self.X.head(1))[0]
        assert np.allclose(1 / (1 + np.exp(-odds)), expected, atol=1e-4)

    def sampled(self):
        self.check_drawn(need("pyagrum").generateSample(self.network(self.nominal), 2000)[0])

    def saved(self):
        model = self.model().fit(self.mixed, self.y)
        read = pickle.loads(pickle.dumps(model))
        self.same(read.predict_proba(self.mixed), model.predict_proba(self.mixed))

    def written(self):
        network = self.network(self.nominal)
        network.saveBIF(str(self.folder / "a.bif"))
        self.check_file(self.folder / "a.bif", posteriors_by_pyagrum(network, self.X))

    def read(self):
        path, expected = self.other_file("bif")
        self.same(posteriors_by_pyagrum(path, self.X), expected, 1e-4)

    def arcs(self):
        learner = need("pyagrum").BNLearner(pd.DataFrame(self.nominal))
        learner.addMandatoryArc("shape", "size")
        learner.addForbiddenArc("colour", "size")
        learner.addForbiddenArc("size", "colour")
        network = learner.useGreedyHillClimbing().learnBN()
        names = network.variable
        self.check_arcs((names(a).name(), names(b).name()) for a, b in network.arcs())
