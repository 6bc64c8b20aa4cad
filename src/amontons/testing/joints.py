"""The contract of a joint: small named checks, each of which raises `ContractError` if it fails.

A joint states in world coordinates what it constrains. The checks bind it to two bodies in many
poses and verify the constraints, their derivatives, momentum and freedom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, is_dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.array_types import Flags, Floats
from amontons.dynamics.joints import JointSystem
from amontons.dynamics.joints.law import FREE, LIMIT, POSITION
from amontons.dynamics.joints.tables import RowArrays
from amontons.errors import InputError
from amontons.model.joints import Connection, Joint
from amontons.testing.judging import EXACT, NamedCheck, expect, fail, named_checks, refused

Poses = tuple[Floats, Floats]
Check = Callable[[Connection], None]

POSES = 5
"""Pairs of random poses that each check tries."""

NUDGE = 1e-6
"""Step of finite differences [m, rad]."""

CLOSE = 1e-6
"""Relative error of derivatives from finite differences."""


def check_joint(joint: Connection) -> None:
    """Run every check of the contract on a joint; raise `ContractError` at the first that fails.

    Its bodies do not matter: the checks put others in their place.
    """
    for _, check in joint_checks(joint):
        check()


def joint_checks(joint: Connection) -> Iterator[NamedCheck]:
    """Name and check, one by one, for `pytest.mark.parametrize`."""
    return named_checks(JOINT_CHECKS, joint)


# -- helpers of the checks -------------------------------------------------------------------------


def _random() -> np.random.Generator:
    return np.random.default_rng(0)


def _poses(random: np.random.Generator) -> Poses:
    """Random poses of two bodies."""
    turn = random.normal(size=(2, 4))
    return random.normal(size=(2, 3)), turn / np.linalg.norm(turn, axis=1, keepdims=True)


def _moved(poses: Poses, body: int, shift: Floats, angle: Floats) -> Poses:
    """Poses after one body was shifted [m] and turned about its centre by a rotation vector."""
    position, orientation = poses[0].copy(), poses[1].copy()
    position[body] += shift
    orientation[body] = quaternion_product(_quaternion(angle), orientation[body])
    return position, orientation


def _quaternion(vector: Floats) -> Floats:
    """The rotation by a rotation vector [rad], shape (4,)."""
    angle = float(np.linalg.norm(vector))
    return np.array([np.cos(angle / 2), *(0.5 * np.sinc(angle / (2 * np.pi)) * vector)])


def _between(joint: Connection, a: int | None = 0, b: int | None = 1) -> Connection:
    """The same joint between other bodies."""
    return replace(joint, a=a, b=b)


def _bound(joint: Connection, poses: Poses) -> JointSystem:
    return JointSystem([joint], int, *poses)


def _size(joint: Connection, poses: Poses) -> float:
    """A length to which rounding errors are proportional [m]."""
    terms = [term for coordinate in joint.constraints().coordinates for term in coordinate.terms]
    points = [point for term in terms for point in (term.point_a, term.point_b)]
    return 1.0 + float(np.abs(points).max()) + float(np.abs(poses[0]).max())


def _pairs(joint: Connection) -> Iterator[tuple[JointSystem, Poses, float]]:
    """The joint bound in random poses, poses near and far from these, and the scale of lengths."""
    random = _random()
    joint = _between(joint)
    for k in range(2 * POSES):
        start = _poses(random)
        reach = 1e-3 if k % 2 else 1.0
        poses = start
        for body in (0, 1):
            poses = _moved(poses, body, *(reach * random.normal(size=(2, 3))))
        system = _bound(joint, start)
        system.measure(*poses)
        yield system, poses, _size(joint, start)


def _held(rows: RowArrays) -> Flags:
    """Rows that hold a coordinate rigidly, motors left out; shape (rows,)."""
    held = (rows.law == POSITION) & (rows.set == FREE) & np.isinf(rows.stiffness)
    return np.asarray(held & ~rows.motor)


# -- the checks -----------------------------------------------------------------------------------


def check_joint_never_changes(joint: Connection) -> None:
    """A joint is a frozen dataclass, and `constraints()` always returns the same."""
    expect(is_dataclass(joint), f"{type(joint).__name__} must be a dataclass")
    try:
        joint.name = "changed"  # type: ignore[misc]
    except FrozenInstanceError:
        pass
    else:
        fail(f"{type(joint).__name__} must be frozen: its fields could be changed")
    expect(
        joint.constraints() == joint.constraints(),
        "constraints() says something else the second time",
    )


def check_bodies_are_checked(joint: Connection) -> None:
    """The same body twice, the world twice and unknown bodies are refused."""
    wrong: tuple[tuple[Any, Any], ...] = ((3, 3), (None, None), (-2, 1), (0.5, 1), ("a", "b"))
    for a, b in wrong:
        refused(partial(replace, joint, a=a, b=b), f"a joint between {a!r} and {b!r}")

    def unknown(body: int) -> int:
        raise InputError(f"there is no body {body}")

    call = partial(JointSystem, [_between(joint)], unknown, *_poses(_random()))
    refused(call, "a joint between unknown bodies")


def check_errors_vanish_at_first(joint: Connection) -> None:
    """Where the joint is added, its errors vanish, wherever the bodies are."""
    random, joint = _random(), _between(joint)
    for _ in range(POSES):
        poses = _poses(random)
        system = _bound(joint, poses)
        rows, size = system.tables.rows, _size(joint, poses)
        error = rows.sign * (system.values[rows.coordinate] - rows.target)
        constant = ~np.isnan(rows.target)
        worst = np.abs(error[_held(rows) & constant]).max(initial=0.0)
        expect(bool(worst <= EXACT * size), f"a rigid row is {worst:g} off where it was added")
        lowest = error[(rows.law == LIMIT) & constant].min(initial=0.0)
        expect(bool(lowest >= -EXACT * size), f"a limit is exceeded by {-lowest:g} at the start")


def check_freedom(joint: Connection) -> None:
    """Made rigid, a joint removes 6 − `freedom` degrees of freedom, with no redundant rows."""
    if isinstance(joint, Joint):
        joint = replace(
            joint, compliance=0.0, angular_compliance=0.0, damping=0.0, angular_damping=0.0
        )
    lost = 6 - type(joint).freedom
    for system, _, _ in _pairs(joint):
        held = _held(system.tables.rows)
        rows = int(held.sum())
        expect(rows == lost, f"there are {rows} rigid rows, but 6 − freedom is {lost}")
        J = system.jacobian[system.tables.rows.coordinate[held], 6:]
        rank = int(np.linalg.matrix_rank(J)) if rows else 0
        expect(rank == rows, f"{rows} rigid rows have rank {rank} only")


def check_derivatives(joint: Connection) -> None:
    """Jacobians agree with finite differences, both near to where it was added and far away."""
    for system, poses, size in _pairs(joint):
        right = system.jacobian.copy()
        for body in (0, 1):
            for k in range(6):
                values = []
                for sign in (1.0, -1.0):
                    nudge = np.zeros(6)
                    nudge[k] = sign * NUDGE
                    system.measure(*_moved(poses, body, nudge[:3], nudge[3:]))
                    values.append(system.values.copy())
                slope = (values[0] - values[1]) / (2.0 * NUDGE)
                error = np.abs(slope - right[:, 6 * body + k])
                scale = size * (1.0 + np.abs(right).max(axis=1)) ** 2
                worst = int(np.argmax(error / scale))
                expect(
                    bool(error[worst] <= CLOSE * scale[worst]),
                    f"coordinate {worst}: derivative by velocity {k} of body {'AB'[body]} is "
                    f"{right[worst, 6 * body + k]:g}, but {slope[worst]:g} by finite differences",
                )


def check_action_and_reaction(joint: Connection) -> None:
    """Whatever impulse a row carries, momentum and angular momentum are conserved."""
    for system, (position, _), size in _pairs(joint):
        J = system.jacobian
        scale = EXACT * size * (1.0 + np.abs(J).max())
        force = np.abs(J[:, :3] + J[:, 6:9]).max()
        expect(bool(force <= scale), f"forces on A and B do not add up to zero: {force:g}")
        turn = J[:, 3:6] + J[:, 9:]
        turn = turn + np.cross(position[0], J[:, :3]) + np.cross(position[1], J[:, 6:9])
        worst = np.abs(turn).max()
        expect(bool(worst <= scale), f"torques on A and B do not add up to zero: {worst:g}")


def check_frame_indifference(joint: Connection) -> None:
    """Moving both bodies together changes no coordinate."""
    random = _random()
    for system, (position, orientation), size in _pairs(joint):
        before = system.values.copy()
        turn = random.normal(size=4)
        turn /= np.linalg.norm(turn)
        there = position @ rotation_matrices(turn[None])[0].T + random.normal(size=3)
        system.measure(there, quaternion_product(turn, orientation))
        error = np.abs(system.values - before).max()
        expect(
            bool(error <= EXACT * size * (1.0 + np.abs(before).max())),
            f"a coordinate changes by {error:g} when both bodies move together",
        )


def check_world_is_a_body_at_rest(joint: Connection) -> None:
    """A joint to the world is equivalent to one to a body at the origin."""
    random = _random()
    for side in (0, 1):
        position, orientation = _poses(random)
        position[side], orientation[side] = 0.0, (1.0, 0.0, 0.0, 0.0)
        ends: list[int | None] = [0, 1]
        both = _bound(_between(joint, *ends), (position, orientation))
        ends[side] = None
        world = _bound(_between(joint, *ends), (position, orientation))
        place, turn = _moved((position, orientation), 1 - side, *(0.1 * random.normal(size=(2, 3))))
        both.measure(place, turn)
        world.measure(place, turn)
        same = np.array_equal(both.values, world.values)
        same &= np.array_equal(both.jacobian, world.jacobian)
        expect(same, f"{'AB'[side]} as the world differs from a body at the origin")


def check_state_comes_back(joint: Connection) -> None:
    """A system made elsewhere and restored gives the same rows, bit for bit."""
    for system, poses, _ in _pairs(joint):
        twist = _random().normal(size=(2, 6))
        rows = system.rows(*poses, twist, 0.25, 1e-3)
        system.accept(np.linspace(0.1, 0.2, rows.offset.size), 1e-3)
        other = _bound(system.joints[0], _poses(np.random.default_rng(1)))
        other.restore(system.saved())
        again, right = (s.rows(*poses, twist, 0.5, 1e-3) for s in (other, system))
        same = all(
            np.array_equal(np.asarray(x), np.asarray(y)) for x, y in zip(again, right, strict=True)
        )
        expect(same, "restored from its state, it gives other rows")


JOINT_CHECKS: tuple[Check, ...] = (
    check_joint_never_changes,
    check_bodies_are_checked,
    check_errors_vanish_at_first,
    check_freedom,
    check_derivatives,
    check_action_and_reaction,
    check_frame_indifference,
    check_world_is_a_body_at_rest,
    check_state_comes_back,
)
"""Every check, in the order in which `check_joint` runs them."""
