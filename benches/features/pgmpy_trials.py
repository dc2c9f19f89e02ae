"""pgmpy's trials: naive Bayes and its inference."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from features.common import ATTRIBUTES, CLASSES, LABEL, NUMBER, Trials, need, posteriors_by_pgmpy


class Pgmpy(Trials):
    def model(self, names=ATTRIBUTES):
        return need("pgmpy.models").DiscreteBayesianNetwork([(LABEL, name) for name in names])

    def smoothed(self, **settings):
        return need("pgmpy.parameter_estimator").DiscreteBayesianEstimator(prior_type="K2", **settings)

    def rowwise(self, model, rows):
        """P(class | what is known), row by row: what a row does not tell is no evidence."""
        inference, found = need("pgmpy.inference").VariableElimination(model), []
        for _, row in rows.iterrows():
            factor = inference.query([LABEL], evidence=row.dropna().to_dict(), show_progress=False)
            found.append([factor.get_value(**{LABEL: value}) for value in CLASSES])
        return np.array(found)

    def text(self):
        self.check(posteriors_by_pgmpy(self.model().fit(self.nominal, self.smoothed()), self.X))

    def numbers(self):
        discretize = need("pgmpy.utils").discretize
        cut = discretize(self.rows[[NUMBER]], {NUMBER: 5}, method="quantile")
        rows = self.nominal.assign(weight=cut[NUMBER].astype(str))
        model = self.model([*ATTRIBUTES, NUMBER]).fit(rows, self.smoothed())
        self.check(posteriors_by_pgmpy(model, rows.drop(columns=LABEL)), 0.9)

    def missing_fit(self):
        rows = self.blanks.assign(kind=self.y)
        self.check(posteriors_by_pgmpy(self.model().fit(rows, self.smoothed()), self.X))

    def missing_predict(self):
        self.check(self.rowwise(self.model().fit(self.nominal, self.smoothed()), self.blanks))

    def unknown(self):
        model = self.model().fit(self.nominal, self.smoothed())
        try:
            self.check(posteriors_by_pgmpy(model, self.strange), 0.7)
        except Exception:
            self.check(self.rowwise(model, self.strange), 0.7)

    def weights(self):
        weighted = self.model().fit(self.nominal, sample_weight=self.weights_of_rows)
        repeated = self.model().fit(self.repeated)
        self.same(posteriors_by_pgmpy(weighted, self.X), posteriors_by_pgmpy(repeated, self.X))

    def parts(self):
        """With the counts of the first part as a prior; `fit_update` gives another model."""
        counts, estimators = need("pgmpy.utils").get_state_counts, need("pgmpy.parameter_estimator")
        states = {name: sorted(values.unique()) for name, values in self.nominal.items()}
        parents = {LABEL: [], **{name: [LABEL] for name in ATTRIBUTES}}
        seen = {
            name: counts(self.nominal[:80], states, name, above).to_numpy().reshape(len(states[name]), -1)
            for name, above in parents.items()
        }
        estimator = estimators.DiscreteBayesianEstimator(
            prior_type="dirichlet", pseudo_counts=seen, state_names=states
        )
        model = self.model().fit(self.nominal[80:], estimator)
        whole = self.model().fit(self.nominal)
        self.same(posteriors_by_pgmpy(model, self.X), posteriors_by_pgmpy(whole, self.X))

    def pipeline(self):
        pipeline = clone(make_pipeline(FunctionTransformer(), need("pgmpy.models").NaiveBayes()))
        assert cross_val_score(pipeline, self.X, self.y, cv=2, scoring="neg_log_loss").mean() > -0.6

    def sampled(self):
        model = self.model().fit(self.nominal, self.smoothed())
        self.check_drawn(model.simulate(2000, seed=0, show_progress=False))

    def saved(self):
        model, path = self.model().fit(self.nominal, self.smoothed()), self.folder / "pgmpy.bif"
        model.save(str(path))
        read = need("pgmpy.models").DiscreteBayesianNetwork.load(str(path))
        self.same(posteriors_by_pgmpy(read, self.X), posteriors_by_pgmpy(model, self.X))

    def written(self):
        model, path = self.model().fit(self.nominal, self.smoothed()), self.folder / "p.bif"
        model.save(str(path))
        self.check_file(path, posteriors_by_pgmpy(model, self.X), "pyagrum")

    def read(self):
        for suffix in ("bif", "xml"):
            path, expected = self.other_file(suffix)
            self.same(posteriors_by_pgmpy(path, self.X), expected, 1e-4)

    def arcs(self):
        discovery = need("pgmpy.causal_discovery")
        expert = discovery.ExpertKnowledge(
            required_edges=[("shape", "size")],
            forbidden_edges=[("colour", "size"), ("size", "colour")],
        )
        search = discovery.HillClimbSearch(
            expert_knowledge=expert, return_type="dag", show_progress=False
        ).fit(self.nominal)
        self.check_arcs(search.causal_graph_.edges())
