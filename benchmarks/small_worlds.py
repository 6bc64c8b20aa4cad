"""Microseconds of a step in small worlds, where Python is the cost: by stage, and in all.

    python benchmarks/small_worlds.py [--steps 200] [--repeats 5] [--compiled] [--json figures.json]
    python benchmarks/small_worlds.py --batch 256 [--worlds humanoid,ant]

The worlds take turns, and each figure is the median over all their steps. "cpu" is the processor
time of the thread, the one to compare on a busy machine. "all" is by the clock; of that, "detect"
and "solve" are what the step's own stopwatch says, and "rest" is all else: loads, rows, assembly,
advance, energies, report. The arm and the humanoid come with `pybullet` and `gymnasium`; without,
they are left out. With `--compiled` each world is there three times: staged, in one compiled call
for each step, and with all steps of a turn in one call.

With `--batch` worlds are stepped in a batch of so many: on one thread, on all, and as simulations
that take the same steps one after the other, in compiled calls of one step and of all steps of a
turn. What counts are the ratios.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib.util
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import amontons as am
from amontons._jit import max_threads, set_threads
from amontons.gym.ant import ant as ant_text
from amontons.interchange.robots import load_robot
from amontons.scenes import Chain, WalkingRobot
from common import arguments, write

STEP = 2e-3

LOOP = "(many)"
"""Marks worlds whose steps are taken many at a time."""


def pendulum() -> am.Simulation:
    """A rod on a hinge."""
    world = am.World()
    rod = world.add_body(am.Capsule(0.02, 0.5), density=1000.0, position=(0.25, 0.0, 0.0))
    world.add_joint(am.Revolute(None, rod.id, point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    return am.Simulation(world, step=STEP)


def free_sphere() -> am.Simulation:
    """A sphere in free fall."""
    world = am.World()
    world.add_body(am.Sphere(0.1), density=1000.0)
    return am.Simulation(world, step=STEP)


def cube() -> am.Simulation:
    """A cube at rest on a plane."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(am.Box((0.1, 0.1, 0.1)), density=1000.0, position=(0.0, 0.0, 0.05))
    return am.Simulation(world, step=STEP)


def chain() -> am.Simulation:
    """A chain with a weight."""
    return am.Simulation(Chain(6).build(), step=STEP)


def walking_robot() -> am.Simulation:
    """The four-legged robot of the scenes."""
    return am.Simulation(WalkingRobot().build(), step=STEP)


def ant() -> am.Simulation:
    """A trunk and four legs of two hinges each, which falls on a floor."""
    return am.Robot.load(ant_text()).simulation(step=STEP)


def arm() -> am.Simulation:
    """A seven-joint arm from URDF, its base held."""
    path = _folder("pybullet_data") / "kuka_iiwa" / "model.urdf"
    return am.Simulation(_loaded(path), step=STEP)


def humanoid() -> am.Simulation:
    """A humanoid from MJCF, which falls."""
    path = _folder("gymnasium") / "envs" / "mujoco" / "assets" / "humanoid.xml"
    return am.Simulation(_loaded(path), step=STEP)


def _folder(package: str) -> Path:
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError(f"{package} is not installed")
    return Path(found.submodule_search_locations[0])


def _loaded(path: Path) -> am.World:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", am.ProblemWarning)
        return load_robot(path).scene().build()


WORLDS: dict[str, Callable[[], am.Simulation]] = {
    "pendulum": pendulum,
    "free sphere": free_sphere,
    "cube": cube,
    "chain": chain,
    "arm": arm,
    "walking robot": walking_robot,
    "ant": ant,
    "humanoid": humanoid,
}


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200, help="of a turn")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each world")
    parser.add_argument("--worlds", default=",".join(WORLDS), help="some of them, by name")
    parser.add_argument("--compiled", action="store_true", help="compiled steps, too")
    parser.add_argument("--batch", type=int, default=0, help="batches of so many worlds, instead")
    options = parser.parse_args()
    if options.batch:
        write(options.json, batches(options.worlds.split(","), options))
        return
    worlds: dict[str, am.Simulation] = {}
    for name in options.worlds.split(","):
        with contextlib.suppress(FileNotFoundError):
            worlds[name] = WORLDS[name]()
            if options.compiled:
                for way in ("(c)", LOOP):
                    worlds[f"{name} {way}"] = again = WORLDS[name]()
                    again.rules = dataclasses.replace(again.rules, compiled=True)
    samples: dict[str, list[tuple[float, ...]]] = {name: [] for name in worlds}
    for turn in range(options.repeats + 1):
        for name, sim in worlds.items():
            if name.endswith(LOOP):
                taken = _timed_loop(sim, options.steps)
            else:
                taken = [_timed(sim) for _ in range(options.steps)]
            samples[name] += taken if turn else []  # the first turn compiles and settles
    figures = {}
    stages = ("cpu", "all", "detect", "solve", "rest")
    print(
        f"{'µs a step':18}{''.join(f'{stage:>9}' for stage in stages)}{'contacts':>10}{'rows':>6}"
    )
    for name, rows in samples.items():
        cpu, whole, detect, solve, contacts, joint_rows = np.median(rows, axis=0).tolist()
        values = (cpu, whole, detect, solve, whole - detect - solve)
        figures[name] = dict(zip(stages, values, strict=True))
        times = "".join(f"{value:9.1f}" for value in values)
        print(f"{name:18}{times}{contacts:10.0f}{joint_rows:6.0f}")
    write(options.json, figures)


def _timed(sim: am.Simulation) -> tuple[float, ...]:
    """Processor and clock time of a step, its detection and solve [µs]; contacts, joint rows."""
    start, work = time.perf_counter(), time.thread_time()
    report = sim.step()
    work, whole = time.thread_time() - work, time.perf_counter() - start
    detect, _, solve, _ = (1e6 * report.seconds).tolist()
    return 1e6 * work, 1e6 * whole, detect, solve, report.contacts, report.joint_rows


def _timed_loop(sim: am.Simulation, steps: int) -> list[tuple[float, ...]]:
    """The same of each of many steps in one call: means."""
    start, work = time.perf_counter(), time.thread_time()
    sim.advance(steps)
    work, whole = time.thread_time() - work, time.perf_counter() - start
    reports = list(sim.readings.reports)[-steps:]
    each = 1e6 * work / steps, 1e6 * whole / steps, 0.0, 1e6 * reports[-1].seconds.sum()
    return [(*each, report.contacts, report.joint_rows) for report in reports]


def batches(names: list[str], options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Microseconds of a step of one world, in batches and by itself."""
    figures = {}
    ways = ("batch, 1 thread", f"batch, {max_threads()} threads", "one call each", "single steps")
    print(f"{'µs a step of a world':24}{''.join(f'{way:>20}' for way in ways)}{'staged':>9}")
    for name in names:
        try:
            sim = WORLDS[name]()
            batch = am.Batch(sim.world, worlds=options.batch, step=STEP)
        except (FileNotFoundError, am.InputError) as reason:
            print(f"{name}: left out, {reason}")
            continue
        sim.rules = dataclasses.replace(sim.rules, compiled=True)
        start = sim.state.copy()
        random = np.random.default_rng(0)
        moving = np.isfinite(sim.bodies.mass)[:, None]
        batch.velocity[:] += moving * random.normal(0.0, 0.05, batch.velocity.shape)
        begun = [batch.state(w) for w in range(batch.worlds)]
        few = begun[: max(1, options.batch // 16)]
        times: dict[str, list[float]] = {way: [] for way in ways}
        for turn in range(options.repeats + 1):
            for way, threads in ((ways[0], 1), (ways[1], max_threads())):
                set_threads(threads)
                for w, state in enumerate(begun):
                    batch.set_state(w, state)
                spent = _spent(lambda: batch.step(options.steps))  # noqa: B023 (called at once)
                times[way] += [spent / batch.worlds] if turn else []
            set_threads(1)
            for way, take in ((ways[2], _at_once), (ways[3], _one_by_one)):
                spent = 0.0
                for state in few:
                    sim.state = state
                    spent += _spent(lambda: take(sim, options.steps))  # noqa: B023 (called at once)
                times[way] += [spent / len(few)] if turn else []
        sim.state = start
        share = batch.staged_steps / (batch.worlds * options.steps * 2 * (options.repeats + 1))
        found = {way: 1e6 * float(np.median(each)) / options.steps for way, each in times.items()}
        figures[name] = found | {"staged": share}
        print(f"{name:24}{''.join(f'{value:20.1f}' for value in found.values())}{share:9.1%}")
    return figures


def _spent(take: Callable[[], object]) -> float:
    start = time.perf_counter()
    take()
    return time.perf_counter() - start


def _at_once(sim: am.Simulation, steps: int) -> None:
    sim.advance(steps)


def _one_by_one(sim: am.Simulation, steps: int) -> None:
    for _ in range(steps):
        sim.step()


if __name__ == "__main__":
    main()
