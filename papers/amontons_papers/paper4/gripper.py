"""Paper 4, introduction: a radial gripper with 3D cams."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from amontons.scenes import Gripper
from amontons.simulation.simulation import Simulation
from amontons.solvers import Auto
from amontons.viewer.pictures import View
from amontons_papers.experiment import Experiment
from amontons_papers.machines import joint_band, watch, write_down
from amontons_papers.notebook import Notebook

HELD = (1.3, 3.6)
"""From when to when the part hangs in the jaws [s]."""


class GripperExperiment(Experiment):
    """A cone opens three jaws, springs close them; a part is carried by friction."""

    name: ClassVar[str] = "gripper"
    paper: ClassVar[int] = 4
    shows: ClassVar[str] = "example: radial gripper with 3D cams"
    summary: ClassVar[str] = "a gripper with a conical cam takes a part, carries it and lets go"
    minutes: ClassVar[float] = 0.5

    def run(self, notebook: Notebook) -> None:
        scene = Gripper()
        world = scene.build()
        simulation = Simulation(
            world,
            step=self.pick(quick=8e-3, default=4e-3, full=1e-3),
            solver=Auto(tolerance=1e-6, max_iterations=2000),
        )
        head, places = world.body("head"), []

        def note(time: float) -> None:
            places.append(head.position.copy())
            if abs(time - 2.5) < 0.5 * simulation.readings[-1].step:
                view = View(distance=1.0, height=12.0)
                notebook.picture(simulation, "carried", "The part on its way, 2.5 s.", view=view)

        run = watch(
            simulation, 5.0, world.body("part"), notebook, on_step=lambda report: note(report.time)
        )
        self._bands(notebook, scene, run.position, run.time, np.array(places))
        notebook.band(
            "largest tilt of the part [°]",
            run.tilt.max(),
            paper="a picture only",
            high=1.0,
            reason="three jaws hold it upright",
        )
        joint_band(notebook, run)
        write_down(notebook, simulation, run)
        notebook.picture(simulation, "released", "The part stands, the jaws are open.")
        notebook.differs(
            "the paper has a picture only; our cam is a cone, on which the jaws run with balls"
        )

    def _bands(
        self,
        notebook: Notebook,
        scene: Gripper,
        part: np.ndarray,
        time: np.ndarray,
        head: np.ndarray,
    ) -> None:
        held = (time > HELD[0]) & (time < HELD[1])
        relative = part[held] - head[held]
        slip = np.linalg.norm(relative - relative[0], axis=1)
        start = 0.5 * scene.PART[1]
        notebook.band(
            "slip of the part in the jaws while it is carried [m]",
            slip.max(),
            paper="a picture only",
            high=1e-3,
            reason="friction of 3 · 80 N · 0.5 is twelve times the part's weight",
        )
        notebook.band(
            "height that the part was lifted by [m]",
            part[:, 2].max() - start,
            paper="a picture only",
            low=0.99 * scene.lift,
            high=1.01 * scene.lift,
            reason="the head's way upwards",
        )
        notebook.band(
            "distance of the part from its aim at the end [m]",
            float(np.linalg.norm(part[-1] - [scene.carry, 0.0, start])),
            paper="a picture only",
            high=1e-3,
            reason="it is put down at the carriage's way and stays",
        )
