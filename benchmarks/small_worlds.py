"""Microseconds of a step in small worlds, where Python is the cost: by stage, and in all.

    python benchmarks/small_worlds.py [--steps 200] [--repeats 5] [--compiled] [--json figures.json]

The worlds take turns, and each figure is the median over all their steps. "cpu" is the processor
time of the thread, the one to compare on a busy machine. "all" is by the clock; of that, "detect"
and "solve" are what the step's own stopwatch says, and "rest" is all else: loads, rows, assembly,
advance, energies, report. The arm and the humanoid come with `pybullet` and `gymnasium`; without,
they are left out. With `--compiled` each world is there twice, staged and in one compiled call.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import amontons as am
from amontons.interchange.robots import load_robot
from amontons.scenes import Chain, WalkingRobot
from common import arguments, write

STEP = 2e-3


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
    "humanoid": humanoid,
}


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200, help="of a turn")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each world")
    parser.add_argument("--worlds", default=",".join(WORLDS), help="some of them, by name")
    parser.add_argument("--compiled", action="store_true", help="compiled steps, too")
    options = parser.parse_args()
    worlds: dict[str, am.Simulation] = {}
    for name in options.worlds.split(","):
        with contextlib.suppress(FileNotFoundError):
            worlds[name] = WORLDS[name]()
            if options.compiled:
                worlds[f"{name} (c)"] = again = WORLDS[name]()
                again.rules = dataclasses.replace(again.rules, compiled=True)
    samples: dict[str, list[tuple[float, ...]]] = {name: [] for name in worlds}
    for turn in range(options.repeats + 1):
        for name, sim in worlds.items():
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


if __name__ == "__main__":
    main()
