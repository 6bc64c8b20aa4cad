"""`Model`: what a world is made of, and stays the same while it has the same bodies and joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.collision.contacts import ContactSet
from amontons.collision.detector import CollisionDetector
from amontons.dynamics.bonds.model import BondModel
from amontons.dynamics.bridges import longest_reach
from amontons.dynamics.energy import Mechanics, mechanics
from amontons.dynamics.forces import ForceSystem
from amontons.dynamics.joints.model import JointModel
from amontons.dynamics.joints.system import JointSystem
from amontons.dynamics.joints.tables import JointState
from amontons.dynamics.masses import Masses
from amontons.errors import InputError
from amontons.model.bodies import Bodies
from amontons.model.materials import PairTable
from amontons.model.motion import Motion
from amontons.model.sensors import Sensor
from amontons.model.shapes import Shape, Sphere
from amontons.model.world import World
from amontons.simulation.cell.cell_model import CellModel
from amontons.simulation.compiled.small_world import SmallWorld
from amontons.simulation.detection.joined_bodies import JoinedBodies, Ties
from amontons.simulation.odd_materials import warn_of_rolling
from amontons.simulation.state import BodyState, State

Floats = NDArray[np.float64]


class BodyModel(NamedTuple):
    """What bodies are made of; one row per body."""

    id: NDArray[np.int64]  # numbers that bodies keep for life, (bodies,)
    mass: Floats  # [kg], infinite for fixed and kinematic bodies, (bodies,)
    inertia: Floats  # in body axes [kg m²], (bodies, 3, 3)
    shape: NDArray[np.int32]  # numbers in the world's list, (bodies,)
    material: NDArray[np.int32]  # numbers in the world's list, (bodies,)
    fixed: NDArray[np.bool_]  # never move, (bodies,)
    motion: NDArray[np.int32]  # number of the prescribed motion, counted from 1; 0: none, (bodies,)


@dataclass(frozen=True, eq=False)
class Model:
    """Constants of a run: bodies, masses, materials, joints, bonds, loads, motions, shapes."""

    bodies: BodyModel
    masses: Masses
    joints: JointModel
    bonds: BondModel
    loads: ForceSystem
    motions: Sequence[Motion]
    detector: CollisionDetector
    pair_table: Callable[[], PairTable] = field(repr=False)
    """Properties of contacts between materials, which may be told apart between steps."""
    name_of_id: Callable[[int], str] = field(repr=False)
    shapes: tuple[Shape, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    cell: CellModel | None = None
    _holding: list[JoinedBodies] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, world: World, joints: JointModel, loads: ForceSystem) -> Model:
        """The model of a world whose joints and loads are bound to its bodies."""
        bodies, masses = world.bodies, Masses.of(world)
        detector = CollisionDetector(
            world.shapes,
            which=bodies.shape,
            margin=0.0,  # each step says how far it looks
            fixed=masses.driven,  # two bodies that nothing can push need no contact
            groups=bodies.group,
            masks=bodies.mask,
            origin=np.array(world.origins).reshape(-1, 3),
        )
        made = BodyModel(
            bodies.id, bodies.mass, bodies.inertia, bodies.shape, bodies.material, bodies.fixed,
            bodies.columns["motion"],
        )  # fmt: skip
        found = cls(
            made, masses, joints, BondModel.of(world.bonds, bodies.id), loads, world.motions,
            detector, lambda: world.materials.table, world.name_of, tuple(world.shapes),
            tuple(world.sensors),
            CellModel.of(world, masses, detector),
        )  # fmt: skip
        if found.pairs.by_radius:
            _ = found.curvature  # raises where a shape has none
        balls = np.array([isinstance(shape, Sphere) for shape in world.shapes], dtype=bool)
        warn_of_rolling(made.material, balls[made.shape], masses, found.pairs, found.name_of)
        return found

    @property
    def pairs(self) -> PairTable:
        """Properties of contacts between materials, as they are now."""
        return self.pair_table()

    def name_of(self, row: int) -> str:
        """What the body in this row is called; −1 is the world."""
        return "the world" if row < 0 else self.name_of_id(int(self.bodies.id[row]))

    def mechanics(self, bodies: BodyState, twist: Floats, gravity: Floats) -> Mechanics:
        """Energy and momentum of bodies where they are, at these velocities, shape (bodies, 6)."""
        made = self.bodies
        return mechanics(
            bodies.position, bodies.orientation, twist, made.mass, made.inertia, gravity
        )  # fmt: skip

    @cached_property
    def mobile(self) -> NDArray[np.bool_]:
        """Bodies that impulses can move while awake; the last is the world, (bodies + 1,)."""
        return np.append(self.masses.inverse_mass > 0.0, False)

    @cached_property
    def small(self) -> SmallWorld | None:
        """Its tables for compiled steps; None where there are no such."""
        return SmallWorld.of(self)

    @cached_property
    def no_contacts(self) -> ContactSet:
        """The contacts of bodies of which no two can touch."""
        rows, none = np.empty((0, 3)), np.empty(0)
        return ContactSet(
            np.empty((0, 2), dtype=np.int32), rows, rows, rows, none,
            np.empty(0, dtype=np.uint64), np.zeros(len(self.bodies.id) + 1, dtype=np.int64),
        )  # fmt: skip

    @cached_property
    def _curvature(self) -> Floats:
        """1/R of bodies [1/m]; NaN where it is not the same everywhere, (bodies,)."""
        each = np.array([shape.curvature for shape in self.shapes], dtype=np.float64)
        return np.asarray(each[self.bodies.shape])

    @property
    def curvature(self) -> Floats:
        """1/R of bodies where they touch others [1/m], for what pulls; 0: flat, (bodies,).

        Raises where a body adheres or is wet whose shape has none.
        """
        pairs, found = self.pairs, self._curvature
        sticky = np.any(pairs.surface_energy_jkr + pairs.surface_energy_dmt, axis=1)
        wet = np.any(pairs.surface_tension, axis=1)
        unknown = np.isnan(found) & (sticky | wet)[self.bodies.material]
        if unknown.any():
            row = int(np.argmax(unknown))
            kind = type(self.shapes[self.bodies.shape[row]]).__name__
            what = "surface energy" if sticky[self.bodies.material[row]] else "surface tension"
            raise InputError(
                f"{self.name_of(row)} has a {what}, but its shape, {kind}, has no single "
                "radius: give its material a cohesion [N] instead, or make the body of spheres"
            )
        return found

    @property
    def bridge_reach(self) -> float:
        """A distance [m] at which all liquid bridges have ruptured; 0 where nothing is wet."""
        if not self.pairs.wets:
            return 0.0
        wet = np.any(self.pairs.surface_tension, axis=1)[self.bodies.material]
        return longest_reach(self.curvature, wet, self.mobile[:-1], self.pairs)

    @cached_property
    def ties(self) -> Ties:
        """What holds two bodies together: joints, then bonds."""
        return Ties.of(self.joints.tables.joints, self.bonds.bodies)

    def tied(self, state: State) -> NDArray[np.int32]:
        """Rows of bodies held by joints and bonds that are not broken, −1: the world, (ties, 2)."""
        return self.ties.bodies[~state.broken]

    def joined(self, state: State) -> JoinedBodies:
        """Which bodies joints and bonds keep from colliding, as long as these are not broken."""
        if not self._holding or not np.array_equal(self._holding[0].broken, state.broken):
            found = JoinedBodies.of(
                self.ties, state.broken, self.bodies.fixed, self.masses.driven
            )  # fmt: skip
            self._holding[:] = [found]
            self.detector.keep_apart(found.apart)
        return self._holding[0]


def body_state(bodies: Bodies) -> BodyState:
    """What a run changes of bodies: their very arrays."""
    columns = bodies.columns
    return BodyState(bodies.id, *(columns[name] for name in BodyState._fields[1:]))


def start_of(world: World, joints: JointState) -> State:
    """The state of a world before its first step, in the world's own arrays."""
    return State.at_start(body_state(world.bodies), joints, world.gravity, world.cell)


def prepare(world: World) -> tuple[Model, State]:
    """The model of a world and its state before the first step, for :func:`amontons.step`.

    The state has arrays of its own: steps change neither the world nor each other's states.
    """
    poses = world.bodies.position, world.bodies.orientation
    joints = JointSystem(world.joints, world.index_of, *poses)
    loads = ForceSystem(world.forces, world.index_of, *poses)
    state = start_of(world, joints.state)
    seen = np.zeros(len(world.bodies), dtype=bool)
    state = state._replace(
        bodies=state.bodies._replace(seen=seen),
        bonds=state.bonds.followed(world.bonds),
        flows=state.flows.sized(len(world.flows), len(world.materials.list)),
    )
    return Model.of(world, joints.model, loads), state.copy()
