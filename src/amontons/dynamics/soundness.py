"""Whether the state of bodies is one to start a step from."""

from __future__ import annotations

import math

from amontons._jit import routine, serial_kernel

UNIT = 1e-6
"""How far from one the length of a quaternion may be."""


@routine
def finite_row(array, i):
    """Whether all numbers of row i are finite."""
    finite = True
    for k in range(array.shape[1]):
        finite = finite and math.isfinite(array[i, k])
    return finite


@serial_kernel
def first_unsound(position, orientation, twist, force, torque):
    """Row of the first body whose state is not finite or whose quaternion is not unit, or −1."""
    for i in range(position.shape[0]):
        q = orientation[i]
        square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
        sound = abs(math.sqrt(square) - 1.0) <= UNIT  # false for what is no number
        sound = sound and finite_row(position, i) and finite_row(twist, i)
        if not (sound and finite_row(force, i) and finite_row(torque, i)):
            return i
    return -1


@serial_kernel
def scale_to_unit(orientation, out):
    """Out ← quaternions with what is left of rounding scaled away, shape (bodies, 4)."""
    for i in range(out.shape[0]):
        q = orientation[i]
        length = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        for k in range(4):
            out[i, k] = q[k] / length
