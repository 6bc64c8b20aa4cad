"""Bonds said a second time: plain numpy, one bond at a time, with matrices and differences."""

from __future__ import annotations

import numpy as np

from amontons.algebra.rotations import rotation_matrices
from helpers.step_oracles import rotation_exponential


def matrix(quaternion):
    """Rotation matrix of one unit quaternion."""
    return rotation_matrices(np.asarray(quaternion)[None])[0]


def turn_of(R):
    """Rotation vector of a matrix that turns by less than a half turn."""
    values, vectors = np.linalg.eig(R)
    axis = np.real(vectors[:, np.argmin(np.abs(values - 1.0))])
    skew = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    angle = np.arctan2(np.linalg.norm(skew), 0.5 * (np.trace(R) - 1.0))
    return angle * axis * (1.0 if axis @ skew >= 0.0 else -1.0)


def strain(poses, points, frames):
    """Shift and turn of a beam's middle, in axes half way between its ends; and these axes.

    `poses` are (place, rotation matrix) of A and B.
    """
    (xa, Ra), (xb, Rb) = poses
    first, second = Ra @ matrix(frames[0]), Rb @ matrix(frames[1])
    turn = turn_of(first.T @ second)
    axes = first @ rotation_exponential(0.5 * turn)
    shift = axes.T @ ((xb + Rb @ points[1]) - (xa + Ra @ points[0]))
    angle = np.linalg.norm(turn)
    size = 2.0 * np.sin(0.5 * angle) / angle if angle > 0.0 else 1.0
    return np.concatenate([shift, size * turn]), axes


def moved(pose, twist, step):
    """The pose after a step with this velocity."""
    place, R = pose
    return place + step * twist[:3], rotation_exponential(step * twist[3:]) @ R


def jacobian(poses, points, frames, size=1e-6):
    """Derivative of the strain by the velocities of A and B, by central differences, (6, 12)."""
    columns = []
    for k in range(12):
        twist = np.zeros(12)
        twist[k] = 1.0
        ends = [
            strain([moved(pose, twist[6 * i : 6 * i + 6], way * size) for i, pose in
                    enumerate(poses)], points, frames)[0]
            for way in (1.0, -1.0)
        ]  # fmt: skip
        columns.append((ends[0] - ends[1]) / (2.0 * size))
    return np.array(columns).T


def work(jacobian_rows, bodies, impulses, dashpot, mean, after, loose):
    """Work of dashpots, of springs, and of what drives bodies that are not loose."""
    damped = sprung = drives = 0.0
    for i, impulse in enumerate(impulses):
        a, b = bodies[i]
        if not (loose[a] or loose[b]):
            continue
        of_a, of_b = jacobian_rows[i, :6] @ mean[a], jacobian_rows[i, 6:] @ mean[b]
        speed = jacobian_rows[i, :6] @ after[a] + jacobian_rows[i, 6:] @ after[b]
        damped -= dashpot[i] * speed * (of_a + of_b)
        sprung += (impulse + dashpot[i] * speed) * (of_a + of_b)
        drives -= impulse * ((not loose[a]) * of_a + (not loose[b]) * of_b)
    return damped, sprung, drives
