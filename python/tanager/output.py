"""Files that users get: each appears whole or not at all, where its path points, with the mode that it had.

What is written goes to a temporary file in the same folder, which takes the old one's place when all of it
is on disk. A full disk, an error or Ctrl-C leaves the old file as it was. Symbolic links are followed. What
is not a regular file (a device, a pipe, ``/dev/stdout``) has no whole to protect and is written to directly,
and so is standard output, which ``-`` stands for; a file of that name is ``./-``.
"""

from __future__ import annotations

import errno
import io
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

__all__ = [
    "check_output",
    "is_standard",
    "output_file",
    "text_output",
    "write_bytes",
    "write_text",
    "written",
]

_PARTIAL = ".tanager-partial"
_MOST_LINKS = 40  # as in Linux
# A disk that takes no more does not say which file it was.
_NO_MORE = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
# What a folder answers that lets a file be changed, but not be replaced.
_NOT_REPLACED = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EROFS)


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file of bytes, whole or not at all."""
    with output_file(path) as file:
        file.write(data)


def write_text(path: str | Path, text: str) -> None:
    """Write a file of UTF-8 text, whole or not at all."""
    with text_output(path) as file:
        file.write(text)


def written(text: str, path: str | Path | None, end: str = "") -> str:
    """The text, which is also written to a file, with `end` behind it, where a path is given."""
    if path is not None:
        write_text(path, text + end)
    return text


def is_standard(path: str | Path | None) -> bool:
    """Whether a path stands for standard input or output.

    >>> is_standard("-"), is_standard(Path("-")), is_standard("./-"), is_standard(None)
    (True, True, False, False)
    """
    return path is not None and os.fspath(path) == "-"


def check_output(path: str | Path) -> None:
    """Raises what writing to a path would raise, before there is anything to write."""
    if is_standard(path) or _own_descriptor(os.fspath(path)) is not None:
        return
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if os.path.exists(target):
        refused = not os.access(target, os.W_OK)
    else:
        folder = os.path.dirname(target)
        if not os.path.isdir(folder):
            code = errno.ENOTDIR if os.path.exists(folder) else errno.ENOENT
            raise OSError(code, os.strerror(code), os.fspath(path))
        refused = not os.access(folder, os.W_OK | os.X_OK)
    if refused:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))


@contextmanager
def text_output(path: str | Path) -> Iterator[TextIO]:
    """A file for UTF-8 text, with the line ends that are written to it.

    Halves of surrogate pairs, which stand for the bytes of a file name that is not UTF-8, are spelled out.
    """
    with output_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
        yield text
        text.flush()
        text.detach()


@contextmanager
def output_file(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write bytes to; what was there before is replaced at the end of the block, if all went well.

    A new file has the mode that the umask gives, an old one keeps its mode and, where that is allowed, its
    owner. Where the folder does not allow a file beside the old one, that is written to directly.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with output_file(f"{folder}/greeting") as file:
    ...         _ = file.write(b"hello")
    ...     os.listdir(folder), Path(f"{folder}/greeting").read_text()
    (['greeting'], 'hello')
    """
    try:
        with _standard() if is_standard(path) else _opened(os.fspath(path)) as file:
            yield file
    except OSError as error:
        unnamed = error.filename is None and error.errno in _NO_MORE
        if unnamed or str(error.filename).endswith(_PARTIAL):
            error.filename, error.filename2 = os.fspath(path), None
        raise


@contextmanager
def _standard() -> Iterator[BinaryIO]:
    """Standard output as it is now: a notebook's or a test's has text only."""
    sys.stdout.flush()
    own = getattr(sys.stdout, "buffer", None)
    file = io.BytesIO() if own is None else own
    yield file
    if own is None:
        sys.stdout.write(file.getvalue().decode("utf-8", "replace"))
    file.flush()


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    descriptor = _own_descriptor(path)
    if descriptor is not None:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        with os.fdopen(os.dup(descriptor), "wb") as file:
            yield file
        return
    try:
        old = os.stat(path)
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode):
        with open(path, "wb") as file:
            yield file
        return
    if old is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    target = os.path.realpath(path)
    partial = os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}{_PARTIAL}")
    try:
        handle = _create(partial, 0o666 if old is None else 0o600)
    except OSError as error:
        if old is None or error.errno not in _NOT_REPLACED:
            raise
        with open(target, "wb") as file:
            yield file
        return
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if old is not None:
            _make_alike(partial, old)
        _replace(partial, target, old is not None)
    except BaseException:
        with suppress(OSError):
            os.unlink(partial)
        raise


def _create(path: str, mode: int) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    for name in ("O_CLOEXEC", "O_NOFOLLOW", "O_BINARY"):
        flags |= getattr(os, name, 0)
    return os.open(path, flags, mode)


def _make_alike(path: str, old: os.stat_result) -> None:
    """Owner first: to change it takes the right to run as the owner away from the mode."""
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(path, old.st_uid, old.st_gid)
    os.chmod(path, stat.S_IMODE(old.st_mode))


def _replace(partial: str, target: str, existed: bool) -> None:
    try:
        os.replace(partial, target)
    except OSError as error:
        # A file that is mounted by itself, or another user's in a folder such as /tmp.
        if not existed or error.errno not in _NOT_REPLACED:
            raise
        shutil.copyfile(partial, target)
        os.unlink(partial)


def _own_descriptor(path: str) -> int | None:
    """The open file that a path such as /dev/stdout names, for which there is nothing to put beside it."""
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(os.path.abspath(path))
        # Of Linux and of macOS; /dev/stdout and /dev/fd/1 are links into one of them.
        if name.isdigit() and os.path.realpath(folder) in (f"/proc/{os.getpid()}/fd", "/dev/fd"):
            return int(name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None
