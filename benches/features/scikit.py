"""scikit-learn's trials: CategoricalNB and GaussianNB with scikit-learn's own transformers."""

from __future__ import annotations

import pickle

import numpy as np
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder

from features.common import ATTRIBUTES, LABEL, NUMBER, Trials


class ScikitLearn(Trials):
    def model(self):
        return make_pipeline(OrdinalEncoder(), CategoricalNB())

    def codes(self, rows):
        return OrdinalEncoder().fit(self.X).transform(rows[ATTRIBUTES])

    def cut(self):
        """Categories and numbers of one frame, as CategoricalNB takes them."""
        bins = KBinsDiscretizer(5, encode="ordinal", strategy="uniform")
        columns = make_column_transformer((OrdinalEncoder(), ATTRIBUTES), (bins, [NUMBER]))
        return make_pipeline(columns, CategoricalNB())

    def text(self):
        """As it is, without an encoder."""
        self.check(CategoricalNB().fit(self.X, self.y).predict_proba(self.X))

    def numbers(self):
        self.check(self.cut().fit(self.mixed, self.y).predict_proba(self.mixed), 0.9)

    def densities(self):
        self.check(GaussianNB().fit(self.mixed[[NUMBER]], self.y).predict_proba(self.mixed[[NUMBER]]), 0.9)

    def missing_fit(self):
        model = make_pipeline(SimpleImputer(strategy="most_frequent"), self.model())
        self.check(model.fit(self.blanks, self.y).predict_proba(self.X))

    def missing_predict(self):
        model = make_pipeline(SimpleImputer(strategy="most_frequent"), self.model())
        self.check(model.fit(self.X, self.y).predict_proba(self.blanks), 0.7)

    def unknown(self):
        encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
        model = make_pipeline(encoder, SimpleImputer(strategy="most_frequent"), CategoricalNB())
        self.check(model.fit(self.X, self.y).predict_proba(self.strange), 0.7)

    def weights(self):
        weighted = CategoricalNB().fit(self.codes(self.X), self.y, sample_weight=self.weights_of_rows)
        repeated = CategoricalNB().fit(self.codes(self.repeated), self.repeated[LABEL])
        codes = self.codes(self.X)
        self.same(weighted.predict_proba(codes), repeated.predict_proba(codes))

    def parts(self):
        codes, model = self.codes(self.X), CategoricalNB(min_categories=3)
        for part in (slice(0, 80), slice(80, None)):
            model.partial_fit(codes[part], self.y[part], classes=["no", "yes"])
        whole = CategoricalNB(min_categories=3).fit(codes, self.y)
        self.same(model.predict_proba(codes), whole.predict_proba(codes))

    def pipeline(self):
        assert (
            cross_val_score(clone(self.cut()), self.mixed, self.y, cv=2, scoring="neg_log_loss").mean() > -0.5
        )

    def selection(self):
        codes = self.codes(self.X)
        selector = SequentialFeatureSelector(CategoricalNB(), n_features_to_select="auto", tol=0.001)
        model = make_pipeline(selector, CategoricalNB()).fit(codes, self.y)
        self.check(model.predict_proba(codes))
        assert not selector.get_support()[ATTRIBUTES.index("shape")], "all attributes are used"

    def saved(self):
        model = self.cut().fit(self.mixed, self.y)
        read = pickle.loads(pickle.dumps(model))
        self.same(read.predict_proba(self.mixed), model.predict_proba(self.mixed), 0)
