"""Starting points: inside every cone, at a distance that fits the problem's own units.

The papers' ones become units: a velocity U = ‖r‖ in the mean over the rows and, of each block, an
impulse ρU. The start in the paper's variables: λ is x (with s = G x + h), y is Gᵀz.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from amontons._jit import serial_kernel
from amontons.solvers.interior_point.lift import FRICTION, NO_TAIL
from amontons.solvers.interior_point.scaling import lifted, load, store

Floats = NDArray[np.float64]


@serial_kernel
def push_inside(lift, margin, x, s):
    """Move x along normals until every piece is inside by its margin; s ← G x + h.

    `margin` is in units of x, one a block; an interval of less than four times that gets a quarter
    of its width.
    """
    for b in range(lift.row.size):
        first, last = lift.start[b], lift.start[b + 1]
        n0, n1, n2 = lift.normal[b, 0], lift.normal[b, 1], lift.normal[b, 2]
        f0, f1, f2, m0, m1, m2 = load(lift, b, x)
        along = f0 * n0 + f1 * n1 + f2 * n2
        wanted = margin[b]
        low, high = -np.inf, np.inf
        for p in range(first, last):
            v0, v1, v2, v3 = lifted(lift.tail[p], lift.head[p], n0, n1, n2, f0, f1, f2, m0, m1, m2)
            if lift.head[p] > 0.0:
                reach = np.sqrt(v1 * v1 + v2 * v2 + v3 * v3)
                low = max(low, (reach - lift.offset[p]) / lift.head[p])
            else:
                high = min(high, lift.offset[p])
        wanted = min(wanted, 0.25 * (high - low))
        up = min(max(along, low + wanted), high - wanted) - along
        f0, f1, f2 = f0 + up * n0, f1 + up * n1, f2 + up * n2
        store(lift, b, x, f0, f1, f2, m0, m1, m2)
        for p in range(first, last):
            v0, v1, v2, v3 = lifted(lift.tail[p], lift.head[p], n0, n1, n2, f0, f1, f2, m0, m1, m2)
            s[p, 0], s[p, 1], s[p, 2], s[p, 3] = v0 + lift.offset[p], v1, v2, v3


@serial_kernel
def push_dual(lift, margin, u, z):
    """z inside every cone by its margin, with Gᵀz as near to u as its tails allow.

    `margin` is in units of u, one a block. Cones of one contact share its normal velocity.
    """
    for b in range(lift.row.size):
        n0, n1, n2 = lift.normal[b, 0], lift.normal[b, 1], lift.normal[b, 2]
        f0, f1, f2, m0, m1, m2 = load(lift, b, u)
        along = f0 * n0 + f1 * n1 + f2 * n2
        share = 1.0 / max(lift.start[b + 1] - lift.start[b], 1)
        for p in range(lift.start[b], lift.start[b + 1]):
            head = lift.head[p]
            v0, v1, v2, v3 = lifted(lift.tail[p], head, n0, n1, n2, f0, f1, f2, m0, m1, m2)
            reach = np.sqrt(v1 * v1 + v2 * v2 + v3 * v3)
            part = along if lift.tail[p] == NO_TAIL else share * along
            top = max(part / head, reach + margin[b] / abs(head))
            z[p, 0], z[p, 1], z[p, 2], z[p, 3] = top, v1, v2, v3
