"""Paper 4, the last slide: a walking robot."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from amontons.scenes import WalkingRobot
from amontons.simulation.simulation import Simulation
from amontons.solvers import Auto
from amontons.viewer.pictures import View
from amontons_papers.experiment import Experiment
from amontons_papers.machines import joint_band, watch, way_and_joints, write_down
from amontons_papers.notebook import Notebook


class WalkingRobotExperiment(Experiment):
    """Six legs with three servos each walk along x."""

    name: ClassVar[str] = "walking-robot"
    paper: ClassVar[int] = 4
    shows: ClassVar[str] = "example: a walking robot"
    summary: ClassVar[str] = "a robot with six legs of three servos walks for five seconds"
    minutes: ClassVar[float] = 1.0

    def run(self, notebook: Notebook) -> None:
        duration = self.pick(quick=1.0, default=5.0, full=5.0)
        scene = WalkingRobot()
        world = scene.build()
        simulation = Simulation(
            world,
            step=self.pick(quick=4e-3, default=2e-3, full=1e-3),
            solver=Auto(tolerance=1e-6, max_iterations=2000),
        )
        run = watch(simulation, duration, world.body("trunk"), notebook)
        way = run.position[-1] - run.position[0]
        wanted = scene.intended(duration)
        notebook.band(
            "way walked by the intended one",
            way[0] / wanted,
            paper="a picture only",
            low=0.95,
            high=1.05,
            reason=f"feet that neither slip nor sink come {wanted:.3g} m far",
        )
        notebook.band(
            "drift to the side by the way",
            abs(way[1]) / wanted,
            paper="a picture only",
            high=0.05,
            reason="it should walk straight",
        )
        notebook.band(
            "largest tilt of the trunk [°]",
            run.tilt.max(),
            paper="a picture only",
            high=5.0,
            reason="it should stay upright",
        )
        notebook.band(
            "lowest height of the trunk by the intended one",
            run.position[:, 2].min() / scene.height,
            paper="a picture only",
            low=0.9,
            reason="servos give a little; it should not sink",
        )
        joint_band(notebook, run)
        write_down(notebook, simulation, run)
        notebook.plot(
            way_and_joints(run, scene.intended, "walking robot"),
            "way",
            "The trunk's way beside the intended one, and the errors of all joints.",
        )
        notebook.picture(
            simulation,
            "robot",
            f"After {duration:g} s.",
            view=View(target=tuple(np.round(run.position[-1], 3).tolist())),
        )
        notebook.differs(
            "the paper has a picture without numbers; ours is a robot with six legs and the usual "
            "gait of insects, three feet on the ground at a time"
        )
