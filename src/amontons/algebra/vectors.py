"""Vectors of three numbers as plain tuples: what kernels write their formulas in.

A tuple costs nothing, since it lives in registers. A rotation matrix is a tuple too, row by row.
"""

from __future__ import annotations

import math

from amontons._jit import helper, routine


@helper
def row(array, i):
    """The first three numbers of row i."""
    return array[i, 0], array[i, 1], array[i, 2]


@helper
def put(array, i, a):
    """The first three numbers of row i ← a."""
    array[i, 0], array[i, 1], array[i, 2] = a[0], a[1], a[2]


@helper
def vector_at(array, i, k):
    """The three numbers at [i, k] of a table of vectors; a slice of it would count references."""
    return array[i, k, 0], array[i, k, 1], array[i, k, 2]


@helper
def put_vector(array, i, k, a):
    """The three numbers at [i, k] of a table of vectors ← a."""
    array[i, k, 0], array[i, k, 1], array[i, k, 2] = a[0], a[1], a[2]


@routine
def dot(a, b):
    """a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@routine
def norm(a):
    """|a|."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@routine
def cross(a, b):
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@routine
def plus(a, b):
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@routine
def minus(a, b):
    """a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@routine
def negative(a):
    """−a."""
    return -a[0], -a[1], -a[2]


@routine
def times(s, a):
    """s a."""
    return s * a[0], s * a[1], s * a[2]


@routine
def over(a, s):
    """a / s."""
    return a[0] / s, a[1] / s, a[2] / s


@routine
def along(a, s, b):
    """a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@routine
def turned(r, a):
    """R a."""
    return (
        r[0] * a[0] + r[1] * a[1] + r[2] * a[2],
        r[3] * a[0] + r[4] * a[1] + r[5] * a[2],
        r[6] * a[0] + r[7] * a[1] + r[8] * a[2],
    )


@routine
def turned_back(r, a):
    """Rᵀ a."""
    return (
        r[0] * a[0] + r[3] * a[1] + r[6] * a[2],
        r[1] * a[0] + r[4] * a[1] + r[7] * a[2],
        r[2] * a[0] + r[5] * a[1] + r[8] * a[2],
    )


@routine
def perpendicular(a):
    """A unit vector perpendicular to a, whatever its length."""
    if abs(a[0]) <= abs(a[1]) and abs(a[0]) <= abs(a[2]):
        d = (0.0, a[2], -a[1])
    elif abs(a[1]) <= abs(a[2]):
        d = (-a[2], 0.0, a[0])
    else:
        d = (a[1], -a[0], 0.0)
    length = norm(d)
    if length == 0.0:
        return 0.0, 0.0, 1.0
    return over(d, length)
