"""Work that drives supply, and the stiffness of taut joints: kernels against plain numpy."""

from __future__ import annotations

import numpy as np

import amontons as am
from amontons.algebra.rotations import rotation_matrices
from amontons.dynamics.contact_laws import ContactPlaces
from amontons.dynamics.joints.law import NO_ROWS
from amontons.dynamics.joints.stiffness import add_stiffness
from amontons.dynamics.joints.system import JointSystem
from amontons.dynamics.supplied_work import work_through_contacts, work_through_rows


def test_work_through_rows():
    rng = np.random.default_rng(0)
    count, bounded = 9, 4
    rows = NO_ROWS._replace(
        bodies=rng.integers(-1, 4, (count, 2)).astype(np.int32),
        jacobian=rng.standard_normal((count, 12)),
        lower=np.array([-1.0, -np.inf, -2.0, 0.0]),
        upper=np.array([1.0, 3.0, np.inf, 0.5]),
    )
    impulses, speeds = rng.standard_normal((2, count))
    velocity, kinematic = rng.standard_normal((4, 6)), np.array([True, False, False, True])
    twist = np.concatenate([velocity, np.zeros((1, 6))])
    driven = np.append(kinematic, False)
    of_sides = np.einsum("rsi,rsi->rs", rows.jacobian.reshape(-1, 2, 6), twist[rows.bodies])
    moved = np.where(driven[rows.bodies], of_sides, 0.0).sum(axis=1)
    limited = np.isfinite(rows.lower) & np.isfinite(rows.upper)
    motors = (impulses * of_sides.sum(axis=1))[-bounded:][limited]
    expected = np.maximum(impulses * speeds, 0.0).sum()
    expected += np.maximum(-impulses * moved, 0.0).sum() + np.maximum(motors, 0.0).sum()
    found = work_through_rows(rows, impulses, speeds, velocity, kinematic)
    assert np.isclose(found, expected, rtol=1e-13)


def test_work_through_contacts():
    rng = np.random.default_rng(1)
    bodies = np.array([[0, 1], [1, 2], [0, 2]], dtype=np.int32)
    normals, arms_a, arms_b, impulses = rng.standard_normal((4, 3, 3))
    velocity, kinematic = rng.standard_normal((3, 6)), np.array([True, False, True])
    expected = 0.0
    for c, pair in enumerate(bodies):
        for body, arm, sign in zip(pair, (arms_a[c], arms_b[c]), (1.0, -1.0), strict=True):
            if kinematic[body]:
                speed = velocity[body, :3] + np.cross(velocity[body, 3:], arm)
                expected += max(sign * impulses[c] @ speed, 0.0)
    where = ContactPlaces(bodies, normals, arms_a, arms_b, np.zeros(3))
    found = work_through_contacts(where, impulses, velocity, kinematic)
    assert np.isclose(found, expected, rtol=1e-13)


def test_stiffness_of_joints_under_load():
    """K = (r·F) 1 − ½ (r Fᵀ + F rᵀ), with the opposite force on A."""
    rng = np.random.default_rng(2)
    position = rng.standard_normal((3, 3))
    turn = rng.standard_normal((3, 4))
    turn /= np.linalg.norm(turn, axis=1)[:, None]
    joints = [
        am.Spherical(None, 0, point=(0.1, 0.2, 0.3)),
        am.Spherical(0, 1, point=(0.5, 0.0, 0.0)),
        am.Spherical(2, 1, point=(0.0, -0.4, 0.1)),
        am.Spherical(2, None, point=(0.7, 0.0, 0.2)),
    ]
    table = JointSystem(joints, int, position, turn).model.tables.joints
    force = rng.standard_normal((len(joints), 3))
    expected = np.zeros((3, 3, 3))
    for j, (a, b) in enumerate(table.bodies):
        point = table.point[j]
        if b >= 0:
            point = position[b] + rotation_matrices(turn[b : b + 1])[0] @ point
        for body, f in ((a, -force[j]), (b, force[j])):
            if body >= 0:
                r = point - position[body]
                expected[body] += r @ f * np.eye(3) - 0.5 * (np.outer(r, f) + np.outer(f, r))
    found = np.zeros((3, 3, 3))
    add_stiffness(table, force, position, turn, found)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-14)
