"""Size segregation in a shaker: large balls rise through small ones."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from amontons.plots.style import curve_style, panels
from amontons.scenes.shaker import Shaker
from amontons.simulation.simulation import Simulation
from amontons.viewer.pictures import View
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook

Floats = NDArray[np.float64]


def mean_rank(height: Floats, chosen: NDArray[np.bool_]) -> float:
    """Mean rank by height of the chosen bodies: 0 all at the bottom, about 1 all at the top."""
    order = np.argsort(np.argsort(height))
    return float(order[chosen].mean()) / max(1, height.size - 1)


class SizeSegregation(Experiment):
    """Large balls begin at the bottom of a shaken box."""

    name: ClassVar[str] = "segregation"
    paper: ClassVar[int] = 4
    shows: ClassVar[str] = "size segregation in a shaker"
    summary: ClassVar[str] = "large steel balls rise through small ones in a shaken box"
    minutes: ClassVar[float] = 1.0

    def run(self, notebook: Notebook) -> None:
        scene = self.pick(Shaker(100, 1), Shaker(600, 9), Shaker(4000, 30))
        shakes = self.pick(6, 70, 300)
        simulation = Simulation(
            scene.build(), step=1e-3, solver=scene.advice.make_solver(), near=0.2 * scene.radius
        )
        simulation.readings.keep = None  # more steps than are kept by default
        bodies = simulation.bodies
        moving = bodies.dynamic
        large = bodies.mass[moving] > bodies.mass[moving].min() * 1.01
        self._picture(notebook, simulation, "start", "At the start")
        time, rank = [], []
        for number in range(shakes):
            simulation.run(1.0 / scene.frequency)
            time.append(simulation.time)
            rank.append(mean_rank(bodies.position[moving, 2], large))
            notebook.say(f"shake {number + 1} of {shakes}", number / shakes)
        self._picture(notebook, simulation, "end", f"After {shakes} shakes")
        self._write(notebook, scene, simulation, np.array(time), np.array(rank))

    def _picture(self, notebook: Notebook, simulation: Simulation, name: str, caption: str) -> None:
        notebook.picture(simulation, name, caption, view=View(azimuth=-65.0, height=15.0))

    def _write(
        self,
        notebook: Notebook,
        scene: Shaker,
        simulation: Simulation,
        time: Floats,
        rank: Floats,
    ) -> None:
        first = max(1, len(rank) // 10)
        notebook.band(
            "rise of the large balls' mean rank by height",
            float(rank[-first:].mean() - rank[:first].mean()),
            paper="large ones come up (picture)",
            low=0.1,
            reason="a tenth of all balls must have come to lie below each large one, on average",
        )
        notebook.band(
            "rank correlation of that rank with time",
            float(spearmanr(time, rank).statistic),
            paper="none given",
            low=0.8,
            reason="it must rise all the time, not jump",
        )
        deepest = float(simulation.readings.penetration.max()) / (2.0 * scene.radius)
        notebook.band(
            "deepest overlap in small diameters",
            deepest,
            paper="0.2 % of the diameter, with 300 spheres",
            high=0.1,
            reason="nothing sinks into anything; the floor moves by a seventh of a diameter a "
            "step, and contacts that close within one are met late",
        )
        notebook.table(
            "Shaker",
            ("small balls", "large balls", "ratio of radii", "frequency [1/s]", "strength [g]",
             "rank at first", "rank at last"),
            [(scene.balls, scene.large, scene.ratio, scene.frequency, scene.strength,
              float(rank[:first].mean()), float(rank[-first:].mean()))],
        )  # fmt: skip
        notebook.data("rank", time=time, rank=rank)
        figure, (ax,) = panels(1, "", share_y=False)
        ax.plot(time, rank, color=curve_style(0).colour)
        ax.set_xlabel("time [s]")
        ax.set_ylabel("mean rank of large balls by height")
        notebook.plot(figure, "rank", "Large balls rise: 0 is the bottom, 1 the top")
        notebook.differs(
            "The paper shows a picture of thousands of steel spheres and gives no figures; sizes, "
            "frequency and strength are ours."
        )
