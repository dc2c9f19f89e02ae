"""What the trials of features have in common: the table, its variants, and how an outcome is checked.

A library is a class whose methods are trials, named after the features of scripts/peer_features.py. A trial
that returns passed; one that raises failed, and `Needs` says which optional package it could not be tried
without. Where there is no method, no public way is known.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ATTRIBUTES, NUMBER, LABEL = ["colour", "size", "shape"], "weight", "kind"
CLASSES = ["no", "yes"]


class Needs(Exception):
    """A trial asks for an optional package that is not here."""


def need(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Needs(error.name or module) from error


def table(rows: int = 160) -> pd.DataFrame:
    """Three attributes that are text, a number, and a class which depends on all of them but `shape`."""
    draw = np.random.default_rng(7)
    kind = draw.integers(0, 2, rows)
    colour = np.where(draw.random(rows) < 0.8, kind, draw.integers(0, 3, rows))
    size = np.where(draw.random(rows) < 0.6, colour, draw.integers(0, 3, rows))
    columns = {
        "colour": np.array(["red", "green", "blue"])[colour],
        "size": np.array(["small", "medium", "large"])[size],
        "shape": np.array(["round", "flat"])[draw.integers(0, 2, rows)],
        NUMBER: (draw.normal(size=rows) + 3 * kind).round(3),
        LABEL: np.array(CLASSES)[kind],
    }
    return pd.DataFrame(columns).astype(dict.fromkeys([*ATTRIBUTES, LABEL], object))


class Trials:
    """A library's trials; a folder is theirs to write to."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.rows = folder, table()
        self.X, self.y, self.mixed = self.rows[ATTRIBUTES], self.rows[LABEL], self.rows[[*ATTRIBUTES, NUMBER]]
        self.nominal = self.rows[[*ATTRIBUTES, LABEL]]
        self.blanks = self.X.copy()
        self.blanks.loc[::7, "colour"] = np.nan
        self.blanks.loc[::5, "shape"] = np.nan
        self.strange = self.X.copy()
        self.strange.loc[::4, "size"] = "huge"
        self.twice = np.arange(len(self.rows)) % 3 == 0
        self.weights_of_rows = 1.0 + self.twice
        self.repeated = pd.concat([self.nominal, self.nominal[self.twice]], ignore_index=True)

    def check(self, probabilities: Any, least: float = 0.75) -> np.ndarray:
        """Probabilities of "no" and "yes" for all rows, which tell the classes better than a guess would."""
        found = np.asarray(probabilities, dtype=float)
        assert found.shape == (len(self.rows), 2), found.shape
        assert np.isfinite(found).all(), "not finite"
        assert (found >= 0).all(), "no probabilities"
        assert np.allclose(found.sum(axis=1), 1, atol=1e-5), "they do not sum to 1"
        right = np.array(CLASSES)[found.argmax(axis=1)] == self.y
        assert right.mean() >= least, f"right in {right.mean():.2f} of the rows"
        return found

    def same(self, left: Any, right: Any, tolerance: float = 1e-5) -> None:
        gap = np.abs(self.check(left) - self.check(right)).max()
        assert gap <= tolerance, f"they differ by {gap:.2g}"

    def check_drawn(self, drawn: pd.DataFrame) -> None:
        """Rows drawn from a model have the values of the table about as often as the table."""
        assert len(drawn) >= 1000, "too few rows"
        for name in (*ATTRIBUTES, LABEL):
            shares = [frame[name].astype(str).value_counts(normalize=True) for frame in (drawn, self.nominal)]
            assert set(shares[0].index) <= set(shares[1].index), f"other values of {name}"
            assert (shares[0] - shares[1]).abs().max() < 0.1, f"other shares of {name}"

    def check_arcs(self, arcs: Any) -> None:
        """An arc that no score asks for is there as demanded, and the one that all ask for is not."""
        arcs = {tuple(arc) for arc in arcs}
        assert ("shape", "size") in arcs, "the demanded arc is not there"
        assert not {("colour", "size"), ("size", "colour")} & arcs, "a forbidden arc is there"

    def check_file(self, path: Path, probabilities: Any, reader: str = "pgmpy") -> None:
        """Another library reads the network from the file, and has these P(class | row) of it."""
        found = (posteriors_by_pgmpy if reader == "pgmpy" else posteriors_by_pyagrum)(path, self.X)
        assert np.abs(found - probabilities).max() < 1e-4, "another library reads another model"

    def other_file(self, suffix: str) -> tuple[Path, np.ndarray]:
        """A network file that tanager wrote, and P(class | row) of it."""
        import tanager

        model = tanager.TANClassifier().fit(self.X, self.y)
        path = self.folder / f"other.{suffix}"
        (model.to_bif if suffix == "bif" else model.to_xmlbif)(path)
        return path, model.predict_proba(self.X)

    def hand_over(self) -> None:
        """What programs in other languages are given: the table, weights, and networks with what they say."""
        self.rows.to_csv(self.folder / "rows.csv", index=False)
        pd.DataFrame({"weight": self.weights_of_rows}).to_csv(self.folder / "weights.csv", index=False)
        for suffix in ("bif", "xml"):
            _, expected = self.other_file(suffix)
        pd.DataFrame(expected, columns=CLASSES).to_csv(self.folder / "other.csv", index=False)

    def check_written(self, library: str) -> None:
        """A network that such a program wrote is read here, with the P(class | row) that it wrote."""
        (path,) = [path for path in self.folder.glob(f"{library}.*") if path.suffix in (".bif", ".xml")]
        self.check_file(path, pd.read_csv(self.folder / f"{library}.csv")[CLASSES].to_numpy())


def posteriors_by_pgmpy(model: Any, rows: pd.DataFrame) -> np.ndarray:
    """P(class | row) by pgmpy, of its network or of a file that it reads."""
    if isinstance(model, Path):
        readers = need("pgmpy.readwrite")
        reader = readers.BIFReader if model.suffix == ".bif" else readers.XMLBIFReader
        model = reader(str(model)).get_model()
    (label,) = set(model.nodes()) - {*ATTRIBUTES, NUMBER}
    return model.predict_probability(rows)[[f"{label}_{value}" for value in CLASSES]].to_numpy()


def posteriors_by_pyagrum(network: Any, rows: pd.DataFrame) -> np.ndarray:
    """P(class | what is known of the row) by pyAgrum, of its network or of a file that it reads."""
    gum, found = need("pyagrum"), []
    if isinstance(network, Path):
        network = gum.loadBN(str(network))
    (label,) = network.names() - set(ATTRIBUTES)
    variable, inference = network.variable(label), gum.LazyPropagation(network)
    for _, row in rows.iterrows():
        inference.setEvidence(row.dropna().to_dict())
        posterior = inference.posterior(label)
        found.append([posterior[variable.index(value)] for value in CLASSES])
    return np.array(found)
