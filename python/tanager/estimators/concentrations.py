"""The concentrations of a model whose tables lean on those with fewer parents."""

from __future__ import annotations

from sklearn.utils.validation import check_is_fitted

from tanager.estimators.estimator import BayesianNetworkEstimator
from tanager.exceptions import NotThereError
from tanager.network import unlike

__all__ = ["TunedTables"]


class TunedTables(BayesianNetworkEstimator):
    """What fitted models have where the estimator tunes concentrations: `parameters="hierarchical"`."""

    @property
    def concentrations_(self) -> dict[str, tuple[float, ...]]:
        """The concentration of each level of each node: no parent, the class, then one parent more at a time.

        Parents come in the order of decreasing information about the attribute given the class. A large
        concentration means that the level adds little to the one before it. Joined attributes share their
        node's. The class has one, under its own name, with primes after it where an attribute is called so.
        In a density there is no class, nor a level for it.

        >>> from tanager import NaiveBayesClassifier
        >>> X, y = [["a"], ["a"], ["b"], ["b"], ["b"]], [0, 0, 0, 1, 1]
        >>> model = NaiveBayesClassifier(parameters="hierarchical").fit(X, y)
        >>> {name: len(levels) for name, levels in model.concentrations_.items()}
        {'class': 1, 'x0': 2}
        """
        check_is_fitted(self)
        by_node = getattr(self.model_, "concentrations", None)
        if by_node is None:
            raise NotThereError("only models with hierarchical parameters have concentrations")
        levels = [tuple(values) for values in by_node]
        named: dict[str, tuple[float, ...]] = {}
        if self.network_.class_name is not None:
            named[unlike(self.network_.class_name, set(self.network_.nodes))] = levels.pop(0)
        for group, values in zip(self.network_.groups, levels, strict=True):
            named |= dict.fromkeys(group, values)
        return named
