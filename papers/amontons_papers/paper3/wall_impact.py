"""Figures 10 and 11: a teapot and a block of sticky spheres are thrown against a wall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from amontons.model.materials import Material
from amontons.model.shapes import Plane, Sphere
from amontons.model.world import World
from amontons.simulation.simulation import Simulation
from amontons.solvers import APGD
from amontons.viewer.pictures import View
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook
from amontons_papers.paper3.cohesion import broken_up
from amontons_papers.paper3.sticky_bodies import flawed_block, teapot

Floats = NDArray[np.float64]

RADIUS, DENSITY, SPEED, STEP = 0.1, 2000.0, 30.0, 1e-3
"""Of a sphere [m], [kg/m³]; of the throw [m/s]; the paper's step [s]."""
TURN = Rotation.from_euler("yz", (30.0, 25.0), degrees=True).as_matrix()
"""The block flies askew: flat against the wall it would merely stop, all of it at once."""
BLOCKS = 5
"""Blocks with weak points at random, each thrown with either cohesion: one may break in two."""


@dataclass(frozen=True)
class Crash:
    """What hit the wall, and what is left of it."""

    cohesion: float
    """[N]"""
    spheres: int
    pieces: int
    largest: float
    """Share of the spheres in the largest piece."""
    kept: float
    """Share of neighbours that still touch."""


class WallImpact(Experiment):
    """One throw of the teapot, two of each block."""

    name: ClassVar[str] = "wall-impact"
    paper: ClassVar[int] = 3
    shows: ClassVar[str] = "figures 10 and 11"
    summary: ClassVar[str] = "a teapot and a block of sticky spheres are thrown against a wall"
    minutes: ClassVar[float] = 1.5

    def run(self, notebook: Notebook) -> None:
        d = 2.0 * RADIUS
        pot = teapot(d, d * self.pick(3.5, 7.0, 40.0))
        across = d * self.pick(2.0, 4.0, 19.0)
        notebook.say("a teapot", 0.0)
        shell = self._throw(notebook, "teapot", pot, 5e6)
        weak, firm = [], []
        for number in range(BLOCKS):
            notebook.say(f"block {number + 1} of {BLOCKS}", 0.4 + 0.6 * number / BLOCKS)
            block = flawed_block(d, (1.5 * across, across, across), seed=number) @ TURN
            title = "block" if number == 0 else ""
            weak.append(self._throw(notebook, title, block, 1e4))
            firm.append(self._throw(notebook, title, block, 1e5))
        self._write(notebook, shell, weak, firm)

    def _throw(self, notebook: Notebook, what: str, places: Floats, cohesion: float) -> Crash:
        """Throw along x against a wall at x = 0, and look at it a while after the impact.

        A picture is taken of what has a name.
        """
        world = World()
        smooth = Material(friction=0.1)
        front, low = float(places[:, 0].max()), float(places[:, 2].min())
        world.add_body(Plane(), fixed=True, material=smooth, name="floor")
        world.add_body(Plane((-1.0, 0.0, 0.0)), fixed=True, material=smooth, name="wall")
        world.add_bodies(
            Sphere(RADIUS),
            position=places + np.array([-front - 1.2 * RADIUS, 0.0, 3.0 * RADIUS - low]),
            velocity=(SPEED, 0.0, 0.0),
            density=DENSITY,
            material=Material(friction=1.0, cohesion=cohesion),
        )
        solver = APGD(tolerance=1e-2, max_iterations=100)
        simulation = Simulation(world, step=STEP, solver=solver)
        moving = simulation.bodies.dynamic
        start = simulation.bodies.position[moving].copy()
        length = float(np.ptp(places[:, 0]))
        simulation.run(1.5 * length / SPEED)
        number, largest, kept = broken_up(simulation, start, 2.0 * RADIUS)
        if what:
            notebook.picture(
                simulation,
                f"{what}-{cohesion:.0f}",
                f"The {what} with a cohesion of {cohesion:.0f} N, {simulation.time:.2f} s after it "
                "was let go",
                view=View(azimuth=-110.0, height=20.0),
            )
        return Crash(
            cohesion=cohesion,
            spheres=len(places),
            pieces=number,
            largest=largest,
            kept=kept,
        )

    def _write(
        self, notebook: Notebook, shell: Crash, weak: list[Crash], firm: list[Crash]
    ) -> None:
        notebook.band(
            "largest piece of the teapot, 5·10⁶ N",
            shell.largest,
            paper="in one piece (figure 10)",
            low=0.95,
            reason="figure 10 shows no pieces that fly off",
        )
        notebook.band(
            "largest piece of a block, 10⁵ N, median",
            float(np.median([each.largest for each in firm])),
            paper="maintains its shape, fractures at weak points only (figure 11)",
            low=0.5,
            reason="a block that keeps its shape has most of its spheres in one piece",
        )
        notebook.band(
            "bonds kept, 10⁴ N by 10⁵ N, median",
            float(np.median([a.kept / b.kept for a, b in zip(weak, firm, strict=True)])),
            paper="loses structural integrity against maintains its shape (figure 11)",
            high=0.8,
            reason="the weak block must lose clearly more",
        )
        notebook.table(
            "After the impact",
            ("thing", "cohesion [N]", "spheres", "pieces", "largest piece", "bonds kept"),
            [
                (what, each.cohesion, each.spheres, each.pieces, each.largest, each.kept)
                for what, crashes in (("teapot", [shell]), ("block", weak), ("block", firm))
                for each in crashes
            ],
        )
        notebook.differs(
            f"The paper gives neither the size of spheres nor the speed; ours are {RADIUS:g} m, "
            f"{DENSITY:g} kg/m³ and {SPEED:g} m/s. Fewer spheres than 80 000 and 154 000 unless "
            "--full is given. The teapot's shape is ours."
        )
        notebook.differs(
            f"{BLOCKS} blocks are thrown, whose weak points are spheres left out at random, 8 % of "
            "them; they fly askew, corner first. Where cracks run through one of them hangs on the "
            "last digits, so medians are judged."
        )
