"""The oracle: every algorithm of tanager once more, slow and obvious.

Nothing here imports tanager, and nothing here is clever: counts are loops, optima are found by trying
everything, models are refitted from scratch. A test compares the library with this package; where the two
differ, one of them is wrong, and it is easy to see which by reading this one.

One file per topic:

- `table`: what all of it is computed from
- `counts`: family counts
- `scores`: local scores, `SCORES` by registry name
- `acll`: the constants of the approximate conditional log-likelihood
- `trees`: spanning trees, branchings, orders, ancestors
- `chi2`: tests of independence, the forest of significant pairs
- `learners`: structures, `LEARNERS` by registry name
- `kdb`: k-dependence classifiers, plain and selective
- `wrappers`: the learners that search by cross-validated accuracy
- `parameters`: tables of probabilities, `PARAMETERS` by registry name
- `hierarchical`: the one of them whose settings are an optimum
- `mixture`: mixtures of trees by expectation and maximisation
- `random`: the seeded random numbers
- `posterior`: joint, posterior, missing values
- `beliefs`: missing values without the exact sum
- `discretise`: Fayyad and Irani's cut points
"""
