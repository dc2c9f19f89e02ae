"""Khiops' trials."""

from __future__ import annotations

import pickle

import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from features.common import ATTRIBUTES, LABEL, Trials, need


class Khiops(Trials):
    def model(self):
        return need("khiops.sklearn").KhiopsClassifier(n_trees=0)

    def text(self):
        self.check(self.model().fit(self.X, self.y).predict_proba(self.X))

    def numbers(self):
        self.check(self.model().fit(self.mixed, self.y).predict_proba(self.mixed), 0.9)

    def missing_fit(self):
        self.check(self.model().fit(self.blanks, self.y).predict_proba(self.X))

    def missing_predict(self):
        self.check(self.model().fit(self.X, self.y).predict_proba(self.blanks), 0.7)

    def unknown(self):
        self.check(self.model().fit(self.X, self.y).predict_proba(self.strange), 0.7)

    def weights(self):
        weighted = self.model().fit(self.X, self.y, sample_weight=self.weights_of_rows)
        repeated = self.model().fit(self.repeated[ATTRIBUTES], self.repeated[LABEL])
        self.same(weighted.predict_proba(self.X), repeated.predict_proba(self.X))

    def pipeline(self):
        pipeline = clone(make_pipeline(FunctionTransformer(), self.model()))
        assert cross_val_score(pipeline, self.mixed, self.y, cv=2, scoring="neg_log_loss").mean() > -0.5

    def explained(self):
        """Shapley values, of a dictionary that Khiops makes of the model's."""
        core, model = need("khiops.core"), self.model().fit(self.mixed, self.y)
        interpreter = self.folder / "interpreter.kdic"
        core.interpret_predictor(model.model_, model.model_main_dictionary_name_, str(interpreter))
        domain = core.read_dictionary_file(str(interpreter))
        self.rows.to_csv(self.folder / "rows.txt", sep="\t", index=False)
        deployed = self.folder / "deployed.txt"
        core.deploy_model(domain, domain.dictionaries[0].name, str(self.folder / "rows.txt"), str(deployed))
        shares = pd.read_csv(deployed, sep="\t").filter(like="Shapley").select_dtypes("number")
        assert len(shares) == len(self.rows)
        assert shares.notna().all(axis=None)
        assert shares.std().max() > 0

    def saved(self):
        model = self.model().fit(self.mixed, self.y)
        read = pickle.loads(pickle.dumps(model))
        self.same(read.predict_proba(self.mixed), model.predict_proba(self.mixed))
