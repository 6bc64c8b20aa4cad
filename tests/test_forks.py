"""Forked processes: parallel kernels run in them, and give the parent's bits."""

import multiprocessing
import os
import subprocess
import sys

import pytest

STACK = """
import multiprocessing
import amontons as am

def final_state(count):
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    spots = [(0.0, 0.0, 0.1 + 0.19 * i) for i in range(count)]
    world.add_bodies(am.Box.cube(0.2), position=spots, density=700.0)
    sim = am.Simulation(world, step=5e-3)
    for _ in range(3):
        sim.step()
    return sim.state.hash()

if __name__ == "__main__":
    here = [final_state(2), final_state(3)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        there = pool.map_async(final_state, [2, 3]).get(100)
    assert there == here, (there, here)
    assert final_state(2) == here[0]  # the parent's threads are as they were
"""


def done(script, **environment):
    return subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **environment},
        capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork"
)
@pytest.mark.parametrize("layer", ["omp", "workqueue"])
def test_a_pool_by_fork_after_a_simulation_gives_the_same_bits(layer):
    """Box contacts are found in a parallel region, whatever their number."""
    result = done(STACK, NUMBA_THREADING_LAYER=layer)
    assert result.returncode == 0, result.stderr


@pytest.mark.slow
def test_without_numba_for_others_kernels_are_compiled_all_the_same():
    script = """
import numba
import numpy as np
import amontons as am
from amontons.problem.kernels import project

assert not hasattr(numba.njit(lambda x: x), "py_func")  # a user's function stays as it is
assert numba.config.DISABLE_JIT
assert hasattr(project.serial, "py_func")
am.ConeProblem.from_matrix(np.eye(3), np.ones(3), friction=0.3).sets.project(np.ones(3))
"""
    result = done(script, NUMBA_DISABLE_JIT="1")
    assert result.returncode == 0, result.stderr
