"""Family counts, by loops."""

import numpy as np

from reference.table import CLASS, MISSING, Table, Variable, configurations, position


def as_tuple(child: Variable | tuple[Variable, ...]) -> tuple[Variable, ...]:
    """A child is one variable, or several that are counted as one compound variable."""
    return tuple(child) if isinstance(child, tuple | list) else (child,)


def family_counts(table: Table, child, parents) -> np.ndarray:
    """N_jk: how many rows have parent configuration j and child value k.

        N[j, k] = Σ_rows weight(row) · [parents(row) = j] · [child(row) = k]

    j runs over all configurations of the parents in the given order, the last varying fastest (one row if
    there are no parents); k over all values of the child, of a compound child again the last fastest.
    A row with a missing value anywhere in the family is not counted.
    """
    child, parents = as_tuple(child), tuple(parents)
    child_arities = [table.arity(variable) for variable in child]
    parent_arities = [table.arity(variable) for variable in parents]
    counts = np.zeros((int(np.prod(parent_arities)), int(np.prod(child_arities))))
    for row in range(table.n_rows):
        k = tuple(table.value(row, variable) for variable in child)
        j = tuple(table.value(row, variable) for variable in parents)
        if MISSING not in k + j:
            counts[position(j, parent_arities), position(k, child_arities)] += table.weight(row)
    return counts if table.weights is not None else counts.astype(np.int64)


def class_counts(table: Table) -> np.ndarray:
    """N_c: the number of rows of each class."""
    return family_counts(table, CLASS, [])[0]


def pair_counts(table: Table, i: int, j: int) -> np.ndarray:
    """N[c, x_i, x_j]: the class-conditional table of two attributes (c only 0 where there is no class)."""
    classes = table.n_classes if table.classes is not None else 1
    counts = family_counts(table, j, [*table.class_parent(), i])
    return counts.reshape(classes, table.arities[i], table.arities[j])


def fold_counts(table: Table, folds: list[int], fold: int, child, parents) -> np.ndarray:
    """The counts of the training rows of a fold: all rows that are not in it."""
    training = [row for row in range(table.n_rows) if folds[row] != fold]
    return family_counts(table.rows(training), child, parents)


__all__ = ["as_tuple", "class_counts", "configurations", "family_counts", "fold_counts", "pair_counts"]
