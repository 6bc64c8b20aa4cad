"""What a compiled step reads and writes: plain named tuples of arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Flags, Floats, Ints, Longs
from amontons.dynamics.joints.coordinates import TermArrays
from amontons.dynamics.joints.tables import JointArrays, RowArrays


class BodyTable(NamedTuple):
    """What bodies are made of, (bodies,) and so on, as in `Masses` and `BodyModel`."""

    mass: Floats
    inertia: Floats
    inverse_mass: Floats
    own_inverse: Floats
    even: Flags
    driven: Flags
    gyration: Floats  # of the bodies, then of the world: infinite, (bodies + 1,)
    span: Floats
    mobile: Flags  # (bodies + 1,)
    material: Ints


class JointTable(NamedTuple):
    """What joints are made of, as in `JointModel`."""

    first: Ints
    terms: TermArrays
    pairs: Ints  # bodies of the coordinates, (coordinates, 2)
    angular: Flags  # of the coordinates, (coordinates,)
    rows: RowArrays
    joints: JointArrays
    most: Floats
    rigid: Flags
    sprung: Longs
    servos: Longs
    kind: NDArray[np.uint8]
    lines: NDArray[np.intp]
    owners: Ints  # joints of those lines, (lines,)
    driving: bool  # whether targets move


class BodiesNow(NamedTuple):
    """Bodies as the step begins."""

    position: Floats
    orientation: Floats
    twist: Floats
    turned: Floats  # angular velocity a step before, (bodies, 3)
    wrench: Floats  # (bodies, 6)
    gravity: Floats


class Found(NamedTuple):
    """Contacts as the step begins, and what is remembered of the last step's."""

    bodies: Ints
    normals: Floats
    arms_a: Floats
    arms_b: Floats
    gaps: Floats
    keys: NDArray[np.uint64]
    old_bodies: Ints
    old_keys: NDArray[np.uint64]
    old_first: NDArray[np.int64]
    old_values: Floats


class StepSettings(NamedTuple):
    """Numbers that rule a step."""

    step: float  # [s]
    tolerance: float  # of the solver
    most_steps: int  # of Newton's method
    least: float  # speeds of the yardstick [m/s]
    most: float
    slack: float  # overlap that a contact which was left out may have [m]
    exact: bool = False  # what kernels are told that could do more: as values, not as constants,
    dragged: bool = False  # for which Numba would compile them anew


class BodiesThen(NamedTuple):
    """Bodies as the step ends, and what their contacts carry."""

    position: Floats
    orientation: Floats
    twist: Floats
    carried: Floats  # (contacts, 8)
    values: Floats  # of the joints' coordinates, (coordinates,)
    jacobian: Floats  # (coordinates, 12)


(
    FREE_KINETIC, AFTER_KINETIC, ELASTIC, GIVEN, SPRINGS_BEFORE, SPRINGS_AFTER, IN_CONTACTS,
    RESIDUAL, JOINT_ERROR, PENETRATION, HELD_KINETIC, HELD_POTENTIAL, CONTACTS, ROWS, STEPS,
    OF_STIFFNESS,
) = range(16)  # fmt: skip
"""Numbers that a compiled step gives, by their places in its list of results."""

NOW, WORK_ON_BODIES, WORK_OF_CONTACTS, WORK_OF_ROWS = 16, 24, 28, 36
"""Where sums over bodies at the end begin, and the work on bodies, of contacts and of rows."""

RESULTS = 44
"""Length of the list."""

(
    TAKEN, IDLE_ROWS, OVERLAPS, BOUNCES, NOT_FINITE, NOT_SOLVED, LATE_HITS, SURGES, BREAKS,
    TRAVELS, ROUGH_NORMALS, TOO_LARGE, UNSOUND, NOT_DETECTED, CROWDED, RUNS_AWAY,
) = range(16)  # fmt: skip
"""How a compiled step ended: taken, or not, for something that only the staged step treats."""
