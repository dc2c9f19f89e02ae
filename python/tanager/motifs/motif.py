"""A motif: a density over the positions of a site."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data.plain_numbers import log_probabilities, plain_logarithms
from tanager.document import read_document, write_document
from tanager.exceptions import DataError
from tanager.motifs.sites import LETTERS, Sites
from tanager.network import Network
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike
from tanager.settings import parent_limit

__all__ = ["MODELS", "Motif", "fit_mixture", "fit_motif", "load_motif", "save_motif"]

MOTIF_KIND = "tanager-motif"
MOTIF_VERSION = 1

#: Kinds of motif: the core's learner and its settings.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "pssm": ("nb", {}),
    "tree": ("tan", {}),
    "c2g": ("ckg", {"k": 2}),
    "bc2g": ("bckg", {"k": 2}),
}


@dataclass(frozen=True)
class Motif:
    """A fitted motif.

    Attributes:
        name: what it is called, for reports and BED files.
        model: "pssm", "tree", "c2g" or "bc2g".
        density: the core's density over positions, each with the four letters.
        sites: how many sites it was learned from.
        notes: anything in JSON, for those who read the file.
    """

    name: str
    model: str
    density: _core.Network
    sites: int
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """Letters of a site."""
        return len(self.density.nodes)

    @property
    def network(self) -> Network:
        """Which positions, counted from 1, depend on which."""
        names = [str(position + 1) for position in range(self.width)]
        return Network.build(names, self.density.nodes, None)

    def log_density(self, sites: Sites) -> NDArray[np.float64]:
        """ln P of each site."""
        if sites.width != self.width:
            raise DataError(f"{sites.name} has sites of {sites.width} letters, the motif has {self.width}")
        return self.density.log_density(_dataset(sites.codes))


def fit_motif(
    sites: Sites,
    model: str = "bc2g",
    *,
    k: int | None = None,
    score: ScoreLike = "bic",
    parameters: ParametersLike = "dirichlet",
    settings: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
) -> Motif:
    """Learn a motif from aligned sites.

    `model` is "pssm" (independent positions), "tree" (the optimal branching), "c2g" or "bc2g" (k-graphs; `k`
    replaces their 2 parents). `settings` are more of the learner's own, such as ``{"root": "best"}``.

    >>> from tanager.motifs import Sites, fit_motif
    >>> sites = Sites.from_strings(["AAT", "TTT", "AAG", "TTG"] * 5)
    >>> print(fit_motif(sites, "tree", score="ll").network)
    1
    ├── 2
    └── 3
    """
    learner, fixed = _model(model)
    chosen = dict(fixed) | dict(settings or {})
    if k is not None:
        if "k" not in fixed:
            raise DataError(f"k = {k} does not apply to {model}: only c2g and bc2g have parents to limit")
        chosen["k"] = k
    if "k" in chosen:
        chosen["k"] = parent_limit(chosen["k"], sites.width)
    density, _ = _core.fit(_dataset(sites.codes), learner, chosen, score, parameters, n_jobs)
    return Motif(sites.name, model, density, len(sites))


def fit_mixture(
    sites: Sites, parameters: ParametersLike = "dirichlet", n_jobs: int | None = None
) -> Callable[[Sites], NDArray[np.float64]]:
    """ln P of sites under a mixture of two trees: a density to compare motifs with."""
    # One run that ends early: sites are few and folds many, and fitting longer does not help held-out sites.
    mixture = _core.fit_mixture(_dataset(sites.codes), {"n_components": 2, "tol": 1e-4}, parameters, n_jobs)
    return lambda held_out: mixture.log_density(_dataset(held_out.codes))


def save_motif(motif: Motif, path: str | Path) -> None:
    """Write a motif as versioned JSON; a name that ends in ``.gz`` is compressed.

    >>> import tempfile
    >>> from tanager.motifs import Sites, fit_motif, load_motif
    >>> motif = fit_motif(Sites.from_strings(["ACG", "ACT"]), "pssm")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_motif(motif, f"{folder}/motif.json")
    ...     load_motif(f"{folder}/motif.json").width
    3
    """
    nodes = motif.density.nodes
    content = {
        "name": motif.name,
        "model": motif.model,
        "sites": motif.sites,
        "notes": motif.notes,
        "letters": LETTERS,
        "nodes": [{"position": members[0], "parents": list(parents)} for members, parents in nodes],
        "tables": [plain_logarithms(motif.density.table(place).ravel()) for place in range(len(nodes))],
    }
    write_document(path, MOTIF_KIND, MOTIF_VERSION, content)


def load_motif(path: str | Path) -> Motif:
    """The motif that `save_motif` wrote; a file of another kind or version, or a damaged one, is refused."""
    content = read_document(path, MOTIF_KIND, MOTIF_VERSION)
    try:
        _model(content["model"])
        if content["letters"] != LETTERS:
            raise DataError(f"its letters are {content['letters']!r}, not {LETTERS!r}")
        nodes = [([int(n["position"])], [int(p) for p in n["parents"]]) for n in content["nodes"]]
        tables = [log_probabilities(table) for table in content["tables"]]
        if len(nodes) != len(tables) or not nodes:
            raise DataError(f"{len(nodes)} positions but {len(tables)} tables")
        density = _core.Network.from_parts([len(LETTERS)] * len(nodes), None, nodes, tables)
        for place, (_, parents) in enumerate(nodes):
            if (np.abs(np.exp(density.table(place)).sum(axis=len(parents)) - 1) > 1e-6).any():
                raise DataError(f"the probabilities of position {place + 1} do not sum to 1")
        sites, notes = int(content["sites"]), dict(content["notes"])
        return Motif(str(content["name"]), content["model"], density, sites, notes)
    except OverflowError:
        raise DataError(f"{path}: the motif does not fit together: a position is out of range") from None
    except (KeyError, TypeError, ValueError, IndexError, MemoryError) as error:
        raise DataError(f"{path}: the motif does not fit together: {error}") from None


def _model(name: str) -> tuple[str, dict[str, Any]]:
    if name not in MODELS:
        raise DataError(f"unknown model {name!r}, known are {', '.join(MODELS)}")
    return MODELS[name]


def _dataset(codes: NDArray[np.uint8]) -> _core.Dataset:
    columns = [np.ascontiguousarray(column) for column in codes.T]
    return _core.Dataset.from_columns(columns, [len(LETTERS)] * codes.shape[1])
