"""Exact friction beside the convex relaxation: processor time, iterations and what comes out.

python benchmarks/friction.py [--scenes bed drum wrecking_ball walking_robot] [--bodies 1000]
                              [--time 2] [--tolerance 1e-3] [--same-problems] [--json out.json]

With --same-problems both laws are solved on the problems of one run, that of exact friction, from
the same warm starts: bodies that slide are lifted by the relaxation, so that its own run soon has
other, easier problems.
"""

from __future__ import annotations

import dataclasses
import time
from typing import Any, ClassVar

import numpy as np

import amontons as am
from amontons.scenes import SCENES, Scene
from common import arguments, write

LAWS = ("convex", "exact")
SIZED = {"bed": "packed_bed", "drum": "drum"}
"""Scenes whose number of bodies is asked for, by the names that they have here."""


class Beside(am.ExactCoulomb):
    """Exact friction, which solves the convex problem from the same guess beside it."""

    rows: ClassVar[list[tuple[float, ...]]] = []
    """Of each problem and law: iterations, CPU seconds, residual."""

    def solve(self, problem: am.ConeProblem, **named: Any) -> am.Solution:
        """The exact solution; what both took goes into `rows`."""
        row: list[float] = []
        for solver in (self.inner, am.ExactCoulomb(**settings_of(self))):
            begin = time.process_time()
            solution = solver.solve(problem, **named)
            row += [solution.iterations, time.process_time() - begin, solution.residual]
        self.rows.append(tuple(row))
        return solution


def settings_of(solver: am.Solver) -> dict[str, Any]:
    """The settings of a solver, by name."""
    return {field.name: getattr(solver, field.name) for field in dataclasses.fields(solver)}


class Race:
    """One run, stepped in turns with another."""

    def __init__(self, scene: Scene, law: str, tolerance: float) -> None:
        self.law = law
        solver = am.APGD(tolerance=tolerance)
        self.simulation = am.Simulation(
            scene.build(), step=scene.advice.step, solver=solver, friction=law
        )
        self.seconds: list[float] = []

    def step(self) -> None:
        begin = time.process_time()
        self.simulation.step()
        self.seconds.append(time.process_time() - begin)

    def row(self, name: str, tolerance: float) -> dict[str, Any]:
        """What came out: bodies' mean height, median speed, steps that did not converge."""
        bodies, readings = self.simulation.bodies, self.simulation.readings
        mobile = np.flatnonzero(np.asarray(bodies.mass) > 0.0)
        speed = np.linalg.norm(np.asarray(bodies.velocity)[mobile], axis=1)
        return {
            "scene": name,
            "friction": self.law,
            "seconds": sum(self.seconds),
            "median_ms": 1e3 * float(np.median(self.seconds)),
            "iterations": int(np.sum(readings.iterations)),
            "not_converged": float(np.mean(np.asarray(readings.residual) > tolerance)),
            "height": float(np.asarray(bodies.position)[mobile, 2].mean()),
            "median_speed": float(np.median(speed)),
        }


def compare(name: str, scene: Scene, duration: float, tolerance: float) -> list[dict[str, Any]]:
    """Both laws on one scene, their steps in turns."""
    runs = [Race(scene, law, tolerance) for law in LAWS]
    for run in runs:  # compile outside the clock
        run.step()
        run.seconds.clear()
    while runs[0].simulation.time < duration - 1e-9:
        for run in runs:
            run.step()
    rows = [run.row(name, tolerance) for run in runs]
    ratio = rows[1]["seconds"] / rows[0]["seconds"]
    for row in rows:
        print(
            f"  {name} {row['friction']:6s} {row['seconds']:.2f} s, {row['median_ms']:.1f} ms a "
            f"step, {row['iterations']} iterations, {100 * row['not_converged']:.0f} % of steps "
            f"not converged, height {row['height']:.4f} m, "
            f"median speed {row['median_speed']:.1e} m/s",
            flush=True,
        )
    print(f"  {name}: exact / convex {ratio:.2f}", flush=True)
    return rows


def compare_on_same_problems(
    name: str, scene: Scene, duration: float, tolerance: float
) -> list[dict[str, Any]]:
    """Both laws on each problem of a run with exact friction."""
    inner = am.APGD(tolerance=tolerance)
    solver = Beside(
        inner=inner, tolerance=tolerance, max_iterations=inner.max_iterations, newton=False,
        persist=False,
    )  # fmt: skip
    simulation = am.Simulation(scene.build(), step=scene.advice.step, solver=solver)
    simulation.step()  # compile outside the clock
    Beside.rows.clear()
    while simulation.time < duration - 1e-9:
        simulation.step()
    taken = np.array(Beside.rows).reshape(-1, 2, 3)
    iterations, seconds = taken[:, :, 0].sum(axis=0), taken[:, :, 1].sum(axis=0)
    short = (taken[:, :, 2] > tolerance).mean(axis=0)
    print(
        f"  {name}, same problems: iterations {iterations[0]:.0f} and {iterations[1]:.0f}, exact / "
        f"convex {iterations[1] / iterations[0]:.2f}, solvers' time {seconds[1] / seconds[0]:.2f}; "
        f"{100 * short[0]:.1f} and {100 * short[1]:.1f} % not converged",
        flush=True,
    )
    return [
        {
            "scene": name,
            "friction": law,
            "same_problems": True,
            "solver_seconds": seconds[k],
            "iterations": iterations[k],
            "not_converged": short[k],
        }
        for k, law in enumerate(LAWS)
    ]


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--scenes", nargs="+", default=["bed", "drum", "wrecking_ball"])
    parser.add_argument("--bodies", type=int, default=1000)
    parser.add_argument("--time", type=float, default=2.0, help="of each run [s]")
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--same-problems", action="store_true")
    options = parser.parse_args()
    measured = compare_on_same_problems if options.same_problems else compare
    am.set_threads(1)
    rows = []
    for name in options.scenes:
        kind = SCENES[SIZED.get(name, name)]
        scene = kind(**{kind.counted: options.bodies}) if name in SIZED else kind()
        rows += measured(name, scene, options.time, options.tolerance)
    write(options.json, rows)


if __name__ == "__main__":
    main()
