"""BLAS and its threads: one inside a solve, as many as were allowed outside, the same bits."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import threadpoolctl

import amontons as am
from amontons import _jit
from amontons._blas import one_blas_thread
from amontons.testing import problems
from helpers.command_line import run


def pools(kind=None):
    """Threads of each library, by its file."""
    found = threadpoolctl.threadpool_info()
    return {
        each["filepath"]: each["num_threads"] for each in found if kind in (None, each["user_api"])
    }


@pytest.fixture
def threads():
    before = am.get_threads()
    yield
    am.set_threads(before)


def crowded_problem(contacts=80):
    """A full matrix, which the interior point method factorises by LAPACK."""
    rng = np.random.default_rng(4)
    rows = 3 * contacts
    W = problems.random_matrix(rng, rows, ridge=1.0)
    return am.ConeProblem.from_matrix(W, rng.standard_normal(rows), friction=0.4)


def test_set_threads_holds_for_every_library(threads):
    am.set_threads(1)
    assert len(pools("blas")) >= 2  # numpy's and scipy's
    assert set(pools().values()) == {1}
    am.set_threads(am.max_threads())
    assert am.get_threads() == am.max_threads()
    for path, count in pools().items():
        assert count == min(am.max_threads(), most_of(path)), path


def most_of(path):
    return next(pool.most for pool in one_blas_thread.pools if pool.path == path)


def test_the_command_line_says_so_too(threads, tmp_path):
    crowded_problem(5).save(tmp_path / "p.npz")
    assert run("solve", tmp_path / "p.npz", "--threads", 1, "-q").exit_code == 0
    assert _jit.get_threads() == 1
    assert set(pools().values()) == {1}


@pytest.mark.slow
def test_the_environment_limits_blas():
    script = (
        "import numpy, scipy.linalg, threadpoolctl, amontons._jit\n"
        "print(max(each['num_threads'] for each in threadpoolctl.threadpool_info()))"
    )
    plain = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", script], env=plain | {"NUMBA_NUM_THREADS": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["1"]


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="BLAS has one thread anyway")
def test_a_solve_has_one_thread_of_blas_and_the_same_bits():
    problem = crowded_problem()
    found, seen = [], []
    for count in (1, 2):
        with threadpoolctl.threadpool_limits(count, user_api="blas"):
            before = pools("blas")
            solution = am.InteriorPoint(tolerance=1e-8).solve(
                problem, callback=lambda _: seen.append(set(pools("blas").values()))
            )
            assert pools("blas") == before
        assert solution.converged
        found.append(solution.impulses.tobytes())
    assert all(each == {1} for each in seen)
    assert len(seen) > 4
    assert found[0] == found[1]


def test_a_step_has_one_thread_of_blas():
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    ball = world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 0, 0.1))
    seen = []
    world.add_force(am.AppliedForce(ball, lambda t: seen.append(pools("blas")) or (0, 0, 0)))
    before = pools("blas")
    am.Simulation(world, step=0.01).step()
    assert seen
    assert all(set(each.values()) == {1} for each in seen)
    assert pools("blas") == before


def test_an_error_in_a_solve_restores_the_threads():
    before, seen = pools("blas"), []

    def fail(_):
        seen.append(set(pools("blas").values()))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        am.APGD().solve(crowded_problem(5), callback=fail)
    assert seen == [{1}]
    assert pools("blas") == before


def test_a_limit_within_a_solve_holds_after_it(threads):
    am.set_threads(am.max_threads())
    with one_blas_thread:
        am.set_threads(1)
        assert set(pools("blas").values()) == {1}
    assert set(pools("blas").values()) == {1}


def test_the_last_of_several_python_threads_restores_the_number():
    before = pools("blas")
    inside, leave = threading.Event(), threading.Event()

    def stay():
        with one_blas_thread:
            inside.set()
            leave.wait(30)

    other = threading.Thread(target=stay)
    other.start()
    assert inside.wait(30)
    with one_blas_thread:
        pass
    assert set(pools("blas").values()) == {1}  # the other is still in its solve
    leave.set()
    other.join()
    assert pools("blas") == before


def test_entering_costs_microseconds():
    with one_blas_thread:
        pass
    best = np.inf
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(100):
            with one_blas_thread:
                pass
        best = min(best, (time.perf_counter() - start) / 100)
    assert best < 50e-6  # 4 µs on a quiet machine; a step takes 300 at least
