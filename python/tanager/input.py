"""Files as bytes, decompressed where they are compressed, within the limits of `tanager.limits`.

``-`` stands for standard input; a file of that name is ``./-``.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tanager.exceptions import DataError
from tanager.limits import how_to_raise, unpacked_bytes

__all__ = ["read_blocks", "read_bytes"]

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20


def read_bytes(path: str | Path, where: str | None = None) -> bytes:
    """The whole file; `where` is what errors call it, by default its path.

    A compressed file is told by its contents. It is unpacked piece by piece, so that one which would unfold
    to more than it may is refused before it takes more memory than that.
    """
    with _opened(path) as file:
        data = file.read()
    where = str(path) if where is None else where
    if data[:2] != _GZIP:
        return data
    most = unpacked_bytes(len(data))
    parts: list[bytes] = []
    total = 0
    for part in _unpacked(io.BytesIO(data), _CHUNK, where):
        total += len(part)
        if total > most:
            raise DataError(
                f"{where}: the file unfolds from {len(data):,} to more than {most:,} bytes: "
                + how_to_raise("unpacked_ratio")
            )
        parts.append(part)
    return b"".join(parts)


def read_blocks(path: str | Path, size: int) -> Generator[bytes, None, None]:
    """The file block by block, for readers that keep none of them: there is then nothing to limit."""
    with _opened(path) as file:
        if file.peek(2)[:2] == _GZIP:  # a pipe cannot go back
            yield from _unpacked(file, size, str(path))
            return
        while block := file.read(size):
            yield block


@contextmanager
def _opened(path: str | Path) -> Iterator[io.BufferedReader]:
    if os.fspath(path) == "-":
        own = getattr(sys.stdin, "buffer", None)
        if isinstance(own, io.BufferedReader):
            yield own
        else:  # a test's, or a program's that has put its own in the place
            data = sys.stdin.read().encode() if own is None else own.read()
            yield io.BufferedReader(io.BytesIO(data))
        return
    with Path(path).open("rb") as file:
        yield file


def _unpacked(file: BinaryIO, size: int, where: str) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=file, mode="rb") as unpacked:
            while block := unpacked.read(size):
                yield block
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{where}: the gzip file is damaged ({error})") from None
