"""tanager's trials."""

from __future__ import annotations

import pickle
import sqlite3

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from features.common import ATTRIBUTES, CLASSES, LABEL, Trials


class Tanager(Trials):
    def model(self, **settings):
        import tanager

        return tanager.TANClassifier(**settings)

    def text(self):
        self.check(self.model().fit(self.X, self.y).predict_proba(self.X))

    def numbers(self):
        self.check(self.model().fit(self.mixed, self.y).predict_proba(self.mixed), 0.9)

    def densities(self):
        import tanager

        for form in ("gaussian", "kernel"):
            model = tanager.NaiveBayesClassifier(numeric=form)
            self.check(model.fit(self.mixed, self.y).predict_proba(self.mixed), 0.9)

    def missing_fit(self):
        model = self.model(missing="available").fit(self.blanks, self.y)
        self.check(model.predict_proba(self.X))

    def missing_predict(self):
        self.check(self.model().fit(self.X, self.y).predict_proba(self.blanks))

    def unknown(self):
        self.check(self.model().fit(self.X, self.y).predict_proba(self.strange))

    def weights(self):
        weighted = self.model().fit(self.X, self.y, sample_weight=self.weights_of_rows)
        repeated = self.model().fit(self.repeated[ATTRIBUTES], self.repeated[LABEL])
        self.same(weighted.predict_proba(self.X), repeated.predict_proba(self.X))

    def parts(self):
        model = self.model()
        for part in (slice(0, 80), slice(80, None)):
            model.partial_fit(self.X[part], self.y[part], classes=CLASSES)
        self.same(model.predict_proba(self.X), self.model().fit(self.X, self.y).predict_proba(self.X))

    def pipeline(self):
        pipeline = clone(make_pipeline(FunctionTransformer(), self.model()))
        assert cross_val_score(pipeline, self.mixed, self.y, cv=2, scoring="neg_log_loss").mean() > -0.5

    def explained(self):
        model = self.model().fit(self.X, self.y)
        explained = model.explain(self.X)
        terms = explained.base + explained.contributions.sum(axis=1)
        self.same(np.exp(terms) / np.exp(terms).sum(axis=1, keepdims=True), model.predict_proba(self.X))

    def selection(self):
        import tanager

        model = tanager.FSSClassifier().fit(self.mixed, self.y)
        self.check(model.predict_proba(self.mixed), 0.9)
        assert "shape" not in model.network_.nodes, "all attributes are used"

    def sampled(self):
        rows, labels = self.model().fit(self.X, self.y).sample(2000, random_state=0)
        self.check_drawn(pd.DataFrame(rows, columns=ATTRIBUTES).assign(**{LABEL: labels}))

    def saved(self):
        import tanager

        model = self.model().fit(self.mixed, self.y)
        tanager.save_model(model, self.folder / "tanager.json")
        for read in (tanager.load_model(self.folder / "tanager.json"), pickle.loads(pickle.dumps(model))):
            self.same(read.predict_proba(self.mixed), model.predict_proba(self.mixed), 0)

    def written(self):
        model = self.model().fit(self.X, self.y)
        for path, write in (("t.bif", model.to_bif), ("t.xml", model.to_xmlbif)):
            write(self.folder / path)
            self.check_file(self.folder / path, model.predict_proba(self.X))

    def sql(self):
        model, base = self.model().fit(self.mixed, self.y), sqlite3.connect(":memory:")
        self.mixed.to_sql("things", base, index=False)
        scored = pd.read_sql(model.to_sql("things"), base)
        base.close()
        probabilities = scored.select_dtypes("number").iloc[:, -2:]
        self.same(probabilities, model.predict_proba(self.mixed))
