"""What the order of bodies costs: a bed numbered as it was made, and the same mixed up.

`fresh` is a jammed bed of spheres whose bodies are numbered along a curve, `mixed` the same with
random numbers, as a mixer leaves them; both as they are and put in order, as steps do from 2000
bodies on. Each step of the four is of the same contacts, and they take turns. Products and whole
steps are in processor time, which others on the machine disturb less: set NUMBA_NUM_THREADS=1; the
stages are in wall-clock time, as steps report them.

    python benchmarks/order.py                 # 10⁵ spheres
    python benchmarks/order.py --mixer 100000  # a mixer's balls, thrown together
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import amontons as am
from amontons.collision.broad import rows
from amontons.generators.bed import find_contacts, just_touching, make_bed, nearest
from amontons.model.shapes import Sphere
from amontons.scenes.mixer import Mixer
from amontons.scenes.open_box import add_open_box
from common import arguments, write

RADIUS, STEP, ITERATIONS = 0.15, 1e-3, 25
CONTACTS_A_SPHERE, REACH = 3.25, 0.05


def bed(spheres: int) -> tuple[np.ndarray, float]:
    """Centres of a jammed bed of spheres that just touch, and half the width of its box [m]."""
    count = round(CONTACTS_A_SPHERE * spheres)
    made = make_bed(spheres, count, 0.0, False, np.random.default_rng(0))
    made, _ = just_touching(made, nearest(find_contacts(made, REACH, False), count))
    half = 0.5 * RADIUS * float(made.box[0])
    return RADIUS * made.position - [half, half, 0.0], half


def bed_world(place: np.ndarray, half: float) -> am.World:
    """Spheres at these places in an open box."""
    world = am.World()
    rough = am.Material(friction=0.5)
    add_open_box(world, half=half, material=rough)
    world.add_bodies(Sphere(RADIUS), position=place, mass=1.0, material=rough)
    return world


def mixer_world(balls: int, order: np.ndarray | None) -> am.World:
    """The mixer, as wide as it is deep, with its balls numbered in this order."""
    scene = Mixer(balls, bowl=max(12.0, 1.1 * balls ** (1.0 / 3.0)))
    world = scene.build()
    if order is not None:
        ball = np.flatnonzero(world.bodies.dynamic)
        world.bodies.position[ball] = world.bodies.position[ball[order]]
    return world


class Case:
    """A simulation of a bed, with an order of its own or without."""

    def __init__(self, world: am.World, ordered: bool) -> None:
        solver = am.APGD(tolerance=1e-12, max_iterations=ITERATIONS)
        self.sim = am.Simulation(world, step=STEP, solver=solver, watch="off")
        self.ordered = ordered
        self.seconds: dict[str, list[float]] = {}

    def step(self) -> None:
        """A step, its stages and a product with the problem that it solved."""
        usual = rows.ORDERED_FROM
        rows.ORDERED_FROM = usual if self.ordered else 2**62
        start = time.process_time()
        report = self.sim.step()
        whole = time.process_time() - start
        rows.ORDERED_FROM = usual
        self.contacts, solves = report.contacts, report.iterations / ITERATIONS
        detect, assemble, solve, advance = report.seconds
        problem = self.sim.problem()
        x, out = np.ones(problem.rows), np.empty(problem.rows)
        scratch = problem.operator.scratch()
        problem.operator.apply(x, out, scratch)
        start = time.process_time()
        problem.operator.apply(x, out, scratch)
        product = time.process_time() - start
        figures = {
            "product": product, "iteration": solve / solves / ITERATIONS, "detection": detect,
            "assembly": assemble / solves, "advance": advance,
            "step": whole,
        }  # fmt: skip
        for name, value in figures.items():
            self.seconds.setdefault(name, []).append(value)

    def medians(self) -> dict[str, float]:
        """Median seconds of each stage; the first step is left out."""
        return {name: float(np.median(each[1:])) for name, each in self.seconds.items()}


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("--spheres", type=int, default=100_000)
    parser.add_argument("--mixer", type=int, default=0, help="balls of a mixer instead of a bed")
    parser.add_argument("--steps", type=int, default=5)
    options = parser.parse_args()
    count = options.mixer or options.spheres
    mixed = np.random.default_rng(1).permutation(count)
    if options.mixer:
        worlds = {"fresh": None, "mixed": mixed}
        made: dict[str, Any] = {n: lambda o=o: mixer_world(count, o) for n, o in worlds.items()}
    else:
        place, half = bed(count)
        made = {
            "fresh": lambda: bed_world(place, half),
            "mixed": lambda: bed_world(place[mixed], half),
        }
    cases = {
        f"{name}{', ordered' if ordered else ''}": Case(make(), ordered)
        for name, make in made.items()
        for ordered in (False, True)
    }
    for _ in range(options.steps + 1):
        for case in cases.values():
            case.step()
    table = {name: case.medians() for name, case in cases.items()}
    base = table["fresh"]
    stages = list(base)
    print(f"{count} spheres, {cases['fresh'].contacts} contacts; ms, and by that of `fresh`")
    print(f"{'':16s}" + "".join(f"{stage:>18s}" for stage in stages))
    for name, row in table.items():
        cells = (f"{1e3 * row[stage]:9.1f} ({row[stage] / base[stage]:5.2f})" for stage in stages)
        print(f"{name:16s}" + "".join(f"{cell:>18s}" for cell in cells))
    write(options.json, {"spheres": count, "contacts": cases["fresh"].contacts, "ms": table})


if __name__ == "__main__":
    main()
