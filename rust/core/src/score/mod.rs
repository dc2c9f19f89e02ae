//! Decomposable scores of a family: a child given its parents.
