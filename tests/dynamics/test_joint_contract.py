"""The contract of joints: all of ours keep it, and wrong ones are found out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from amontons.dynamics.joints import JointSystem
from amontons.model.joints import Joint
from amontons.model.joints.constraints import AXES, ConstraintRow, JointConstraints, Law, along
from amontons.testing import ContractError, check_joint, joint_checks
from helpers.joint_samples import SAMPLES, P

CONTRACT = [
    pytest.param(check, id=f"{kind}-{name}")
    for kind, joint in SAMPLES.items()
    for name, check in joint_checks(joint)
]


@pytest.mark.parametrize("check", CONTRACT)
def test_contract(check):
    check()


# -- the contract can be broken -------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Sample(Joint):
    """A spherical joint that is right, for wrong ones to be made of."""

    point: tuple[float, float, float] = P
    freedom: ClassVar[int] = 3

    def check(self):
        pass

    def constraints(self):
        constraints = JointConstraints(self.point)
        constraints.hold_point(AXES)
        return constraints


class TooFree(Sample):
    freedom: ClassVar[int] = 4


class Redundant(Sample):
    freedom: ClassVar[int] = 2

    def constraints(self):
        constraints = super().constraints()
        constraints.hold_point(((0.6, 0.8, 0.0),))
        return constraints


class OutOfPlace(Sample):
    def constraints(self):
        constraints = JointConstraints(self.point)
        for axis in AXES:
            constraints.hold(along(P, axis)._replace(point_b=(0.3, -0.2, 0.6)))
        return constraints


class Changing(Sample):
    calls: ClassVar[list[int]] = []

    def constraints(self):
        self.calls.append(1)
        constraints = JointConstraints(self.point)
        shift = 1e-3 * len(self.calls)
        for axis in AXES:
            constraints.hold(along((shift, 0.0, 0.0), axis))
        return constraints


class AnyBodies(Sample):
    def __post_init__(self):
        pass


class BeyondItsLimit(Sample):
    def constraints(self):
        parts = super().constraints()
        parts.rows.append(ConstraintRow(0, Law.LIMIT, target=0.1))
        return parts


def test_contract_of_a_joint_that_is_right():
    check_joint(Sample(0, 1))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (TooFree(0, 1), "3 rigid rows, but 6 − freedom is 2"),
        (Redundant(0, 1), "have rank 3 only"),
        (OutOfPlace(0, 1), "off where it was added"),
        (Changing(0, 1), "says something else"),
        (BeyondItsLimit(0, 1), "limit is exceeded by 0.1"),
        (AnyBodies(0, 1), "should raise InputError"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_contract_finds_wrong_joints(wrong, message):
    with pytest.raises(ContractError, match=message):
        check_joint(wrong)


def spoil_derivative(system):
    system.jacobian[0, 9] += 1e-3


def spoil_reaction(system):
    system.jacobian[0, 0] += 1e-3


def spoil_frame(system):
    system.values[:] += 1e-3 * system.place[0, 0]


def spoil_world(system):
    system.values[:] += 1e-3 * (system.tables.coordinates.bodies[:, 0] < 0)


@pytest.mark.parametrize(
    ("spoil", "name"),
    [
        (spoil_derivative, "derivatives"),
        (spoil_derivative, "action_and_reaction"),
        (spoil_reaction, "action_and_reaction"),
        (spoil_frame, "frame_indifference"),
        (spoil_world, "world_is_a_body_at_rest"),
    ],
)
def test_contract_finds_wrong_evaluation(spoil, name, monkeypatch):
    right = JointSystem.measure

    def wrong(self, position, orientation):
        right(self, position, orientation)
        self.place = position
        spoil(self)

    checks = dict(joint_checks(SAMPLES["revolute"]))
    checks[name]()
    monkeypatch.setattr(JointSystem, "measure", wrong)
    with pytest.raises(ContractError):
        checks[name]()


@pytest.mark.parametrize("forgotten", ["force", "bound.terms.point_b"])
def test_contract_finds_what_is_not_restored(forgotten, monkeypatch):
    right = JointSystem.restore

    def wrong(self, saved):
        right(self, {**saved, forgotten: self.saved()[forgotten]})

    checks = dict(joint_checks(SAMPLES["screw"]))
    checks["state_comes_back"]()
    monkeypatch.setattr(JointSystem, "restore", wrong)
    with pytest.raises(ContractError):
        checks["state_comes_back"]()
