"""Measures of how two bodies stand, and their derivatives, in plain numbers.

The derivative of any measure with respect to the bodies' velocities is a wrench: a force g at a
point p and a couple w, on B, and the opposite on A. So rows have the form

    (−g, −((p − x_A) × g + w), g, (p − x_B) × g + w),

and whatever impulse a row carries, momentum is kept.
"""

from __future__ import annotations

import math

from amontons._jit import routine
from amontons.model.joints.constraints import JointMeasure

ALONG, LENGTH, AZIMUTH, ACROSS, TILT, TWIST, TURN = range(7)

NUMBER = {
    JointMeasure.ALONG: ALONG,
    JointMeasure.LENGTH: LENGTH,
    JointMeasure.AZIMUTH: AZIMUTH,
    JointMeasure.ACROSS: ACROSS,
    JointMeasure.TILT: TILT,
    JointMeasure.TWIST: TWIST,
    JointMeasure.TURN: TURN,
}
"""What kernels call each measure. Those up to AZIMUTH look at points, the others at directions."""

SMALL = 1e-4
"""Sine below which a quotient that tends to 0/0 is taken from its series."""

NOTHING = 1e-12
"""Sine, or squared cosine, that counts as nothing."""

NO_SQUARE = 1e-280
"""Square of a length that is nothing in any unit, where a quotient by it is to stay finite."""


@routine
def dot(a, b):
    """Product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@routine
def cross(a, b):
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@routine
def plus(a, s, b):
    """a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@routine
def times(s, a):
    """s a."""
    return s * a[0], s * a[1], s * a[2]


@routine
def turned(R, v):
    """R v, for a matrix given row by row."""
    return dot(R[0:3], v), dot(R[3:6], v), dot(R[6:9], v)


@routine
def rotation(q):
    """Rotation matrix of a unit quaternion, row by row."""
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@routine
def inverse(q):
    """The rotation back."""
    return q[0], -q[1], -q[2], -q[3]


@routine
def product(p, q):
    """The rotation q followed by p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@routine
def continued(angle, last):
    """The angle, any number of turns added, that is nearest to the last one."""
    return angle + 2.0 * math.pi * math.floor((last - angle) / (2.0 * math.pi) + 0.5)


@routine
def from_points(kind, d, axis, normal, last):
    """Value and force g of a measure of d = p_B − p_A; axis and normal in world axes."""
    if kind == ALONG:
        return dot(axis, d), axis
    if kind == LENGTH:
        distance = math.sqrt(dot(d, d))
        return distance, times(1.0 / distance, d) if distance * distance > NO_SQUARE else axis
    side = cross(axis, d)
    square = max(dot(side, side), NO_SQUARE)
    # d·(axis × normal) = −side·normal: angles count from the normal, positively about the axis
    angle = math.atan2(-dot(side, normal), dot(d, normal))
    return continued(angle, last), times(1.0 / square, side)


@routine
def tilt(a, b, e):
    """Component along e of the shortest turn from a to b, and its derivative by B's turning.

    φ = f a × b with f = θ/sin θ; with c = a × b, ∂(e·φ) = f b × (e × a) + f' (e·c) c, where
    f' = (sin θ − θ cos θ)/sin³ θ.
    """
    c = cross(a, b)
    sine, cosine = math.sqrt(dot(c, c)), dot(a, b)
    if sine < SMALL and cosine > 0.0:
        f, slope = 1.0 + sine * sine / 6.0, 1.0 / 3.0 + 2.0 * sine * sine / 15.0
    else:
        sine = max(sine, NOTHING)
        angle = math.atan2(sine, cosine)
        f, slope = angle / sine, (sine - angle * cosine) / sine**3
    part = dot(e, c)
    return f * part, plus(times(f, cross(b, cross(e, a))), slope * part, c)


@routine
def twist(q, e):
    """Component along e of the rotation vector φ of q, and its derivative by B's turning.

    ∂φ = (I − ½[φ]× + β[φ]×²) ω with β = (1 − (θ/2) cot(θ/2))/θ².
    """
    if q[0] < 0.0:
        q = (-q[0], -q[1], -q[2], -q[3])
    v = (q[1], q[2], q[3])
    sine = math.sqrt(dot(v, v))
    if sine < SMALL:
        f, beta = 2.0 + sine * sine / 3.0, 1.0 / 12.0 + sine * sine / 180.0
    else:
        angle = 2.0 * math.atan2(sine, q[0])
        f, beta = angle / sine, (1.0 - 0.5 * angle * q[0] / sine) / (angle * angle)
    phi = times(f, v)
    gradient = plus(plus(e, -0.5, cross(e, phi)), beta, cross(phi, cross(phi, e)))
    return dot(e, phi), gradient


@routine
def turn(q, a, last):
    """Angle of q about the axis a, 2 atan2(v·a, w), and its derivative by B's turning."""
    v = (q[1], q[2], q[3])
    w, s = q[0], dot(v, a)
    square = max(w * w + s * s, NOTHING)
    along = plus(times(w, a), 1.0, cross(v, a))
    gradient = times(1.0 / square, plus(times(w, along), s, v))
    return continued(2.0 * math.atan2(s, w), last), gradient


@routine
def from_directions(kind, Ra, Rb, q, axis_a, axis_b, normal, last):
    """Value and couple w of a measure of orientations; axes in the bodies' frames.

    q is the rotation that B has made since the measure was zero, in A's frame.
    """
    if kind == ACROSS:
        a, b = turned(Ra, axis_a), turned(Rb, axis_b)
        return dot(a, b), cross(b, a)
    if kind == TILT:
        return tilt(turned(Ra, axis_a), turned(Rb, axis_b), turned(Ra, normal))
    if kind == TWIST:
        value, gradient = twist(q, normal)
        return value, turned(Ra, gradient)
    value, gradient = turn(q, axis_a, last)
    return value, turned(Ra, gradient)


@routine
def measured(kind, xa, qa, xb, qb, point_a, point_b, axis_a, axis_b, normal, reference, last):
    """Value of a measure, and its derivative: force g and couple w on B, and the point p of g.

    Bodies are at x, turned by q; points and axes are in their frames.
    """
    Ra, Rb = rotation(qa), rotation(qb)
    none = (0.0, 0.0, 0.0)
    if kind <= AZIMUTH:
        p = plus(turned(Rb, point_b), 1.0, xb)
        d = plus(p, -1.0, plus(turned(Ra, point_a), 1.0, xa))
        value, g = from_points(kind, d, turned(Ra, axis_a), turned(Ra, normal), last)
        return value, g, none, p
    q = product(product(inverse(qa), qb), inverse(reference))
    value, w = from_directions(kind, Ra, Rb, q, axis_a, axis_b, normal, last)
    return value, none, w, xb
