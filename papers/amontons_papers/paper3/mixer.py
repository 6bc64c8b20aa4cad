"""Table III: how long a step takes in a mixer of sticky bodies of four shapes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.plots.style import curve_style, panels
from amontons.problem.residuals import Measure
from amontons.simulation.simulation import Simulation
from amontons.solvers import APGD
from amontons.viewer.pictures import View
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook
from amontons_papers.paper3.sticky_mixer import StickyMixer
from amontons_papers.power_laws import fit_power_law

PAPER = ((101_506, 355_551, 3.97), (200_270, 804_768, 8.13), (301_790, 1.33e6, 12.53),
         (400_555, 1.89e6, 17.23))  # fmt: skip
"""Table III: bodies, contacts, seconds per step on eight cores."""
SETTLING, TIMED = 5e-3, 5e-4
"""Lengths of a step [s] while the bodies settle, and while the clock runs (the paper's)."""
ITERATIONS, TURNS = 50, 5
"""At most so many iterations per step; turns in which all sizes are timed."""


@dataclass(frozen=True)
class Timing:
    """What a step of one mixer cost, as a mean over those of one turn; counts are of the last."""

    bodies: int
    contacts: int
    residual: float
    """Of paper 3 [m/s]."""
    processor: float
    """Seconds that its threads ran on processors, together."""
    seconds: float
    """On the clock."""
    solve: float
    """Seconds on the clock in the solver."""
    iterations: int


def take_steps(simulation: Simulation, count: int) -> Timing:
    """Time so many steps."""
    start = time.process_time()
    reports = [simulation.step() for _ in range(count)]
    spent, last = time.process_time() - start, reports[-1]
    return Timing(
        bodies=last.awake,
        contacts=last.contacts,
        residual=last.residual,
        processor=spent / count,
        seconds=float(np.mean([each.seconds.sum() for each in reports])),
        solve=float(np.mean([each.seconds[2] for each in reports])),
        iterations=last.iterations,
    )


def time_in_turns(simulations: list[Simulation]) -> list[list[Timing]]:
    """Take steps of the paper's length, all sizes in turns; of each turn a timing a size.

    What else runs on the machine, even on other guests of its processors, slows steps by a half
    for seconds or minutes. So sizes are compared within a turn, and each has an equal share of it:
    the smaller a mixer, the more steps. A short look would find a quiet moment more easily.
    """
    bodies = [np.count_nonzero(each.bodies.dynamic) for each in simulations]
    for each in simulations:
        each.step_length = TIMED
        each.solver = APGD(tolerance=6e-5, max_iterations=ITERATIONS, measure=Measure.PAPER3)
        each.step()  # caches fill
    counts = [round(max(bodies) / each) for each in bodies]
    return [list(map(take_steps, simulations, counts)) for _ in range(TURNS)]


def exponents(turns: list[list[Timing]], quantity: str) -> list[float]:
    """Of a timing's quantity against bodies, one a turn."""
    found = []
    for timings in turns:
        values = [getattr(each, quantity) for each in timings]
        law = fit_power_law(values, bodies=[each.bodies for each in timings])
        found.append(law.exponents["bodies"])
    return found


def middle(timings: Iterable[Timing]) -> Timing:
    """The one with the median processor time."""
    return sorted(timings, key=lambda each: each.processor)[TURNS // 2]


class MixerScaling(Experiment):
    """Mixers of several sizes, each settled and then timed."""

    name: ClassVar[str] = "mixer"
    paper: ClassVar[int] = 3
    shows: ClassVar[str] = "table III, figure 6"
    summary: ClassVar[str] = "the time of a step in a mixer of sticky bodies against their number"
    minutes: ClassVar[float] = 8.0

    def run(self, notebook: Notebook) -> None:
        sizes = self.pick(
            (300, 600), (100_000, 200_000, 400_000), tuple(bodies for bodies, _, _ in PAPER)
        )
        simulations = []
        for number, bodies in enumerate(sizes):
            share = 0.8 * float(np.sum(sizes[:number])) / np.sum(sizes)
            simulations.append(self._settled(bodies, notebook, f"{bodies} bodies", share))
        notebook.say("steps of all sizes in turns", 0.8)
        self._write(notebook, time_in_turns(simulations))
        self._picture(notebook, simulations[0])

    @property
    def _settling(self) -> int:
        """Steps before the clock runs."""
        return self.pick(10, 24, 400)

    def _settled(self, bodies: int, notebook: Notebook, text: str, share: float) -> Simulation:
        solver = APGD(tolerance=1e-2, max_iterations=40)
        world = StickyMixer(bodies, still=SETTLING * self._settling).build()
        simulation = Simulation(world, step=SETTLING, solver=solver)
        for _ in range(self._settling):
            simulation.step()
            notebook.say(f"{text}: they settle", share)
        return simulation

    def _write(self, notebook: Notebook, turns: list[list[Timing]]) -> None:
        timings = [middle(each) for each in zip(*turns, strict=True)]
        growth = {name: exponents(turns, name) for name in ("processor", "seconds")}
        published = fit_power_law([row[2] for row in PAPER], bodies=[row[0] for row in PAPER])
        notebook.band(
            "exponent of the processor time of a step against bodies",
            float(np.median(growth["processor"])),
            paper=f"{published.exponents['bodies']:.2f} (table III)",
            high=1.1,
            reason="linear growth, and noise",
        )
        last = timings[-1]
        notebook.band(
            "time of a step per contact at the largest size [µs]",
            1e6 * last.seconds / last.contacts,
            paper="11.2 to 9.1 on eight cores (table III)",
            high=44.0,
            reason="the paper's 11 µs on eight cores, four times over on two",
        )
        notebook.table(
            "Time of a step",
            ("bodies", "contacts", "contacts per body", "residual r", "iterations",
             "processor time [s]", "step [s]", "solver [s]", "µs per contact"),
            [
                (each.bodies, each.contacts, each.contacts / each.bodies, each.residual,
                 each.iterations, each.processor, each.seconds, each.solve,
                 1e6 * each.seconds / each.contacts)
                for each in timings
            ],
        )  # fmt: skip
        notebook.table(
            "Table III of the paper, eight cores of a Xeon E5520",
            ("bodies", "contacts", "contacts per body", "step [s]", "µs per contact"),
            [(n, int(contacts), contacts / n, s, 1e6 * s / contacts) for n, contacts, s in PAPER],
        )
        self._plot(notebook, timings)
        notebook.table(
            "Exponents, turn by turn",
            ("of", *(f"turn {number + 1}" for number in range(TURNS)), "median"),
            [(name, *each, float(np.median(each))) for name, each in
             (("processor time", growth["processor"]), ("the clock", growth["seconds"]))],
        )  # fmt: skip
        notebook.differs(
            "The exponent is the median of those of several turns through all sizes, each size "
            "with an equal share of a turn, and that of processor time: a shared machine slows "
            "steps by a half for seconds or minutes."
        )
        notebook.differs(
            "Bodies begin in columns that touch, and are timed after "
            f"{1e3 * SETTLING * self._settling:.0f} ms of falling, in the first steps in which the "
            "blades turn; the paper's were poured and are timed in steady state."
        )
        notebook.differs(
            f"At most {ITERATIONS} iterations per step and the residual that they reach, as in "
            "table III; the paper does not say how many it took. Time is that of the whole step, "
            "collision detection among it; the paper's is the solver's."
        )

    def _plot(self, notebook: Notebook, timings: list[Timing]) -> None:
        figure, (ax,) = panels(1, "", share_y=False)
        ours, theirs = curve_style(0), curve_style(1)
        ax.loglog([each.bodies for each in timings], [each.seconds for each in timings], "o-",
                  color=ours.colour, label="ours")  # fmt: skip
        ax.loglog([row[0] for row in PAPER], [row[2] for row in PAPER], "s--",
                  color=theirs.colour, label="table III")  # fmt: skip
        ax.set_xlabel("bodies")
        ax.set_ylabel("time of a step [s]")
        ax.legend(frameon=False)
        notebook.plot(figure, "step-time", "Time of a step against the number of bodies")

    def _picture(self, notebook: Notebook, simulation: Simulation) -> None:
        """Half of the mixer is taken away, so that the blades can be seen."""
        world = simulation.world
        bodies = world.bodies
        front = bodies.dynamic & (bodies.position[:, 1] < 0.0)
        world.remove_bodies([*bodies.id[front], world.body("container").id])
        notebook.picture(
            simulation,
            "mixer",
            "The smallest mixer after its steps, its front half and the container taken away",
            view=View(azimuth=-90.0, height=30.0),
        )
