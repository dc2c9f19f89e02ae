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
        progress: called now and then with the numbers of candidates tried and planned so far.
        **settings: those of `BayesianNetworkClassifier`.

    >>> from tanager import BSEJClassifier
    >>> X = [[a, b] for a in (0, 1) for b in (0, 1)] * 5
    >>> model = BSEJClassifier().fit(X, [a ^ b for a, b in X])
    >>> model.network_.groups
    (('x0', 'x1'),)
    >>> model.search_path_[-1].accuracy
    1.0
    """

    learner = "bsej"
