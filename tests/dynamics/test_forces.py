"""Springs, bushings, applied forces, drag and users' forces: known motions, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.dynamics.forces import ForceSystem
from amontons.model.forces import (
    AppliedForce,
    AppliedTorque,
    Bushing,
    Drag,
    Force,
    LinearSpring,
    TorsionSpring,
)
from amontons.model.joints import Spherical
from helpers.mechanisms import GRAVITY, Mechanism

ORIGIN = (0.0, 0.0, 0.0)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

# -- springs --------------------------------------------------------------------------------------


def spring(length=1.0, **options):
    options = {"point_a": ORIGIN, "point_b": (0, 0, -1), "stiffness": 40.0, **options}
    return LinearSpring(None, 0, length=length, **options)


@pytest.mark.slow
def test_weight_on_a_spring_swings_with_the_known_period():
    weight = Mechanism([(0, 0, -1)], [spring()], mass=0.5)
    h = 5e-4
    heights = np.array(weight.run(1.5, h, lambda: float(weight.position[0, 2])))
    middle = -1 - 0.5 * GRAVITY / 40.0
    below = heights < middle
    times = h * np.flatnonzero(below[1:] != below[:-1])
    assert 2 * np.diff(times).mean() == pytest.approx(2 * math.pi * math.sqrt(0.5 / 40), rel=2e-3)


def test_damped_spring_comes_to_rest_where_it_carries_the_weight():
    weight = Mechanism([(0, 0, -1)], [spring(damping=4.0)])
    weight.run(8.0, 1e-2)
    assert weight.joints.travel[0] == pytest.approx(1 + GRAVITY / 40.0, abs=1e-6)
    assert weight.joints.reaction_force[0] == pytest.approx([0, 0, GRAVITY], abs=1e-5)
    assert weight.joints.potential_energy() == pytest.approx(GRAVITY**2 / 80.0, rel=1e-5)
    assert weight.joints.position_error[0] == 0.0


@settings(max_examples=25, deadline=None)
@given(
    st.floats(-2.0, 12.0),
    st.floats(-2.0, 6.0),
    st.sampled_from([1e-4, 1e-2, 1.0]),
    st.floats(0.0, 1.5),
)
def test_springs_never_gain_energy_for_any_step(stiffness, damping, h, length):
    """Implicit: along its line a spring is stable however stiff it is."""
    element = spring(length=length, stiffness=10.0**stiffness, damping=10.0**damping)
    weight = Mechanism([(0, 0, -1)], [element], gravity=0.0)
    before = weight.energy
    for _ in range(20):
        weight.step(h)
        assert weight.energy <= before * (1 + 1e-9) + 1e-12
        before = weight.energy


def test_spring_of_no_length_is_stiff_every_way():
    """A point pulled to another from the side stays stable at h²k/m far above four."""
    element = LinearSpring(
        None, 0, point_a=ORIGIN, point_b=(0.3, 0, 0), stiffness=1e9, damping=1.0, length=0.0
    )
    body = Mechanism([(0.3, 0, 0)], [element], gravity=0.0)
    body.twist[0, 1] = 5.0
    energy = body.energy
    body.run(0.5, 1e-2)
    assert body.energy < energy
    assert np.abs(body.position).max() < 1e-6


@pytest.mark.slow
def test_torsion_spring_turns_with_the_known_period():
    element = TorsionSpring(None, 0, axis=Z, stiffness=2.0, angle=0.7)
    h = 5e-4
    disc = Mechanism([ORIGIN], [element], inertia=0.1, gravity=0.0)
    angles = np.array(disc.run(4.0, h, lambda: float(disc.joints.angle[0])))
    above = angles > 0.7
    times = h * np.flatnonzero(above[1:] != above[:-1])
    period = 2 * np.diff(times).mean()
    assert period == pytest.approx(2 * math.pi * math.sqrt(0.1 / 2.0), rel=2e-3)


def test_torsion_spring_counts_turns():
    element = TorsionSpring(None, 0, axis=Z, stiffness=2.0, damping=0.5, angle=20.0)
    disc = Mechanism([ORIGIN], [element], inertia=0.1, gravity=0.0)
    disc.run(10.0, 1e-2)
    assert disc.joints.angle[0] == pytest.approx(20.0, abs=1e-6)


def test_bushing_gives_by_its_stiffnesses():
    element = Bushing(
        None,
        0,
        point=ORIGIN,
        stiffness=(100.0, 200.0, 400.0),
        damping=30.0,
        angular_stiffness=(5.0, 10.0, 20.0),
        angular_damping=2.0,
    )
    loads = [AppliedForce(0, (1.0, 2.0, 8.0)), AppliedTorque(0, (0.05, 0.0, 0.0))]
    block = Mechanism([ORIGIN], [element], loads=loads, gravity=0.0)
    block.run(10.0, 1e-2)
    assert block.position[0] == pytest.approx([0.01, 0.01, 0.02], abs=1e-6)
    assert 2 * block.orientation[0, 1] == pytest.approx(0.01, rel=1e-4)
    energy = 0.5 * (100 * 1e-4 + 200 * 1e-4 + 400 * 4e-4 + 5 * 1e-4)
    assert block.joints.potential_energy() == pytest.approx(energy, rel=1e-4)


def test_springs_let_bodies_collide_and_joints_do_not():
    assert spring().collide
    assert not Spherical(0, 1, point=ORIGIN).collide
    assert Spherical(0, 1, point=ORIGIN, collide=True).collide


# -- applied forces -------------------------------------------------------------------------------


def test_applied_forces_in_both_frames():
    turn = np.array([[math.cos(0.4), 0.0, 0.0, math.sin(0.4)]])
    R = np.array([[math.cos(0.8), -math.sin(0.8), 0], [math.sin(0.8), math.cos(0.8), 0], [0, 0, 1]])
    place = np.array([[1.0, 2.0, 3.0]])
    f = np.array([1.0, -2.0, 0.5])

    def wrench(load, orientation=turn):
        out = np.ones((1, 6))  # is added to
        system = ForceSystem([load], int, place, turn)
        system.add(place, orientation, np.zeros((1, 6)), 0.0, out)
        return out[0] - 1.0

    point = (1.5, 2.0, 3.0)
    arm = np.subtract(point, place[0])
    np.testing.assert_allclose(wrench(AppliedForce(0, f)), [*f, 0, 0, 0])
    np.testing.assert_allclose(wrench(AppliedForce(0, f, frame="body")), [*(R @ f), 0, 0, 0])
    np.testing.assert_allclose(wrench(AppliedForce(0, f, point=point)), [*f, *np.cross(arm, f)])
    np.testing.assert_allclose(wrench(AppliedTorque(0, f)), [0, 0, 0, *f])
    np.testing.assert_allclose(wrench(AppliedTorque(0, f, frame="body")), [0, 0, 0, *(R @ f)])
    # the point is fixed in the body
    level = np.array([[1.0, 0.0, 0.0, 0.0]])
    back = R.T @ arm
    np.testing.assert_allclose(
        wrench(AppliedForce(0, f, point=point), level), [*f, *np.cross(back, f)]
    )


def test_force_as_a_function_of_time():
    load = AppliedForce(0, lambda t: (math.cos(t), 0.0, 0.0))
    body = Mechanism([ORIGIN], [], loads=[load], gravity=0.0, mass=2.0)
    body.run(2.0, 1e-3)
    assert body.twist[0, 0] == pytest.approx(math.sin(2.0) / 2.0, abs=1e-3)


def test_forces_on_one_body_add_up():
    loads = [AppliedForce(0, X), AppliedForce(0, X), AppliedForce(1, Y)]
    system = ForceSystem(loads, int, np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, 1)))
    wrench = np.zeros((2, 6))
    system.add(np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, 1)), np.zeros((2, 6)), 0.0, wrench)
    assert wrench[:, :3].tolist() == [[2, 0, 0], [0, 1, 0]]


def test_loads_keep_their_points_when_others_come():
    level = np.array([[1.0, 0.0, 0.0, 0.0]])
    first = AppliedForce(0, X, point=(0, 1, 0))
    system = ForceSystem([first], int, np.zeros((1, 3)), level)
    moved = np.array([[5.0, 0.0, 0.0]])
    system.update([first, AppliedForce(0, X, point=(5, 2, 0))], int, moved, level)
    wrench = np.zeros((1, 6))
    system.add(moved, level, np.zeros((1, 6)), 0.0, wrench)
    assert wrench[0, 5] == pytest.approx(-3.0)
    other = ForceSystem(system.loads, int, 2 * moved, level)
    other.restore(system.state())
    again = np.zeros((1, 6))
    other.add(moved, level, np.zeros((1, 6)), 0.0, again)
    assert np.array_equal(again, wrench)
    with pytest.raises(am.InputError, match="2 loads"):
        other.restore({"arms": np.zeros((1, 3))})


# -- drag -----------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(0.0, 1e8), min_size=4, max_size=4).filter(any),
    st.sampled_from([1e-6, 1e-2, 10.0]),
    st.integers(0, 10**6),
)
def test_drag_only_slows_down(coefficients, h, seed):
    random = np.random.default_rng(seed)
    linear, quadratic, angular, angular_quadratic = coefficients
    drag = Drag(
        linear=linear, quadratic=quadratic, angular=angular, angular_quadratic=angular_quadratic
    )
    system = ForceSystem([drag], int, np.zeros((5, 3)), np.zeros((5, 4)))
    frame = np.linalg.qr(random.normal(size=(5, 3, 3)))[0]
    inertia = frame @ (10.0 ** random.uniform(-3, 3, (5, 1, 3)) * frame).transpose(0, 2, 1)
    mass = 10.0 ** random.uniform(-3, 3, 5)
    before = random.normal(size=(5, 6)) * 10.0 ** random.uniform(-3, 3)
    after = before.copy()
    system.damp(after, 1 / mass, np.linalg.inv(inertia), h)
    speeds = [np.linalg.norm(v[:, :3], axis=1) for v in (before, after)]
    assert (speeds[1] <= speeds[0]).all()
    along = np.einsum("ij,ij->i", before[:, :3], after[:, :3])
    assert (along >= 0).all()  # it stops, it does not turn back
    # implicit: m(v⁺ − v) = −h (c₁ + c₂|v⁺|) v⁺
    drag_force = (linear + quadratic * speeds[1])[:, None] * after[:, :3]
    change = mass[:, None] * (before - after)[:, :3]
    np.testing.assert_allclose(change, h * drag_force, rtol=1e-6, atol=1e-9)
    turning = [np.einsum("ni,nij,nj->n", w, inertia, w) for w in (before[:, 3:], after[:, 3:])]
    assert (turning[1] <= turning[0] * (1 + 1e-9)).all()


@pytest.mark.slow
@pytest.mark.parametrize("h", [0.02, 0.5])
def test_terminal_speed_is_exact_for_any_step(h):
    body = Mechanism([ORIGIN], [], loads=[Drag(0, quadratic=0.3)], mass=2.0)
    body.run(20.0, h)
    assert body.twist[0, 2] == pytest.approx(-math.sqrt(2.0 * GRAVITY / 0.3), rel=1e-9)
    slow = Mechanism([ORIGIN], [], loads=[Drag(linear=4.0)], mass=2.0)
    slow.run(20.0, h)
    assert slow.twist[0, 2] == pytest.approx(-2.0 * GRAVITY / 4.0, rel=1e-9)


def test_drag_of_some_bodies_and_of_all():
    loads = [Drag([0, 2], linear=1.0), Drag(2, linear=1.0), Drag(angular=1.0)]
    system = ForceSystem(loads, int, np.zeros((3, 3)), np.zeros((3, 4)))
    velocity = np.ones((3, 6))
    system.damp(velocity, np.array([1.0, 1.0, 1.0]), np.tile(np.eye(3), (3, 1, 1)), 1.0)
    np.testing.assert_allclose(velocity[:, 0], [1 / 2, 1.0, 1 / 3])
    np.testing.assert_allclose(velocity[:, 3:], 0.5)
    fixed = np.ones((3, 6))
    system.damp(fixed, np.zeros(3), np.zeros((3, 3, 3)), 1.0)
    assert (fixed == 1.0).all()


# -- users' forces --------------------------------------------------------------------------------


@pytest.mark.slow
def test_force_of_a_function_of_the_state():
    def attraction(state):
        apart = state.position[1] - state.position[0]
        pull = apart / np.linalg.norm(apart) ** 3
        out = np.zeros((2, 6))
        out[0, :3], out[1, :3] = pull, -pull
        return out

    def potential(state):
        return -1.0 / np.linalg.norm(state.position[1] - state.position[0])

    stars = Mechanism([(-0.5, 0, 0), (0.5, 0, 0)], [], gravity=0.0)
    stars.twist[:, 1] = [-math.sqrt(0.5), math.sqrt(0.5)]
    stars.loads.update(
        [Force([0, 1], attraction, potential)], int, stars.position, stars.orientation
    )

    def energy():
        state = stars.position, stars.orientation, stars.twist, stars.time
        return stars.kinetic_energy + stars.loads.potential_energy(*state)

    start = energy()
    distances = stars.run(2.0, 1e-3, lambda: np.linalg.norm(stars.position[1] - stars.position[0]))
    assert np.ptp(distances) < 5e-3  # a circle
    assert energy() == pytest.approx(start, rel=5e-3)


def test_force_on_all_bodies_sees_all_of_them():
    seen = []

    def function(state):
        seen.append(state)
        return np.tile([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (len(state.position), 1))

    bodies = Mechanism([ORIGIN, X, Y], [], loads=[Force(None, function)])
    bodies.step(0.1)
    assert seen[0].position.shape == (3, 3)
    assert seen[0].angular_velocity.shape == (3, 3)
    assert bodies.twist[:, 2] == pytest.approx(0.1 * (1.0 - GRAVITY))


@pytest.mark.parametrize(
    "given_force", [np.zeros(6), np.full((1, 6), np.nan), "nothing"], ids=["shape", "nan", "text"]
)
def test_functions_that_give_nonsense_add_nothing(given_force):
    loads = [AppliedForce(0, X), Force(0, lambda state: given_force, name="odd")]
    poses = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]])
    system = ForceSystem(loads, int, *poses)
    wrench = np.zeros((1, 6))
    with pytest.raises(am.InputError, match="Force 'odd'"):
        system.add(*poses, np.zeros((1, 6)), 0.0, wrench)
    assert not wrench.any()


def test_functions_that_raise_add_nothing():
    def fails(time):
        raise RuntimeError("sensor lost")

    poses = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]])
    system = ForceSystem([AppliedForce(0, X), AppliedForce(0, fails)], int, *poses)
    wrench = np.zeros((1, 6))
    with pytest.raises(RuntimeError, match="sensor lost"):
        system.add(*poses, np.zeros((1, 6)), 0.0, wrench)
    assert not wrench.any()


def test_functions_cannot_change_the_state():
    def meddles(state):
        state.position[:] = 7.0
        return np.zeros((1, 6))

    poses = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]])
    ForceSystem([Force(None, meddles)], int, *poses).add(
        *poses, np.zeros((1, 6)), 0.0, np.zeros((1, 6))
    )
    assert not poses[0].any()


# -- what is refused ------------------------------------------------------------------------------

REFUSED = {
    "no stiffness": lambda: spring(stiffness=0.0),
    "negative stiffness": lambda: spring(stiffness=-1.0),
    "negative damping": lambda: spring(damping=-1.0),
    "nan stiffness": lambda: spring(stiffness=math.nan),
    "negative length": lambda: spring(length=-0.1),
    "spring of one body": lambda: LinearSpring(0, 0, point_a=ORIGIN, point_b=X, stiffness=1.0),
    "zero axis": lambda: TorsionSpring(0, 1, axis=ORIGIN, stiffness=1.0),
    "nan angle": lambda: TorsionSpring(0, 1, axis=X, stiffness=1.0, angle=math.nan),
    "soft bushing": lambda: Bushing(0, 1, point=ORIGIN),
    "bushing of two axes": lambda: Bushing(0, 1, point=ORIGIN, stiffness=1.0, axes=(X, Y)),
    "skew bushing": lambda: Bushing(0, 1, point=ORIGIN, stiffness=1.0, axes=(X, Y, (0, 1, 1))),
    "negative bushing": lambda: Bushing(0, 1, point=ORIGIN, stiffness=(1.0, -1.0, 1.0)),
    "four stiffnesses": lambda: Bushing(0, 1, point=ORIGIN, stiffness=(1.0, 1.0, 1.0, 1.0)),
    "force on the world": lambda: AppliedForce(None, X),
    "nan force": lambda: AppliedForce(0, (0.0, math.nan, 0.0)),
    "two numbers": lambda: AppliedForce(0, (0.0, 1.0)),
    "no frame": lambda: AppliedForce(0, X, frame="moon"),
    "nan point": lambda: AppliedForce(0, X, point=(math.inf, 0, 0)),
    "nan torque": lambda: AppliedTorque(0, (math.nan, 0, 0)),
    "torque frame": lambda: AppliedTorque(0, X, frame=3),
    "no drag": lambda: Drag(0),
    "negative drag": lambda: Drag(0, linear=-1.0),
    "drag of nobody": lambda: Drag([], linear=1.0),
    "drag twice": lambda: Drag([1, 1], linear=1.0),
    "function": lambda: Force(0, 3.0),
    "potential": lambda: Force(0, len, potential=1.0),
    "name": lambda: AppliedForce(0, X, name=3),
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED.keys())
def test_bad_forces_are_refused_where_they_are_made(make):
    with pytest.raises(am.InputError):
        make()


def test_loads_on_unknown_bodies_are_refused():
    def index_of(body):
        raise am.InputError(f"there is no body {body}")

    with pytest.raises(am.InputError, match=r"AppliedForce 'push'.*no body 3"):
        ForceSystem([AppliedForce(3, X, name="push")], index_of, np.zeros((1, 3)), np.zeros((1, 4)))
    with pytest.raises(am.InputError, match="load"):
        ForceSystem([spring()], int, np.zeros((1, 3)), np.zeros((1, 4)))
