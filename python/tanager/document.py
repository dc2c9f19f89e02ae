"""Files that this package writes for itself to read again: JSON with a kind, a version and a checksum.

Nothing in such a file is ever executed, unlike in a pickle; whatever does not fit is refused with one
sentence. A name that ends in ``.gz`` is compressed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tanager.exceptions import DataError
from tanager.output import write_bytes

__all__ = ["read_document", "write_document"]

_LARGEST = 1 << 30  # a compressed file may not unfold to more than this


def _digest(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def write_document(path: str | Path, kind: str, version: int, content: Mapping[str, Any]) -> None:
    """Write `content` under a kind and a version; the file appears whole or not at all."""
    target = Path(path)
    document = {"format": kind, "version": version, "checksum": _digest(content), "content": content}
    data = json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False).encode() + b"\n"
    if target.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    write_bytes(target, data)


def read_document(path: str | Path, kind: str, version: int) -> dict[str, Any]:
    """The content of a file of this kind and version; anything else is refused."""
    source = Path(path)
    data = source.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = _unfolded(data, source)
    try:
        document = json.loads(data, parse_constant=_refused)
    except DataError as error:
        raise DataError(f"{source}: {error}") from None
    except (ValueError, RecursionError):
        raise DataError(f"{source}: this is not a {kind} file, which would be JSON") from None
    if not isinstance(document, dict) or document.get("format") != kind:
        raise DataError(f"{source}: this is not a {kind} file")
    if document.get("version") != version:
        found = document.get("version")
        raise DataError(f"{source}: version {found} of {kind} files cannot be read, only version {version}")
    content = document.get("content")
    if not isinstance(content, dict) or document.get("checksum") != _digest(content):
        raise DataError(f"{source}: the file is damaged, its checksum does not match")
    return content


def _refused(constant: str) -> None:
    raise DataError(f"{constant} is no number in JSON")


def _unfolded(data: bytes, source: Path) -> bytes:
    unpacker = zlib.decompressobj(31)
    try:
        content = unpacker.decompress(data, _LARGEST)
    except zlib.error:
        raise DataError(f"{source}: the file is damaged, it cannot be decompressed") from None
    if unpacker.unconsumed_tail or not unpacker.eof:
        raise DataError(f"{source}: the file is damaged or unfolds to more than {_LARGEST >> 20} MiB")
    return content
