"""A cell that repeats itself, in steps: where its bodies are, and how space carries them along."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.rotations import rotation_matrices
from amontons.collision.broad.rows import BodyOrder
from amontons.collision.detector import CollisionDetector
from amontons.collision.images.detection import PeriodicDetector
from amontons.collision.images.image_contacts import PeriodicContacts
from amontons.collision.images.lattice import Lattice
from amontons.dynamics.masses import Masses
from amontons.errors import InputError, SimulationError
from amontons.model.cell import AXES, Cell
from amontons.model.shapes import Plane, Sphere
from amontons.model.world import World
from amontons.simulation.cell.cell_state import CellState
from amontons.simulation.state import BodyState

Floats = NDArray[np.float64]


class CellMotion(NamedTuple):
    """How space moves in a step: at the velocity L (x − c) about the bodies' centre c."""

    before: Floats  # L as the step begins [1/s], (3, 3)
    free: Floats  # with what the stress that is held does to it, (3, 3)
    flexibility: Floats | None  # of a cell that holds a stress [1/(kg m²)], (3, 3)
    carried: Floats  # x − c of bodies that space carries along, zero of others [m], (bodies, 3)

    def of_bodies(self, gradient: Floats) -> Floats:
        """What a change of the gradient [1/s] adds to velocities of bodies [m/s], (bodies, 3)."""
        return np.asarray(self.carried @ gradient.T)


@dataclass(frozen=True, eq=False)
class CellModel:
    """What steps need to know of a cell, and what does not change while it has the same bodies."""

    cell: Cell
    detector: PeriodicDetector
    masses: Masses
    reach: Floats  # of a body's farthest point from its centre [m], 0 for a plane, (bodies,)

    @classmethod
    def of(cls, world: World, masses: Masses, detector: CollisionDetector) -> CellModel | None:
        """The cell of a world, or None."""
        cell = world.cell
        if cell is None:
            return None
        if world.joints:
            raise InputError(
                f"{world.joints[0].title} cannot be in a world with a cell: joints and springs do "
                "not reach across its borders yet; take them out, or the cell"
            )
        if len(world.bonds):
            raise InputError(
                "bonds cannot be in a world with a cell: they do not reach across its borders yet; "
                "take them out, or the cell"
            )
        unbounded = ~np.isfinite(masses.size)
        _check_planes(world, cell, unbounded)
        rounds = np.array([isinstance(shape, Sphere) for shape in world.shapes], dtype=bool)
        reach = np.where(rounds[world.bodies.shape], masses.size, masses.reach)
        found = cls(cell, PeriodicDetector(detector, reach, unbounded), masses, reach)
        found.check_room(np.array(cell.lengths), world.name_of, world.bodies.id)
        return found

    def check_room(
        self, lengths: Floats, name_of: Callable[[int], str], ids: NDArray[np.int64]
    ) -> None:
        """Raise where a body could touch its own image."""
        if not self.reach.size:
            return
        widest = int(np.argmax(self.reach))
        width = 2.0 * float(self.reach[widest])
        for name, length, axis in zip(AXES, lengths, self.cell.periodic, strict=True):
            if axis and length < width:
                raise InputError(
                    f"the cell is {length:g} m long along {name}, but "
                    f"{name_of(int(ids[widest]))} may need {width:g} m of it: "
                    "it would touch its own image; make the cell longer. A floor or wall that "
                    "goes through the whole cell is a Plane"
                )

    def at(self, time: float) -> CellModel:
        """The same in the stage that a step which begins then [s] is in."""
        cell = self.cell.at(time)
        return self if cell is self.cell else dataclasses.replace(self, cell=cell)

    def lattice(self, state: CellState) -> Lattice:
        """Where images are now."""
        return Lattice(state.edges, np.array(self.cell.periodic), np.array(self.cell.origin))

    def begun(self, state: CellState, bodies: BodyState) -> tuple[CellState, BodyState]:
        """Bodies as a step begins: in the cell, and carried along as the cell's rates have it.

        A body that left the cell is replaced by its image there, which moves as space does beside
        the body. Rates that were changed by hand change the velocity of all space, at once.
        """
        lattice, free = self.lattice(state), ~self.masses.driven
        if (lattice.lengths <= 0.0).any():
            raise SimulationError("the cell has no room left: it was compressed to nothing")
        cells = np.where(free[:, None], lattice.home(bodies.position), 0)
        twist = bodies.twist
        if cells.any():
            shift = lattice.shifts(cells)
            twist = twist.copy()
            twist[:, :3] += shift @ state.gradient.T
            bodies = bodies._replace(position=bodies.position + shift, twist=twist)
            state = state._replace(images=(state.images - cells).astype(np.int32))
        given = np.where(np.diag(self.cell.held), state.gradient, self.cell.gradient)
        if not np.array_equal(given, state.gradient):
            twist = twist.copy()
            twist[:, :3] += self._carried(bodies) @ (given - state.gradient).T
            bodies, state = bodies._replace(twist=twist), state._replace(gradient=given)
        return state, bodies

    def motion(self, state: CellState, bodies: BodyState, h: float) -> CellMotion:
        """How space moves in a step of h [s], before contacts act."""
        carried = self._carried(bodies)
        if self.cell.stress is None:
            return CellMotion(state.gradient, state.gradient, None, carried)
        flexibility = self._flexibility(state)
        relative = bodies.twist[:, :3] - carried @ state.gradient.T
        relative = relative - self._mean(relative)
        pressing = (self._mass[:, None] * relative**2).sum(axis=0)
        virial = h * (pressing - state.volume * self.cell.targets)
        gradient = state.gradient + np.diag(flexibility @ virial)
        return CellMotion(state.gradient, gradient, flexibility, carried)

    def _flexibility(self, state: CellState) -> Floats:
        """One over the inertia of the cell's edges [1/(kg m²)], shape (3, 3).

        They are as inert as bodies that stretch with them: Σ m x² ε̇² = M L² ε̇² / 12.
        """
        held = np.array(self.cell.held)
        inertia = self.masses.total * state.lengths**2 / 12.0
        if self.cell.isotropic:
            return np.asarray(np.outer(held, held) / inertia[held].sum())
        return np.diag(np.where(held, 1.0 / inertia, 0.0))

    def _carried(self, bodies: BodyState) -> Floats:
        middle = self._mean(bodies.position)  # so that space gives nobody momentum
        return np.where(self.masses.driven[:, None], 0.0, bodies.position - middle)

    @cached_property
    def _mass(self) -> Floats:
        """Of bodies that move freely [kg], zero of others, shape (bodies,)."""
        moving = self.masses.inverse_mass > 0.0
        return np.where(moving, 1.0 / np.where(moving, self.masses.inverse_mass, 1.0), 0.0)

    def _mean(self, values: Floats) -> Floats:
        """Of bodies that move freely, by mass, shape (3,)."""
        return np.asarray((self._mass[:, None] * values).sum(axis=0) / (self._mass.sum() or 1.0))

    def detect(
        self, state: CellState, bodies: BodyState, orientation: Floats, margin: float,
        order: BodyOrder | None,
    ) -> PeriodicContacts:  # fmt: skip
        """Contacts within the margin [m], across borders, too."""
        lattice = self.lattice(state)
        found = self.detector.detect(lattice, bodies.position, orientation, margin, order)
        carried, (a, b) = self._carried(bodies), found.bodies.T
        return dataclasses.replace(found, branches=carried[b] + found.shifts - carried[a])

    def moved(self, state: CellState, gradient: Floats, lasting: Floats, h: float) -> CellState:
        """The cell after a step in which space moved by one gradient, and by another from then on.

        Rows that are tilted by more than half a cell are tilted the other way: the same images.
        """
        edges = state.edges + h * gradient @ state.edges
        if edges[0, 1]:
            edges[0, 1] -= edges[0, 0] * np.round(edges[0, 1] / edges[0, 0])
        return state._replace(edges=edges, gradient=lasting)


def _check_planes(world: World, cell: Cell, unbounded: NDArray[np.bool_]) -> None:
    """Raise where a plane cuts through an axis that repeats: its images would be others."""
    bodies = world.bodies
    for row in np.flatnonzero(unbounded):
        shape = world.shapes[bodies.shape[row]]
        if not isinstance(shape, Plane):
            raise InputError(
                f"{world.name_of(int(bodies.id[row]))} has no end, and is no Plane: a cell cannot "
                "repeat it"
            )
        normal = rotation_matrices(bodies.orientation[row : row + 1])[0] @ np.array(shape.normal)
        for name, axis, along in zip(AXES, cell.periodic, normal, strict=True):
            if axis and abs(along) > 1e-9:
                raise InputError(
                    f"{world.name_of(int(bodies.id[row]))} is a plane across {name}, along which "
                    "the cell repeats; planes must lie along all such axes"
                )
