"""Fingerprints of states after 200 steps, by scene and solver: what a change has altered.

    python benchmarks/fingerprints.py --json before.json      # in a clone of the old code
    python benchmarks/fingerprints.py --against before.json   # here

A fingerprint is a hash of the bytes of positions, orientations and velocities. Where one differs,
the largest difference of positions, in units of the scene's extent, says by how much.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

import amontons as am
from amontons.scenes import (
    BouncingBalls,
    Bulldozer,
    Chain,
    Conveyor,
    Crater,
    Dominoes,
    Drum,
    FourBar,
    Gripper,
    Hourglass,
    MixedPile,
    Mixer,
    OddShapes,
    Packaging,
    PackedBed,
    PebbleBed,
    Plates,
    PressedBed,
    Ragdolls,
    Scene,
    Shaker,
    Snowball,
    TrackedVehicle,
    Vehicle,
    WalkingRobot,
    Wall,
    WreckingBall,
)
from common import arguments, write

SCENES: tuple[Scene, ...] = (
    BouncingBalls(12), MixedPile(10), PackedBed(40), PressedBed(60, width=1.0), Wall(3, 4),
    WreckingBall(courses=4, length=4), Dominoes(8), Plates(4), Hourglass(40, bulb=8.0),
    Drum(30, width=0.2), Mixer(60, bowl=8.0), Conveyor(4, rollers=14), Chain(6), FourBar(),
    Vehicle(12), TrackedVehicle(3), Bulldozer(12), WalkingRobot(), Gripper(), Packaging(2),
    Ragdolls(2), OddShapes(4), Crater(200, width=10.0), Snowball(60), Shaker(60, 2),
    PebbleBed(80, core=6.0, outlet=4.0),
)  # fmt: skip

SOLVERS: dict[str, Callable[[], am.Solver] | None] = {
    "advised": None,
    "Auto": lambda: am.Auto(tolerance=1e-3, max_iterations=100),
    "APGD": lambda: am.APGD(tolerance=1e-4, max_iterations=50),
    "SpectralGradient": lambda: am.SpectralGradient(tolerance=1e-4, max_iterations=30),
    "GaussSeidel": lambda: am.GaussSeidel(tolerance=1e-4, max_iterations=30),
    "Jacobi": lambda: am.Jacobi(tolerance=1e-4, max_iterations=30),
    "InteriorPoint": lambda: am.InteriorPoint(tolerance=1e-6, max_iterations=20),
    "ExactCoulomb": lambda: am.ExactCoulomb(tolerance=1e-4, max_iterations=100),
}


def fingerprint(scene: Scene, solver: am.Solver | None, steps: int) -> dict[str, object]:
    """Hash and positions after so many steps; where a run ends with an error, its name."""
    solver = solver or scene.advice.make_solver()
    sim = am.Simulation(scene.build(), step=scene.advice.step, solver=solver, watch="off")
    try:
        for _ in range(steps):
            sim.step()
    except am.AmontonsError as reason:
        return {"hash": type(reason).__name__, "steps": sim.steps, "position": []}
    digest = hashlib.sha256()
    for column in (sim.bodies.position, sim.bodies.orientation, sim.bodies.twist):
        digest.update(np.ascontiguousarray(column).tobytes())
    return {"hash": digest.hexdigest()[:16], "position": sim.bodies.position.ravel().tolist()}


def difference(old: dict[str, object], new: dict[str, object]) -> float:
    """Largest difference of positions by the scene's extent; infinite where they do not compare."""
    then, now = np.array(old["position"]), np.array(new["position"])
    if then.shape != now.shape or not then.size:
        return np.inf
    return float(np.abs(now - then).max() / np.ptp(then))


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--against", type=Path, help="figures of other code to compare with")
    parser.add_argument("--solvers", default=",".join(SOLVERS), help="some of them, by name")
    parser.add_argument("--scenes", default="", help="some of them, by name")
    options = parser.parse_args()
    before = json.loads(options.against.read_text()) if options.against else {}
    chosen = options.scenes.split(",") if options.scenes else [scene.name for scene in SCENES]
    figures: dict[str, dict[str, object]] = {}
    counts = {"equal": 0, "other": 0}
    for scene in SCENES:
        for name in options.solvers.split(","):
            if scene.name not in chosen:
                continue
            make = SOLVERS[name]
            key = f"{scene.name} {name}"
            figures[key] = fingerprint(scene, make() if make else None, options.steps)
            line = f"{scene.name:16} {name:17} {figures[key]['hash']}"
            if key in before:
                equal = before[key]["hash"] == figures[key]["hash"]
                counts["equal" if equal else "other"] += 1
                if not equal:
                    line += (
                        f"   was {before[key]['hash']}: {difference(before[key], figures[key]):.1e}"
                    )
            print(line, flush=True)
    if before:
        print(f"{counts['equal']} equal, {counts['other']} different")
    write(options.json, figures)


if __name__ == "__main__":
    main()
