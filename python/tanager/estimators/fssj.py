"""Forward sequential selection and joining."""

from __future__ import annotations

from tanager.estimators.wrapper import GroupSearchClassifier

__all__ = ["FSSJClassifier"]


class FSSJClassifier(GroupSearchClassifier):
    """Semi-naive Bayes that a search by accuracy builds up from no attribute.

    Each step adds an attribute as a node of its own or joins it to a node that there is, whichever raises the
    cross-validated accuracy most, as long as something does.

    Parameters:
        cv: the number of stratified folds, a splitter, or pairs of (train, test) rows.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        random_state: the seed of the folds; all candidates are measured on the same ones.
        epsilon: the least rise of the accuracy that counts, such as 0.01; 0 for any.
        discretize: what cuts numeric columns: "mdl", "none", or a transformer.
        categorical, numeric: columns whose kind is not to be inferred, by name or position; or "all".
        missing: missing values at fit: "category", "drop" or "available".
        handle_unknown: values unseen at fit: "marginalize" or "error".
        missing_at_predict: how missing values are summed out at predict: "exact" or "approximate".
        class_weight: None, "balanced", or a weight by class; multiplied with `sample_weight`.
        class_prior: the classes' probabilities at predict, where they differ from those at fit: one for each
            of `classes_`, or by class.
        n_jobs: threads; None for all cores. The result does not depend on it.
        progress: called now and then with the numbers of candidates tried and planned so far.

    >>> from tanager import FSSJClassifier
    >>> X = [[a, b] for a in "xy" for b in "pqrs"] * 10
    >>> model = FSSJClassifier().fit(X, [(a == "x") != (b == "s") for a, b in X])
    >>> [(step.operation, step.accuracy) for step in model.search_path_]
    [('add x0', 0.75), ('join x1 to x0', 1.0)]
    """

    learner = "fssj"
