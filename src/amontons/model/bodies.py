"""Bodies as arrays: one row per body, in the order in which they were added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.algebra.rotations import rotation_matrices
from amontons.checks import finite_vector, unit_quaternion
from amontons.errors import InputError
from amontons.model.columns import Columns
from amontons.model.shapes import Shape

if TYPE_CHECKING:
    from amontons.model.materials import Material
    from amontons.model.world import World

Floats = NDArray[np.float64]

KINDS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "id": (np.int64, ()),
    "position": (np.float64, (3,)),
    "orientation": (np.float64, (4,)),
    "twist": (np.float64, (6,)),
    "force": (np.float64, (3,)),
    "torque": (np.float64, (3,)),
    "surface_velocity": (np.float64, (3,)),
    "mass": (np.float64, ()),
    "inertia": (np.float64, (3, 3)),
    "shape": (np.int32, ()),
    "material": (np.int32, ()),
    "group": (np.uint32, ()),
    "mask": (np.uint32, ()),
    "fixed": (np.bool_, ()),
    "motion": (np.int32, ()),
    "asleep": (np.bool_, ()),
    "still": (np.float64, ()),
    "seen": (np.bool_, ()),
    "turned": (np.float64, (3,)),
}


class Bodies:
    """All bodies of a world as numpy arrays, which follow the bodies as they move.

    Write into positions, orientations, velocities, forces and torques to change them; constant
    properties (mass, inertia, shape, groups) are read-only. Take a copy, `position.copy()`, to keep
    the current values. After adding or removing bodies, get the arrays again: older ones may be
    detached. They then read NaN and refuse to be written; slices taken from one read NaN.
    """

    def __init__(self) -> None:
        self.columns = Columns(KINDS)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def id(self) -> NDArray[np.int64]:
        """Ids, which bodies keep for life, in increasing order; shape (bodies,)."""
        return self.columns.part("id", read_only=True)

    @property
    def position(self) -> Floats:
        """Centres of mass [m], shape (bodies, 3)."""
        return self.columns["position"]

    @property
    def orientation(self) -> Floats:
        """Unit quaternions (w, x, y, z) from a body's frame to the world's, shape (bodies, 4)."""
        return self.columns["orientation"]

    @property
    def twist(self) -> Floats:
        """Linear velocity, then angular velocity, in world axes [m/s, rad/s], shape (bodies, 6)."""
        return self.columns["twist"]

    @property
    def velocity(self) -> Floats:
        """Velocities of the centres of mass [m/s], shape (bodies, 3)."""
        return self.columns.part("twist", 0, 3)

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocities in world axes [rad/s], shape (bodies, 3)."""
        return self.columns.part("twist", 3, 6)

    @property
    def force(self) -> Floats:
        """Forces applied at the centres of mass until changed [N], shape (bodies, 3)."""
        return self.columns["force"]

    @property
    def torque(self) -> Floats:
        """Torques applied until changed, in world axes [N m], shape (bodies, 3)."""
        return self.columns["torque"]

    @property
    def surface_velocity(self) -> Floats:
        """Velocities of surfaces relative to the bodies, in body axes [m/s], shape (bodies, 3)."""
        return self.columns["surface_velocity"]

    @property
    def mass(self) -> Floats:
        """Masses [kg], infinite for fixed and kinematic bodies; shape (bodies,)."""
        return self.columns.part("mass", read_only=True)

    @property
    def inertia(self) -> Floats:
        """Inertias about the centres of mass, along body axes [kg m²], shape (bodies, 3, 3)."""
        return self.columns.part("inertia", read_only=True)

    @property
    def shape(self) -> NDArray[np.int32]:
        """Numbers of the bodies' shapes in the world's list, shape (bodies,)."""
        return self.columns.part("shape", read_only=True)

    @property
    def material(self) -> NDArray[np.int32]:
        """Numbers of the bodies' materials in the world's list, shape (bodies,)."""
        return self.columns["material"]

    @property
    def group(self) -> NDArray[np.uint32]:
        """Bits of the collision groups that a body belongs to, shape (bodies,)."""
        return self.columns.part("group", read_only=True)

    @property
    def mask(self) -> NDArray[np.uint32]:
        """Bits of the collision groups that a body collides with, shape (bodies,)."""
        return self.columns.part("mask", read_only=True)

    @property
    def fixed(self) -> NDArray[np.bool_]:
        """Which bodies never move, shape (bodies,)."""
        return self.columns.part("fixed", read_only=True)

    @property
    def kinematic(self) -> NDArray[np.bool_]:
        """Which bodies follow a prescribed motion, shape (bodies,)."""
        return np.asarray(self.columns["motion"] > 0)

    @property
    def dynamic(self) -> NDArray[np.bool_]:
        """Which bodies move freely, shape (bodies,)."""
        return ~(self.fixed | self.kinematic)

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """Which bodies are asleep until something touches them, shape (bodies,)."""
        return self.columns["asleep"]

    def index(self, id: int) -> int:
        """Row of the body with this id."""
        row = int(np.searchsorted(self.id, id))
        if row >= len(self) or self.id[row] != id:
            raise InputError(f"there is no body {id} in this world (any more)")
        return row

    def __repr__(self) -> str:
        parts = [f"{int(self.dynamic.sum())} dynamic"]
        for name in ("kinematic", "fixed", "asleep"):
            count = int(getattr(self, name).sum())
            if count:
                parts.append(f"{count} {name}")
        return f"<Bodies: {', '.join(parts)}>"


class Body:
    """One body of a world: a handle to its row in the arrays, found by its id.

    Its position, velocity and so on are views of these arrays, not copies: they follow the body,
    and writing into them (`body.velocity[2] = 1.0`) changes it. `body.position.copy()` keeps the
    current value. Get them again after adding or removing bodies: older views may be detached; they
    then read NaN and refuse to be written.
    """

    __slots__ = ("id", "world")

    def __init__(self, world: World, id: int) -> None:
        self.world, self.id = world, id

    @property
    def index(self) -> int:
        """Current row of this body in the arrays."""
        return self.world.bodies.index(self.id)

    @property
    def name(self) -> str:
        """The name given to it, or "body 7"."""
        return self.world.name_of(self.id)

    @property
    def shape(self) -> Shape:
        """Its shape, in its own frame."""
        return self.world.shapes[int(self.world.bodies.shape[self.index])]

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return float(self.world.bodies.mass[self.index])

    @property
    def inertia(self) -> Floats:
        """Inertia about the centre of mass, along the body's axes [kg m²], shape (3, 3)."""
        return self.world.bodies.columns.row(self.index, "inertia", read_only=True)

    @property
    def material(self) -> Material:
        """Its material."""
        return self.world.materials.list[int(self.world.bodies.material[self.index])]

    @property
    def fixed(self) -> bool:
        """Whether it never moves."""
        return bool(self.world.bodies.fixed[self.index])

    @property
    def position(self) -> Floats:
        """Centre of mass [m], shape (3,)."""
        return self.world.bodies.columns.row(self.index, "position")

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self.world.bodies.position[self.index] = finite_vector("position", value)

    @property
    def orientation(self) -> Floats:
        """Unit quaternion (w, x, y, z), shape (4,)."""
        return self.world.bodies.columns.row(self.index, "orientation")

    @orientation.setter
    def orientation(self, value: ArrayLike) -> None:
        self.world.bodies.orientation[self.index] = unit_quaternion("orientation", value)

    @property
    def velocity(self) -> Floats:
        """Velocity of the centre of mass [m/s], shape (3,)."""
        return self.world.bodies.columns.row(self.index, "twist", 0, 3)

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self.world.bodies.velocity[self.index] = finite_vector("velocity", value)

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocity in world axes [rad/s], shape (3,)."""
        return self.world.bodies.columns.row(self.index, "twist", 3, 6)

    @angular_velocity.setter
    def angular_velocity(self, value: ArrayLike) -> None:
        self.world.bodies.angular_velocity[self.index] = finite_vector("angular_velocity", value)

    @property
    def force(self) -> Floats:
        """Force applied at the centre of mass until changed [N], shape (3,)."""
        return self.world.bodies.columns.row(self.index, "force")

    @force.setter
    def force(self, value: ArrayLike) -> None:
        self.world.bodies.force[self.index] = finite_vector("force", value)

    @property
    def torque(self) -> Floats:
        """Torque applied until changed, in world axes [N m], shape (3,)."""
        return self.world.bodies.columns.row(self.index, "torque")

    @torque.setter
    def torque(self, value: ArrayLike) -> None:
        self.world.bodies.torque[self.index] = finite_vector("torque", value)

    @property
    def surface_velocity(self) -> Floats:
        """Velocity of its surface relative to it, like a belt's, in body axes [m/s], shape (3,)."""
        return self.world.bodies.columns.row(self.index, "surface_velocity")

    @surface_velocity.setter
    def surface_velocity(self, value: ArrayLike) -> None:
        self.world.bodies.surface_velocity[self.index] = finite_vector("surface_velocity", value)

    @property
    def asleep(self) -> bool:
        """Whether it is asleep until something touches it."""
        return bool(self.world.bodies.asleep[self.index])

    def point(self, local: ArrayLike) -> Floats:
        """World position of a point given relative to the centre of mass in body axes [m]."""
        turn = rotation_matrices(self.orientation[None])[0]
        return np.asarray(turn @ np.array(finite_vector("local", local)) + self.position)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Body) and other.world is self.world and other.id == self.id

    def __hash__(self) -> int:
        return hash((id(self.world), self.id))

    def __repr__(self) -> str:
        if self.id not in self.world.bodies.id:
            return f"<Body {self.name!r}: no longer in its world>"
        x, y, z = self.position
        kind = type(self.shape).__name__
        return f"<Body {self.name!r}: {kind}, {self.mass:g} kg, at ({x:.4g}, {y:.4g}, {z:.4g}) m>"
