"""Changes to bytes and to JSON, all drawn from one seeded generator: the same seed makes the same cases."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Sequence
from typing import Any

MARKS = [
    b"\0",
    b"\n",
    b"\r",
    b"\r\n",
    b",",
    b";",
    b"\t",
    b" ",
    b'"',
    b"'",
    b"\\",
    b"%",
    b"{",
    b"}",
    b"[",
    b"]",
    b"?",
    b"NaN",
    b"inf",
    b"-0",
    b"1e999",
    b"1e-999",
    b"9" * 40,
    b"0x1p3",
    b"01",
    b"1_000",
    b"NA",
    b"null",
    b"true",
    b"\x1f\x8b",
    b"PAR1",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\xed\xa0\x80",
    b"\x1b[31m",
    b"=cmd",
    b"$x$",
    b"<script>",
    b">",
    b"@data\n",
    b"@attribute a {a,b}\n",
    b"@attribute b real\n",
    b"ACGT",
    b"N",
    b"-",
]
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    2**64,
    10**30,
    -(2**63),
    0.5,
    -0.0,
    1e308,
    5e-324,
    "",
    "nan",
    "x",
    "\x1b[31m",
    "<b>",
    "\ud800",
    [],
    [[]],
    {},
    {"a": 1},
    ["a", "a"],
    [None],
    "<U500000000",
    "category",
]


def mutated(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """One to eight changes: marks put in, pieces cut out, repeated, turned, or taken from another file."""
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        start = rng.randint(0, len(data))
        end = min(len(data), start + rng.choice((1, 1, 2, 5, 20, 200)))
        piece = data[start:end]
        change = rng.randrange(8)
        if change == 0:
            piece = rng.choice(MARKS) + piece
        elif change == 1:
            piece = rng.choice(MARKS)
        elif change == 2:
            piece = b""
        elif change == 3:
            piece *= rng.choice((2, 3, 50))
        elif change == 4:
            piece = bytes(byte ^ 1 << rng.randrange(8) for byte in piece[:1]) + piece[1:]
        elif change == 5:
            piece = piece[::-1]
        elif change == 6:
            other = rng.choice(others)
            place = rng.randint(0, len(other))
            piece = other[place : place + rng.choice((1, 10, 100))]
        else:
            return data[:start]
        data = data[:start] + piece + data[end:]
    return data[: 1 << 20]


def places(value: Any, found: list[tuple[Any, Any]] | None = None) -> list[tuple[Any, Any]]:
    """Every place in a JSON document, as what holds it and its key."""
    found = [] if found is None else found
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in items:
        found.append((value, key))
        places(entry, found)
    return found


def mutated_json(rng: random.Random, document: Any) -> Any:
    """A copy with one to four places changed, emptied, doubled or swapped."""
    document = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 2, 4))):
        holes = places(document)
        if not holes:
            break
        holder, key = rng.choice(holes)
        change = rng.randrange(6)
        if change == 0:
            del holder[key]
        elif change == 1 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif change == 2:
            other, place = rng.choice(holes)
            holder[key] = copy.deepcopy(other[place])
        elif change == 3 and isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
            holder[key] = holder[key] * rng.choice((-1, 2, 0.5, 1e9)) + rng.choice((0, 1, -1))
        else:
            holder[key] = rng.choice(VALUES)
    return json.loads(json.dumps(document).replace("Infinity", "1e308").replace("NaN", "0"))
