"""The tables of a small world, as its compiled steps read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from amontons._jit import PARALLEL_ABOVE
from amontons.small_worlds.tables import BodyTable, JointTable

if TYPE_CHECKING:
    from amontons.simulation.model import Model

MOST_BODIES = 200
"""Bodies up to which a world is small."""


class SmallWorld(NamedTuple):
    """The tables of a model, as a compiled step reads them."""

    bodies: BodyTable
    joints: JointTable

    @classmethod
    def of(cls, model: Model) -> SmallWorld | None:
        """Those of a small world without loads, motions, sensors, bonds, cell; None for others."""
        masses, made, joints = model.masses, model.bodies, model.joints
        few = len(made.id) <= MOST_BODIES and joints.tables.rows.law.size < PARALLEL_ABOVE
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
        return cls(
            bodies,
            JointTable(
                joints.first, tables.terms, tables.coordinates.bodies, tables.coordinates.angular,
                tables.rows, tables.joints, chosen.most, chosen.rigid, chosen.sprung,
                chosen.servos, chosen.kind, chosen.lines,
                tables.coordinates.joint[chosen.lines], chosen.moving,
            ),
        )  # fmt: skip
