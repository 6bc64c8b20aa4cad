"""Paper 4, 'tests': speed and position violation against iterations, 300 spheres in a shaker."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from amontons_papers.drawing import Panel, draw
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook
from amontons_papers.paper4.shaken_spheres import (
    RADIUS,
    SETTLE,
    STEP,
    cold_step,
    shaking,
    speed_violation,
)
from amontons_papers.power_laws import fit_power_law


class Violations(NamedTuple):
    """Of one run, over the time after the spheres have fallen."""

    iterations: int
    speed: float  # mean of the steps' largest [m/s]
    overlap: float  # mean of the steps' largest, of a diameter
    deepest: float  # of all steps, of a diameter


def violations(spheres: int, iterations: int, steps: int, notebook: Notebook) -> Violations:
    """Shake for `steps` steps after the fall; draws the first run."""
    simulation = shaking(spheres, iterations)
    for _ in range(round(SETTLE / STEP)):
        cold_step(simulation)
    speeds = []
    for _ in range(steps):
        cold_step(simulation)
        speeds.append(speed_violation(simulation))
    overlaps = simulation.readings.penetration[-steps:] / (2.0 * RADIUS)
    if not notebook.images:
        notebook.picture(
            simulation,
            "shaker",
            f"{spheres} spheres in the shaker, {iterations} iterations per step",
        )
    return Violations(
        iterations, float(np.mean(speeds)), float(np.mean(overlaps)), float(overlaps.max())
    )


class ViolationsAgainstIterations(Experiment):
    """The more iterations, the smaller the violations of speed and position."""

    name: ClassVar[str] = "violations"
    paper: ClassVar[int] = 4
    shows: ClassVar[str] = "'tests': speed violation, position error"
    summary: ClassVar[str] = "300 shaken spheres: violations of speed and position by iterations"
    minutes: ClassVar[float] = 0.7

    def run(self, notebook: Notebook) -> None:
        spheres = self.pick(60, 300, 300)
        counts = self.pick((160, 20), (160, 80, 40, 20, 10), (640, 320, 160, 80, 40, 20, 10))
        runs = []
        for number, count in enumerate(counts):
            notebook.say(f"{count} iterations per step", number / len(counts))
            runs.append(violations(spheres, count, self.pick(20, 100, 1000), notebook))
        runs.sort()
        self._bands(runs, notebook)
        k = [run.iterations for run in runs]
        notebook.table(
            f"{spheres} spheres",
            ("iterations", "speed violation [m/s]", "overlap [diameters]", "deepest [diameters]"),
            runs,
        )
        notebook.plot(
            draw(
                "Violations against iterations",
                Panel("iterations per step", "speed violation [m/s]",
                      {"mean of the largest": (k, [run.speed for run in runs])}, "xy"),
                Panel("iterations per step", "overlap [diameters]",
                      {"mean of the largest": (k, [run.overlap for run in runs]),
                       "deepest of all": (k, [run.deepest for run in runs])}, "xy"),
            ),
            "violations",
            "feasibility grows with the number of iterations",
        )  # fmt: skip
        notebook.differs(
            "The slides have curves without numbers in their text; spheres, box and shaking are "
            "ours. Every step is cold started, as the paper's are; our simulations otherwise start "
            "from the last step's impulses."
        )

    def _bands(self, runs: list[Violations], notebook: Notebook) -> None:
        k = [run.iterations for run in runs]
        for what, values in (
            ("speed violation", [run.speed for run in runs]),
            ("overlap", [run.overlap for run in runs]),
        ):
            notebook.band(
                f"exponent of the {what} against iterations",
                fit_power_law(values, iterations=k).exponents["iterations"],
                paper="'feasibility accuracy increases with number of iterations'",
                high=-0.5,
                reason="it falls, and clearly so",
            )
        notebook.band(
            f"deepest overlap with {k[-1]} iterations, of a diameter",
            runs[-1].deepest,
            paper="'uniformly no larger than 0.2 %' (scalability)",
            high=0.002,
            reason="the paper's",
        )
