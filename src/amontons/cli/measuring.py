"""What `amontons bench` measures: small tasks whose cost users can compare between machines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

ENOUGH = 0.5
"""Seconds for which a task is repeated."""

REPEATS = 5
"""Least number of repetitions."""

SETTLE = 0.4
"""Simulated seconds before steps are measured [s]."""


@dataclass(frozen=True)
class Figure:
    """One measured number."""

    name: str
    value: float
    unit: str
    about: str
    """The task and its size."""


def fastest(task: Callable[[], object], *, enough: float = ENOUGH) -> float:
    """Seconds of the fastest of several runs, after a warm-up: other processes only add time."""
    task()
    times: list[float] = []
    while len(times) < REPEATS or sum(times) < enough:
        begun = time.perf_counter()
        task()
        times.append(time.perf_counter() - begun)
    return min(times)


def figures(spheres: int) -> Iterator[Figure]:
    """All figures of a bed of `spheres` spheres, one after the other."""
    yield from _of_problem(spheres)
    yield _of_detection(spheres)
    yield from _of_steps(spheres)


def _of_problem(spheres: int) -> Iterator[Figure]:
    from amontons.generators import packing
    from amontons.solvers import APGD

    problem = packing(spheres)
    x = np.zeros(problem.rows)
    size = f"{spheres} spheres, {problem.blocks} contacts"
    seconds = fastest(lambda: problem.product(x))
    yield Figure("product", 1e9 * seconds / problem.blocks, "ns per contact", f"N γ of {size}")
    method = APGD(tolerance=1e-30, max_iterations=100)
    iterations = method.solve(problem).iterations
    seconds = fastest(lambda: method.solve(problem)) / iterations
    yield Figure("iteration", 1e9 * seconds / problem.blocks, "ns per contact", f"APGD on {size}")
    yield Figure("iterations", 1.0 / seconds, "a second", f"APGD on {size}")


def _of_detection(spheres: int) -> Figure:
    from amontons.collision.detector import CollisionDetector
    from amontons.generators.bed import make_bed

    bed = make_bed(spheres, round(3.25 * spheres), 0.0, False, np.random.default_rng(0))
    centres = np.ascontiguousarray(bed.position)
    detector = CollisionDetector.of_spheres(np.ones(len(centres)), margin=0.1)
    found = len(detector.detect(centres))
    seconds = fastest(lambda: detector.detect(centres))
    return Figure(
        "detection",
        1e9 * seconds / spheres,
        "ns per body",
        f"{found} contacts of {spheres} spheres",
    )


def _of_steps(spheres: int) -> Iterator[Figure]:
    from amontons.scenes import PackedBed
    from amontons.simulation.simulation import Simulation

    scene = PackedBed(spheres, spacing=1.02)
    advice = scene.advice
    simulation = Simulation(scene.build(), step=advice.step, solver=advice.make_solver())
    simulation.run(SETTLE)
    contacts = len(simulation.contacts)
    seconds = fastest(simulation.step)
    about = f"packed_bed of {spheres}, {contacts} contacts, to {advice.tolerance:g}"
    yield Figure("step", 1e3 * seconds, "ms", about)
    yield Figure("bodies", spheres / seconds, "body steps per second", about)
