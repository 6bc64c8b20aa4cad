"""Rows of joints: oracles, laws of the step, state, joints that come and go."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.algebra.rotations import quaternion_product
from amontons.dynamics.joints import JointSystem
from amontons.model.joints import (
    Fixed,
    PositionMotor,
    Prismatic,
    Revolute,
    Rope,
    SpeedMotor,
    Spherical,
)
from amontons.model.joints.constraints import Law
from amontons.testing.judging import parallel_kernels, threads
from helpers.joint_oracles import WORLD, Pose, coordinate_values, row_law
from helpers.joint_samples import AXIS, SAMPLES, P
from helpers.mechanisms import turned_by

ORIGIN, Z = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def random_poses(seed, bodies=2):
    random = np.random.default_rng(seed)
    turn = random.normal(size=(bodies, 4))
    return random.normal(size=(bodies, 3)), turn / np.linalg.norm(turn, axis=1, keepdims=True)


def still(bodies=1):
    return np.zeros((bodies, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (bodies, 1)), np.zeros((bodies, 6))


def about_z(angle):
    return np.array([[math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)]])


# -- oracles --------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(SAMPLES)), st.integers(0, 10**6), st.sampled_from(["", "a", "b"]))
def test_coordinates_are_those_of_the_oracle(kind, seed, world):
    joint = SAMPLES[kind]
    if world:
        joint = replace(joint, **{world: None})
    start, now = random_poses(seed), random_poses(seed + 1)
    system = JointSystem([joint], int, *start)
    system.measure(*now)

    def ends(poses):
        both = [Pose(x, q) for x, q in zip(*poses, strict=True)]
        return tuple(WORLD if body is None else both[body] for body in joint.bodies)

    right = coordinate_values(joint, ends(start), ends(now))
    angular = system.tables.coordinates.angular
    np.testing.assert_allclose(system.values[~angular], right[~angular], atol=1e-9)
    # angles that are counted over turns may differ by full ones, also within a sum
    period = (
        2
        * math.pi
        * np.array([min(abs(t.weight) for t in c.terms) for c in joint.constraints().coordinates])
    )
    off = system.values - right
    off -= period * np.round(off / period)
    np.testing.assert_allclose(off[angular], 0.0, atol=1e-9)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([1e-4, 1e-2]),
    st.floats(0.0, 3.0),
    st.sampled_from([0.1, math.inf]),
    st.sampled_from([1e-3, 1.0]),
)
def test_rows_are_those_of_the_oracle(seed, h, time, recovery, reach):
    """Law, order, Jacobian, bounds and guess of all samples at once."""
    joints = list(SAMPLES.values())
    random = np.random.default_rng(seed)
    start, twist = random_poses(seed), random.normal(size=(2, 6))
    system = JointSystem(joints, int, *start, recovery_speed=recovery)
    position = start[0] + reach * random.normal(size=(2, 3))
    orientation = start[1] + reach * random.normal(size=(2, 4))
    orientation /= np.linalg.norm(orientation, axis=1, keepdims=True)
    force = random.normal(size=system.state.force.size)
    system.state.force[:] = force
    rows = system.rows(position, orientation, twist, time, h)
    there = JointSystem(joints, int, *start)
    there.measure(position, orientation)
    there.measure(
        position + h * twist[:, :3],
        np.array(
            [
                quaternion_product(turned_by(h * w), q)
                for w, q in zip(twist[:, 3:], orientation, strict=True)
            ]
        ),
    )
    expected = []
    number = first = 0
    for joint in joints:
        constraints = joint.constraints()
        for row in constraints.rows:
            c = first + row.coordinate
            rate = float(system.jacobian[c] @ twist.ravel())
            active, *law = row_law(row, system.values[c], there.values[c], rate, time, h, recovery)
            bounded = row.law is Law.EFFORT or math.isfinite(row.bound)
            kind = 1 if row.law is Law.LIMIT else 2 * bounded
            if active:
                expected.append((kind, number, row.sign * system.jacobian[c], *law))
            number += 1
        first += len(constraints.coordinates)
    expected.sort(key=lambda entry: entry[:2])
    kinds = [entry[0] for entry in expected]
    assert [rows.free, rows.one_sided, rows.bounded] == [kinds.count(k) for k in range(3)]
    order = np.array([entry[1] for entry in expected])
    np.testing.assert_allclose(rows.jacobian, [entry[2] for entry in expected])
    np.testing.assert_allclose(rows.offset, [entry[3] for entry in expected], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(rows.compliance, [entry[4] for entry in expected], rtol=1e-12)
    low, high = (np.array([e[k] for e in expected if e[0] == 2]) for k in (5, 6))
    np.testing.assert_allclose(rows.lower, low, rtol=1e-12)
    np.testing.assert_allclose(rows.upper, high, rtol=1e-12)
    guess = h * force[order]
    guess[rows.free + rows.one_sided :] = np.clip(guess[rows.free + rows.one_sided :], low, high)
    np.testing.assert_allclose(rows.guess, guess, rtol=1e-12)
    assert rows.bodies.tolist() == [[0, 1]] * len(expected)


def test_reactions_are_sums_over_rows():
    poses = random_poses(3)
    system = JointSystem(list(SAMPLES.values()), int, *poses)
    rows = system.rows(*poses, np.zeros((2, 6)), 0.0, 1e-2)
    impulses = np.random.default_rng(0).normal(size=rows.offset.size)
    system.accept(impulses, 1e-2)
    momentum = (impulses[:, None] * rows.jacobian).sum(axis=0) / 1e-2
    np.testing.assert_allclose(system.reaction_force.sum(axis=0), momentum[6:9])
    points = np.array([joint.constraints().point for joint in SAMPLES.values()])
    arms = points - poses[0][1]
    turning = system.reaction_torque + np.cross(arms, system.reaction_force)
    np.testing.assert_allclose(turning.sum(axis=0), momentum[9:])


@pytest.mark.slow
def test_one_thread_two_threads_same_bits():
    """In either form of the kernels; the size of the work alone says which form is used."""
    joints = [replace(joint, a=i, b=i + 1) for i, joint in enumerate(list(SAMPLES.values()) * 80)]
    start, now = (random_poses(seed, len(joints) + 1) for seed in (0, 1))
    forms = []
    for form in (nullcontext, parallel_kernels):
        results = []
        for count in (1, am.max_threads()):
            system = JointSystem(joints, int, *start)
            with threads(count), form():
                system.measure(*now)
            results.append((system.values, system.jacobian))
        for one, other in zip(*results, strict=True):
            np.testing.assert_array_equal(one, other)
        forms.append(results[0])
    for serial, parallel in zip(*forms, strict=True):
        np.testing.assert_allclose(serial, parallel, rtol=1e-12, atol=1e-13)


# -- angles, limits -------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.floats(-40.0, 40.0), st.integers(0, 10**6))
def test_angles_count_full_turns(angle, seed):
    """Turned there in steps of less than half a turn, the hinge knows how far it went."""
    steps = 1 + int(abs(angle))
    joint = Revolute(None, 0, point=P, axis=Z)
    start = random_poses(seed, 1)
    system = JointSystem([joint], int, *start)
    for k in range(1, steps + 1):
        turn = quaternion_product(about_z(angle * k / steps), start[1])
        system.measure(start[0], turn)
        assert system.angle[0] == pytest.approx(angle * k / steps, abs=1e-9)


def test_measuring_twice_changes_nothing():
    position, _, _ = still()
    system = JointSystem([Revolute(None, 0, point=ORIGIN, axis=Z)], int, position, about_z(0.0))
    for angle in (2.0, 4.0, 6.0, 8.0):
        system.measure(position, about_z(angle))
        once = system.angle[0]
        system.measure(position, about_z(angle))
        assert system.angle[0] == once == pytest.approx(angle)


def test_limits_are_rows_only_where_they_may_matter():
    position, orientation, twist = still()
    joint = Prismatic(None, 0, point=ORIGIN, axis=Z, limits=(-1.0, 1.0))
    system = JointSystem([joint], int, position, orientation)

    def limits(z, speed):
        position[0, 2], twist[0, 2] = z, speed
        return system.rows(position, orientation, twist, 0.0, 0.01).one_sided

    assert limits(0.0, 0.0) == 0
    assert limits(0.89, 0.0) == 0
    assert limits(0.91, 0.0) == 1
    assert limits(0.0, 60.0) == 2  # within reach both ways: speed may turn round
    assert limits(0.8, 10.0) == 1


def test_slack_of_a_limit_may_be_used_up():
    position, orientation, twist = still()
    rope = Rope(None, 0, point_a=ORIGIN, point_b=(0, 0, -0.98), length=1.0)
    position[0, 2] = -0.98
    system = JointSystem([rope], int, position, orientation)
    rows = system.rows(position, orientation, twist, 0.0, 0.01)
    # u ≥ −gap/h along the shortening
    assert rows.offset == pytest.approx([2.0])
    assert rows.jacobian[0, 6:9] == pytest.approx([0, 0, 1])


# -- functions of time ----------------------------------------------------------------------------


def test_function_that_raises_or_gives_nonsense_leaves_the_state_whole():
    def wild(time):
        if time > 0.5:
            raise RuntimeError("no idea")
        return math.nan if time > 0.2 else 0.0

    position, orientation, twist = still()
    motor = PositionMotor(position=wild)
    joint = Prismatic(None, 0, point=ORIGIN, axis=Z, motor=motor, name="ram")
    system = JointSystem([joint], int, position, orientation)
    rows = system.rows(position, orientation, twist, 0.0, 0.1)
    system.accept(np.ones(len(rows.offset)), 0.1)
    before = system.saved()
    with pytest.raises(am.InputError, match=r"Prismatic 'ram', at 0\.3 s"):
        system.rows(position + 1.0, orientation, twist, 0.2, 0.1)
    with pytest.raises(RuntimeError, match="no idea"):
        system.rows(position + 1.0, orientation, twist, 0.6, 0.1)
    after = system.saved()
    # NaN stands for a command that was not given
    assert all(np.array_equal(before[name], after[name], equal_nan=True) for name in before)


@pytest.mark.parametrize(
    ("time", "step"), [(math.nan, 0.1), (0.0, 0.0), (0.0, -1.0), (0, math.inf)]
)
def test_time_and_step_are_checked(time, step):
    position, orientation, twist = still()
    system = JointSystem([Spherical(None, 0, point=ORIGIN)], int, position, orientation)
    with pytest.raises(am.InputError):
        system.rows(position, orientation, twist, time, step)


# -- joints come and go ---------------------------------------------------------------------------


def index_in(ids):
    def index_of(body):
        if body not in ids:
            raise am.InputError(f"there is no body {body}")
        return ids.index(body)

    return index_of


def chain(bodies):
    return [
        Revolute(i, i + 1, point=(i, 0, 0), axis=Z, name=f"link {i}", motor=SpeedMotor(speed=i))
        for i in range(bodies - 1)
    ]


def test_removing_joints_keeps_the_state_of_the_others():
    poses, later = random_poses(0, 6), random_poses(1, 6)
    joints = chain(6)
    system = JointSystem(joints, int, *poses)
    rows = system.rows(*later, np.zeros((6, 6)), 0.0, 1e-3)
    system.accept(np.arange(1.0, 1.0 + rows.offset.size), 1e-3)
    angle, force = system.angle, system.reaction_force.copy()
    full = system.rows(*later, np.zeros((6, 6)), 1e-3, 1e-3)
    system.remove([1, 3])
    keep = [0, 2, 4]
    assert system.ids.tolist() == keep
    assert [joint.name for joint in system.joints] == ["link 0", "link 2", "link 4"]
    less = system.rows(*later, np.zeros((6, 6)), 1e-3, 1e-3)
    np.testing.assert_array_equal(system.angle, angle[keep])
    np.testing.assert_array_equal(system.reaction_force, force[keep])
    stays = np.isin(full.bodies[:, 0], keep)
    for name in ("bodies", "jacobian", "offset", "guess"):
        np.testing.assert_array_equal(getattr(less, name), getattr(full, name)[stays])
    with pytest.raises(am.InputError, match="no joint 3"):
        system.remove([3])
    assert system.add([Spherical(0, 5, point=P)], int, *later).tolist() == [5]


def test_bodies_that_go_take_their_joints_with_them():
    poses = random_poses(0, 5)
    system = JointSystem(chain(5), int, *poses)
    assert system.joints_of([2]) == [1, 2]
    system.remove(system.joints_of([2]))
    keep = [0, 1, 3, 4]
    system.renumber(index_in(keep))
    rows = system.rows(poses[0][keep], poses[1][keep], np.zeros((4, 6)), 0.0, 1e-3)
    assert {tuple(pair) for pair in rows.bodies.tolist()} == {(0, 1), (2, 3)}
    np.testing.assert_allclose(rows.offset[: rows.free - 2], 0.0, atol=1e-9)


def test_update_follows_a_list():
    poses, later = random_poses(0, 4), random_poses(1, 4)
    joints = chain(4)
    system = JointSystem(joints, int, *poses)
    system.measure(*later)
    angle = system.angle
    new = Spherical(0, 3, point=P)
    system.update([joints[0], joints[2], new], int, *later)
    assert system.joints == (joints[0], joints[2], new)
    assert system.ids.tolist() == [0, 2, 3]
    system.measure(*later)
    np.testing.assert_array_equal(system.angle[:2], angle[[0, 2]])
    assert system.position_error[2] < 1e-12  # bound where bodies are now
    with pytest.raises(am.InputError, match="order"):
        system.update([joints[2], joints[0]], int, *later)
    with pytest.raises(am.InputError, match="twice"):
        system.update([joints[0], joints[0]], int, *later)
    with pytest.raises(am.InputError, match="link 2"):
        system.update([joints[0], joints[2]], index_in([0, 1, 2]), *later)
    assert len(system) == 3


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(SAMPLES)), st.integers(0, 10**6))
def test_the_largest_error_is_that_of_any_joint(kind, seed):
    system = JointSystem([SAMPLES[kind], *chain(3)], int, *random_poses(seed, 3))
    system.measure(*random_poses(seed + 1, 3))
    errors = np.concatenate([system.position_error, system.angle_error])
    assert system.largest_error == errors.max()
    system.state.broken[:] = True
    assert system.largest_error == 0.0


def test_a_system_of_no_joints():
    system = JointSystem([], int, *random_poses(0, 3))
    rows = system.rows(*still(3), 0.0, 1e-3)
    assert [len(column) for column in rows if isinstance(column, np.ndarray)] == [0] * 8
    assert (rows.free, rows.one_sided, rows.bounded) == (0, 0, 0)
    assert system.accept(rows.guess, 1e-3) == []
    with pytest.raises(am.InputError, match="0 rows"):
        system.accept(np.ones(2), 1e-3)
    assert (system.largest_error, system.potential_energy()) == (0.0, 0.0)


def test_failed_add_adds_nothing():
    poses = random_poses(0, 3)
    system = JointSystem(chain(3), int, *poses)
    for wrong in ([Spherical(0, 2, point=P), Spherical(0, 9, point=P)], ["no joint"]):
        with pytest.raises(am.InputError):
            system.add(wrong, index_in([0, 1, 2]), *poses)
    with pytest.raises(am.InputError, match="same id"):
        system.add([Spherical(0, 2, point=P)], int, *poses, ids=[1])
    with pytest.raises(am.InputError, match="as many ids"):
        system.add([Spherical(0, 2, point=P)], int, *poses, ids=[7, 8])
    assert len(system) == 2
    assert system.rows(*poses, np.zeros((3, 6)), 0.0, 1e-3).free == 12


def test_no_joints_at_all():
    position, orientation, twist = still(3)
    system = JointSystem([], int, position, orientation)
    rows = system.rows(position, orientation, twist, 0.0, 1e-3)
    assert rows.jacobian.shape == (0, 12)
    assert system.accept(np.empty(0), 1e-3) == []
    assert system.potential_energy() == 0.0
    system.restore(system.saved())


def test_accept_wants_the_impulses_of_its_rows():
    position, orientation, twist = still()
    system = JointSystem([Spherical(None, 0, point=ORIGIN)], int, position, orientation)
    with pytest.raises(am.InputError, match="rows"):
        system.accept(np.zeros(3), 1e-3)
    system.rows(position, orientation, twist, 0.0, 1e-3)
    with pytest.raises(am.InputError, match="3 rows"):
        system.accept(np.zeros(4), 1e-3)


def test_states_of_other_joints_are_refused():
    poses = random_poses(0)
    one = JointSystem([SAMPLES["revolute"]], int, *poses)
    with pytest.raises(am.InputError, match="does not fit"):
        one.restore(JointSystem([SAMPLES["spherical"]], int, *poses).saved())
    with pytest.raises(am.InputError, match="ids differ"):
        one.restore(JointSystem([SAMPLES["revolute"]], int, *poses, ids=[4]).saved())


def test_warm_starts_follow_the_step():
    position, orientation, twist = still()
    system = JointSystem([Fixed(None, 0, point=ORIGIN)], int, position, orientation)
    rows = system.rows(position, orientation, twist, 0.0, 1e-2)
    assert not rows.guess.any()
    system.accept(np.arange(6.0), 1e-2)
    half = system.rows(position, orientation, twist, 0.01, 5e-3)
    np.testing.assert_allclose(half.guess, 0.5 * np.arange(6.0))


@pytest.mark.parametrize("recovery", [0.0, -1.0, math.nan])
def test_recovery_speed_is_checked(recovery):
    with pytest.raises(am.InputError, match="recovery_speed"):
        JointSystem([], int, np.zeros((0, 3)), np.zeros((0, 4)), recovery_speed=recovery)


def test_poses_must_fit():
    with pytest.raises(am.InputError, match="shape"):
        JointSystem([], int, np.zeros((2, 3)), np.zeros((3, 4)))


def test_axis_is_made_unit_length():
    assert np.linalg.norm(Revolute(0, 1, point=P, axis=AXIS).axis) == pytest.approx(1.0)
