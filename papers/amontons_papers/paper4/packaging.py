"""Paper 4, introduction: a packaging device with cams."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from amontons.model.world import World
from amontons.scenes import Packaging
from amontons.simulation.simulation import Simulation
from amontons.solvers import Auto
from amontons_papers.experiment import Experiment
from amontons_papers.machines import joint_band, watch, write_down
from amontons_papers.notebook import Notebook

FEED, EJECT = 1, 4
"""Rows of the two slides among the joints: each cam has a hinge, a slide and a spring."""


class PackagingExperiment(Experiment):
    """Two cams with flat followers push products out of a magazine and into a box."""

    name: ClassVar[str] = "packaging"
    paper: ClassVar[int] = 4
    shows: ClassVar[str] = "example: packaging device"
    summary: ClassVar[str] = "cams push products one by one out of a magazine and into a box"
    minutes: ClassVar[float] = 0.5

    def run(self, notebook: Notebook) -> None:
        products = self.pick(quick=1, default=5, full=20)
        scene = Packaging(products)
        world = scene.build()
        simulation = Simulation(
            world,
            step=self.pick(quick=2e-3, default=2e-3, full=1e-3),
            solver=Auto(tolerance=1e-5, max_iterations=1000),
        )
        shaft: list[float] = []
        travels: list[np.ndarray] = []

        def note() -> None:
            shaft.append(float(simulation.joints.angle[0]))
            travels.append(simulation.joints.travel[[FEED, EJECT]])

        run = watch(
            simulation,
            products * 60.0 / scene.turns + 0.2,
            world.body("feed pusher"),
            notebook,
            on_step=lambda report: note(),
        )
        notebook.band(
            "products in the box",
            self._packed(world, products),
            paper="a picture only",
            low=products,
            high=products,
            reason="one product a turn",
        )
        self._follower_band(notebook, scene, np.array(shaft), np.array(travels))
        joint_band(notebook, run)
        write_down(notebook, simulation, run)
        notebook.picture(simulation, "packed", f"After {simulation.time:.1f} s.")
        notebook.differs(
            "the paper has a picture only; our cams are round discs turning about a point beside "
            "their middles, whose flat followers have a closed form"
        )

    def _packed(self, world: World, products: int) -> int:
        """How many products are below the table and within the box's walls."""
        place = np.array([world.body(f"product {i + 1}").position for i in range(products)])
        inside = (np.abs(place[:, 0] - 0.09) < 0.1) & (np.abs(place[:, 1] - 0.2) < 0.12)
        return int(np.count_nonzero(inside & (place[:, 2] < 0.25)))

    def _follower_band(
        self, notebook: Notebook, scene: Packaging, shaft: np.ndarray, travels: np.ndarray
    ) -> None:
        """How far pushers are from where their cams hold them, unless they are at their stops."""
        worst = 0.0
        for cam, travel in ((scene.FEED, travels[:, 0]), (scene.EJECT, travels[:, 1])):
            lifted = np.cos(cam.lead + shaft) > cam.low + 0.05
            stand = np.array([cam.stand(float(angle)) for angle in shaft]) - cam.stand(0.0)
            worst = max(worst, float(np.abs(travel - stand)[lifted].max()))
        notebook.band(
            "largest distance of a pusher from its cam [m]",
            worst,
            paper="a picture only",
            high=1e-3,
            reason="radius + throw · cos φ, within what a push lifts and a spring brings back",
        )
