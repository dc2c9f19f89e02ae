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
        progress: called now and then with the numbers of candidates tried and planned so far.
        **settings: those of `BayesianNetworkClassifier`.

    >>> from tanager import FSSJClassifier
    >>> X = [[a, b] for a in "xy" for b in "pqrs"] * 10
    >>> model = FSSJClassifier().fit(X, [(a == "x") != (b == "s") for a, b in X])
    >>> [(step.operation, step.accuracy) for step in model.search_path_]
    [('add x0', 0.75), ('join x1 to x0', 1.0)]
    """

    learner = "fssj"
