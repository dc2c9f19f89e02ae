"""Backward sequential elimination and joining."""

from __future__ import annotations

from tanager.estimators.wrapper import GroupSearchClassifier

__all__ = ["BSEJClassifier"]


class BSEJClassifier(GroupSearchClassifier):
    """Semi-naive Bayes that a search by accuracy carves out of naive Bayes.

    Each step deletes an attribute or merges two nodes into one, whichever raises the cross-validated accuracy
    most, as long as something does.

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

    >>> from tanager import BSEJClassifier
    >>> X = [[a, b] for a in (0, 1) for b in (0, 1)] * 5
    >>> model = BSEJClassifier().fit(X, [a ^ b for a, b in X])
    >>> model.network_.groups
    (('x0', 'x1'),)
    >>> model.search_path_[-1].accuracy
    1.0
    """

    learner = "bsej"
