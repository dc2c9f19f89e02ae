//! Trees, branchings, forests and orders over a dense graph.
