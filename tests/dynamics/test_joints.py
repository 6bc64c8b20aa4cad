"""Joints and motors at work: mechanisms whose motion is known, and input that is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ellipk

import amontons as am
from amontons.model.joints import (
    Cylindrical,
    Distance,
    Fixed,
    Gear,
    Planar,
    PointOnLine,
    PositionMotor,
    Prismatic,
    RackAndPinion,
    Revolute,
    Rope,
    Screw,
    SpeedMotor,
    Spherical,
    TorqueMotor,
    Universal,
)
from helpers.mechanisms import GRAVITY, Mechanism

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ORIGIN = (0.0, 0.0, 0.0)

# -- motion ---------------------------------------------------------------------------------------


def crossings(angle: np.ndarray, h: float) -> np.ndarray:
    """Times at which a sampled angle rises through zero."""
    up = np.flatnonzero((angle[:-1] < 0) & (angle[1:] >= 0))
    return h * (up + 1 + angle[up] / (angle[up] - angle[up + 1]))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["revolute", "spherical", "universal", "rod"])
def test_pendulum_swings_with_the_known_period(kind):
    start, length, inertia, h = 0.5, 0.7, 0.05, 2e-3
    place = (length * math.sin(start), 0.0, -length * math.cos(start))
    joint = {
        "revolute": Revolute(None, 0, point=ORIGIN, axis=Y),
        "spherical": Spherical(None, 0, point=ORIGIN),
        "universal": Universal(None, 0, point=ORIGIN, axis_a=Y, axis_b=Z),
        "rod": Distance(None, 0, point_a=ORIGIN, point_b=place),
    }[kind]
    pendulum = Mechanism([place], [joint], inertia=inertia)
    places = np.array(pendulum.run(4.0, h, lambda: pendulum.position[0]))
    angle = np.arctan2(places[:, 0], -places[:, 2])
    period = np.diff(crossings(angle, h)).mean()
    moment = length**2 + (0.0 if kind == "rod" else inertia)
    # period of a pendulum of any swing: 4 √(I/(m g l)) K(sin²(θ/2))
    right = 4 * math.sqrt(moment / (GRAVITY * length)) * ellipk(math.sin(start / 2) ** 2)
    assert period == pytest.approx(right, rel=5e-3)
    assert pendulum.joints.position_error[0] < 1e-6
    assert abs(np.abs(angle).max() - start) < 0.01


def test_pendulum_pulls_as_it_should():
    pendulum = Mechanism([(0.0, 0.0, -1.0)], [Revolute(None, 0, point=ORIGIN, axis=Y)], mass=3.0)
    pendulum.step(1e-3)
    assert pendulum.joints.reaction_force[0] == pytest.approx([0, 0, 3 * GRAVITY], abs=1e-9)
    assert pendulum.joints.reaction_torque[0] == pytest.approx([0, 0, 0], abs=1e-9)
    beam = Mechanism([(2.0, 0.0, 0.0)], [Fixed(0, None, point=ORIGIN)], mass=3.0)
    beam.step(1e-3)
    # on B, which is the wall: the weight, and its moment about the wall
    assert beam.joints.reaction_force[0] == pytest.approx([0, 0, -3 * GRAVITY], abs=1e-9)
    assert beam.joints.reaction_torque[0] == pytest.approx([0, 6 * GRAVITY, 0], abs=1e-9)


@pytest.mark.slow
def test_closed_four_bar_with_redundant_joints():
    """Revolute joints in a plane: three rows too many; the loop stays closed."""
    corners = np.array([[0, 0, 0], [0, 0, 0.3], [0.9, 0, 0.6], [1, 0, 0]], dtype=float)
    middles = 0.5 * (corners[:-1] + corners[1:])
    joints = [
        Revolute(None, 0, point=corners[0], axis=Y, motor=SpeedMotor(speed=2.0)),
        Revolute(0, 1, point=corners[1], axis=Y),
        Revolute(1, 2, point=corners[2], axis=Y),
        Revolute(2, None, point=corners[3], axis=Y),
    ]
    bar = Mechanism(middles, joints, inertia=0.02)
    errors = bar.run(4.0, 2e-3, lambda: float(bar.joints.position_error.max()))
    assert max(errors) < 1e-5
    assert bar.joints.angle[0] == pytest.approx(8.0, abs=1e-6)  # more than a full turn
    crank = bar.point(0, corners[1] - middles[0])
    rocker = bar.point(2, corners[2] - middles[2])
    assert np.linalg.norm(crank - corners[0]) == pytest.approx(0.3, abs=1e-5)
    coupler = np.linalg.norm(corners[2] - corners[1])
    assert np.linalg.norm(rocker - crank) == pytest.approx(coupler, abs=1e-5)
    assert np.abs(bar.position[:, 1]).max() < 1e-9


@pytest.mark.slow
def test_slider_crank_moves_as_geometry_has_it():
    r, rod = 0.2, 0.7
    joints = [
        Revolute(None, 0, point=ORIGIN, axis=Y, motor=PositionMotor(position=lambda t: 3.0 * t)),
        Revolute(0, 1, point=(r, 0, 0), axis=Y),
        Revolute(1, 2, point=(r + rod, 0, 0), axis=Y),
        Prismatic(None, 2, point=(r + rod, 0, 0), axis=X),
    ]
    crank = Mechanism([(r / 2, 0, 0), (r + rod / 2, 0, 0), (r + rod, 0, 0)], joints)

    def error():
        angle = 3.0 * crank.time
        right = r * math.cos(angle) + math.sqrt(rod**2 - (r * math.sin(angle)) ** 2)
        return abs(crank.position[2, 0] - right)

    assert max(crank.run(2.5, 2e-3, error)) < 1e-5
    assert crank.joints.travel[3] == pytest.approx(crank.position[2, 0] - r - rod, abs=1e-9)


@pytest.mark.slow
def test_planetary_gear_on_a_carrier_that_turns():
    """Sun, planet, carrier: (θ_planet − θ_carrier) = −z_s/z_p (θ_sun − θ_carrier)."""
    sun, planet, carrier = 0, 1, 2
    centre = (1.0, 0.0, 0.0)
    joints = [
        Revolute(None, sun, point=ORIGIN, axis=Z, motor=SpeedMotor(speed=1.0)),
        Revolute(None, carrier, point=ORIGIN, axis=Z, motor=SpeedMotor(speed=-0.7)),
        Revolute(carrier, planet, point=centre, axis=Z),
        Gear(sun, planet, point_a=ORIGIN, point_b=centre, axis_a=Z, axis_b=Z, ratio=-1.5),
    ]
    gears = Mechanism([ORIGIN, centre, ORIGIN], joints, gravity=0.0)
    gears.run(8.0, 5e-3)
    angle = gears.joints.angle
    assert angle[:2] == pytest.approx([8.0, -5.6], abs=1e-6)
    assert angle[2] == pytest.approx(-1.5 * (8.0 + 5.6), abs=1e-3)


@pytest.mark.slow
def test_bevel_gear_turns_and_transmits_torque():
    joints = [
        Revolute(None, 0, point=(0, 0, -1), axis=Z, motor=TorqueMotor(torque=3.0)),
        Revolute(None, 1, point=X, axis=X),
        Gear(0, 1, point_a=(0, 0, -1), point_b=X, axis_a=Z, axis_b=X, ratio=2.0),
    ]
    gears = Mechanism([(0, 0, -1), X], joints, inertia=(0.3, 0.2), gravity=0.0)
    gears.run(1.0, 5e-3)
    rate = 3.0 / (0.3 + 2.0**2 * 0.2)
    assert gears.twist[0, 5] == pytest.approx(rate, rel=1e-6)
    assert gears.twist[1, 3] == pytest.approx(2 * rate, rel=1e-6)
    assert gears.joints.motor_effort == pytest.approx([3.0, 0.0, 0.0])


@pytest.mark.slow
def test_differential_shares_speed_and_torque_between_its_sides():
    """ω_L + ω_R = 2 ω_C, and the equations of motion of the two speeds that are left."""
    left, right, carrier, planet = range(4)
    own, (low, high) = (0.1, 0.3, 0.2, 0.05), ((0, -0.5, 0), (0, 0.5, 0))
    joints = [
        Revolute(None, carrier, point=ORIGIN, axis=Y, motor=TorqueMotor(torque=3.0)),
        Revolute(None, left, point=low, axis=Y),
        Revolute(None, right, point=high, axis=Y),
        Revolute(carrier, planet, point=X, axis=X),
        Gear(left, planet, point_a=low, point_b=X, axis_a=Y, axis_b=X, ratio=1.0),
        Gear(right, planet, point_a=high, point_b=X, axis_a=Y, axis_b=X, ratio=-1.0),
    ]
    gears = Mechanism([low, high, ORIGIN, X], joints, inertia=own, gravity=0.0)
    gears.run(1.0, 5e-3)
    carried = own[carrier] + own[planet] + 1.0  # the planet weighs 1 kg, 1 m from the axis
    matrix = [
        [carried + own[left] + own[right], own[left] - own[right]],
        [own[left] - own[right], own[left] + own[right] + own[planet]],
    ]
    mean, apart = np.linalg.solve(matrix, [3.0, 0.0])
    assert gears.twist[carrier, 4] == pytest.approx(mean, rel=1e-4)
    assert gears.twist[[left, right], 4] == pytest.approx([mean + apart, mean - apart], rel=1e-4)
    sides = gears.twist[left, 4] + gears.twist[right, 4]
    assert sides == pytest.approx(2.0 * gears.twist[carrier, 4], rel=1e-6)
    assert gears.joints.angle[3] == pytest.approx(0.5 * apart, rel=1e-2)  # seen from the carrier


@pytest.mark.slow
def test_pinion_rolls_along_its_rack():
    joints = [
        Prismatic(None, 0, point=ORIGIN, axis=X),
        Revolute(None, 1, point=(0, 0, 0.25), axis=Y, motor=SpeedMotor(speed=2.0)),
        RackAndPinion(0, 1, point=(0, 0, 0.25), axis=Y, pitch_point=ORIGIN),
    ]
    drive = Mechanism([ORIGIN, (0, 0, 0.25)], joints)
    drive.run(5.0, 5e-3)
    assert drive.joints.angle[1] == pytest.approx(10.0, abs=1e-6)
    # teeth at the pitch point move by ω × r: 2 Y × (−0.25 Z) = −0.5 X
    assert drive.joints.travel[0] == pytest.approx(-2.5, abs=1e-6)


def test_screw_advances_by_its_pitch():
    joint = Screw(None, 0, point=ORIGIN, axis=Z, pitch=0.01, motor=SpeedMotor(speed=2 * math.pi))
    screw = Mechanism([ORIGIN], [joint])
    screw.run(3.0, 1e-2)
    assert screw.joints.angle[0] == pytest.approx(6 * math.pi, abs=1e-6)
    assert screw.joints.travel[0] == pytest.approx(0.03, abs=1e-8)
    # lifting the weight by a pitch takes its work in a turn
    assert screw.joints.motor_effort[0] == pytest.approx(GRAVITY * 0.01 / (2 * math.pi), rel=1e-6)


def test_body_falls_freely_where_a_joint_lets_it():
    for joint in (
        Prismatic(None, 0, point=ORIGIN, axis=Z),
        Cylindrical(None, 0, point=ORIGIN, axis=Z),
        PointOnLine(None, 0, point=ORIGIN, axis=Z),
        Planar(None, 0, point=ORIGIN, normal=X),
    ):
        body = Mechanism([(0.0, 0.0, 0.0)], [joint])
        body.run(0.5, 1e-2)
        assert body.twist[0, 2] == pytest.approx(-0.5 * GRAVITY)


# -- limits, friction, motors ---------------------------------------------------------------------


def test_limits_stop_a_pendulum():
    joint = Revolute(None, 0, point=ORIGIN, axis=Y, limits=(-0.3, 0.2))
    pendulum = Mechanism([(1.0, 0.0, 0.0)], [joint], inertia=0.05)
    angles = pendulum.run(1.0, 5e-3, lambda: float(pendulum.joints.angle[0]))
    assert max(angles) <= 0.2 + 1e-6
    assert angles[-1] == pytest.approx(0.2, abs=1e-6)
    assert np.linalg.norm(pendulum.twist) < 1e-6


@pytest.mark.slow
def test_limit_beyond_a_turn():
    joint = Revolute(
        None, 0, point=ORIGIN, axis=Y, limits=(-1.0, 9.0), motor=TorqueMotor(torque=1.0)
    )
    wheel = Mechanism([ORIGIN], [joint])
    wheel.run(4.0, 5e-3)
    assert wheel.joints.angle[0] == pytest.approx(9.0, abs=1e-6)


@pytest.mark.slow
def test_rope_is_slack_and_then_taut():
    rope = Rope(None, 0, point_a=ORIGIN, point_b=(0.0, 0.0, -0.2), length=1.0)
    weight = Mechanism([(0.0, 0.0, -0.2)], [rope])
    weight.run(0.2, 1e-3)
    assert weight.twist[0, 2] == pytest.approx(-0.2 * GRAVITY)  # falls freely
    lengths = weight.run(1.0, 1e-3, lambda: float(weight.joints.travel[0]))
    assert max(lengths) <= 1.0 + 1e-6
    assert weight.joints.reaction_force[0, 2] == pytest.approx(GRAVITY, rel=1e-6)


def test_winch_hauls_a_rope_in():
    rope = Rope(None, 0, point_a=ORIGIN, point_b=(0, 0, -2), length=lambda t: 2.0 - 0.5 * t)
    load = Mechanism([(0.0, 0.0, -2.0)], [rope])
    load.run(2.0, 1e-2)
    assert load.position[0] == pytest.approx([0, 0, -1.0], abs=1e-9)
    assert load.twist[0, 2] == pytest.approx(0.5)


@pytest.mark.slow
@pytest.mark.parametrize("h", [2e-3, 2e-2])
def test_friction_of_a_hinge_stops_it_in_the_known_angle(h):
    joint = Revolute(None, 0, point=ORIGIN, axis=Z, friction=0.4)
    wheel = Mechanism([ORIGIN], [joint], inertia=0.1, gravity=0.0)
    wheel.twist[0, 5] = 3.0
    wheel.run(1.0, h)
    assert wheel.twist[0, 5] == pytest.approx(0.0, abs=1e-9)
    assert wheel.joints.angle[0] == pytest.approx(0.1 * 9.0 / (2 * 0.4), abs=3.0 * h)


def test_friction_of_a_slider_holds_up_to_its_force():
    for friction, moves in ((10.0, False), (9.0, True)):
        slider = Mechanism([ORIGIN], [Prismatic(None, 0, point=ORIGIN, axis=Z, friction=friction)])
        slider.run(0.5, 5e-3)
        right = -0.5 * (GRAVITY - friction) if moves else 0.0
        assert slider.twist[0, 2] == pytest.approx(right, abs=1e-9)


def test_speed_motor_reaches_its_speed_within_its_torque():
    joint = Revolute(None, 0, point=ORIGIN, axis=Z, motor=SpeedMotor(speed=4.0, limit=0.5))
    wheel = Mechanism([ORIGIN], [joint], inertia=0.1)
    wheel.run(0.4, 1e-2)
    assert wheel.twist[0, 5] == pytest.approx(0.4 * 0.5 / 0.1)
    assert wheel.joints.motor_effort[0] == pytest.approx(0.5)
    wheel.run(1.0, 1e-2)
    assert wheel.twist[0, 5] == pytest.approx(4.0)
    assert wheel.joints.motor_effort[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
def test_position_motor_follows_a_function_of_time():
    joint = Prismatic(None, 0, point=ORIGIN, axis=Z, motor=PositionMotor(position=math.sin))
    slider = Mechanism([ORIGIN], [joint])
    slider.run(2.0, 1e-3)
    assert slider.position[0, 2] == pytest.approx(math.sin(2.0), abs=1e-9)
    force = GRAVITY - math.sin(2.0)  # m(g + ẍ)
    assert slider.joints.motor_effort[0] == pytest.approx(force, abs=2e-3)


def test_position_motor_gives_way_to_too_much():
    motor = PositionMotor(position=0.0, limit=5.0)
    slider = Mechanism([ORIGIN], [Prismatic(None, 0, point=ORIGIN, axis=Z, motor=motor)])
    slider.run(0.5, 5e-3)
    assert slider.twist[0, 2] == pytest.approx(-0.5 * (GRAVITY - 5.0))


def test_servo_settles_where_its_spring_carries_the_load():
    motor = PositionMotor(position=0.1, stiffness=200.0, damping=30.0)
    slider = Mechanism([ORIGIN], [Prismatic(None, 0, point=ORIGIN, axis=Z, motor=motor)])
    slider.run(5.0, 1e-2)
    assert slider.position[0, 2] == pytest.approx(0.1 - GRAVITY / 200.0, abs=1e-6)
    assert slider.joints.potential_energy() == 0.0  # motors are no springs


def test_torque_motor_is_cut_off_at_its_limit():
    motor = TorqueMotor(torque=lambda t: -10.0 * t, limit=1.0)
    wheel = Mechanism([ORIGIN], [Revolute(None, 0, point=ORIGIN, axis=Z, motor=motor)], inertia=0.5)
    wheel.run(1.0, 4e-3)
    assert wheel.twist[0, 5] == pytest.approx(-(0.05 + 0.9) / 0.5, rel=1e-2)
    assert wheel.joints.motor_effort[0] == pytest.approx(-1.0)


# -- compliance and breaking ----------------------------------------------------------------------


def test_compliant_joint_sags_by_its_compliance():
    joint = Spherical(None, 0, point=ORIGIN, compliance=1e-3, damping=40.0)
    weight = Mechanism([ORIGIN], [joint])
    weight.run(3.0, 5e-3)
    assert weight.position[0, 2] == pytest.approx(-1e-3 * GRAVITY, rel=1e-6)
    assert weight.joints.potential_energy() == pytest.approx(0.5e-3 * GRAVITY**2, rel=1e-5)
    assert weight.joints.position_error[0] == 0.0  # nothing rigid to be wrong


def test_joint_breaks_at_its_strength():
    def chain(strength):
        joints = [
            Spherical(None, 0, point=ORIGIN, break_force=strength),
            Spherical(0, 1, point=(0, 0, -1), name="lower"),
        ]
        return Mechanism([(0, 0, -0.5), (0, 0, -1.5)], joints)

    strong, weak = chain(2.01 * GRAVITY), chain(1.99 * GRAVITY)
    strong.run(0.1, 1e-2)
    weak.run(0.1, 1e-2)
    assert strong.broken == []
    assert weak.broken == [0]
    assert weak.joints.broken.tolist() == [True, False]
    assert weak.twist[0, 2] == pytest.approx(-0.09 * GRAVITY)  # all but the first step
    assert weak.joints.reaction_force[0] == pytest.approx([0, 0, 0], abs=1e-12)


def test_joint_breaks_by_torque():
    beam = Mechanism([X], [Fixed(None, 0, point=ORIGIN, break_torque=0.5 * GRAVITY)])
    beam.step(1e-3)
    assert beam.broken == [0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "joint", [Fixed, Prismatic, Revolute, Cylindrical], ids=lambda j: j.__name__
)
def test_large_errors_are_mended_by_the_short_way(joint):
    """Turned out of place by any angle, a body comes back: there is no false rest."""
    options = {} if joint is Fixed else {"axis": X}
    for angle in (0.5, 1.6, 2.5, 3.0):
        body = Mechanism([ORIGIN], [joint(None, 0, point=ORIGIN, **options)], gravity=0.0)
        body.joints.recovery_speed = 2.0
        body.orientation[0] = [math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)]
        body.run(3.0, 5e-3)
        assert body.joints.angle_error[0] < 1e-6, angle
        # back at the pose of the start, not at half a turn from it
        assert body.point(0, X) == pytest.approx(X, abs=1e-5)


# -- what is refused ------------------------------------------------------------------------------

REFUSED = {
    "same body": lambda: Spherical(2, 2, point=ORIGIN),
    "world twice": lambda: Spherical(None, None, point=ORIGIN),
    "no body": lambda: Spherical("a", 0, point=ORIGIN),
    "negative body": lambda: Spherical(-1, 0, point=ORIGIN),
    "truth as a body": lambda: Spherical(True, 0, point=ORIGIN),
    "nan point": lambda: Spherical(0, 1, point=(0, math.nan, 0)),
    "two numbers": lambda: Spherical(0, 1, point=(0, 1)),
    "zero axis": lambda: Revolute(0, 1, point=ORIGIN, axis=ORIGIN),
    "nan axis": lambda: Prismatic(0, 1, point=ORIGIN, axis=(math.nan, 0, 0)),
    "limits reversed": lambda: Revolute(0, 1, point=ORIGIN, axis=X, limits=(1, -1)),
    "limits without the start": lambda: Revolute(0, 1, point=ORIGIN, axis=X, limits=(0.5, 1)),
    "one limit": lambda: Revolute(0, 1, point=ORIGIN, axis=X, limits=(1,)),
    "nan limit": lambda: Revolute(0, 1, point=ORIGIN, axis=X, limits=(math.nan, 1)),
    "infinite limit the wrong way": lambda: Revolute(
        0, 1, point=ORIGIN, axis=X, limits=(math.inf, math.inf)
    ),
    "negative friction": lambda: Revolute(0, 1, point=ORIGIN, axis=X, friction=-1),
    "no motor": lambda: Revolute(0, 1, point=ORIGIN, axis=X, motor=3.0),
    "negative compliance": lambda: Fixed(0, 1, point=ORIGIN, compliance=-1e-3),
    "damping of a rigid joint": lambda: Fixed(0, 1, point=ORIGIN, damping=3.0),
    "angular damping of a rigid joint": lambda: Fixed(0, 1, point=ORIGIN, angular_damping=3.0),
    "negative strength": lambda: Fixed(0, 1, point=ORIGIN, break_force=-3.0),
    "nan strength": lambda: Fixed(0, 1, point=ORIGIN, break_torque=math.nan),
    "name": lambda: Fixed(0, 1, point=ORIGIN, name=3),
    "collide": lambda: Fixed(0, 1, point=ORIGIN, collide="no"),
    "skew cross": lambda: Universal(0, 1, point=ORIGIN, axis_a=X, axis_b=(1, 1, 0)),
    "negative length": lambda: Distance(0, 1, point_a=ORIGIN, point_b=X, length=-1.0),
    "wrong length": lambda: Distance(0, 1, point_a=ORIGIN, point_b=X, length=1.1),
    "rod without length": lambda: Distance(0, 1, point_a=ORIGIN, point_b=ORIGIN),
    "rope too short": lambda: Rope(0, 1, point_a=ORIGIN, point_b=X, length=0.9),
    "rope of no length": lambda: Rope(0, 1, point_a=ORIGIN, point_b=ORIGIN),
    "no pitch": lambda: Screw(0, 1, point=ORIGIN, axis=X, pitch=0.0),
    "no ratio": lambda: Gear(0, 1, point_a=ORIGIN, point_b=X, axis_a=Z, axis_b=Z, ratio=0.0),
    "gear on the other's axis": lambda: Gear(
        0, 1, point_a=ORIGIN, point_b=X, axis_a=X, axis_b=Z, ratio=1.0
    ),
    "gears at one point": lambda: Gear(
        0, 1, point_a=ORIGIN, point_b=ORIGIN, axis_a=X, axis_b=Z, ratio=1.0
    ),
    "pitch point on the axis": lambda: RackAndPinion(0, 1, point=ORIGIN, axis=X, pitch_point=X),
    "motor limit": lambda: SpeedMotor(speed=1.0, limit=0.0),
    "motor speed": lambda: SpeedMotor(speed=math.inf),
    "motor stiffness": lambda: PositionMotor(position=1.0, stiffness=-3.0),
    "damping of a rigid motor": lambda: PositionMotor(position=1.0, damping=3.0),
    "torque": lambda: TorqueMotor(torque="full"),
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED.keys())
def test_bad_joints_are_refused_where_they_are_made(make):
    with pytest.raises(am.InputError):
        make()


def test_messages_name_the_joint():
    with pytest.raises(am.InputError, match=r"Rope 'tow'.*too short"):
        Rope(0, 1, point_a=ORIGIN, point_b=X, length=0.9, name="tow")
    with pytest.raises(am.InputError, match="Fixed 'weld' joins body 7"):
        Mechanism([ORIGIN], [Fixed(0, 7, point=ORIGIN, name="weld")])


def test_bodies_may_be_handles():
    class Handle:
        id = 5

    assert Spherical(Handle(), None, point=ORIGIN).bodies == (5, None)
    assert Spherical(np.int64(3), 0, point=ORIGIN).bodies == (3, 0)
