"""Data sets that code makes exactly: complete enumerations, and samples of a known model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tanager.data.columns import Factor, Numbers, RawColumn
from tanager.data.table import Frame, Table

__all__ = ["GENERATORS", "Generator"]


@dataclass(frozen=True)
class Generator:
    """How to make a data set.

    Attributes:
        make: from a number of rows and a seed to a table; a complete enumeration ignores both.
        rows: the default number of rows.
        sampled: whether rows and seed matter.
        source: who described it first.
        description: one line.
    """

    make: Callable[[int, int], Table]
    rows: int
    sampled: bool
    source: str
    description: str


def _factors(names: list[str], rows: list[tuple[object, ...]], levels: list[list[object]]) -> Frame:
    columns: dict[str, RawColumn] = {}
    for i, (name, domain) in enumerate(zip(names, levels, strict=True)):
        position = {level: code for code, level in enumerate(domain)}
        columns[name] = Factor(
            np.array([position[row[i]] for row in rows], dtype=np.int8), domain, declared=True
        )
    return Frame(columns)


def tic_tac_toe(rows: int, seed: int) -> Table:
    """Every board at the end of a game in which x moves first; positive where x has three in a row.

    References: Aha 1991 (`aha1991`).
    """
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

    def wins(board: tuple[str, ...], player: str) -> bool:
        return any(all(board[i] == player for i in line) for line in lines)

    def ended(board: tuple[str, ...]) -> bool:
        x, o = board.count("x"), board.count("o")
        if wins(board, "o"):  # o moved last
            return x == o and not wins(board, "x")
        return x == o + 1 and (wins(board, "x") or x == 5)

    boards = [board for board in product("xob", repeat=9) if ended(board)]
    boards.sort(key=lambda board: not wins(board, "x"))
    places = [
        f"{row}-{column}-square"
        for row in ("top", "middle", "bottom")
        for column in ("left", "middle", "right")
    ]
    X = _factors(places, list(boards), [["b", "o", "x"]] * 9)
    y = np.array(["positive" if wins(board, "x") else "negative" for board in boards], dtype=object)
    return Table("tic-tac-toe", X, y, "class")


def balance_scale(rows: int, seed: int) -> Table:
    """Every weighing of weights and distances 1 to 5: the scale tips left, right, or is balanced.

    References: Siegler 1976 (`siegler1976`).
    """
    weighings = list(product(range(1, 6), repeat=4))
    names = ["left-weight", "left-distance", "right-weight", "right-distance"]
    moments = [lw * ld - rw * rd for lw, ld, rw, rd in weighings]
    y = np.array(["L" if m > 0 else "R" if m < 0 else "B" for m in moments], dtype=object)
    return Table("balance-scale", _factors(names, list(weighings), [list(range(1, 6))] * 4), y, "class")


def _monk(number: int, concept: Callable[..., bool]) -> Callable[[int, int], Table]:
    """All robots of six attributes; the class is whether the concept holds.

    References: Thrun et al. 1991 (`thrun1991`).
    """

    def make(rows: int, seed: int) -> Table:
        domains: list[list[object]] = [list(range(1, r + 1)) for r in (3, 3, 2, 3, 4, 2)]
        robots = list(product(*domains))
        y = np.array([int(concept(*robot)) for robot in robots])
        return Table(f"monks-{number}", _factors([f"a{i}" for i in range(1, 7)], robots, domains), y, "class")

    return make


@dataclass(frozen=True)
class LungCancer:
    """The probabilities of the lung-cancer network.

    Attributes:
        smoker: of smoking.
        cancer: by pollution, then smoking.
        xray, dyspnoea: of a finding without cancer and with it.
    """

    smoker: float
    cancer: tuple[tuple[float, float], tuple[float, float]]
    xray: tuple[float, float]
    dyspnoea: tuple[float, float]


#: As Korb and Nicholson publish them: no classifier ever says "cancer".
PUBLISHED_LUNG_CANCER = LungCancer(0.3, ((0.001, 0.03), (0.02, 0.05)), (0.2, 0.9), (0.3, 0.65))
#: As changed so that there is something to classify.
TWEAKED_LUNG_CANCER = LungCancer(0.2, ((0.01, 0.3), (0.2, 0.5)), (0.01, 0.95), (0.02, 0.85))


def lung_cancer(rows: int, seed: int, of: LungCancer = TWEAKED_LUNG_CANCER) -> Table:
    """A sample of a network of five variables: pollution and smoking cause cancer, seen by two findings.

    References: Korb and Nicholson 2010 (`korb2010`), with other probabilities.
    """
    rng = np.random.default_rng(seed)
    pollution = rng.random(rows) < 0.1
    smoker = rng.random(rows) < of.smoker
    cancer = rng.random(rows) < np.array(of.cancer)[pollution.astype(int), smoker.astype(int)]
    xray = rng.random(rows) < np.where(cancer, of.xray[1], of.xray[0])
    dyspnoea = rng.random(rows) < np.where(cancer, of.dyspnoea[1], of.dyspnoea[0])

    def factor(values: NDArray[np.bool_], levels: list[object]) -> Factor:
        return Factor(values.astype(np.int8), levels, declared=True)

    X = Frame(
        {
            "Pollution": factor(pollution, ["L", "H"]),
            "Smoker": factor(smoker, ["F", "T"]),
            "Xray": factor(xray, ["neg", "pos"]),
            "Dyspnoea": factor(dyspnoea, ["F", "T"]),
        }
    )
    return Table("lung-cancer", X, cancer, "Cancer")


def _waveform(noise: int) -> Callable[[int, int], Table]:
    def make(rows: int, seed: int) -> Table:
        """Mixtures u·h_a(i) + (1−u)·h_b(i) + ε_i of two of three triangular waves, i = 1..21, then noise.

        References: Breiman, Friedman, Olshen and Stone 1984 (`breiman1984`).
        """
        rng = np.random.default_rng(seed)
        i = np.arange(1, 22)
        waves = np.maximum(6 - np.abs(i - np.array([[11], [15], [7]])), 0)
        classes = rng.integers(0, 3, rows)
        first, second = np.array([[0, 1], [0, 2], [1, 2]])[classes].T
        u = rng.random((rows, 1))
        values = u * waves[first] + (1 - u) * waves[second] + rng.normal(size=(rows, 21))
        values = np.column_stack([values, rng.normal(size=(rows, noise))])
        X = Frame({f"x{k + 1}": Numbers(np.round(values[:, k], 2)) for k in range(21 + noise)})
        return Table(f"waveform-{21 + noise}", X, classes, "class")

    return make


def _led(noise: int) -> Callable[[int, int], Table]:
    def make(rows: int, seed: int) -> Table:
        """The seven segments of a digit's display, each inverted with probability 0.1, then fair coins.

        References: Breiman, Friedman, Olshen and Stone 1984 (`breiman1984`).
        """
        rng = np.random.default_rng(seed)
        shapes = (0x77, 0x12, 0x5D, 0x5B, 0x3A, 0x6B, 0x6F, 0x52, 0x7F, 0x7B)  # one bit per segment
        segments = np.array([[shape >> (6 - k) & 1 for k in range(7)] for shape in shapes])
        digits = rng.integers(0, 10, rows)
        shown = segments[digits] ^ (rng.random((rows, 7)) < 0.1)
        values = np.column_stack([shown, rng.integers(0, 2, (rows, noise))]).astype(np.int8)
        X = Frame({f"s{k + 1}": Factor(values[:, k], [0, 1], declared=True) for k in range(7 + noise)})
        return Table(f"led-{7 + noise}", X, digits, "class")

    return make


_CART = "Breiman, Friedman, Olshen, Stone 1984, Classification and Regression Trees"
_MONKS = "Thrun et al. 1991, The MONK's problems (the full set of 432 robots, without noise)"

GENERATORS: dict[str, Generator] = {
    "balance-scale": Generator(
        balance_scale,
        625,
        False,
        "Siegler 1976, Three aspects of cognitive development",
        "which way a scale tips",
    ),
    "led-24": Generator(_led(17), 3200, True, _CART, "a noisy seven-segment digit and 17 coins"),
    "led-7": Generator(_led(0), 3200, True, _CART, "a noisy seven-segment digit"),
    "lung-cancer": Generator(
        lung_cancer,
        10000,
        True,
        "Korb and Nicholson 2010, Bayesian Artificial Intelligence (network; other probabilities)",
        "a five-node causal network, 9 % positive",
    ),
    "monks-1": Generator(
        _monk(1, lambda a1, a2, a3, a4, a5, a6: a1 == a2 or a5 == 1), 432, False, _MONKS, "a1 = a2 or a5 = 1"
    ),
    "monks-2": Generator(
        _monk(2, lambda *a: sum(v == 1 for v in a) == 2), 432, False, _MONKS, "exactly two attributes are 1"
    ),
    "monks-3": Generator(
        _monk(3, lambda a1, a2, a3, a4, a5, a6: (a5 == 3 and a4 == 1) or (a5 != 4 and a2 != 3)),
        432,
        False,
        _MONKS,
        "(a5 = 3 and a4 = 1) or (a5 ≠ 4 and a2 ≠ 3)",
    ),
    "tic-tac-toe": Generator(
        tic_tac_toe, 958, False, "Aha 1991, Tic-Tac-Toe Endgame", "all final boards; positive where x won"
    ),
    "waveform-21": Generator(_waveform(0), 5000, True, _CART, "mixtures of two of three waves"),
    "waveform-40": Generator(
        _waveform(19), 5000, True, _CART, "mixtures of two of three waves and 19 noise columns"
    ),
}
