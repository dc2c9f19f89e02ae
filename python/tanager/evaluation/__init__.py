"""Comparing learners: metrics, the statistics of comparisons, and `compare` itself."""
