"""A step of this tree beside a step of another one, in turns: what all changes since then cost.

    git worktree add ../old COMMIT
    python benchmarks/releases.py --old ../old [--rows pendulum wall] [--turns 7]

Each turn is a process of its own, on one thread, with the sources of one tree and the libraries of
this environment; a first turn of each, unseen, compiles. Both trees take the same number of steps
from the same start, so a row says how many contacts each had. Processor time, medians of the turns'
medians, and the quartiles of the ratios of neighbouring turns.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parents[1]

WORKER = """
import json, sys, time, warnings
import numpy as np
import amontons as am
from amontons.scenes import PackedBed, Wall, WalkingRobot

warnings.simplefilter("ignore")
am.set_threads(1)


def pendulum():
    world = am.World()
    bob = world.add_body(am.Sphere(0.1), mass=1.0, position=(1.0, 0.0, 0.0))
    world.add_joint(am.Revolute(None, bob, point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    return am.Simulation(world, step=1e-3), 300, 2000


def bed(spheres, before, steps):
    world = PackedBed(spheres, spacing=1.001).build()
    solver = am.APGD(tolerance=1e-12, max_iterations=25)
    return am.Simulation(world, step=5e-3, solver=solver), before, steps


def robot():
    solver = am.Auto(tolerance=1e-6)
    return am.Simulation(WalkingRobot().build(), step=2e-3, solver=solver), 100, 700


def wall():
    solver = am.APGD(tolerance=1e-12, max_iterations=50)
    return am.Simulation(Wall(25, 30).build(), step=5e-3, solver=solver), 10, 60


ROWS = {
    "pendulum": pendulum,
    "walking_robot": robot,
    "wall": wall,
    "bed_4000": lambda: bed(4000, 60, 60),
    "bed_100000": lambda: bed(100_000, 5, 12),
}
sim, before, steps = ROWS[sys.argv[1]]()
taken = []
for i in range(before + steps):
    start = time.process_time()
    sim.step()
    if i >= before:
        taken.append(time.process_time() - start)
contacts = int(len(sim.contacts.normal_force))
seconds = np.asarray(sim.readings.seconds)[-steps:]
print(json.dumps({"s": float(np.median(taken)), "contacts": contacts,
                  "stages": np.median(seconds, axis=0).tolist()}))
"""
"""What a turn runs: nothing but what both trees have."""

ROWS = ("pendulum", "walking_robot", "wall", "bed_4000", "bed_100000")


def turn(tree: Path, row: str) -> dict[str, float]:
    """One process of a row with the sources of a tree."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", WORKER, row]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{row} in {tree} failed:\n{done.stderr}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def compare(row: str, old: Path, turns: int) -> dict[str, object]:
    """Seconds a step of both trees, and the ratio new/old."""
    samples: dict[str, list[float]] = {"old": [], "new": []}
    last: dict[str, dict[str, float]] = {}
    for number in range(turns + 1):
        for name, tree in (("old", old), ("new", HERE)):
            last[name] = turn(tree, row)
            if number:
                samples[name].append(last[name]["s"])
    ratios = np.asarray(samples["new"]) / np.asarray(samples["old"])
    low, high = np.quantile(ratios, (0.25, 0.75))
    medians = {name: float(np.median(values)) for name, values in samples.items()}
    print(
        f"{row:15s} {1e6 * medians['old']:12.0f} {1e6 * medians['new']:12.0f}"
        f" {medians['new'] / medians['old']:9.3f}   {low:.3f} to {high:.3f}"
        f"   {last['old']['contacts']} and {last['new']['contacts']} contacts",
        flush=True,
    )
    return {
        "old_s": medians["old"], "new_s": medians["new"],
        "ratio": medians["new"] / medians["old"], "quartiles": [low, high], "last": last,
    }  # fmt: skip


def main() -> None:
    from common import arguments, write

    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--old", type=Path, required=True, help="another clone of this repository")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=ROWS)
    parser.add_argument("--turns", type=int, default=5)
    args = parser.parse_args()
    print(f"{'':15s} {'old':>12s} {'new':>12s} {'new/old':>9s}   [µs a step]")
    write(args.json, {row: compare(row, args.old.resolve(), args.turns) for row in args.rows})


if __name__ == "__main__":
    main()
