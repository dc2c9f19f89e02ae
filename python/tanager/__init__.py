"""Bayesian network classifiers: naive Bayes, optimal TANs and what is built on them."""
