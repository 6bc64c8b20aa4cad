"""`SingleFrame`: the current state of a simulation, to be shown like a run of one frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import amontons
from amontons.frames.cell import FrameCell
from amontons.frames.frame import BodyList, Frame
from amontons.frames.surfaces import Surface, shape_arrays, surfaces_of
from amontons.simulation.reports.contacts import Contacts
from amontons.simulation.simulation import Simulation

Floats = NDArray[np.float64]


class SingleFrame:
    """Copies of the bodies, shapes and contacts of a simulation."""

    frames = 1
    has_contacts = True
    come_and_go = False

    def __init__(self, simulation: Simulation) -> None:
        world, bodies = simulation.world, simulation.bodies
        self.scene, self.path = "", "this simulation"
        self.version = amontons.__version__
        self.bodies = BodyList(
            bodies.id.copy(),
            bodies.shape.copy(),
            bodies.mass.copy(),
            bodies.fixed.copy(),
            bodies.kinematic.copy(),
            [world.name_of(int(each)) for each in bodies.id],
            bodies.material.copy(),
        )
        self.shapes: list[Surface] = surfaces_of(shape_arrays(world.shapes, world.origins))
        self._frame = Frame(
            0,
            simulation.steps,
            simulation.time,
            bodies.position.copy(),
            bodies.orientation.copy(),
            bodies.twist.copy(),
            simulation.contacts.among(
                simulation.bodies.id
            ),  # some bodies may have been removed since
            self,
            cell=_cell(simulation),
        )

    @property
    def time(self) -> Floats:
        """Of the one frame [s], shape (1,)."""
        return np.array([self._frame.time])

    @property
    def position(self) -> Floats:
        """Centres of mass [m], shape (1, bodies, 3)."""
        return self._frame.position[None]

    def contacts(self, number: int) -> Contacts:
        """Contacts of the last step."""
        return self[number].contacts or Contacts.none()

    def __len__(self) -> int:
        return self.frames

    def __getitem__(self, number: int) -> Frame:
        return self._frame

    def __repr__(self) -> str:
        return f"<SingleFrame: {len(self.bodies)} bodies at {self._frame.time:.4g} s>"


def _cell(simulation: Simulation) -> FrameCell | None:
    """The cell of a simulation as it is now."""
    cell, state = simulation.world.cell, simulation.cell
    if cell is None:
        return None
    return FrameCell(
        state.edges.copy(), state.gradient.copy(), np.array(cell.origin), np.array(cell.periodic)
    )
