"""Figures 7 and 8: snow, clay and brittle balls on an edge, by cohesion alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from amontons.plots.style import curve_style, panels
from amontons.scenes.snowball import Snowball
from amontons.simulation.simulation import Simulation
from amontons.viewer.pictures import View
from amontons_papers.clusters import bonds, kept_share, pieces
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook

Floats = NDArray[np.float64]

COHESIONS = (500.0, 2000.0, 4000.0, 10_000.0, 20_000.0)
"""From heavy snow to a brittle solid [N]."""
NAMED = (500.0, 4000.0, 20_000.0)
"""Those that the paper calls snow, clay and brittle (section 4.2.1)."""
REACH = 1.02
"""Spheres farther apart than so many diameters have parted."""


@dataclass(frozen=True)
class BreakUp:
    """What an impact left of a ball."""

    cohesion: float
    """[N]"""
    pieces: int
    """Connected ones, single spheres among them."""
    largest: float
    """Share of the spheres in the largest piece."""
    kept: float
    """Share of neighbours that still touch."""
    penetration: float
    """Deepest overlap, in diameters."""


def broken_up(simulation: Simulation, start: Floats, diameter: float) -> tuple[int, float, float]:
    """Pieces, share of the largest one, and share of the bonds kept since `start`."""
    place = simulation.bodies.position[simulation.bodies.dynamic]
    now = bonds(place, REACH * diameter)
    sizes = pieces(len(place), now)
    kept = kept_share(bonds(start, REACH * diameter), now)
    return len(sizes), float(sizes[0]) / len(place), kept


class CohesiveBalls(Experiment):
    """One ball for each cohesion (figure 7), then several balls, soft and firm (figure 8)."""

    name: ClassVar[str] = "cohesion"
    paper: ClassVar[int] = 3
    shows: ClassVar[str] = "figures 7 and 8"
    summary: ClassVar[str] = "balls of sticky spheres fall on an edge: snow, clay, brittle"
    minutes: ClassVar[float] = 2.0

    def run(self, notebook: Notebook) -> None:
        spheres = self.pick(120, 1000, 75_000)
        results = []
        for number, cohesion in enumerate(COHESIONS):
            notebook.say(f"cohesion of {cohesion:g} N", 0.15 * number)
            results.append(self._drop(Snowball(spheres, cohesion=cohesion), notebook))
        self._write(notebook, results)
        if self.size == "quick":
            return
        size, several = (300, 3) if self.size == "default" else (spheres, 21)
        for cohesion in (500.0, 4000.0):
            notebook.say(f"{several} balls, {cohesion:g} N", 0.85)
            self._pile(Snowball(size, cohesion=cohesion, balls=several), notebook)

    def _drop(self, scene: Snowball, notebook: Notebook) -> BreakUp:
        simulation = self._simulation(scene)
        start = simulation.bodies.position[simulation.bodies.dynamic].copy()
        simulation.run(4.0 * scene.ball_radius / scene.speed)
        number, largest, kept = broken_up(simulation, start, 2.0 * scene.radius)
        deepest = float(simulation.readings.penetration.max()) / (2.0 * scene.radius)
        if scene.cohesion in NAMED:
            self._picture(notebook, simulation, f"ball-{scene.cohesion:g}", scene.cohesion)
        return BreakUp(scene.cohesion, number, largest, kept, deepest)

    def _pile(self, scene: Snowball, notebook: Notebook) -> None:
        """Figure 8: balls that follow one another into the box."""
        simulation = self._simulation(scene)
        simulation.run((6.0 + 2.2 * scene.balls) * scene.ball_radius / scene.speed)
        self._picture(notebook, simulation, f"balls-{scene.cohesion:g}", scene.cohesion)

    def _simulation(self, scene: Snowball) -> Simulation:
        return Simulation(scene.build(), step=5e-4, solver=scene.advice.make_solver())

    def _picture(
        self, notebook: Notebook, simulation: Simulation, name: str, cohesion: float
    ) -> None:
        caption = f"Cohesion of {cohesion:g} N, {simulation.time:.2f} s after the drop"
        notebook.picture(simulation, name, caption, view=View(azimuth=-70.0, height=20.0))

    def _write(self, notebook: Notebook, results: list[BreakUp]) -> None:
        kept = np.array([each.kept for each in results])
        largest = np.array([each.largest for each in results])
        count = np.array([each.pieces for each in results])
        for quantity, wrong in (
            ("cohesions after which fewer bonds are kept than after the next lower", kept),
            (
                "cohesions after which the largest piece is smaller than after the next lower",
                largest,
            ),
            ("cohesions after which there are more pieces than after the next lower", -count),
        ):
            notebook.band(
                quantity,
                float(np.count_nonzero(np.diff(wrong) < 0.0)),
                paper="figure 7: the firmer, the more holds together",
                high=0.0,
                reason="break-up must be monotone in cohesion",
            )
        notebook.band(
            "deepest overlap in diameters",
            max(each.penetration for each in results),
            paper="none given",
            high=0.1,
            reason="nothing sinks into anything: a tenth of a diameter at 10 m/s",
        )
        notebook.table(
            "Break-up",
            ("cohesion [N]", "pieces", "largest piece", "bonds kept", "deepest overlap"),
            [(each.cohesion, each.pieces, each.largest, each.kept, each.penetration)
             for each in results],
        )  # fmt: skip
        figure, (left,) = panels(1, "", share_y=False)
        x = [each.cohesion for each in results]
        left.semilogx(x, kept, "o-", color=curve_style(0).colour, label="bonds kept")
        left.semilogx(x, largest, "s--", color=curve_style(1).colour, label="largest piece")
        left.set_xlabel("cohesion [N]")
        left.set_ylabel("share")
        left.legend(frameon=False)
        notebook.plot(figure, "break-up", "What holds together after the impact")
        notebook.differs(
            "The paper gives neither radius nor density of the spheres; ours are 50 mm and "
            "2000 kg/m³, with which 75 000 of them make a ball of 2.3 m radius. Smaller balls are "
            "made of fewer of the same spheres, so that cohesion means the same."
        )
        notebook.differs(
            "Break-up is measured here: pieces are spheres connected by gaps below 2 % of the "
            "diameter. The paper shows pictures only."
        )
