"""Forward sequential selection."""

from __future__ import annotations

from tanager.estimators.wrapper import GroupSearchClassifier

__all__ = ["FSSClassifier"]


class FSSClassifier(GroupSearchClassifier):
    """Naive Bayes over the attributes that a search by accuracy selects.

    From no attribute on, each step adds the one that raises the cross-validated accuracy most, as long as
    one does.

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

    >>> from tanager import FSSClassifier
    >>> X = [[a, b] for a in "xy" for b in "pqrst"] * 2
    >>> model = FSSClassifier().fit(X, [a for a, _ in X])
    >>> model.network_.groups
    (('x0',),)
    >>> model.search_path_
    [SearchStep(step=1, operation='add x0', accuracy=1.0)]
    """

    learner = "fss"
