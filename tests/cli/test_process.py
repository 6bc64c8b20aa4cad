"""The command line as a process: Ctrl-C, progress on a terminal, compiled code, the machine."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import amontons as am
from amontons import _jit, _kernel_cache
from amontons.cli import second_compiler, warmup
from amontons.cli.progress import Interrupt
from amontons.cli.settings import Settings
from amontons.simulation import simulation
from helpers.command_line import chain, contacts, python, run

SESSION = dict(os.environ)
"""The environment in which kernels were given their cache, before any test changed it."""

assert simulation  # imported here for its kernels: they keep the cache that they began with

needs_terminal = pytest.mark.skipif(os.name != "posix", reason="needs pseudo-terminals")


@pytest.fixture
def problem_file(tmp_path):
    path = tmp_path / "small.npz"
    contacts().save(path)
    return path


@pytest.fixture
def slow_file(tmp_path):
    path = tmp_path / "slow.npz"
    chain(4000, 1).save(path)
    return path


# -- Ctrl-C and progress --------------------------------------------------------------------------


def test_the_first_interrupt_asks_and_the_second_interrupts(capsys):
    usual = signal.getsignal(signal.SIGINT)
    with Interrupt() as interrupt:
        assert not interrupt.requested
        signal.raise_signal(signal.SIGINT)
        assert interrupt.requested
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is usual
    assert "stopping" in capsys.readouterr().err


def test_elsewhere_than_in_the_main_thread_signals_are_left_alone(problem_file):
    results = []
    thread = threading.Thread(target=lambda: results.append(run("solve", problem_file, "-q")))
    thread.start()
    thread.join()
    assert results[0].exit_code == 0


def on_terminal(*arguments, until):
    """Run a command whose standard error is a terminal; press Ctrl-C when that shows `until`."""
    import pty  # where there are such things

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "amontons", *map(str, arguments)]
    shown = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True) as process:
        os.close(theirs)
        while chunk := _read(ours):
            waiting = until not in shown
            shown += chunk
            if waiting and until in shown:
                process.send_signal(signal.SIGINT)
        stdout = process.stdout.read()
        process.wait(timeout=60)
    os.close(ours)
    return process.returncode, stdout, shown


def _read(terminal):
    try:
        return os.read(terminal, 4096).decode(errors="replace")
    except OSError:  # what a closed terminal answers on Linux
        return ""


@pytest.mark.slow
@needs_terminal
def test_ctrl_c_reports_the_best_iterate(slow_file):
    arguments = ("solve", slow_file, "-s", "jacobi", "-n", 10**9, "--json")
    code, stdout, shown = on_terminal(*arguments, until="iteration")
    assert code == 130
    report = json.loads(stdout)
    assert report["status"] == "stopped"
    assert "Ctrl-C" in report["message"]
    assert report["iterations"] > 10
    assert 0 < report["residual"] < 1
    assert "residual" in shown
    assert "stopping" in shown


@pytest.mark.slow
@needs_terminal
def test_ctrl_c_reaches_a_solver_inside_another(tmp_path):
    path = tmp_path / "slow.npz"
    chain(1000, 3).save(path)
    arguments = ("solve", path, "-s", "jacobi", "--exact", "-n", 10**9, "--json")
    code, stdout, _ = on_terminal(*arguments, until="(inner problem)")
    assert code == 130
    report = json.loads(stdout)
    assert (report["status"], report["exact"]) == ("stopped", True)
    assert report["time"] < 20


def test_watching_changes_no_result(problem_file):
    result = run("solve", problem_file, "--exact", "-s", "gauss-seidel", "--json")
    report = json.loads(result.stdout)
    expected = am.ExactCoulomb(inner=am.GaussSeidel(), tolerance=1e-8).solve(contacts())
    assert report["iterations"] == expected.iterations
    assert report["objective"] == expected.objective


@pytest.mark.slow
@needs_terminal
def test_ctrl_c_ends_a_comparison(slow_file, problem_file):
    arguments = ("compare", problem_file, slow_file, "-s", "jacobi", "-n", 10**9, "--json")
    code, stdout, _ = on_terminal(*arguments, until="slow, jacobi: iteration")
    assert code == 130
    report = json.loads(stdout)
    assert report["interrupted"]
    assert [r["problem"] for r in report["runs"]] == ["small"]


def test_ctrl_c_before_there_is_anything(problem_file, monkeypatch):
    def interrupted(self, name):
        raise KeyboardInterrupt

    monkeypatch.setattr(Settings, "solver", interrupted)
    result = run("solve", problem_file)
    assert result.exit_code == 130
    assert "interrupted" in result.stderr


# -- warmup and info ------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A stand-in for the folder that is cleared; kernels keep the one that they began with.

    There is no second compiler: it would begin in that folder, and compile everything.
    """
    monkeypatch.setattr(warmup, "start", lambda job: None)
    folder = tmp_path / "cache"
    (folder / "kernels-of-old").mkdir(parents=True)
    (folder / "kernels-of-old" / "code").write_bytes(b"12345")
    long_ago = time.time() - 2.0 * _kernel_cache.KEPT
    os.utime(folder / "kernels-of-old", (long_ago, long_ago))
    monkeypatch.setenv("AMONTONS_CACHE_DIR", str(folder))
    return folder


@pytest.mark.slow
def test_after_warmup_nothing_is_left_to_compile(cache, problem_file, tmp_path):
    above = _jit.PARALLEL_ABOVE
    result = run("warmup")
    _jit.announcer.quiet = False
    assert result.exit_code == 0, result.output
    assert f"{len(_jit.Kernel.registry)} kernels are ready" in result.stdout
    assert "1 old folder deleted" in result.stdout
    assert not (cache / "kernels-of-old").exists()
    assert warmup.uncompiled() == []
    assert above == _jit.PARALLEL_ABOVE
    environment = SESSION
    script = f"""
import dataclasses, amontons as am
from amontons import _jit, _kernel_cache
from amontons.cli import warmup
from amontons.cli.warmup_inputs import sample_problems
from amontons.solvers import SOLVERS
file = am.ConeProblem.load({str(problem_file)!r})
for above in (10**9, 0):
    _jit.PARALLEL_ABOVE = above
    for problem in [file, *sample_problems().values()]:
        for solver in [*(kind() for kind in SOLVERS.values()), am.ExactCoulomb()]:
            try:
                dataclasses.replace(solver, max_iterations=2).solve(problem)
            except am.UnsupportedProblemError:
                pass
warmup._detect()
warmup.simulate(torques=False)
warmup.simulate(torques=True)
warmup.simulate_small()
assert _jit.announcer.compiled == [], _jit.announcer.compiled
"""
    again = python(script, env=environment)
    rooms = ("", *_kernel_cache.BELOW)
    if any(_kernel_cache.present_stamp(room) != _kernel_cache.source_stamp(room) for room in rooms):
        pytest.skip("the sources were edited during the test, so the new process has to compile")
    assert again.returncode == 0, again.stderr
    assert again.stderr == ""


def test_a_second_compiler_starts_only_where_no_solver_was_compiled(tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(second_compiler, "start", started.append)
    monkeypatch.setenv("AMONTONS_CACHE_DIR", str(tmp_path))
    second_compiler.start_where_cold()
    assert started == ["step"]
    folder = tmp_path / f"kernels-{_kernel_cache.present_stamp('solvers')}" / "serial"
    folder.mkdir(parents=True)
    (folder / "apgd.nbc").write_bytes(b"")
    second_compiler.start_where_cold()
    assert started == ["step"]


def test_a_second_compiler_compiles_what_a_first_step_needs(monkeypatch):
    done = []
    monkeypatch.setattr(am.Auto, "solve", lambda self, problem: done.append(problem))
    monkeypatch.setattr(warmup, "simulate", lambda *, torques: done.append(torques))
    second_compiler.main("step")
    assert isinstance(done[0], am.ConeProblem)
    assert done[1:] == [False]


AHEAD = """
from amontons.cli.second_compiler import descend_once, touch
from amontons.cli.warmup_inputs import sample_problems
from amontons.collision.narrow.plane_pairs import collide_plane
from amontons.collision.narrow.sphere_pairs import collide_sphere_convex
from amontons.scenes import BouncingBalls
from amontons.simulation.simulation import Simulation
from amontons.solvers.apgd.bursts import descend

def known():
    heavy = collide_plane, collide_sphere_convex
    return [len(kernel.serial.signatures) for kernel in heavy] + [len(descend.signatures)]

descend_once(sample_problems()["bodies with torques and joints"])
touch()
assert known() == [1, 1, 1]
scene = BouncingBalls(12, height=0.2)
sim = Simulation(scene.build(), step=scene.advice.step, solver=scene.advice.make_solver())
seen = []
sim.run(0.4, on_step=lambda report: seen.append(report.contacts))
assert max(seen) > 0
assert known() == [1, 1, 1]
"""


@pytest.mark.slow
def test_a_first_run_needs_the_kernels_that_the_second_compiler_begins_with():
    done = python(AHEAD)
    assert done.returncode == 0, done.stderr


def test_a_kernel_that_warmup_misses_is_named(cache, monkeypatch):
    def forgotten(x):
        return x

    monkeypatch.setattr(_jit.Kernel, "registry", [*_jit.Kernel.registry])
    _jit.Kernel(forgotten)
    monkeypatch.setattr(warmup, "exercise", lambda: iter([]))
    result = run("warmup")
    _jit.announcer.quiet = False
    assert result.exit_code == 1
    assert "forgotten (serial), forgotten (parallel)" in result.stderr


def test_clear_deletes_compiled_code_alone(cache):
    (cache / "notes").mkdir()
    assert warmup.clear_cache() == 1
    assert [p.name for p in cache.iterdir()] == ["notes"]


@pytest.mark.slow
def test_warmup_needs_a_folder_to_write_to(tmp_path):
    blocked = tmp_path / "file"
    blocked.touch()
    environment = os.environ | {"AMONTONS_CACHE_DIR": str(blocked)}
    result = python("from amontons.cli import main; main(['warmup'])", env=environment)
    assert result.returncode == 2
    assert "AMONTONS_CACHE_DIR" in result.stderr
    assert "Traceback" not in result.stderr


def test_info(cache):
    result = run("info", "--json")
    facts = json.loads(result.stdout)
    assert facts["versions"]["amontons"] == am.__version__
    assert set(facts["versions"]) == {"amontons", "python", "numpy", "scipy", "numba", "h5py"}
    assert 1 <= facts["threads"] <= facts["max_threads"]
    assert facts["cache"] == {"folder": str(cache), "bytes": 5}
    assert set(facts["extras"]) == {
        "matplotlib", "clarabel", "cvxopt", "pypardiso", "qdldl", "distributed",
    }  # fmt: skip
    text = run("info").stdout
    assert facts["cpu"] in text
    assert "threading layer" in text


@pytest.mark.slow
def test_the_console_script_works_as_a_process(problem_file):
    command = [sys.executable, "-m", "amontons", "solve", str(problem_file), "-n", "1"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 1
    assert "iteration limit" in result.stdout
    assert "Traceback" not in result.stderr
