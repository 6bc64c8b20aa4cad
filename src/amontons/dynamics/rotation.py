"""Rotation of a free body over a step, with energy and angular momentum kept to rounding.

Over a step a body turns about the mean Ω_m = (Ω + Ω⁺)/2 of its angular velocities before and after,
in body axes, by the angle h|Ω_m|, and its momentum Π = IΩ, seen from the body, turns back:

    I Ω⁺ = exp(−h [Ω_m]×) I Ω.

The world's view of the momentum, R Π, is then the same before and after. So is the energy: its
change is Ω_m·(Π⁺ − Π), and a rotation about Ω_m leaves the component along Ω_m alone.
"""

from __future__ import annotations

import math

from amontons._jit import routine

LARGEST_TURN = 0.25
"""Angle [rad] up to which one step of the implicit equation is taken at once."""

MOST_PARTS = 64


@routine
def turned_back(p0, p1, p2, w0, w1, w2):
    """exp(−[w]×) p, by Rodrigues' formula."""
    angle = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
    if angle < 1e-4:
        s, c = 1.0 - angle * angle / 6.0, 0.5 - angle * angle / 24.0
    else:
        s, c = math.sin(angle) / angle, (1.0 - math.cos(angle)) / (angle * angle)
    a0, a1, a2 = w1 * p2 - w2 * p1, w2 * p0 - w0 * p2, w0 * p1 - w1 * p0
    b0, b1, b2 = w1 * a2 - w2 * a1, w2 * a0 - w0 * a2, w0 * a1 - w1 * a0
    return p0 - s * a0 + c * b0, p1 - s * a1 + c * b1, p2 - s * a2 + c * b2


@routine
def solved(m00, m01, m02, m10, m11, m12, m20, m21, m22, f0, f1, f2):
    """M⁻¹ f of a 3 × 3 matrix, by its adjugate."""
    a, b, c = m11 * m22 - m12 * m21, m02 * m21 - m01 * m22, m01 * m12 - m02 * m11
    det = m00 * a + m10 * b + m20 * c
    d, e, f = m12 * m20 - m10 * m22, m00 * m22 - m02 * m20, m02 * m10 - m00 * m12
    g, h, i = m10 * m21 - m11 * m20, m01 * m20 - m00 * m21, m00 * m11 - m01 * m10
    x0 = (a * f0 + b * f1 + c * f2) / det
    x1 = (d * f0 + e * f1 + f * f2) / det
    x2 = (g * f0 + h * f1 + i * f2) / det
    return x0, x1, x2


@routine
def after_turn(inertia, w0, w1, w2, step):
    """Ω⁺ in body axes, of a body that has Ω, by Newton's method on the equation above."""
    p0 = inertia[0, 0] * w0 + inertia[0, 1] * w1 + inertia[0, 2] * w2
    p1 = inertia[1, 0] * w0 + inertia[1, 1] * w1 + inertia[1, 2] * w2
    p2 = inertia[2, 0] * w0 + inertia[2, 1] * w1 + inertia[2, 2] * w2
    scale = abs(p0) + abs(p1) + abs(p2)
    x0, x1, x2 = w0, w1, w2
    before = math.inf
    for _ in range(30):
        h0, h1, h2 = 0.5 * step * (w0 + x0), 0.5 * step * (w1 + x1), 0.5 * step * (w2 + x2)
        t0, t1, t2 = turned_back(p0, p1, p2, h0, h1, h2)
        f0 = inertia[0, 0] * x0 + inertia[0, 1] * x1 + inertia[0, 2] * x2 - t0
        f1 = inertia[1, 0] * x0 + inertia[1, 1] * x1 + inertia[1, 2] * x2 - t1
        f2 = inertia[2, 0] * x0 + inertia[2, 1] * x1 + inertia[2, 2] * x2 - t2
        error = abs(f0) + abs(f1) + abs(f2)
        if error <= 1e-16 * scale or (error <= 1e-13 * scale and error >= before):
            break
        before = error
        # derivative of the right-hand side, to first order in the angle: (h/2) [Π̄]×
        q0, q1, q2 = 0.25 * step * (p0 + t0), 0.25 * step * (p1 + t1), 0.25 * step * (p2 + t2)
        d0, d1, d2 = solved(
            inertia[0, 0], inertia[0, 1] + q2, inertia[0, 2] - q1,
            inertia[1, 0] - q2, inertia[1, 1], inertia[1, 2] + q0,
            inertia[2, 0] + q1, inertia[2, 1] - q0, inertia[2, 2],
            f0, f1, f2,
        )  # fmt: skip
        x0, x1, x2 = x0 - d0, x1 - d1, x2 - d2
    return x0, x1, x2
