"""Running the core: scores that fit, interrupts that reach every thread, forks, the interpreter's end."""

import subprocess
import sys
import textwrap

import pytest

unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor such signals")

PRELUDE = """
    import os, signal, sys, threading, time
    import numpy as np
    import tanager
    from tanager import _core, TANClassifier  # brings scikit-learn, which takes longer than scripts wait

    random = np.random.default_rng(0)
    x, y = random.integers(0, 3, (3000, 10), dtype=np.uint8), random.integers(0, 2, 3000)
"""


def run(script: str, *arguments: object, timeout: float = 120.0) -> subprocess.CompletedProcess[str]:
    """A script in an interpreter of its own; one that hangs fails by its time."""
    source = textwrap.dedent(PRELUDE) + textwrap.dedent(script)
    command = [sys.executable, "-c", source, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)


FITTING_SCORE = """
    jobs, way = int(sys.argv[1]), sys.argv[2]
    # 44,850 pairs where it is interrupted: a quick machine is through with 45 before signals are looked for
    table = np.tile(x, 30) if way == "interrupted" else x
    calls = 0

    def fit():
        return tanager.TANClassifier(n_jobs=jobs).fit(x, y)

    def score(counts):
        global calls
        calls += 1
        if way == "interrupted" and calls == 5:
            signal.raise_signal(signal.SIGINT)
        if way == "in a thread":
            thread = threading.Thread(target=fit)
            thread.start()
            thread.join()
        else:
            fit()
        return float(counts[0, 0])

    try:
        model = tanager.TANClassifier(score=score, n_jobs=jobs).fit(table, y)
        print("fitted", calls, len(model.network_.edges))
    except KeyboardInterrupt:
        print("interrupted", calls < 44_850)
"""


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("way", ["in place", "in a thread"])
def test_a_score_may_itself_fit(jobs, way):
    result = run(FITTING_SCORE, jobs, way)
    # 45 pairs in both directions, ten families alone, and the ten families and the class of what was found
    assert result.stdout.split() == ["fitted", "111", "9"], result.stderr


@unix
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_a_fit_whose_score_fits(jobs):
    result = run(FITTING_SCORE, jobs, "interrupted")
    assert result.stdout.split() == ["interrupted", "True"], result.stderr


def test_an_interrupt_reaches_the_run_within_a_run():
    """The inner fit would not end by itself: only the outer run's cancellation ends it."""
    script = """
        inner = 0

        def endless(counts):
            global inner
            inner += 1
            if inner == 3:
                signal.raise_signal(signal.SIGINT)
            time.sleep(0.02)
            return float(counts[0, 0])

        wide = np.tile(x, 30)

        def score(counts):
            tanager.TANClassifier(score=endless, n_jobs=1).fit(wide, y)
            return 0.0

        try:
            tanager.TANClassifier(score=score, n_jobs=1).fit(x, y)
        except KeyboardInterrupt:
            print("interrupted", inner < 1000)
    """
    result = run(script)
    assert result.stdout.split() == ["interrupted", "True"], result.stderr


@unix
def test_ctrl_c_ends_all_threads_of_a_comparison():
    """Each of two threads has a fit that takes hours; none of them calls its score any more afterwards."""
    script = """
        wide = np.tile(x, 30)
        calls = 0

        def slow(counts):
            global calls
            calls += 1
            if calls == 20:
                signal.raise_signal(signal.SIGINT)
            time.sleep(0.01)
            return float(counts[0, 0])

        learners = {str(i): tanager.TANClassifier(score=slow, n_jobs=1) for i in range(4)}
        try:
            tanager.compare(learners, {"data": (wide, y)}, cv=2, repeats=1, n_jobs=2, progress=False)
        except KeyboardInterrupt:
            print("interrupted")
        deadline = time.monotonic() + 60
        while True:
            before = calls
            time.sleep(0.5)
            if calls == before or time.monotonic() > deadline:
                break
        print("still", calls == before)
    """
    result = run(script)
    assert result.stdout.split() == ["interrupted", "still", "True"], result.stderr


@unix
def test_ctrl_c_ends_a_simulation():
    script = """
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            tanager.acll_constants_monte_carlo(100_000, samples=10_000_000)
        except KeyboardInterrupt:
            print("interrupted")
    """
    result = run(script)
    assert result.stdout.split() == ["interrupted"], result.stderr


def test_daemon_threads_in_a_score_let_the_interpreter_end():
    script = """
        called = threading.Event()

        def slow(counts):
            called.set()
            time.sleep(0.001)
            return float(counts[0, 0])

        def fit():
            tanager.TANClassifier(score=slow, n_jobs=2).fit(np.tile(x, 10), y)

        threading.Thread(target=fit, daemon=True).start()
        print("called", called.wait(60))
    """
    for _ in range(5):
        result = run(script)
        assert (result.returncode, result.stdout.split()) == (0, ["called", "True"]), result.stderr
        assert "Fatal" not in result.stderr


@unix
def test_a_process_number_that_comes_again_finds_no_threads_of_the_first():
    """A grandchild with its grandparent's number, where the system lets one choose; else any grandchild."""
    script = """
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            os._exit(0)  # the rest goes on in the grandchild, which holds the pipe open
        tanager.TANClassifier(n_jobs=2).fit(x, y)
        first = os.getpid()
        if os.fork():
            os._exit(0)
        while os.getppid() == first or os.path.exists(f"/proc/{first}"):
            time.sleep(0.01)
        for _ in range(50):
            try:
                with open("/proc/sys/kernel/ns_last_pid", "w") as file:
                    file.write(str(first - 1))
            except OSError:
                pass
            child = os.fork()
            if child == 0:
                tanager.TANClassifier(n_jobs=2).fit(x, y)
                os._exit(0)
            os.waitpid(child, 0)
            if child == first:
                print("again")
                break
        else:
            print("other")
    """
    result = run(script, timeout=60)
    assert result.stdout.split() in (["again"], ["other"]), result.stderr


@unix
def test_forks_from_several_threads_find_their_own_pools():
    # Once before: a fork in the middle of an import leaves its locks to the child, in any package.
    script = """
        def fit():
            for _ in range(20):
                tanager.TANClassifier(n_jobs=2).fit(x[:100], y[:100])

        tanager.TANClassifier(n_jobs=2).fit(x[:100], y[:100])
        threads = [threading.Thread(target=fit) for _ in range(3)]
        for thread in threads:
            thread.start()
        codes = []
        for _ in range(5):
            child = os.fork()
            if child == 0:
                fit()
                os._exit(0)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        for thread in threads:
            thread.join()
        print(codes)
    """
    result = run(script)
    assert result.stdout.strip() == "[0, 0, 0, 0, 0]", result.stderr


@unix
@pytest.mark.parametrize(
    "learner",
    [
        'WeightedNaiveBayesClassifier(weights="wanbia")',
        'WeightedNaiveBayesClassifier(weights="awnb")',
        "AODEClassifier(order=2)",
    ],
)
def test_ctrl_c_ends_learners_that_take_long(learner):
    """The fit would take much longer than the signal takes to come; how long it took to stop is printed."""
    script = f"""
        x, y = random.integers(0, 8, (300_000, 80), dtype=np.uint8), random.integers(0, 3, 300_000)
        model = tanager.{learner}
        sent = []

        def send():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(1.0, send)
        timer.start()
        try:
            model.fit(x, y)
        except KeyboardInterrupt:
            print("interrupted", hasattr(model, "classes_"))
            print(f"{{time.monotonic() - sent[0]:.2f}} s", file=sys.stderr)
    """
    result = run(script)
    assert result.stdout.split() == ["interrupted", "False"], result.stderr
