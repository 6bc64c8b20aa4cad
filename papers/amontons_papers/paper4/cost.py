"""Paper 4, 'tests: scalability': time of a step for 300 to 1500 spheres."""

from __future__ import annotations

import time
from typing import ClassVar, NamedTuple

import numpy as np

from amontons.simulation.simulation import Simulation
from amontons_papers.drawing import Panel, draw
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook
from amontons_papers.paper4.shaken_spheres import RADIUS, SETTLE, STEP, cold_step, shaking
from amontons_papers.power_laws import fit_power_law

ITERATIONS = 150
STEPS = 30
"""Timed steps, after the fall."""


class Cost(NamedTuple):
    """Of the steps of one box."""

    spheres: int
    contacts: float
    milliseconds: float  # of a step
    nanoseconds: float  # of a contact and iteration
    overlap: float  # deepest, of a diameter


def measure(spheres: int) -> tuple[Cost, Simulation]:
    """Shake a box, and time the last steps."""
    simulation = shaking(spheres, ITERATIONS)
    spent = []
    for _ in range(round(SETTLE / STEP) + STEPS):
        start = time.process_time()
        cold_step(simulation)
        spent.append(time.process_time() - start)
    readings = simulation.readings
    contacts = float(np.mean(readings.contacts[-STEPS:]))
    seconds = float(np.median(spent[-STEPS:]))
    overlap = float(readings.penetration[-STEPS:].max()) / (2.0 * RADIUS)
    each = 1e9 * seconds / ITERATIONS / contacts
    return Cost(spheres, contacts, 1e3 * seconds, each, overlap), simulation


class CostOfAStep(Experiment):
    """Time of a step against contacts."""

    name: ClassVar[str] = "step-cost"
    paper: ClassVar[int] = 4
    shows: ClassVar[str] = "'tests: scalability': CPU time per step"
    summary: ClassVar[str] = "time of a step for 300 to 1500 shaken spheres"
    minutes: ClassVar[float] = 1.5

    def run(self, notebook: Notebook) -> None:
        sizes = self.pick((60, 120), (300, 600, 900, 1200, 1500), (300, 600, 900, 1200, 1500))
        rows, curve = [], {}
        for number, spheres in enumerate(sizes):
            notebook.say(f"{spheres} spheres", number / len(sizes))
            cost, simulation = measure(spheres)
            rows.append(cost)
            curve[spheres] = (simulation.readings.time, simulation.readings.contacts)
        found = np.array(rows)
        law = fit_power_law(found[:, 2], contacts=found[:, 1])
        notebook.table(
            f"A step with {ITERATIONS} iterations",
            ("spheres", "contacts", "a step [ms]", "a contact and iteration [ns]",
             "deepest overlap [diameters]"),
            rows,
        )  # fmt: skip
        notebook.band(
            "exponent of the processor's time of a step against contacts",
            law.exponents["contacts"],
            paper="O(n) time (slides 'the algorithm' and 'scalability')",
            high=1.1,
            reason="linear; costs that do not depend on the size make it less",
        )
        notebook.band(
            "deepest overlap, of a diameter",
            float(found[:, 4].max()),
            paper="'uniformly no larger than 0.2 % of diameter'",
            high=0.002,
            reason="the paper's",
        )
        notebook.plot(
            draw(
                "Time of a step",
                Panel("contacts", "a step [ms]", {"ours": (found[:, 1], found[:, 2])}),
                Panel("time [s]", "contacts", {f"{n} spheres": xy for n, xy in curve.items()}),
            ),
            "cost",
            "time of a step grows with the contacts, in proportion; contacts in time",
        )
        notebook.differs(
            "The paper's curves come without numbers in their text, from a computer of 2007; the "
            "time of a step is the processor's and holds detection, assembly and all iterations. "
            f"How many it had is not given, nor the time step; {ITERATIONS} and 1 ms are ours."
        )
