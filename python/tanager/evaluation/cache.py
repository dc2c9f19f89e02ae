"""Results on disk, one small file per cell, so that a run killed at any moment continues where it stopped.

A cell is one learner on one data set in one fold of one repeat. Its file appears whole or not at all and
carries a checksum: one that was changed is absent. The file's name is a hash of everything that the result
depends on, so that no cell is ever taken for another, and none is counted twice.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy
import scipy
import sklearn

from tanager.document import read_document, write_document
from tanager.exceptions import DataError

__all__ = ["CellCache", "code_fingerprint", "default_cache_folder", "software"]

_KIND = "tanager-cell"
_FORMAT = 2
# A disk without room is not a mistake of whoever compares.
_NO_ROOM = (errno.ENOSPC, errno.EROFS, getattr(errno, "EDQUOT", errno.ENOSPC))


def default_cache_folder() -> Path:
    """``$TANAGER_CACHE``, or the user's cache folder."""
    named = os.environ.get("TANAGER_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tanager"


@cache
def code_fingerprint() -> str:
    """Hash of the installed package: a result computed by other code is never taken from the cache."""
    package = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        part = path.relative_to(package).parts[0]
        if path.suffix in (".py", ".so", ".pyd") and part not in ("cli", "report", "reproduce"):
            digest.update(str(path.relative_to(package)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def software() -> dict[str, str]:
    """What a result depends on beside data, learner and rows: tanager's code and the versions beneath."""
    versions = {module.__name__: module.__version__ for module in (numpy, scipy, sklearn)}
    return {"code": code_fingerprint(), **versions}


class CellCache:
    """A folder of finished cells; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                if error.errno not in _NO_ROOM:
                    raise DataError(f"the cache folder {folder} cannot be made: {error.strerror}") from None
                self._give_up(error)

    def _path(self, key: Mapping[str, Any]) -> Path | None:
        if self.folder is None:
            return None
        text = json.dumps({"format": _FORMAT, **key}, sort_keys=True)
        name = hashlib.sha256(text.encode()).hexdigest()
        return self.folder / name[:2] / f"{name}.json"

    def read(self, key: Mapping[str, Any]) -> dict[str, Any] | None:
        """The finished cell, or None; a file that is not a whole and unchanged cell of this key is absent."""
        path = self._path(key)
        if path is None:
            return None
        try:
            content = read_document(path, _KIND, _FORMAT)
        except (OSError, DataError):
            return None
        cell = content.get("cell")
        return cell if content.get("key") == dict(key) and isinstance(cell, dict) else None

    def write(self, key: Mapping[str, Any], cell: Mapping[str, Any]) -> None:
        """Keep a finished cell, whole or not at all; where the disk takes no more, a warning says so once."""
        path = self._path(key)
        if path is None:
            return
        try:
            path.parent.mkdir(exist_ok=True)
            write_document(path, _KIND, _FORMAT, {"key": dict(key), "cell": dict(cell)})
        except OSError as error:
            self._give_up(error)
        except ValueError:
            return  # a peer's NaN has no form in JSON

    def _give_up(self, error: OSError) -> None:
        folder, self.folder = self.folder, None
        if folder is not None:  # another thread may have met the same error
            warnings.warn(
                f"the cache in {folder} cannot be written ({error.strerror}): what is computed from here on "
                "is not kept.",
                UserWarning,
                stacklevel=3,
            )
