"""Files that this package writes for itself to read again: JSON with a kind, a version and a checksum.

Nothing in such a file is ever executed, unlike in a pickle; whatever does not fit is refused with one
sentence. A name that ends in ``.gz`` is compressed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tanager.escape import json_text
from tanager.exceptions import DataError
from tanager.input import read_bytes
from tanager.output import write_bytes

__all__ = ["check_version", "document_kind", "parse_json", "read_document", "write_document"]


def _digest(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def write_document(path: str | Path, kind: str, version: int, content: Mapping[str, Any]) -> None:
    """Write `content` under a kind and a version; the file appears whole or not at all."""
    target = Path(path)
    document = {"format": kind, "version": version, "checksum": _digest(content), "content": content}
    text = json_text(json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False))
    data = f"{text}\n".encode()
    if target.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    write_bytes(target, data)


def read_document(path: str | Path, kind: str, version: int) -> dict[str, Any]:
    """The content of a file of this kind, of this version or an earlier one; anything else is refused."""
    source = Path(path)
    document = parse_json(read_bytes(source), str(source), f"a {kind} file")
    if not isinstance(document, dict) or document.get("format") != kind:
        raise DataError(f"{source}: this is not a {kind} file")
    check_version(document.get("version"), version, str(source), kind)
    content = document.get("content")
    if not isinstance(content, dict) or document.get("checksum") != _checked_digest(content, source):
        raise DataError(f"{source}: the file is damaged, its checksum does not match")
    return content


def check_version(found: Any, newest: int, where: str, kind: str) -> None:
    """Refuses a version of a format that no release has written, or that only later ones write.

    >>> check_version(2, 1, "model.json", "tanager-model")
    Traceback (most recent call last):
    tanager.exceptions.DataError: model.json: this was written by a later release: it has version 2 of \
tanager-model files, and this release reads up to 1; update tanager
    """
    if type(found) is not int or found < 1:
        raise DataError(f"{where}: there is no version {found!r} of {kind} files")
    if found > newest:
        raise DataError(
            f"{where}: this was written by a later release: it has version {found} of {kind} files, and this "
            f"release reads up to {newest}; update tanager"
        )


def document_kind(path: str | Path) -> str | None:
    """What kind of file this says it is; None for one that is not of ours."""
    try:
        document = parse_json(read_bytes(path), "", "")
    except (DataError, OSError):
        return None
    kind = document.get("format") if isinstance(document, dict) else None
    return kind if isinstance(kind, str) else None


def _checked_digest(content: Mapping[str, Any], source: Path) -> str:
    try:
        return _digest(content)
    except RecursionError:
        raise DataError(f"{source}: the file is nested too deeply") from None


def parse_json(data: bytes | str, where: str, what: str) -> Any:
    """JSON whose numbers are all finite; `where` is what errors call it, and `what` what it should be.

    >>> parse_json("[1, 1e999]", "example", "a list")
    Traceback (most recent call last):
    tanager.exceptions.DataError: example: 1e999 is too large for a number of 64 bits
    """
    try:
        return json.loads(data, parse_constant=_no_number, parse_float=_finite)
    except DataError as error:
        raise DataError(f"{where}: {error}") from None
    except RecursionError:
        raise DataError(f"{where}: this is not {what}, it is nested too deeply") from None
    except ValueError as error:
        place = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise DataError(f"{where}{place}: this is not {what}, which would be JSON") from None


def _no_number(constant: str) -> None:
    raise DataError(f"{constant} is not a number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise DataError(f"{text if len(text) < 40 else text[:37] + '…'} is too large for a number of 64 bits")
    return number
