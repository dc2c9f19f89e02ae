"""Why rows were classified as they were: one term for each node of the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.escape import plot_text
from tanager.exceptions import ColumnError, DataError, DataTypeError
from tanager.reading.frame import axes_of, frame, html_table, plain_table
from tanager.settings import is_whole, whole

__all__ = ["Explanation"]

_FOR, _AGAINST = "#2b6cb0", "#c05621"


@dataclass(frozen=True)
class Explanation:
    """Exact terms of the log-posterior.

    For row t and class c::

        ln P(c | x_t) = base[c] + Σ_i contributions[t, i, c] − ln Z_t

    Z_t makes the probabilities of a row sum to 1. Term i is what node i says: in a network
    ln P(x_i | parents, c); where values are missing or were not seen at fit, ln P(x_i | what is known of the
    nodes before it, c), 0 for a node of which nothing is known. Only differences between classes mean
    anything: a term speaks for a class against another by the difference of its two numbers (log-odds).

    Attributes:
        terms: the name of each term: an attribute, or joined attributes.
        classes: the class labels.
        base: ln of the class prior, or whatever speaks before any attribute does.
        contributions: rows × terms × classes.
        values: of each row, the text of each term's value.
        rest: the probabilities where every class is impossible, which relative frequencies allow.

    >>> from tanager import NaiveBayesClassifier
    >>> model = NaiveBayesClassifier().fit([["sun"], ["sun"], ["rain"]], ["out", "out", "in"])
    >>> explanation = model.explain([["rain"]])
    >>> print(explanation.text())
    term  value  for in  for out
    base          -0.41    +0.41
    x0    rain    +0.98    -0.98
    sum           +0.58    -0.58
    P             0.640    0.360
    """

    terms: tuple[str, ...]
    classes: tuple[Any, ...]
    base: NDArray[np.float64]
    contributions: NDArray[np.float64]
    values: tuple[tuple[str, ...], ...]
    rest: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.contributions)

    def log_proba(self) -> NDArray[np.float64]:
        """ln P(c | x) of each row and class: base and terms, normalised."""
        total = self.base + self.contributions.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            sums = np.logaddexp.reduce(total, axis=1, keepdims=True)
            rest = np.log(self.rest)
            normalised: NDArray[np.float64] = np.where(np.isneginf(sums), rest, total - sums)
        return normalised

    def log_odds(self, row: int = 0) -> NDArray[np.float64]:
        """Each term of a row, for each class against all others: terms × classes, the base first.

        With two classes the plain log-odds of a term; with more, its number for the class less the mean of
        the others weighted by their posterior probabilities.
        """
        row = self._row(row)
        parts = np.vstack([self.base, self.contributions[row]])
        posterior = np.exp(self.log_proba()[row])
        odds = np.empty_like(parts)
        for c in range(len(self.classes)):
            others = np.delete(posterior, c)
            share = others / others.sum() if others.sum() > 0 else np.full(len(others), 1 / len(others))
            with np.errstate(invalid="ignore"):
                odds[:, c] = parts[:, c] - np.where(share > 0, np.delete(parts, c, axis=1), 0) @ share
        return odds

    def to_frame(self, row: int = 0) -> Any:
        """One line for each term of a row, strongest first: its value and its number for each class."""
        row = self._row(row)
        columns: dict[str, list[Any]] = {"term": ["(base)"], "value": [""]}
        order = self._order(row)
        columns["term"] += [self.terms[i] for i in order]
        columns["value"] += [self.values[row][i] for i in order]
        for c, label in enumerate(self.classes):
            columns[str(label)] = [self.base[c], *self.contributions[row, order, c]]
        return frame(columns)

    def text(self, row: int = 0, most: int | None = None, width: int | None = None) -> str:
        """The terms of a row as a table for the terminal, strongest first, within so many columns."""
        most = None if most is None else whole(most, "most")
        return plain_table(*self._lines(self._row(row), most), left=2, width=width)

    def plot(self, row: int = 0, ax: Any = None, most: int = 15) -> Any:
        """Bars of the terms of a row: for the predicted class against the others. Returns the axes."""
        row, most = self._row(row), whole(most, "most")
        best = int(self.log_proba()[row].argmax())
        odds = self.log_odds(row)[:, best]
        most += len(self.terms) == most + 1  # a line that says "1 more" is as long as what it stands for
        order = self._order(row)[:most]
        names = ["base"] + [f"{self.terms[i]} = {self.values[row][i]}" for i in order]
        widths = np.nan_to_num(np.array([odds[0], *odds[1:][order]]), posinf=50.0, neginf=-50.0)
        left_out = len(self.terms) - len(order)
        if left_out:
            names.append(f"{left_out} weaker terms")
            widths = np.append(widths, np.nan_to_num(np.delete(odds[1:], order).sum()))
        ax = axes_of(ax, 6.4, 0.9 + 0.3 * len(names), bare=("top", "right", "left"))
        places = np.arange(len(names))[::-1]
        ax.barh(places, widths, color=[_FOR if w >= 0 else _AGAINST for w in widths], height=0.7)
        ax.set_yticks(places, [plot_text(name) for name in names])
        ax.axvline(0, color="#1f2733", lw=0.8)
        ax.set_xlabel(f"log-odds for {plot_text(str(self.classes[best]))} (nats)")
        probability = np.exp(self.log_proba()[row, best])
        ax.set_title(f"P({plot_text(str(self.classes[best]))}) = {probability:.3f}", loc="left", fontsize=10)
        return ax

    def _repr_html_(self) -> str:
        """The first rows as tables, for notebooks."""
        shown = min(len(self), 5)
        tables = []
        for row in range(shown):
            best = int(self.log_proba()[row].argmax())
            probability = np.exp(self.log_proba()[row, best])
            caption = f"row {row}: P({self.classes[best]}) = {probability:.3f}; log-odds of each term (nats)"
            tables.append(html_table(*self._lines(row, 20), caption))
        if len(self) > shown:
            tables.append(f"<p>and {len(self) - shown} more rows</p>")
        return "".join(tables)

    def __repr__(self) -> str:
        return f"Explanation({len(self)} rows, {len(self.terms)} terms, {len(self.classes)} classes)"

    def _row(self, row: int) -> int:
        if not is_whole(row):
            raise DataTypeError(f"row = {row!r} is not allowed: it is the number of a row")
        if not -len(self) <= row < len(self):
            raise ColumnError(f"there is no row {row}: rows are 0 to {len(self) - 1}")
        return row % len(self)

    def _order(self, row: int) -> NDArray[np.intp]:
        """Terms by the largest difference that they make between two classes; ties in their own order."""
        terms = self.contributions[row]
        with np.errstate(invalid="ignore"):
            spread = np.nan_to_num(terms.max(axis=1) - terms.min(axis=1), nan=0.0, posinf=np.inf)
        return np.argsort(-spread, kind="stable")

    def _lines(self, row: int, most: int | None) -> tuple[list[str], list[list[str]]]:
        odds, order = self.log_odds(row), self._order(row)
        header = ["term", "value", *(f"for {label}" for label in self.classes)]
        shown = order if most is None or len(order) == most + 1 else order[:most]
        lines = [["base", "", *map(_signed, odds[0])]]
        lines += [[self.terms[i], self.values[row][i], *map(_signed, odds[1 + i])] for i in shown]
        if len(shown) < len(order):
            weaker = odds[1:][order[len(shown) :]].sum(axis=0)
            lines.append([f"{len(order) - len(shown)} more", "", *map(_signed, weaker)])
        lines.append(["sum", "", *map(_signed, odds.sum(axis=0))])
        lines.append(["P", "", *(f"{p:.3f}" for p in np.exp(self.log_proba()[row]))])
        return header, lines

    def __post_init__(self) -> None:
        rows, terms, classes = self.contributions.shape
        if (len(self.values), len(self.terms), len(self.classes)) != (rows, terms, classes):
            raise DataError("an explanation needs one name per term, one label per class and values per row")


def _signed(number: float) -> str:
    return "0.00" if abs(number) < 0.005 else f"{number:+.2f}"
