"""The kernels of a time step said a second time: plain numpy, one body or contact at a time."""

from __future__ import annotations

import math

import numpy as np

from amontons.algebra.rotations import rotation_matrices


def free_velocity(orientation, twist, wrench, inverse_mass, own_inverse, gravity, step):
    """v* and I⁻¹ in world axes of one body."""
    if inverse_mass == 0.0:
        return twist.copy(), np.zeros((3, 3))
    R = rotation_matrices(orientation[None])[0]
    inverse = R @ own_inverse @ R.T
    linear = twist[:3] + step * (gravity + inverse_mass * wrench[:3])
    return np.concatenate([linear, twist[3:] + step * inverse @ wrench[3:]]), inverse


def cross_matrix(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def rotation_exponential(w):
    """exp [w]×, by Rodrigues' formula."""
    angle = np.linalg.norm(w)
    if angle == 0.0:
        return np.eye(3)
    K = cross_matrix(w / angle)
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K


def energy_and_momenta(position, orientation, twist, mass, inertia, gravity):
    """Kinetic and potential energy, momentum and angular momentum of all bodies."""
    kinetic, potential, momentum, angular = 0.0, 0.0, np.zeros(3), np.zeros(3)
    for i in np.flatnonzero(np.isfinite(mass)):
        R = rotation_matrices(orientation[i : i + 1])[0]
        v, w = twist[i, :3], twist[i, 3:]
        spin = R @ inertia[i] @ R.T @ w
        kinetic += 0.5 * mass[i] * v @ v + 0.5 * w @ spin
        potential -= mass[i] * gravity @ position[i]
        momentum += mass[i] * v
        angular += spin + mass[i] * np.cross(position[i], v)
    return kinetic, potential, momentum, angular


def contact_law(normal, arms, gap, before, free, mobile, pair, step, rules, hit=False):
    """Whether a contact is kept, and its μ, b, E and whether it bounces: from the law as written.

    `arms`, `before`, `free`, `mobile` are of A and B; `pair` has the properties of their materials.
    """

    def relative(twist):
        return (
            twist[1][:3] + np.cross(twist[1][3:], arms[1])
            - twist[0][:3] - np.cross(twist[0][3:], arms[0])
        )  # fmt: skip

    closing = -normal @ relative(free)
    drift = np.linalg.norm(free[1][:3] - free[0][:3])
    reach = rules.near + 2.0 * step * max(closing, pair["friction"] * drift)
    keep = bool((mobile[0] or mobile[1]) and (gap <= reach or hit))
    compliance = pair["compliance"]
    relaxation = 0.0 if gap > 0.0 else pair["damping"]  # a dashpot works once it is touched
    E = compliance / (step * (step + relaxation))
    b = gap / (step + relaxation) if compliance > 0.0 else max(gap / step, -rules.recovery_speed)
    u = relative(before)
    approach = normal @ u
    slip = np.linalg.norm(u - approach * normal)
    if not keep:
        return keep, pair["friction"], b, E, False
    if approach >= -rules.bounce_speed:
        lift = pair["friction"] * slip - rules.lift_speed
        if lift > 0.0:
            b = max(b, min(b, 0.0) + lift)
        return keep, pair["friction"], b, E, False
    closes = gap - step * closing <= 0.0
    if pair["restitution"] > 0.0 and closes:
        return keep, pair["friction"], pair["restitution"] * approach, E, True
    return keep, pair["friction"], b, E, False


def same_island(pairs, mobile):
    """Which bodies hang together, by spreading labels until nothing changes; (bodies, bodies)."""
    label = np.arange(mobile.size)
    changed = True
    while changed:
        changed = False
        for a, b in pairs:
            if a < 0 or b < 0 or not (mobile[a] and mobile[b]) or label[a] == label[b]:
                continue
            label[[a, b]] = min(label[a], label[b])
            changed = True
    return label[:, None] == label[None, :]
