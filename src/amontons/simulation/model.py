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
from amontons.dynamics.energy import Mechanics, mechanics
from amontons.dynamics.forces import ForceSystem
from amontons.dynamics.joints.model import JointModel
from amontons.dynamics.joints.system import JointSystem
from amontons.dynamics.joints.tables import JointState
from amontons.dynamics.masses import Masses
from amontons.model.bodies import Bodies
from amontons.model.materials import PairTable
from amontons.model.motion import Motion
from amontons.model.sensors import Sensor
from amontons.model.world import World
from amontons.simulation.cell_model import CellModel
from amontons.simulation.joined_bodies import JoinedBodies
from amontons.simulation.small_world import SmallWorld
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
    """Constants of a run: bodies, masses, materials, joints, loads, motions, shapes to collide."""

    bodies: BodyModel
    masses: Masses
    joints: JointModel
    loads: ForceSystem
    motions: Sequence[Motion]
    detector: CollisionDetector
    pair_table: Callable[[], PairTable] = field(repr=False)
    """Properties of contacts between materials, which may be told apart between steps."""
    name_of_id: Callable[[int], str] = field(repr=False)
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
        return cls(
            made, masses, joints, loads, world.motions, detector, lambda: world.materials.table,
            world.name_of, tuple(world.sensors), CellModel.of(world, masses, detector),
        )  # fmt: skip

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

    def joined(self, state: JointState) -> JoinedBodies:
        """Which bodies joints keep from colliding, as long as these are broken and those not."""
        if not self._holding or not np.array_equal(self._holding[0].broken, state.broken):
            found = JoinedBodies.of(
                self.joints.tables.joints, state.broken, self.bodies.fixed, self.masses.driven
            )  # fmt: skip
            self._holding[:] = [found]
            self.detector.keep_apart(found.apart)
        return self._holding[0]


def body_state(bodies: Bodies) -> BodyState:
    """What a run changes of bodies: their very arrays."""
    columns = bodies.columns
    return BodyState(bodies.id, *(columns[name] for name in BodyState._fields[1:]))


def prepare(world: World) -> tuple[Model, State]:
    """The model of a world and its state before the first step, for :func:`amontons.step`.

    The state has arrays of its own: steps change neither the world nor each other's states.
    """
    poses = world.bodies.position, world.bodies.orientation
    joints = JointSystem(world.joints, world.index_of, *poses)
    loads = ForceSystem(world.forces, world.index_of, *poses)
    bodies = body_state(world.bodies)._replace(seen=np.zeros(len(world.bodies), dtype=bool))
    state = State.at_start(bodies, joints.state, world.gravity, world.cell)
    flows = state.flows.sized(len(world.flows), len(world.materials.list))
    return Model.of(world, joints.model, loads), state._replace(flows=flows).copy()
