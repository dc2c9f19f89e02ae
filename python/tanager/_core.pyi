"""The Rust core. `tanager` wraps what is here; arrays are contiguous and of the stated type."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Aode",
    "AveragedTan",
    "Columns",
    "Dataset",
    "KdbEnsemble",
    "MatrixRules",
    "Mixture",
    "Network",
    "NumberCodes",
    "Reading",
    "Refined",
    "Sketch",
    "Statistics",
    "Stop",
    "WeightedNaiveBayes",
    "__version__",
    "acll_constants",
    "acll_constants_monte_carlo",
    "ancestors",
    "best_parents",
    "bfs_order",
    "chi2_forest",
    "count_families",
    "cross_validate",
    "edge_weights",
    "encode_columns",
    "factorize_arrow",
    "factorize_bytes",
    "factorize_strings",
    "factorize_views",
    "family_counts",
    "family_score",
    "fit",
    "fit_aode",
    "fit_averaged_tan",
    "fit_kdb_ensemble",
    "fit_mixture",
    "fit_refined",
    "fit_weighted_nb",
    "maximum_branching",
    "maximum_spanning_tree",
    "mdl_cut_points",
    "memory_limit",
    "network_score",
    "registry",
    "set_memory_limit",
    "update_sketches",
]

__version__: str

_T = TypeVar("_T")

@final
class Dataset:
    def __new__(
        cls,
        codes: ArrayLike,
        arities: Sequence[int],
        class_codes: ArrayLike | None = None,
        n_classes: int | None = None,
        *,
        weights: ArrayLike | None = None,
        missing: int | None = None,
        names: Sequence[str] | None = None,
    ) -> Dataset: ...
    @staticmethod
    def from_columns(
        columns: Sequence[NDArray[Any]],
        arities: Sequence[int],
        class_codes: ArrayLike | None = None,
        n_classes: int | None = None,
        *,
        weights: NDArray[np.float64] | None = None,
        names: Sequence[str] | None = None,
    ) -> Dataset: ...
    @staticmethod
    def assemble(columns: Sequence[Columns], order: Sequence[int]) -> Dataset: ...
    def with_class(
        self,
        class_codes: ArrayLike | None = None,
        n_classes: int | None = None,
        weights: NDArray[np.float64] | None = None,
        names: Sequence[str] | None = None,
    ) -> Dataset: ...
    def codes(self, column: int) -> NDArray[Any]: ...
    def complete_rows(self) -> NDArray[np.bool_]: ...
    def select(self, rows: NDArray[np.uint32]) -> Dataset: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    @property
    def arities(self) -> list[int]: ...
    @property
    def n_classes(self) -> int | None: ...
    @property
    def total(self) -> float: ...

_Handed = tuple[NDArray[Any], NDArray[np.bool_] | None, bool]

@final
class Columns: ...

@final
class Reading:
    def __new__(
        cls, columns: Sequence[_Handed], limits: Sequence[int], n_jobs: int | None = None
    ) -> Reading: ...
    def levels(self) -> list[tuple[NDArray[Any], bool] | None]: ...
    def seen(self, column: int, rows: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], bool]: ...
    def places(self, column: int) -> NDArray[Any]: ...
    def first_rows(self, column: int) -> NDArray[np.uint32]: ...
    def mdl_cut_points(
        self,
        which: Sequence[int],
        columns: Sequence[_Handed],
        y: NDArray[np.uint32],
        n_classes: int,
        weights: NDArray[np.float64] | None = None,
        n_jobs: int | None = None,
    ) -> list[NDArray[np.float64]]: ...
    def finish(
        self,
        names: Sequence[str],
        tables: Sequence[NDArray[np.uint32]],
        arities: Sequence[int],
        missing: Sequence[int],
        n_jobs: int | None = None,
    ) -> Columns: ...

@final
class NumberCodes:
    def __new__(cls, numbers: _Handed, codes: NDArray[np.uint32]) -> NumberCodes: ...

def encode_columns(
    columns: Sequence[_Handed],
    rules: Sequence[NumberCodes | NDArray[Any]],
    names: Sequence[str],
    arities: Sequence[int],
    missing: Sequence[int],
    n_jobs: int | None = None,
) -> tuple[Columns, list[int | None], list[int | None]]: ...

@final
class MatrixRules:
    def __new__(
        cls,
        rules: Sequence[NumberCodes | NDArray[Any]],
        names: Sequence[str],
        arities: Sequence[int],
        missing: Sequence[int],
    ) -> MatrixRules: ...
    def encode(
        self, matrix: NDArray[Any], n_jobs: int | None = None
    ) -> tuple[Columns, list[int | None], list[int | None]]: ...

@final
class Statistics:
    def __new__(
        cls, arities: Sequence[int], n_classes: int | None = None, pairs: bool = True
    ) -> Statistics: ...
    def update(self, data: Dataset, n_jobs: int | None = None) -> None: ...
    def merge(self, other: Statistics) -> None: ...
    def grown(
        self,
        arities: Sequence[int],
        n_classes: int | None,
        values: Sequence[Sequence[int]],
        classes: Sequence[int],
    ) -> Statistics: ...
    def beside_constants(self, columns: int, places: Sequence[int]) -> Statistics: ...
    def weighed(self, by_class: Sequence[float]) -> Statistics: ...
    def copy(self) -> Statistics: ...
    def to_bytes(self, note: bytes) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes) -> tuple[Statistics, bytes]: ...
    def class_counts(self) -> NDArray[Any]: ...
    def table(self, column: int, other: int | None = None) -> NDArray[Any]: ...
    @property
    def arities(self) -> list[int]: ...
    @property
    def n_classes(self) -> int | None: ...
    @property
    def rows(self) -> int: ...
    @property
    def total(self) -> float: ...
    @property
    def has_pairs(self) -> bool: ...
    @property
    def weighted(self) -> bool: ...
    @property
    def size(self) -> int: ...

@final
class Sketch:
    def __new__(cls, size: int) -> Sketch: ...
    def merge(self, other: Sketch, classes: Sequence[int]) -> None: ...
    def values(self, classes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    @staticmethod
    def from_values(
        size: int, values: NDArray[np.float64], counts: NDArray[np.float64], classes: int, exact: bool
    ) -> Sketch: ...
    @property
    def exact(self) -> bool: ...
    @property
    def size(self) -> int: ...

# What classifiers share; no such classes are there at run time.
class _Ensemble:
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...
    @property
    def nodes(self) -> list[tuple[list[int], list[int]]]: ...
    @property
    def log_prior(self) -> NDArray[np.float64]: ...
    def log_posterior(
        self, data: Dataset, n_jobs: int | None = None, approximate: bool = False
    ) -> NDArray[np.float64]: ...
    def posterior(
        self, data: Dataset, n_jobs: int | None = None, approximate: bool = False
    ) -> NDArray[np.float64]: ...

class _Classifier(_Ensemble):
    def table(self, node: int) -> NDArray[np.float64]: ...
    def log_joint(
        self, data: Dataset, n_jobs: int | None = None, approximate: bool = False
    ) -> NDArray[np.float64]: ...

class _Composed(_Classifier):
    def contributions(
        self, data: Dataset, n_jobs: int | None = None, approximate: bool = False
    ) -> NDArray[np.float64]: ...

# Every cell, or the cells of a join that occurred and their rows, last that of all others.
_NodeTable = NDArray[np.float64] | tuple[NDArray[np.uint32], NDArray[np.float64]]

@final
class Network(_Classifier):
    @staticmethod
    def from_parts(
        arities: Sequence[int],
        log_prior: Sequence[float] | None,
        nodes: Sequence[tuple[Sequence[int], Sequence[int]]],
        tables: Sequence[_NodeTable],
        concentrations: Sequence[Sequence[float]] | None = None,
    ) -> Network: ...
    def parts(
        self,
    ) -> tuple[
        list[int],
        list[float] | None,
        list[tuple[list[int], list[int]]],
        list[_NodeTable],
        list[list[float]] | None,
    ]: ...
    @property
    def concentrations(self) -> list[list[float]] | None: ...
    @property
    def search(self) -> tuple[float, float, list[tuple[str, list[list[int]], float]], int] | None: ...
    def log_density(self, data: Dataset, n_jobs: int | None = None) -> NDArray[np.float64]: ...
    def sample(self, rows: int, seed: int) -> tuple[list[NDArray[np.uint32]], NDArray[np.uint32] | None]: ...
    def scan(
        self,
        sequence: NDArray[np.uint8],
        background: Sequence[float],
        threshold: float,
        most: int | None = None,
        n_jobs: int | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64]]: ...

@final
class Mixture:
    @staticmethod
    def from_parts(
        log_weights: Sequence[float], components: Sequence[Network], path: Sequence[float]
    ) -> Mixture: ...
    def parts(self) -> tuple[list[float], list[Network], list[float]]: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...
    @property
    def components(self) -> list[Network]: ...
    @property
    def log_weights(self) -> NDArray[np.float64]: ...
    @property
    def path(self) -> list[float]: ...
    def log_density(self, data: Dataset, n_jobs: int | None = None) -> NDArray[np.float64]: ...
    def sample(self, rows: int, seed: int) -> tuple[list[NDArray[np.uint32]], NDArray[np.uint32] | None]: ...

@final
class AveragedTan(_Composed):
    @staticmethod
    def from_parts(
        arities: Sequence[int],
        log_prior: Sequence[float],
        log_theta: Sequence[NDArray[np.float64]],
        ratios: Sequence[NDArray[np.float64]],
        log_weights: NDArray[np.float64],
    ) -> AveragedTan: ...
    def parts(
        self,
    ) -> tuple[
        list[int],
        list[float],
        list[NDArray[np.float64]],
        list[NDArray[np.float64]],
        NDArray[np.float64],
    ]: ...
    def edge_probabilities(self, n_jobs: int | None = None) -> NDArray[np.float64]: ...

def fit_averaged_tan(evidence: Dataset | Statistics, n_jobs: int | None = None) -> AveragedTan: ...

@final
class Aode(_Composed):
    @staticmethod
    def from_parts(
        settings: tuple[int, bool, bool, float],
        arities: Sequence[int],
        class_: Sequence[float],
        singles: Sequence[NDArray[np.float64]],
        pairs: Sequence[NDArray[np.float64]],
        triples: Sequence[NDArray[np.float64]],
    ) -> Aode: ...
    def parts(
        self,
    ) -> tuple[
        tuple[int, bool, bool, float],
        list[int],
        list[float],
        list[NDArray[np.float64]],
        list[NDArray[np.float64]],
        list[NDArray[np.float64]],
    ]: ...

def fit_aode(
    evidence: Dataset | Statistics,
    settings: Mapping[str, Any],
    n_jobs: int | None = None,
    passes: Callable[..., Any] | None = None,
    memory: int | None = None,
) -> Aode: ...

@final
class KdbEnsemble(_Ensemble):
    @staticmethod
    def from_parts(
        arities: Sequence[int],
        intervals: Sequence[Sequence[Sequence[int] | None]],
        networks: Sequence[Network],
    ) -> KdbEnsemble: ...
    def parts(self) -> tuple[list[int], list[list[list[int] | None]], list[Network]]: ...

def fit_kdb_ensemble(
    data: Dataset,
    ladders: Sequence[tuple[int, Sequence[int]] | None],
    settings: Mapping[str, Any],
    n_jobs: int | None = None,
) -> KdbEnsemble: ...

@final
class WeightedNaiveBayes(_Composed):
    @staticmethod
    def from_parts(
        arities: Sequence[int],
        log_prior: Sequence[float],
        tables: Sequence[NDArray[np.float64]],
        weights: Sequence[float],
    ) -> WeightedNaiveBayes: ...
    def parts(self) -> tuple[list[int], list[float], list[NDArray[np.float64]], list[float]]: ...
    @property
    def weights(self) -> NDArray[np.float64]: ...

def fit_weighted_nb(
    data: Dataset, settings: Mapping[str, Any], n_jobs: int | None = None
) -> WeightedNaiveBayes: ...

@final
class Refined:
    @staticmethod
    def from_parts(
        arities: Sequence[int],
        log_prior: Sequence[float],
        bias: Sequence[float],
        nodes: Sequence[tuple[Any, ...]],
        steps: Sequence[NDArray[np.float64] | None],
    ) -> Refined: ...
    def parts(
        self,
    ) -> tuple[
        list[int], list[float], list[float], list[tuple[Any, ...]], list[NDArray[np.float64] | None]
    ]: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...
    @property
    def log_prior(self) -> NDArray[np.float64]: ...
    @property
    def bias(self) -> NDArray[np.float64]: ...
    @property
    def terms(self) -> list[tuple[list[int], list[int]]]: ...
    def scores(
        self, data: Dataset, steps: Dataset | None, stepped: Sequence[int], n_jobs: int | None = None
    ) -> NDArray[np.float64]: ...
    def contributions(
        self, data: Dataset, steps: Dataset | None, stepped: Sequence[int], n_jobs: int | None = None
    ) -> NDArray[np.float64]: ...

def fit_mixture(
    data: Dataset,
    settings: dict[str, Any],
    parameters: Any,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Mixture: ...
def fit_refined(
    codings: Sequence[
        tuple[
            Dataset,
            Sequence[str | Sequence[tuple[Sequence[int], Sequence[int]]]],
            Sequence[tuple[int, NDArray[np.float64]]],
        ]
    ],
    steps: Dataset | None,
    stepped: Sequence[int],
    ridge: float | None,
    cv: int,
    seed: int,
    sample: int,
    keep: int,
    folds: tuple[NDArray[np.uint32], int] | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[Refined, int, list[tuple[int, float, float]]]: ...
def best_parents(
    data: Dataset,
    child: int,
    candidates: Sequence[int],
    k: int,
    score: Any,
    prune: bool = True,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[list[int], float]: ...
def family_counts(data: Dataset, child: int | str, parents: Sequence[int | str]) -> NDArray[Any]: ...
def family_score(data: Dataset, child: int | str, parents: Sequence[int | str], score: Any) -> float: ...
def network_score(
    data: Dataset, parents: Sequence[Sequence[int]], score: Any, n_jobs: int | None = None
) -> float: ...
def edge_weights(data: Dataset, score: Any, n_jobs: int | None = None) -> NDArray[np.float64]: ...
def maximum_spanning_tree(weights: NDArray[np.float64], root: int = 0) -> NDArray[np.int64]: ...
def maximum_branching(weights: NDArray[np.float64], root: int | None = None) -> NDArray[np.int64]: ...
def bfs_order(tree: Sequence[int]) -> NDArray[np.int64]: ...
def ancestors(tree: Sequence[int], node: int) -> NDArray[np.int64]: ...
def chi2_forest(
    data: Dataset,
    groups: Sequence[Sequence[int]] | None = None,
    alpha: float = 0.05,
    min_cell: float = 5.0,
    n_jobs: int | None = None,
) -> NDArray[np.int64]: ...
def count_families(
    data: Dataset, families: Sequence[tuple[int, Sequence[int], bool]], n_jobs: int | None = None
) -> NDArray[np.float64]: ...
def update_sketches(
    sketches: Sequence[Sketch],
    columns: Sequence[_Handed],
    y: NDArray[np.uint32] | None = None,
    weights: NDArray[np.float64] | None = None,
    n_jobs: int | None = None,
) -> list[tuple[bool, int | None]]: ...
def fit(
    evidence: Dataset | Statistics,
    learner: str,
    settings: dict[str, Any],
    score: Any,
    parameters: Any,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    folds: tuple[NDArray[np.uint32], int] | None = None,
    passes: Callable[[list[tuple[int, list[int], bool]]], NDArray[np.float64]] | None = None,
    memory: int | None = None,
) -> tuple[Network, float | None]: ...
def cross_validate(
    data: Dataset,
    fold_of_row: NDArray[np.uint32],
    folds: int,
    learner: str,
    settings: dict[str, Any],
    score: Any,
    parameters: Any,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[NDArray[np.float64]]: ...
def acll_constants(n_classes: int, prior: str, a: float, b: float) -> tuple[float, float]: ...
def acll_constants_monte_carlo(
    n_classes: int, prior: str, a: float, b: float, samples: int, seed: int
) -> tuple[float, float]: ...

@final
class Stop:
    def __new__(cls) -> Stop: ...
    def stop(self) -> None: ...
    def check(self) -> None: ...
    def call(self, function: Callable[..., _T], *args: Any, **kwargs: Any) -> _T: ...

def registry() -> dict[str, list[dict[str, Any]]]: ...
def memory_limit() -> int: ...
def set_memory_limit(bytes: int) -> None: ...
def mdl_cut_points(
    columns: Sequence[NDArray[np.float64]],
    y: NDArray[np.uint32],
    n_classes: int,
    weights: NDArray[np.float64] | None = None,
) -> list[NDArray[np.float64]]: ...
def factorize_views(
    views: NDArray[np.uint8], buffers: Sequence[NDArray[np.uint8]], missing: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int32], NDArray[np.uint32]]: ...
def factorize_arrow(
    bytes: NDArray[np.uint8],
    offsets: NDArray[np.int32] | NDArray[np.int64],
    missing: NDArray[np.bool_] | None,
) -> tuple[NDArray[np.int32], NDArray[np.uint32]]: ...
def factorize_bytes(rows: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.uint32]]: ...
def factorize_strings(values: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.uint32]] | None: ...
