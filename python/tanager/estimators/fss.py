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
        progress: called now and then with the numbers of candidates tried and planned so far.
        **settings: those of `BayesianNetworkClassifier`.

    >>> from tanager import FSSClassifier
    >>> X = [[a, b] for a in "xy" for b in "pqrst"] * 2
    >>> model = FSSClassifier().fit(X, [a for a, _ in X])
    >>> model.network_.groups
    (('x0',),)
    >>> model.search_path_
    [SearchStep(step=1, operation='add x0', accuracy=1.0)]
    """

    learner = "fss"
