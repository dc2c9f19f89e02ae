"""Every output appears whole or not at all, where the path points, with the mode that it should have."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from tanager import TANClassifier, compare, save_model
from tanager.cli import main
from tanager.motifs import Sites, fit_motif, save_motif
from tanager.output import output_file, text_output, write_bytes, write_text

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes, links and pipes of POSIX")

X = np.array([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 10)


@pytest.fixture(scope="module")
def model_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("model") / "car.json"
    assert main(["fit", "car", "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def comparison():
    data = {"one": (X, X[:, 0]), "two": (X, X[:, 1])}
    return compare(["nb", "tan"], data, cv=2, repeats=1, progress=False, predictions=True)


def mode_of(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# -- the writer ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077, 0o000])
def test_a_new_file_honours_the_umask(tmp_path, mask):
    before = os.umask(mask)
    try:
        write_text(tmp_path / "new", "text")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "new") == 0o666 & ~mask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_an_old_file_keeps_its_mode(tmp_path, mode):
    target = tmp_path / "old"
    target.write_text("before")
    target.chmod(mode)
    write_text(target, "after")
    assert (target.read_text(), mode_of(target)) == ("after", mode)
    assert os.listdir(tmp_path) == ["old"]


def test_nobody_else_can_read_what_a_private_file_is_becoming(tmp_path):
    target = tmp_path / "old"
    target.write_text("before")
    target.chmod(0o600)
    with output_file(target) as file:
        file.write(b"secret")
        modes = {mode_of(path) for path in tmp_path.iterdir()}
    assert modes == {0o600}


def test_links_are_followed(tmp_path):
    (tmp_path / "folder").mkdir()
    real, link, link_to_link = tmp_path / "folder" / "real", tmp_path / "link", tmp_path / "second"
    link.symlink_to("folder/real")
    link_to_link.symlink_to(link)
    for text in ("through a link to nothing yet", "again"):
        write_text(link_to_link, text)
        assert real.read_text() == text
    assert link.is_symlink()
    assert link_to_link.is_symlink()
    assert not real.is_symlink()


def test_links_in_a_circle_are_an_error(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
        write_text(tmp_path / "a", "text")


def test_a_pipe_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_text(pipe, "text")
    reader.join(timeout=20)
    assert read == [b"text"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_stays_a_device(tmp_path):
    write_text(tmp_path / "other", "x")
    (tmp_path / "null").symlink_to("/dev/null")
    for name in ("/dev/null", tmp_path / "null"):
        write_text(name, "text")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_standard_output_may_be_named(tmp_path):
    script = (
        "import sys; from tanager.output import write_text\n"
        "print('first'); write_text('/dev/stdout', 'second\\n'); print('third')"
    )
    piped = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert piped.stdout == "first\nsecond\nthird\n"
    with (tmp_path / "log").open("w") as log:  # of which nothing may be lost, and which stays this file
        subprocess.run([sys.executable, "-c", script], stdout=log, check=True)
    assert (tmp_path / "log").read_text() == "first\nsecond\nthird\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_device_is_named():
    with pytest.raises(OSError, match="/dev/full") as caught:
        write_text("/dev/full", "text")
    assert caught.value.errno == errno.ENOSPC


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path, monkeypatch):
    target = tmp_path / "old"
    target.write_text("before")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    with pytest.raises(PermissionError, match="old"):
        write_text(target, "after")
    assert target.read_text() == "before"


def test_a_folder_that_takes_no_new_files_still_has_its_old_ones(tmp_path, monkeypatch):
    target = tmp_path / "old"
    target.write_text("before")

    def refused(*arguments):
        raise PermissionError(errno.EACCES, "Permission denied", arguments[0])

    with monkeypatch.context() as patch:
        patch.setattr("tanager.output._create", refused)
        write_text(target, "after")
        with pytest.raises(PermissionError, match="new"):
            write_text(tmp_path / "new", "text")
    with monkeypatch.context() as patch:  # as a file that is mounted by itself
        patch.setattr(os, "replace", refused)
        write_text(target, "after all")
    assert target.read_text() == "after all"
    assert os.listdir(tmp_path) == ["old"]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()], ids=["error", "interrupt"])
def test_an_error_while_writing_leaves_the_old_file(tmp_path, error):
    target = tmp_path / "old"
    target.write_text("before")

    def half() -> None:
        with text_output(target) as file:
            file.write("half of ")
            raise error

    with pytest.raises(type(error)):
        half()
    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == ["old"]


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_text(tmp_path / "nowhere" / "file", "text")
    assert caught.value.filename == str(tmp_path / "nowhere" / "file")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        write_text(tmp_path, "text")
    with pytest.raises(FileNotFoundError, match="another"), output_file(tmp_path / "file"):
        (tmp_path / "another").read_bytes()


def test_names_of_any_length_and_kind(tmp_path):
    longest = tmp_path / ("x" * 255)
    write_bytes(longest, b"data")
    assert longest.read_bytes() == b"data"
    odd = tmp_path / os.fsdecode(b"\xff.txt")
    write_text(odd, f"the file {odd.name}")
    assert odd.read_bytes() == rb"the file \udcff.txt"


# -- every output goes through it ----------------------------------------------------------------------------


def outputs(comparison, model_file, folder):
    """Every kind of file that can be asked for, as a name and what writes it."""
    motif = fit_motif(Sites.from_strings(["ACGT", "ACGA", "TCGA", "ACGT"]), "tree")
    save_motif(motif, folder / "motif.json")
    (folder / "genome.fa").write_text(">one\nACGTACGA\n")
    (folder / "data.csv").write_text("a,b,class\nx,y,1\nz,y,2\n")
    model = TANClassifier().fit(X, X[:, 0])
    command = {
        "show.svg": ["show", str(model_file), "--format", "svg", "-o"],
        "show.dot": ["show", str(model_file), "--format", "dot", "-o"],
        "predicted.csv": ["predict", str(model_file), "car", "-o"],
        "hits.bed": [
            "motif", "scan", str(folder / "motif.json"), str(folder / "genome.fa"), "--top", "2", "-o",
        ],
        "fit.json": ["fit", str(folder / "data.csv"), "--force", "-o"],
        "motif-fit.json": ["motif", "fit", str(folder / "genome.fa"), "--force", "-o"],
    }  # fmt: skip
    written = {
        "page.html": comparison.to_html,
        "table.md": comparison.to_markdown,
        "table.tex": comparison.to_latex,
        "cells.csv": comparison.to_csv,
        "predictions.csv": comparison.predictions_to_csv,
        "result.json": comparison.to_json,
        "cd.png": comparison.plot_critical_difference,
        "cd.svg": comparison.plot_critical_difference,
        "cd.PDF": comparison.plot_critical_difference,
        "scatter.svg": lambda path: comparison.plot_scatter("nb", "tan", path),
        "time.pdf": comparison.plot_accuracy_time,
        "model.json": lambda path: save_model(model, path),
        "model.json.gz": lambda path: save_model(model, path),
        "saved-motif.json": lambda path: save_motif(motif, path),
    }
    for name, arguments in command.items():
        written[name] = lambda path, given=tuple(arguments): main([*given, str(path)])
    return written


def full(descriptor):
    raise OSError(errno.ENOSPC, "No space left on device")


def outcome(write, path):
    """The exit code of a command, or the error of a function."""
    try:
        return write(path)
    except OSError as error:
        return error


def test_a_full_disk_leaves_every_old_file_whole(comparison, model_file, tmp_path, monkeypatch, capsys):
    found = outputs(comparison, model_file, tmp_path)
    for name, write in found.items():
        real, link = tmp_path / f"real-{name}", tmp_path / name
        real.write_text("the old one")
        real.chmod(0o640)
        link.symlink_to(real)

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            failed = outcome(write, link)
        if isinstance(failed, OSError):
            assert failed.filename == str(link), name
        else:
            assert failed == 2, name
            printed = capsys.readouterr().err.splitlines()[-1]
            assert printed.endswith(f"error: {link}: No space left on device"), name
        assert real.read_text() == "the old one", name
        assert write(link) != 2
        assert link.is_symlink(), name
        assert mode_of(real) == 0o640, name
        assert len(real.read_bytes()) > 11, name
    assert not [path for path in tmp_path.iterdir() if "partial" in path.name]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_every_output_may_be_a_device(comparison, model_file, tmp_path, capsys):
    for name, write in outputs(comparison, model_file, tmp_path).items():
        link = tmp_path / name
        link.symlink_to("/dev/full")
        failed = outcome(write, link)
        assert failed == 2 or getattr(failed, "errno", None) == errno.ENOSPC, name
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)
