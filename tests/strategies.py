"""Hypothesis tables, small enough for the oracle and nasty enough for the library.

`tables()` draws `reference.table.Table`s with, among ordinary ones: constant columns, columns of one value,
domain values that never occur, one class only (declared or present), a single row, a domain of 300 values,
copies of other columns, and few rows, so that scores tie.
"""

from hypothesis import strategies as st

from reference.table import MISSING, Table

HUGE = 300
"""More values than one byte holds."""


@st.composite
def columns(draw, n_rows: int, huge: bool = True, earlier: tuple = ()) -> tuple[list[int], int]:
    """The codes of a column and its arity."""
    kinds = ["plain", "plain", "plain", "constant", "single", "unseen", "copy", *(["huge"] if huge else [])]
    kind = draw(st.sampled_from(kinds))
    if kind == "single":
        return [0] * n_rows, 1
    if kind == "huge":
        return draw(st.lists(st.integers(0, HUGE - 1), min_size=n_rows, max_size=n_rows)), HUGE
    if kind == "copy" and earlier:
        return draw(st.sampled_from(earlier))
    arity = draw(st.integers(2, 4))
    if kind == "constant":
        return [draw(st.integers(0, arity - 1))] * n_rows, arity
    seen = draw(st.integers(1, arity - 1)) if kind == "unseen" else arity
    return draw(st.lists(st.integers(0, seen - 1), min_size=n_rows, max_size=n_rows)), arity


@st.composite
def classes(draw, n_rows: int, min_classes: int = 1, max_classes: int = 4) -> tuple[list[int], int]:
    """The codes of a class and the number of classes; some may be absent."""
    n_classes = draw(st.integers(min_classes, max_classes))
    if draw(st.integers(0, 5)) == 0:
        return [draw(st.integers(0, n_classes - 1))] * n_rows, n_classes
    return draw(st.lists(st.integers(0, n_classes - 1), min_size=n_rows, max_size=n_rows)), n_classes


@st.composite
def tables(
    draw,
    min_attributes: int = 1,
    max_attributes: int = 4,
    min_rows: int = 1,
    max_rows: int = 24,
    with_class: bool | None = True,
    min_classes: int = 1,
    max_classes: int = 4,
    huge: bool = True,
    missing: bool = False,
) -> Table:
    """A table. `with_class=None` draws tables with and without a class; `missing` allows gaps (−1)."""
    n_rows = draw(st.one_of(st.just(min_rows), st.integers(min_rows, max_rows)))
    drawn: list[tuple[list[int], int]] = []
    for _ in range(draw(st.integers(min_attributes, max_attributes))):
        drawn.append(draw(columns(n_rows, huge, tuple(drawn))))
    codes = [[column[row] for column, _ in drawn] for row in range(n_rows)]
    if missing:
        gaps = draw(
            st.sets(st.tuples(st.integers(0, n_rows - 1), st.integers(0, len(drawn) - 1)), max_size=6)
        )
        for row, column in gaps:
            codes[row][column] = MISSING
    arities = [arity for _, arity in drawn]
    if with_class is None:
        with_class = draw(st.booleans())
    if not with_class:
        return Table(codes, arities)
    return Table(codes, arities, *draw(classes(n_rows, min_classes, max_classes)))


@st.composite
def families(draw, max_parents: int = 3, **options):
    """A table, a child and its parents in any order; the class may be the child or one of the parents."""
    table = draw(tables(**options))
    variables = [*range(table.n_attributes), *table.class_parent()]
    child = draw(st.sampled_from(variables))
    others = [variable for variable in variables if variable != child]
    parents = draw(st.permutations(others))[: draw(st.integers(0, min(max_parents, len(others))))]
    return table, child, parents


@st.composite
def weight_matrices(draw, max_nodes: int = 6, symmetric: bool = False) -> list[list[float]]:
    """Weights of the arcs of a complete graph, 0 on the diagonal: negative ones, zeros and many ties."""
    n = draw(st.integers(1, max_nodes))
    value = st.one_of(
        st.integers(-3, 3).map(float),
        st.floats(-1e6, 1e6, allow_nan=False, allow_subnormal=False),
    )
    w = [[0.0 if i == j else draw(value) for j in range(n)] for i in range(n)]
    if symmetric:
        w = [[w[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
    return w


@st.composite
def fold_assignments(draw, n_rows: int, max_folds: int = 3) -> list[int]:
    """A fold for each row; every fold from 0 up is used where there are rows enough."""
    n_folds = draw(st.integers(2, max_folds))
    return draw(st.permutations([row % n_folds for row in range(n_rows)]))
