"""Counts of classes, columns and pairs, in dictionaries, one row after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any


def counts(
    rows: Sequence[Sequence[Any]], labels: Sequence[Any], weights: Sequence[float] | None = None
) -> Counter:
    """N(c), N(c, i=a) and N(c, i=a, j=b); a row with a gap (None) is in the tables whose columns it has."""
    found: Counter = Counter()
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        weight = 1 if weights is None else weights[place]
        found[label,] += weight
        for i, a in enumerate(row):
            if a is None:
                continue
            found[label, i, a] += weight
            for j in range(i + 1, len(row)):
                if row[j] is not None:
                    found[label, i, a, j, row[j]] += weight
    return found
