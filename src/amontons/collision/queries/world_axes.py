"""From the world's axes to those of a part, and back."""

from __future__ import annotations

from amontons._jit import helper
from amontons.algebra.rotations import rotation_of


@helper
def to_local(turn, place, i, x, y, z, d0, d1, d2):
    """A point and a direction of the world in the frame of part i."""
    r = rotation_of(turn, i)
    x, y, z = x - place[i, 0], y - place[i, 1], z - place[i, 2]
    return (
        r[0] * x + r[3] * y + r[6] * z,
        r[1] * x + r[4] * y + r[7] * z,
        r[2] * x + r[5] * y + r[8] * z,
        r[0] * d0 + r[3] * d1 + r[6] * d2,
        r[1] * d0 + r[4] * d1 + r[7] * d2,
        r[2] * d0 + r[5] * d1 + r[8] * d2,
    )


@helper
def put_turned(turn, i, m0, m1, m2, vector, row):
    """Row of `vector` ← the vector m of part i's frame, in world axes."""
    r = rotation_of(turn, i)
    vector[row, 0] = r[0] * m0 + r[1] * m1 + r[2] * m2
    vector[row, 1] = r[3] * m0 + r[4] * m1 + r[5] * m2
    vector[row, 2] = r[6] * m0 + r[7] * m1 + r[8] * m2
