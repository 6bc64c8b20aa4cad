"""`World`: the description of a scene, which a simulation sets in motion."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.algebra.rotations import rotation_matrices
from amontons.checks import finite_vector
from amontons.errors import InputError
from amontons.model.bodies import Bodies, Body
from amontons.model.body_checks import (
    bits,
    body_inertias,
    body_masses,
    quaternions,
    rows_of_three,
    yes_or_no,
)
from amontons.model.bonds import BondRegister
from amontons.model.cell import Cell
from amontons.model.flows import FlowMeter, Flows, Sink, Source
from amontons.model.forces import Load
from amontons.model.instruments import Instruments
from amontons.model.joints import Connection
from amontons.model.materials import Material, Materials
from amontons.model.motion import Motion
from amontons.model.shapes import Shape
from amontons.model.sphere_list import SphereList, one_shape_each

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

ALL_GROUPS = 0xFFFFFFFF


class World(Instruments, BondRegister):
    """Bodies, materials, joints, bonds, forces and gravity.

    Parameters
    ----------
    gravity:
        Acceleration of free fall [m/s²].
    rules:
        How two materials' properties make those of a contact: "minimum", "maximum", "mean",
        "product", "geometric" or "sum" by the name of the property, where it is not the usual
        rule (minimum; the sum of compliances, the larger damping, √(w₁w₂) of surface energies).
    cell:
        The periodic box, if space is periodic; by default there is none.
    """

    def __init__(
        self,
        *,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        rules: Mapping[str, str] | None = None,
        cell: Cell | None = None,
    ) -> None:
        super().__init__()
        self.version = 0
        """Increases whenever bodies, joints, bonds, forces or flows are added or removed."""
        self.gravity = gravity
        self.cell = cell
        self.bodies = Bodies()
        self.materials = Materials(rules)
        self.motions: list[Motion] = []
        self.joints: list[Connection] = []
        self.forces: list[Load] = []
        self.flows = Flows()
        """Sources, sinks and flow meters, which add, remove and count bodies."""
        self._names: dict[int, str] = {}
        self._ids: dict[str, int] = {}
        self.next_id = 0
        """Id of the next body to be added."""

    @property
    def gravity(self) -> Floats:
        """Acceleration of free fall [m/s²], shape (3,)."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._gravity = np.array(finite_vector("gravity", value))

    @property
    def cell(self) -> Cell | None:
        """The periodic box, or None.

        Assign another one to change its rates or its stress during a run, which keeps the cell's
        current lengths: `world.cell = dataclasses.replace(world.cell, shear_rate=0.1)`.
        """
        return self._cell

    @cell.setter
    def cell(self, value: Cell | None) -> None:
        if value is not None and not isinstance(value, Cell):
            raise InputError(f"cell must be an amontons.Cell or None, got {value!r}")
        self._cell = value
        self.version += 1

    # -- bodies -----------------------------------------------------------------------------------

    def add_body(self, shape: Shape, *, name: str = "", **properties: Any) -> Body:
        """Add one body; the properties are those of :meth:`add_bodies`, one of each."""
        if not isinstance(shape, Shape):
            raise InputError(f"a body needs a shape such as amontons.Sphere(0.1), got {shape!r}")
        if not isinstance(name, str):
            raise InputError(f"name must be text, got {name!r}")
        if name in self._ids:
            raise InputError(f"there is already a body called {name!r}")
        properties["position"] = finite_vector("position", properties.get("position", (0, 0, 0)))
        body = Body(self, int(self.add_bodies(shape, **properties)[0]))
        if name:
            self._names[body.id], self._ids[name] = name, body.id
        return body

    def add_bodies(
        self,
        shape: Shape | Sequence[Shape],
        *,
        position: ArrayLike,
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        mass: ArrayLike | None = None,
        density: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
        centre: ArrayLike | None = None,
        placed_by: str = "centre",
        fixed: ArrayLike = False,
        motion: Motion | None = None,
        material: Material | Sequence[Material | None] | None = None,
        group: ArrayLike = 1,
        mask: ArrayLike = ALL_GROUPS,
        surface_velocity: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Ids:
        """Add many bodies at once; each property is one for all or, but for two, one per body.

        Parameters
        ----------
        shape:
            One shape for all, or as many as there are bodies.
        position, orientation:
            Centres of mass [m], shape (n, 3), and unit quaternions (w, x, y, z).
        velocity, angular_velocity:
            In world axes [m/s, rad/s].
        mass, density:
            One of the two for bodies that move: kilograms, or kg/m³.
        inertia:
            About the centre of mass along body axes [kg m²], (3,) or (3, 3) for all, (n, 3, 3)
            for each; by default that of the shape with uniform density.
        centre:
            Centre of mass in the frame of the shape [m], where it is not that of the even filling;
            one for all.
        placed_by:
            What `position` is the place of: the "centre" of mass, or the origin of the shape's
            "frame".
        fixed:
            Bodies that never move; they need no mass.
        motion:
            The prescribed motion of kinematic bodies, one for all; they need no mass either.
        material:
            One `Material` for all, or as many as there are bodies; None is the usual one.
        group, mask:
            Bits of the groups that a body belongs to, and of those that it meets.
        surface_velocity:
            Of a belt that runs over a body, along the body's axes [m/s]; each contact takes of it
            what is along the surface.

        Returns
        -------
        The ids of the new bodies, shape (n,).
        """
        place = np.atleast_2d(rows_of_three("position", position))
        count = len(place)
        shapes = one_shape_each(shape, count)
        still = yes_or_no("fixed", fixed, count)
        if motion is not None and not isinstance(motion, Motion):
            raise InputError(f"motion must be an amontons.Motion, got {motion!r}")
        if motion is not None and still.any():
            raise InputError("a body is fixed or has a motion, not both")
        driven = still if motion is None else np.ones(count, dtype=bool)
        masses = body_masses(shapes, driven, mass, density)
        inertias = body_inertias(shapes, masses, inertia, centre)
        turn = quaternions(orientation, count)
        if placed_by not in ("centre", "frame"):
            raise InputError(f"placed_by must be 'centre' or 'frame', got {placed_by!r}")
        linear = rows_of_three("velocity", velocity, count)
        angular = rows_of_three("angular_velocity", angular_velocity, count)
        if still.any() and (linear[still].any() or angular[still].any()):
            raise InputError("a fixed body has no velocity; give it a motion instead")
        values = {
            "id": np.arange(self.next_id, self.next_id + count),
            "position": place,
            "orientation": turn,
            "twist": np.concatenate([linear, angular], axis=1),
            "mass": masses,
            "inertia": inertias,
            "group": bits("group", group, count),
            "mask": bits("mask", mask, count),
            "fixed": still,
            "motion": 0 if motion is None else len(self.motions) + 1,
            "material": self.materials.numbers(material, count),
            "surface_velocity": rows_of_three("surface_velocity", surface_velocity, count),
        }
        # all arguments are valid: only now does the world change
        values["shape"], offset = self.register(shapes, centre)
        if placed_by == "frame":
            values["position"] = place + np.einsum("bij,bj->bi", rotation_matrices(turn), offset)
        if motion is not None:
            self.motions.append(motion)
        self.bodies.columns.append(count, values)
        self.next_id += count
        self.version += 1
        return np.arange(self.next_id - count, self.next_id)

    def add_spheres(self, radius: ArrayLike, *, position: ArrayLike, **properties: Any) -> Ids:
        """Add spheres of given radii [m], one for all or one per body; return their ids.

        The properties are those of :meth:`add_bodies`; this is its fast form for many sizes. The
        position of a sphere is that of its centre.
        """
        for name in ("centre", "placed_by"):
            if name in properties:
                raise InputError(f"add_spheres takes no {name}: use add_bodies")
        place = np.atleast_2d(rows_of_three("position", position))
        return self.add_bodies(SphereList(radius, len(place)), position=place, **properties)

    def remove_bodies(self, bodies: Body | int | str | Iterable[Body | int | str]) -> None:
        """Remove bodies, by handle, id or name, and everything attached to them."""
        one = isinstance(bodies, Body | int | np.integer | str)
        listed: list[Any] = [bodies] if one else list(bodies)  # type: ignore[arg-type]
        gone = np.unique(np.array([self.id_of(body) for body in listed], dtype=np.int64))
        if not gone.size:
            return
        names = set(gone.tolist())
        self.joints = [joint for joint in self.joints if names.isdisjoint(joint.bodies)]
        self.forces = [force for force in self.forces if names.isdisjoint(force.ids or ())]
        self.bonds.without_bodies(gone)
        self._keep_instruments(names)
        self.bodies.columns.keep(~np.isin(self.bodies.id, gone))
        for id in gone.tolist():
            self._ids.pop(self._names.pop(id, ""), None)
        self.version += 1

    def body(self, which: int | str | Body) -> Body:
        """A body by id or by name."""
        if isinstance(which, str):
            if which not in self._ids:
                raise InputError(f"there is no body called {which!r}")
            return Body(self, self._ids[which])
        return Body(self, self.id_of(which))

    def id_of(self, body: Body | int | str) -> int:
        """Id of a body that is in this world, or an error that says it is not."""
        if isinstance(body, str):
            return self.body(body).id
        if isinstance(body, Body):
            if body.world is not self:
                raise InputError(f"body {body.id} belongs to another world")
            body = body.id
        if isinstance(body, bool) or not isinstance(body, int | np.integer):
            raise InputError(f"a body is named by its handle, id or name, not by {body!r}")
        self.bodies.index(int(body))
        return int(body)

    def index_of(self, body: Body | int | str | None) -> int:
        """Row of a body in the arrays; −1 for None, which is the world itself."""
        return -1 if body is None else self.bodies.index(self.id_of(body))

    def name_of(self, id: int) -> str:
        """The name of a body, or "body 7"."""
        return self._names.get(id, f"body {id}")

    # -- joints and forces ------------------------------------------------------------------------

    def add_joint(self, joint: Connection) -> Connection:
        """Add a joint such as `Revolute(a, b, point=..., axis=...)`, or a spring; return it.

        Its points and axes are fixed in the bodies as they stand when the next step begins.
        """
        if not isinstance(joint, Connection):
            raise InputError(f"a joint such as amontons.Revolute was expected, got {joint!r}")
        if any(joint is other for other in self.joints):
            raise InputError(f"{joint.title} is already in this world; create another one like it")
        ends = [end for end in (joint.a, joint.b) if end is not None]
        self._check_ends(joint.title, ends)
        if not any(self.bodies.dynamic[self.index_of(id)] for id in joint.bodies if id is not None):
            raise InputError(f"{joint.title} cannot be added: neither of its ends can move freely")
        self.joints.append(joint)
        self.version += 1
        return joint

    def remove_joint(self, joint: Connection) -> None:
        """Remove a joint or spring."""
        if not any(joint is other for other in self.joints):
            raise InputError("there is no such joint in this world (any more)")
        self.joints = [other for other in self.joints if other is not joint]
        self._keep_instruments()
        self.version += 1

    def add_force(self, force: Load | Connection) -> Load | Connection:
        """Add a load such as `AppliedForce`, or a spring between two bodies; return it."""
        if isinstance(force, Connection):
            return self.add_joint(force)
        if not isinstance(force, Load):
            raise InputError(f"a load such as amontons.AppliedForce was expected, got {force!r}")
        if any(force is other for other in self.forces):
            raise InputError(f"{force.title} is already in this world; create another one like it")
        self._check_ends(force.title, force.given)
        self.forces.append(force)
        self.version += 1
        return force

    def remove_force(self, force: Load | Connection) -> None:
        """Remove a load or spring."""
        if isinstance(force, Connection):
            self.remove_joint(force)
            return
        if not any(force is other for other in self.forces):
            raise InputError("there is no such load in this world (any more)")
        self.forces = [other for other in self.forces if other is not force]
        self.version += 1

    def add_source(self, source: Source) -> Source:
        """Add a source, which adds bodies at a rate while a simulation runs; return it."""
        self.flows.add(source, Source)
        self.materials.number(source.material)
        self.register(source.shapes)
        self.version += 1
        return source

    def add_sink(self, sink: Sink) -> Sink:
        """Add a sink, which removes bodies that enter a region; return it."""
        self.flows.add(sink, Sink)
        self.version += 1
        return sink

    def add_meter(self, meter: FlowMeter) -> FlowMeter:
        """Add a meter, which counts bodies that cross a plane; return it."""
        self.flows.add(meter, FlowMeter)
        self.version += 1
        return meter

    def set_contact(self, first: Material, second: Material, contact: Material) -> None:
        """Say what contacts between two materials are like, whatever the rules."""
        self.materials.set_pair(first, second, contact)

    # -- the rest ---------------------------------------------------------------------------------

    def copy(self) -> World:
        """An independent copy with the same bodies, ids and state."""
        return copy.deepcopy(self)

    @property
    def names(self) -> dict[int, str]:
        """Given names, by the ids of the bodies."""
        return dict(self._names)

    def put_names(self, names: Mapping[int, str]) -> None:
        """Replace all names."""
        self._names = dict(names)
        self._ids = {name: id for id, name in names.items()}

    def __repr__(self) -> str:
        parts = [f"{len(self.bodies)} bodies", f"{len(self.joints)} joints"]
        return f"<World: {', '.join(parts)}, gravity {tuple(self.gravity.tolist())} m/s²>"
