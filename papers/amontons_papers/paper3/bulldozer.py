"""Paper 3, section 4.2.2 and figure 9: a bulldozer pushes cohesive soil."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from amontons.model.world import World
from amontons.scenes import Bulldozer
from amontons.simulation.simulation import Simulation
from amontons.solvers import APGD
from amontons.viewer.pictures import View
from amontons_papers.experiment import Experiment
from amontons_papers.machines import joint_band, watch, way_and_joints, write_down
from amontons_papers.notebook import Notebook


class BulldozerExperiment(Experiment):
    """Tracks of revolute-jointed shoes, sprockets at 4 rad/s, a blade, and ellipsoids."""

    name: ClassVar[str] = "bulldozer"
    paper: ClassVar[int] = 3
    shows: ClassVar[str] = "section 4.2.2, figure 9"
    summary: ClassVar[str] = "a bulldozer of 7.3 t on tracks of jointed shoes pushes cohesive soil"
    minutes: ClassVar[float] = 6.0

    def run(self, notebook: Notebook) -> None:
        duration = self.pick(quick=0.3, default=5.0, full=5.0)
        scene = self.pick(
            quick=Bulldozer(grains=12),
            default=Bulldozer(),
            full=Bulldozer(grains=160_000, grain=0.04),
        )
        world = scene.build()
        simulation = Simulation(
            world,
            step=self.pick(quick=1e-3, default=1e-3, full=1e-4),
            solver=APGD(tolerance=1e-4, max_iterations=300),
        )
        chassis = world.body("chassis")
        half_way = [0.6 * duration]

        def picture(time: float) -> None:
            if half_way and time >= half_way[0]:
                half_way.clear()
                self._picture(
                    notebook, simulation, "pushing", f"The blade meets the soil, {time:.1f} s."
                )

        run = watch(
            simulation, duration, chassis, notebook, on_step=lambda report: picture(report.time)
        )
        wanted = scene.intended(duration)
        notebook.band(
            "way driven by the sprockets' way",
            (run.position[-1, 0] - run.position[0, 0]) / wanted,
            paper="a picture only",
            low=self.pick(quick=0.0, default=0.95, full=0.95),
            high=1.02,
            reason=f"tracks with friction 1 that do not slip come {wanted:.3g} m far",
        )
        notebook.band(
            "largest tilt of the chassis [°]",
            run.tilt.max(),
            paper="a picture only",
            high=5.0,
            reason="it should stay on its tracks",
        )
        joint_band(notebook, run)
        self._soil_band(notebook, world, scene)
        self._sizes(notebook, world, scene, run.contacts)
        write_down(notebook, simulation, run)
        notebook.plot(
            way_and_joints(run, scene.intended, "bulldozer"),
            "way",
            "The chassis's way beside that of the sprockets, and the errors of all joints.",
        )
        self._picture(notebook, simulation, "end", f"After {duration:g} s.")
        self._differences(notebook, scene)

    def _picture(self, notebook: Notebook, simulation: Simulation, name: str, caption: str) -> None:
        x = float(simulation.world.body("blade").position[0])
        view = View(azimuth=-52.0, height=18.0, distance=1.0, target=(x - 0.5, 0.0, 0.4))
        notebook.picture(simulation, name, caption, view=view)

    def _soil_band(self, notebook: Notebook, world: World, scene: Bulldozer) -> None:
        """Which share of the grains is ahead of the blade's edge, or was never in its way."""
        soil = world.bodies.position[-scene.grains :]
        edge = float(world.body("blade").position[0]) - 0.3
        passed = (soil[:, 0] < edge) & (np.abs(soil[:, 1]) < 0.5 * scene.BLADE[0])
        notebook.band(
            "share of the soil that the blade let through",
            passed.mean(),
            paper="a picture only",
            high=0.05,
            reason="a blade pushes the soil before it",
        )

    def _sizes(
        self, notebook: Notebook, world: World, scene: Bulldozer, contacts: np.ndarray
    ) -> None:
        """The vehicle's parts beside the paper's."""
        mass = world.bodies.mass[world.bodies.dynamic]
        vehicle, grain = mass[: len(mass) - scene.grains], mass[-1]
        notebook.band(
            "mass of the vehicle [kg]",
            vehicle.sum(),
            paper="7300",
            low=7299.0,
            high=7301.0,
            reason="the paper's total",
        )
        notebook.table(
            "The model beside the paper's",
            ("quantity", "paper", "ours"),
            [
                ("rigid bodies of the vehicle", "114 (with the ground)", len(vehicle)),
                ("joints of the vehicle", "111", len(world.joints)),
                ("shoes of a track", "50", scene.TRACK.shoes),
                ("sprockets [rad/s]", "4", scene.turning),
                ("ellipsoids", "160 000", scene.grains),
                ("mass of an ellipsoid [kg]", "0.067", float(grain)),
                ("density [kg/m³]", "2000", 2000),
                ("cohesion [N]", "500", scene.cohesion),
                ("friction of soil, shoes, blade", "0.2, 1, 0", "0.2, 1, 0"),
                ("mass ratio", "about 10⁵", float(vehicle.max() / grain)),
                ("contacts in a step", "about 500 000", float(contacts.mean())),
            ],
        )

    def _differences(self, notebook: Notebook, scene: Bulldozer) -> None:
        notebook.differs(
            "the paper's text gives sprockets and rollers 250 kg each, but its total of 7300 kg is "
            "5000 + 100 · 20 + 12 · 25 kg; ours have 25 kg"
        )
        if self.size != "full":
            notebook.differs(
                f"{scene.grains} ellipsoids of {scene.grain:g} m instead of 160 000 of 0.04 m, and "
                "steps ten times as long; --full has the paper's"
            )
        notebook.differs(
            "a shoe may tilt on its pin out of the track's plane by 10 µrad a newton metre, which "
            "real pins do; positions of pins are rigid"
        )
        notebook.differs(
            "the sprockets reach 4 rad/s half a second after the start instead of in one step"
        )
