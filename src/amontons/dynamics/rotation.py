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

MOST_PARTS = 4096
"""Parts of a step at most; a body that turns farther than so many allow only keeps its energy."""


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
def solve_3x3(m00, m01, m02, m10, m11, m12, m20, m21, m22, f0, f1, f2):
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
def newton_step(inertia, half, w0, w1, w2, t0, t1, t2, f0, f1, f2):
    """(I − half · A)⁻¹ f, where A is the derivative of t = exp(−[w]×) Π by w.

    A = [t]× (1 − c [w]× + s [w]×²), and products of such matrices are [a]×[b]× = b aᵀ − (a·b) 1:
    first order in the angle alone would not do for thin rods.
    """
    angle = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
    if angle < 1e-2:
        c, s = 0.5 - angle * angle / 24.0, 1.0 / 6.0 - angle * angle / 120.0
    else:
        c = (1.0 - math.cos(angle)) / (angle * angle)
        s = (angle - math.sin(angle)) / (angle * angle * angle)
    d = t0 * w0 + t1 * w1 + t2 * w2
    # A = c d 1 + [t − s d w]× + w rᵀ, with r = s t × w − c t
    r0 = s * (t1 * w2 - t2 * w1) - c * t0
    r1 = s * (t2 * w0 - t0 * w2) - c * t1
    r2 = s * (t0 * w1 - t1 * w0) - c * t2
    x0, x1, x2 = t0 - s * d * w0, t1 - s * d * w1, t2 - s * d * w2
    e = c * d
    return solve_3x3(
        inertia[0, 0] - half * (e + w0 * r0),
        inertia[0, 1] - half * (w0 * r1 - x2),
        inertia[0, 2] - half * (w0 * r2 + x1),
        inertia[1, 0] - half * (w1 * r0 + x2),
        inertia[1, 1] - half * (e + w1 * r1),
        inertia[1, 2] - half * (w1 * r2 - x0),
        inertia[2, 0] - half * (w2 * r0 - x1),
        inertia[2, 1] - half * (w2 * r1 + x0),
        inertia[2, 2] - half * (e + w2 * r2),
        f0, f1, f2,
    )  # fmt: skip


@routine
def after_turn(inertia, w0, w1, w2, step):
    """Ω⁺ in body axes, of a body that has Ω, by Newton's method on the equation above.

    Where that does not converge, for a turn of radians, Ω⁺ is Ω: the energy is kept, at least.
    """
    p0 = inertia[0, 0] * w0 + inertia[0, 1] * w1 + inertia[0, 2] * w2
    p1 = inertia[1, 0] * w0 + inertia[1, 1] * w1 + inertia[1, 2] * w2
    p2 = inertia[2, 0] * w0 + inertia[2, 1] * w1 + inertia[2, 2] * w2
    scale = abs(p0) + abs(p1) + abs(p2)
    x0, x1, x2 = w0, w1, w2
    error, before = math.inf, math.inf
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
        d0, d1, d2 = newton_step(inertia, 0.5 * step, h0, h1, h2, t0, t1, t2, f0, f1, f2)
        x0, x1, x2 = x0 - d0, x1 - d1, x2 - d2
    if not error <= 1e-12 * scale:
        return w0, w1, w2
    return x0, x1, x2
