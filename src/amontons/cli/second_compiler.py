"""A second process that compiles alongside the first: cold starts take half as long.

Kernels are compiled by one process and loaded by the others (`amontons._kernel_cache`), so the two
only have to start at different ends. Run as `python -m amontons.cli.second_compiler JOB`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Literal

from amontons import _claims

if TYPE_CHECKING:
    from amontons.problem.problem import ConeProblem

Job = Literal["step", "parallel-first"]


def start_where_cold() -> None:
    """Start a second process if no solver has been compiled here yet and a core is free."""
    from amontons._kernel_cache import cache_root, present_stamp
    from amontons._shipped_kernels import shipped

    if shipped().usable:
        return
    compiled = (cache_root() / f"kernels-{present_stamp('solvers')}").glob("*/*.nbc")
    if next(compiled, None) is None:
        start("step")


def start(job: Job) -> subprocess.Popen[bytes] | None:
    """Start a silent process, which ends by itself; None if there is only one core."""
    if (os.cpu_count() or 1) < 2:
        return None
    command = [sys.executable, "-m", "amontons.cli.second_compiler", job]
    silent = subprocess.DEVNULL
    try:
        second = subprocess.Popen(command, stdin=silent, stdout=silent, stderr=silent)
    except OSError:
        return None  # no memory for a second process
    _claims.helpers.add(second.pid)
    return second


def main(job: str) -> None:
    """Compile what a first run needs last, or everything with the parallel forms first."""
    from amontons.cli.warmup import exercise, simulate
    from amontons.cli.warmup_inputs import sample_problems
    from amontons.solvers import APGD, Auto

    if job == "step":  # the first process begins with collision detection
        problem = sample_problems()["bodies with torques and joints"]
        descend_once(problem)
        touch()
        APGD(tolerance=1e-12, max_iterations=2).solve(problem)
        Auto(tolerance=1e-12, max_iterations=2).solve(problem)
        simulate(torques=False)
    else:
        for _ in exercise(parallel_first=True):
            pass


def descend_once(problem: ConeProblem) -> None:
    """Compile the loop of APGD, before all that a solve calls until then.

    It takes as long as half of the rest, and the first process would wait for it.
    """
    from amontons.solvers import APGD
    from amontons.solvers.apgd.accept import Pace
    from amontons.solvers.apgd.bursts import bursts
    from amontons.solvers.base import Buffers
    from amontons.solvers.gauge import Gauge

    solver, even = APGD(), problem.even
    buffers = Buffers(even.rows, solver.buffers)
    buffers.block[:] = 0.0
    gauge = Gauge.of(even, solver.measure, solver.tolerance)
    pace, metric = Pace(1.0, 1.0, 0.0), even.metric(solver.scaling)
    next(bursts(solver, even, buffers[0], metric, pace, gauge, buffers))


def touch() -> None:
    """Compile the contacts of spheres with planes and boxes, which most first scenes have."""
    from amontons.collision.detector import CollisionDetector
    from amontons.model.shapes import Box, Plane, Sphere

    shapes = [Plane(), Box((1.0, 1.0, 1.0)), Sphere(0.5)]
    CollisionDetector(shapes, margin=0.1).detect([[0.0, 0.0, z] for z in (0.0, 0.5, 1.5)])


if __name__ == "__main__":
    main(sys.argv[1])
