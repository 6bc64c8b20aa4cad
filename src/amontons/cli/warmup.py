"""`amontons warmup`: compile every kernel ahead of time, by solving tiny problems of every kind."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amontons.cli.info import folder_size
from amontons.cli.output import NOT_CONVERGED, complain, console, megabytes, seconds
from amontons.cli.progress import Display
from amontons.cli.second_compiler import start
from amontons.errors import OutputError, UnsupportedProblemError

if TYPE_CHECKING:
    from amontons.array_types import Floats
    from amontons.problem.operators import BodyOperator
    from amontons.problem.problem import ConeProblem
    from amontons.solvers import Solver


def warmup(
    clear: Annotated[
        bool, typer.Option("--clear", help="Delete all compiled code first, then compile again.")
    ] = False,
) -> None:
    """Compile everything for this machine, so that later runs start at once.

    Compiled code of other versions is deleted, unless it was used in the last two weeks.
    """
    from amontons import _jit, _kernel_cache

    began = time.perf_counter()
    check_cache()
    folder = _kernel_cache.cache_root()
    removed = clear_cache() if clear else _kernel_cache.prune_cache()
    before = len(_jit.announcer.compiled)
    second = start("parallel-first")
    with Display() as display:
        _jit.announcer.quiet = display.shown
        for text, share in exercise():
            if display.due:
                display.update(f"compiling for {text}", share)
    if second is not None:
        second.wait()
    screen = console()
    compiled = len(_jit.announcer.compiled) - before
    screen.print(
        f"{len(_jit.Kernel.registry)} kernels are ready, in serial and in parallel form: "
        f"{compiled} functions compiled now, in {seconds(time.perf_counter() - began)}",
        soft_wrap=True,
    )
    stale = f"; {removed} old folder{'s' if removed > 1 else ''} deleted" if removed else ""
    screen.print(f"cache: {folder} ({megabytes(folder_size(folder))}){stale}", soft_wrap=True)
    missing = uncompiled()
    if missing:
        text = f"not compiled ahead of time: {', '.join(missing)}"
        complain(text, kind="warning", style="bold yellow")
        raise typer.Exit(NOT_CONVERGED)


def check_cache() -> None:
    """Raise OutputError if compiled code cannot be stored."""
    from amontons import _kernel_cache
    from amontons.problem.kernels import project

    folder = project.serial.stats.cache_path  # type: ignore[attr-defined]
    if folder is None or not os.access(folder, os.W_OK):
        raise OutputError(
            f"{_kernel_cache.cache_root()} cannot be written, so compiled code would be lost with "
            "this process; set AMONTONS_CACHE_DIR to a writable folder"
        )


def clear_cache() -> int:
    """Delete compiled code of every version; return the number of folders."""
    from amontons import _kernel_cache

    folders = list(_kernel_cache.cache_root().glob("kernels-*"))
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    return len(folders)


def uncompiled() -> list[str]:
    """Kernels that are not compiled in both forms in this process."""
    from amontons import _jit

    return [
        f"{kernel.name} ({form})"
        for kernel in _jit.Kernel.registry
        for form in ("serial", "parallel")
        if not getattr(kernel, form).signatures
    ]


def exercise(*, parallel_first: bool = False) -> Iterator[tuple[str, float]]:
    """Run every kernel in both forms; yields what is next, and the share that is done."""
    from amontons.cli.warmup_inputs import sample_problems

    for i, parallel in enumerate((parallel_first, not parallel_first)):
        with _forced(parallel):
            problems = sample_problems()
            yield "collision detection", 0.5 * i
            _detect()
            yield "a time step", 0.5 * i
            for torques in (False, True):
                simulate(torques=torques)
            if not parallel:
                yield "many steps at once", 0.5 * i
                simulate_small()
            for j, (kind, problem) in enumerate(problems.items()):
                methods = [m for m in _methods(parallel) if _supports(m, problem)]
                for k, method in enumerate(methods):
                    share = (j + k / len(methods)) / len(problems)
                    yield f"{type(method).__name__} on {kind}", 0.5 * (i + share)
                    method.solve(problem)
                _use_beside_solvers(problem)
                if parallel and problem.operator.over_bodies is not None:
                    _store_in_single_precision(problem)


@contextlib.contextmanager
def _forced(parallel: bool) -> Iterator[None]:
    """Use one form of the kernels for problems of every size."""
    from amontons import _jit

    usual = _jit.PARALLEL_ABOVE
    _jit.PARALLEL_ABOVE = 0 if parallel else 2**62
    try:
        yield
    finally:
        _jit.PARALLEL_ABOVE = usual


def _supports(method: Solver, problem: ConeProblem) -> bool:
    try:
        method.check(problem)
    except UnsupportedProblemError:
        return False
    return True


def _methods(parallel: bool) -> Iterator[Solver]:
    """Every solver, in the variants that run different code."""
    from amontons.solvers import SOLVERS, ExactCoulomb, GaussSeidel, InteriorPoint, Jacobi

    few: dict[str, Any] = {"tolerance": 1e-12, "max_iterations": 2}
    for kind in SOLVERS.values():
        if kind not in (GaussSeidel, Jacobi):
            yield kind(**few)
    for step in ("block", "full"):
        yield Jacobi(step=step, **few)
        yield GaussSeidel(step=step, parallel=parallel, **few)
    yield ExactCoulomb(**few)
    yield InteriorPoint(space="bodies", **few)


def _store_in_single_precision(problem: ConeProblem) -> None:
    """APGD on large problems over bodies, all in parallel form."""
    from amontons.solvers import APGD
    from amontons.solvers.apgd import mixed
    from amontons.solvers.apgd.corrections import Corrections

    usual = mixed.MIXED_ABOVE
    mixed.MIXED_ABOVE = 0
    try:
        APGD(tolerance=1e-12, max_iterations=2).solve(problem)
    finally:
        mixed.MIXED_ABOVE = usual
    even = problem.even
    stored = Corrections(even, even.unknowns(None), 2)
    stored.rebase(0)
    stored.noise(0, even.mean_steps.astype("float32"))


def _detect() -> None:
    """Contacts of every pair of shapes, and every kind of query."""
    import numpy as np

    from amontons.cli.warmup_inputs import sample_scene
    from amontons.collision.broad.rows import ORDERED_FROM, body_order
    from amontons.collision.detector import CollisionDetector
    from amontons.collision.memory import match
    from amontons.model.shapes import Box, Sphere, TriangleMesh

    detector, position = sample_scene()
    contacts = detector.detect(position)
    match(contacts, contacts)
    body_order(np.zeros((ORDERED_FROM, 3)), 1.0)
    pair = np.zeros((2, 3))
    CollisionDetector.of_spheres([1.0, 1.0], margin=0.1).detect(pair)
    CollisionDetector([Sphere(1.0)] * 2, origin=pair + 0.1, margin=0.1).detect(pair)
    cube = TriangleMesh(*Box((1.0, 1.0, 1.0)).surface_mesh(4))
    CollisionDetector([cube] * 2, margin=0.1).detect([[0.0, 0.0, 0.0], [1.01, 0.0, 0.0]])
    snapshot = detector.at(position)
    up = np.array([[0.0, 0.0, 1.0]])
    snapshot.cast_rays(-up, up)
    snapshot.closest_points(up)
    snapshot.overlaps(Sphere(0.5), up)
    for first in (0, 2, 4):  # a plane, a mesh, a sphere; then all that follow them
        others = np.arange(max(first + 1, 2), detector.bodies)
        snapshot.distances(np.column_stack([np.full_like(others, first), others]))


def simulate(*, torques: bool) -> None:
    """Steps of a world with contacts, joints and loads; with rolling friction or without."""
    from amontons.cli.warmup_inputs import sample_world
    from amontons.simulation.simulation import Simulation
    from amontons.simulation.sleep.sleeping import Sleeping

    world = sample_world(torques=torques)
    sim = Simulation(world, step=1e-3, sleeping=Sleeping(speed=1e-3))
    for _ in range(2):
        sim.step()


def simulate_small() -> None:
    """Steps of a small world in compiled calls, one by one and many at once; and taut joints."""
    import numpy as np

    from amontons.cli.warmup_inputs import small_world
    from amontons.dynamics.joints.stiffness import steady_turns, work_of_stiffness
    from amontons.simulation.simulation import Simulation

    sim = Simulation(small_world(), step=1e-3, compiled=True)
    sim.step()
    sim.advance(5)
    twist, row = np.zeros((1, 6)), np.zeros(1, dtype=np.int64)
    steady_turns(twist, np.zeros((1, 3)), row)
    work_of_stiffness(twist, np.zeros((1, 3, 3)), twist, row)


def _use_beside_solvers(problem: ConeProblem) -> None:
    """Methods of a problem that callers use directly."""
    import numpy as np

    from amontons.judge import residuals
    from amontons.problem.operators import BodyOperator
    from amontons.solvers.interior_point.linear_system.cost import problem_cost

    zero = np.zeros(problem.rows)
    problem.sets.project(zero)
    residuals(problem, zero, exact=True)
    if isinstance(problem.operator, BodyOperator):
        still = problem.operator.velocities(zero)
        problem.operator.quadratic(still, still, still, 0.0)
        _share(problem.operator, still)
    problem.compliance_square((zero, zero, zero), 0.0)
    problem_cost(problem)


def _share(operator: BodyOperator, still: Floats) -> None:
    """What an operator over bodies of several processes does otherwise than one of a single one."""
    import numpy as np

    from amontons.problem.operators.body_kernels import quadratic_of_units

    whole, sums = np.array([0, len(still)], dtype=np.int64), np.zeros((1, 1))
    units = quadratic_of_units.sized(operator.arrays.body.shape[0])
    units(operator.masses, still, still, still, 0.0, whole, sums)
