"""The benchmark's data, timing and R bridge do what they say; no times are asserted."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

BENCHES = Path(__file__).resolve().parents[1] / "benches"


@pytest.fixture(autouse=True)
def _benches_on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHES))


def test_data_is_the_same_every_time():
    from data import SHAPES, generate

    for name, shape in SHAPES.items():
        table = generate(name, rows=500, columns=6)
        again = generate(name, rows=500, columns=6)
        assert np.array_equal(table.codes, again.codes)
        assert np.array_equal(table.classes, again.classes)
        assert table.codes.shape == (500, 6)
        assert np.all(table.codes < np.array(table.arities))
        assert table.n_classes == shape.classes


def test_r_reads_what_is_written(tmp_path):
    from data import generate
    from outside import write_table

    table = generate("chess", rows=20, columns=3)
    write_table(table, tmp_path)
    assert (tmp_path / "shape.txt").read_text() == "20 3 2 2 2 2"
    stored = np.fromfile(tmp_path / "codes.bin", dtype=np.int32).reshape(4, 20).T
    assert np.array_equal(stored[:, :3], table.codes)
    assert np.array_equal(stored[:, 3], table.classes)


def test_lines_from_r_become_an_outcome():
    from outside import Outcome, read_lines

    outcome = Outcome("bnlearn")
    read_lines("arc\t0\t2\ntime\ttan fit\t0.25\nskip\tnot there\n", outcome)
    assert outcome.arcs == [(0, 2)]
    assert outcome.seconds == {"tan fit": 0.25}
    assert outcome.skipped == "not there"


def test_a_program_that_is_absent_or_fails_says_so(monkeypatch, tmp_path):
    from data import generate
    from outside import measure_outside
    from weka_peer import measure_weka

    table = generate("chess", rows=10, columns=2)
    monkeypatch.delenv("WEKA_JAR", raising=False)
    assert measure_weka(table, 0.1, 1.0).skipped == "WEKA_JAR does not name Weka's jar"
    monkeypatch.setenv("WEKA_JAR", str(tmp_path / "weka.jar"))
    assert "there is no file" in str(measure_weka(table, 0.1, 1.0).skipped)
    program = """
import pathlib, struct, sys
folder = pathlib.Path(sys.argv[1])
(folder / "posteriors.bin").write_bytes(struct.pack(">4d", 0.25, 0.75, 0.5, 0.5))
print("time", sys.argv[3], sys.argv[2], sep="\\t")
sys.exit("out of memory" if sys.argv[3] == "nb" else 0)
"""
    outcome = measure_outside("one", [sys.executable, "-c", program], table, 0.1, 60.0, ("nb", "tan"))
    assert outcome.seconds == {"nb": 0.1, "tan": 0.1}
    assert outcome.probabilities.tolist() == [[0.25, 0.75], [0.5, 0.5]]
    assert outcome.skipped == "nb: out of memory"


def test_a_slow_peer_is_stopped():
    from data import generate
    from timing import measure

    class Slow:
        name = "slow"
        needs = "sys"

        def prepare(self, table, threads):
            self.rows = table.rows

        def nb_fit(self):
            pass

        def nb_predict(self):
            while True:
                self.rows += 1

        def tan_fit(self):
            pass

        def arcs(self):
            return [(0, self.rows)]

    outcome = measure(Slow, generate("chess", rows=10, columns=2), threads=1, budget=0.1, limit=2.0)
    assert set(outcome.seconds) == {"nb fit", "tan fit"}
    assert outcome.arcs == [(0, 10)]
    assert outcome.skipped == "nb: stopped after 2 s"


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="there is no /proc to find processes in")
def test_what_a_slow_peer_started_is_stopped_with_it(tmp_path):
    from data import generate
    from timing import measure

    told = tmp_path / "process"

    class Starts:
        name = "starts"
        needs = "sys"

        def prepare(self, table, threads):
            pass

        def nb_fit(self):
            sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
            started = subprocess.Popen(sleep, start_new_session=True)
            told.write_text(str(started.pid))
            started.wait()

    measure(Starts, generate("chess", rows=10, columns=2), threads=1, budget=0.1, limit=5.0)
    state = Path(f"/proc/{told.read_text()}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] in "ZX"


def test_every_task_that_is_shown_is_timed():
    from peers import LEARNERS, ORDER, PYTHON_PEERS, TASKS

    assert set(TASKS) <= {f"{learner}_{task}" for learner in LEARNERS for task in ORDER}
    for peer in PYTHON_PEERS:
        assert {f"{task.split('_')[0]}_fit" for task in TASKS if hasattr(peer, task)} <= set(dir(peer))


def test_every_library_gets_the_same_object():
    import pandas

    from data import generate
    from peers import ScikitLearn, Tanager, TanagerCore

    table = generate("chess", rows=60, columns=4)
    ours, theirs, core = Tanager(), ScikitLearn(), TanagerCore()
    for peer in (ours, theirs, core):
        peer.prepare(table, 1)
        peer.nb_fit()
        peer.nb_predict()
    assert ours.x.dtype == theirs.x.dtype == np.int64
    assert np.array_equal(ours.x, theirs.x)
    assert np.allclose(ours.probabilities(), theirs.probabilities())
    assert np.allclose(ours.probabilities(), core.probabilities())
    assert all(isinstance(dtype, pandas.CategoricalDtype) for dtype in ours.frame.dtypes)
    for peer in (ours, core):
        peer.tan_fit()
        peer.tan_predict()
    assert sorted(map(sorted, ours.arcs())) == sorted(map(sorted, core.arcs()))
    ours.nb_one_row()
    ours.tan_one_row()
    theirs.nb_one_row()


def test_searches_are_timed_as_they_are_called():
    from wrappers import Searched

    measured = list(Searched("tic-tac-toe").measure(1, 0.0))
    assert [learner for learner, _, _ in measured] == ["bsej", "fssj"]
    assert all(seconds > 0 for _, seconds, _ in measured)


def test_help_explains_itself():
    command = [sys.executable, str(BENCHES / "compare_peers.py"), "--help"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    for word in ("--only", "--quick", "--growth", "--json", "CategoricalNB", "Weka", "1,000,000×30"):
        assert word in result.stdout


def test_results_are_compared_in_words():
    from agreement import DIFFERS, agreement
    from peers import TASKS
    from timing import Outcome

    weights = np.zeros((5, 5))
    for (a, b), weight in {
        (0, 1): 9.0,
        (1, 2): 5.0,
        (0, 2): 5.0,
        (2, 3): 4.0,
        (0, 4): 1.0,
        (3, 4): 0.5,
    }.items():
        weights[a, b] = weights[b, a] = weight
    ours = Outcome("tanager", arcs=[(0, 1), (1, 2), (2, 3), (0, 4)], probabilities=np.array([[0.25, 0.75]]))

    def words(task, **theirs):
        return agreement(TASKS[task], ours, Outcome("other", **theirs), weights)

    assert agreement(TASKS["tan_fit"], ours, ours, weights) == ""
    assert words("tan_fit", arcs=[(4, 0), (3, 2), (2, 1), (1, 0)]) == "same tree"
    assert words("tan_fit", arcs=[(0, 1), (1, 2), (2, 3)]) == "3 of 4 edges"
    assert words("tan_fit", arcs=[(0, 1), (0, 2), (2, 3), (0, 4)]) == "same weight, 3 of 4 edges"
    assert words("tan_fit", arcs=[(0, 1), (1, 2), (2, 3), (3, 4)]) == f"{DIFFERS}: 3 of 4 edges"
    assert words("tan_fit", arcs=[(0, 1), (0, 4)]) == f"{DIFFERS}: 2 of 4 edges"
    assert words("nb_predict", probabilities=np.array([[0.25, 0.75]])) == "equal"
    assert words("nb_predict", probabilities=np.array([[0.25 + 4.1e-11, 0.75]])) == "to 5e-11"
    assert words("nb_predict", probabilities=np.array([[0.28, 0.72]])) == f"{DIFFERS} by 4e-2"
    assert words("nb_predict") == words("tan_fit") == words("nb_fit", arcs=[(0, 1)]) == ""


def test_a_run_tells_what_it_was_measured_with(monkeypatch, capsys):
    import compare_peers
    import tanager

    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.delenv("WEKA_JAR", raising=False)
    assert compare_peers.main(["--quick", "--only", "searches", "--seconds", "0", "--json"]) == 0
    run = json.loads(capsys.readouterr().out)
    told = run["measured_with"]
    assert list(told) == ["processor", "cores", "system", "versions"]
    assert told["processor"]
    assert told["cores"] >= 1
    assert told["versions"]["tanager"] == tanager.__version__
    assert told["versions"]["numpy"] == np.__version__
    assert not {"R", "bnlearn", "Java", "Weka"} & set(told["versions"])
    assert {line["data"] for line in run["times"]} == {"vehicle"}
    assert run["skipped"] == []


def test_versions_outside_of_python_are_asked_for(monkeypatch, tmp_path):
    import machine

    said = {"Rscript": "R 4.2.2 \nbnlearn 4.9 \n", "java": "openjdk 17.0.15 2025-04-15\nOpenJDK Runtime\n"}
    monkeypatch.setattr(machine, "printed", lambda command: said[command[0]])
    monkeypatch.setenv("WEKA_JAR", str(tmp_path / "weka.jar"))
    assert machine.r_versions() == {"R": "4.2.2", "bnlearn": "4.9"}
    assert machine.weka_versions() == {}
    with zipfile.ZipFile(tmp_path / "weka.jar", "w") as jar:
        jar.writestr("weka/core/version.txt", "3-9-7\n")
    assert machine.weka_versions() == {"Java": "17.0.15", "Weka": "3.9.7"}
    with zipfile.ZipFile(tmp_path / "weka.jar", "w") as jar:
        jar.writestr("another", "")
    assert machine.weka_versions() == {}


def test_wrappers_are_measured_beside_naive_bayes(monkeypatch):
    from data import generate
    from wrappers import LEARNERS, bundled, compare_wrappers

    monkeypatch.setattr("shutil.which", lambda _: None)
    lines, reason = compare_wrappers(generate("chess", 60, 4), 1, 0.01, 5.0)
    assert [line.learner for line in lines] == list(LEARNERS)
    assert all(line.rounds >= 1 and line.round_to_nb > 0 and line.bnclassify is None for line in lines)
    assert reason == "Rscript is not installed"
    assert bundled("tic-tac-toe").codes.shape == (958, 9)


def test_joins_are_timed_beside_selection():
    command = [sys.executable, str(BENCHES / "joins.py"), "iris"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.stderr == ""
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["iris", "fssj", "bsej", "asb"]


def test_the_way_in_is_timed():
    pytest.importorskip("polars")
    run = subprocess.run(
        [sys.executable, str(BENCHES / "encode.py"), "2000"], capture_output=True, text=True, check=True
    )
    assert run.stdout.count("× as fast as") == 12


def test_every_input_is_timed_beside_the_floor():
    pytest.importorskip("polars")
    command = [sys.executable, str(BENCHES / "doors.py"), "chess", "--rows", "60", "--repeats", "1"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = run.stdout.splitlines()
    for what in ("uint8 array", "int64 array", "pandas categoricals", "polars Enum", "Arrow dictionaries"):
        assert sum(line.startswith(what) for line in lines) == 1
    assert run.stdout.count("×") == 1 + 7 * 2 + 4


def test_learners_are_timed_beside_tan():
    command = [sys.executable, str(BENCHES / "learners.py"), "--quick", "--only", "chess"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.stderr == ""
    for word in ("kdb(2) selective", "atan", "aode", "× tan", "the selection adds", "× n nb", "tanhc on"):
        assert word in result.stdout
