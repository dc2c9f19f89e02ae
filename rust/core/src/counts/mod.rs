//! Contingency tables of families, of all pairs, and of folds.
