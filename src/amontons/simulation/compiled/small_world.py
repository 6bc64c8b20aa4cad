"""The tables of a small world, as its compiled steps read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from amontons._jit import PARALLEL_ABOVE
from amontons.small_worlds.tables import BodyTable, JointTable

if TYPE_CHECKING:
    from amontons.simulation.model import Model

MOST_BODIES = 200
"""Bodies up to which a world is small."""


Table = TypeVar("Table", bound=tuple[Any, ...])


class SmallWorld(NamedTuple):
    """The tables of a model, as a compiled step reads them."""

    bodies: BodyTable
    joints: JointTable

    @classmethod
    def of(cls, model: Model) -> SmallWorld | None:
        """Those of a small world without loads, motions, sensors, bonds, cell; None for others."""
        masses, made, joints = model.masses, model.bodies, model.joints
        few = 0 < len(made.id) <= MOST_BODIES and joints.tables.rows.law.size < PARALLEL_ABOVE
        if not few or model.loads.loads or masses.kinematic.size:
            return None
        if model.sensors or model.cell is not None or len(model.bonds.bodies):
            return None
        tables, chosen = joints.tables, joints.chosen
        bodies = BodyTable(
            made.mass, made.inertia, masses.inverse_mass, masses.own_inverse, masses.even,
            masses.driven, np.append(masses.gyration, np.inf), masses.span, model.mobile,
            made.material,
        )  # fmt: skip
        held = JointTable(
            joints.first, tables.terms, tables.coordinates.bodies, tables.coordinates.angular,
            tables.rows, tables.joints, chosen.most, chosen.rigid, chosen.sprung,
            chosen.servos, chosen.kind, chosen.lines,
            tables.coordinates.joint[chosen.lines], chosen.moving,
        )  # fmt: skip
        return cls(writable(bodies), writable(held))


def writable(table: Table) -> Table:
    """The same, with copies of arrays that cannot be written to: Numba takes those for a type.

    Copies of a model have none, and their steps would be compiled anew.
    """
    made: Any = type(table)
    members = (
        writable(each) if isinstance(each, tuple)
        else np.require(each, requirements="W") if isinstance(each, np.ndarray)
        else each
        for each in table
    )  # fmt: skip
    return tuple(members) if made is tuple else made._make(members)  # type: ignore[return-value]
