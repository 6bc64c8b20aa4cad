"""Bodies that are driven, pushed, joined or left alone, and whose motion is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ellipk

import amontons as am

G = 9.81
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ORIGIN = (0.0, 0.0, 0.0)
BALL = am.Sphere(0.1)
WEIGHTLESS = (0.0, 0.0, 0.0)

JOINTED = None
"""The solver of mechanisms here: the default."""
JOINTED_TIME = 10.0
"""How long mechanisms run [s]."""


# -- free bodies ----------------------------------------------------------------------------------


def test_free_fall_is_that_of_symplectic_euler():
    world = am.World()
    ball = world.add_body(BALL, mass=3.0, velocity=(1.0, 2.0, 3.0))
    sim = am.Simulation(world, step=0.01)
    sim.run(0.5)
    assert ball.velocity == pytest.approx([1.0, 2.0, 3.0 - 0.5 * G])
    # v⁺ is used for the position: half a step more of fall than Galilei's
    fall = 0.5 * G * 0.5 * (0.5 + 0.01)
    assert ball.position == pytest.approx([0.5, 1.0, 1.5 - fall])


@pytest.mark.slow
def test_torque_free_top_keeps_energy_and_momentum_for_a_thousand_turns():
    """Spun about its middle axis, it tumbles; |ω| stays around 10 rad/s."""
    world = am.World(gravity=WEIGHTLESS)
    world.add_body(
        am.Box((0.5, 0.3, 0.1)), mass=2.0, inertia=(0.02, 0.035, 0.05),
        angular_velocity=(0.05, 10.0, 0.05),
    )  # fmt: skip
    sim = am.Simulation(world, step=0.5)  # five radians a step
    sim.run(1000 * 2.0 * math.pi / 10.0)
    readings = sim.readings
    flips = np.diff(np.sign(sim.readings.angular_momentum @ np.array(Y)))
    assert not flips.any()  # the momentum, unlike the body, never turns
    assert readings.kinetic_energy == pytest.approx(readings.kinetic_energy[0], rel=1e-9)
    start = readings.angular_momentum[0]
    assert np.abs(readings.angular_momentum - start).max() < 1e-9 * np.linalg.norm(start)


@pytest.mark.slow
def test_top_tumbles_as_it_should():
    """Dzhanibekov's flips: the middle axis turns over, again and again."""
    world = am.World(gravity=WEIGHTLESS)
    top = world.add_body(
        BALL, mass=1.0, inertia=(0.02, 0.035, 0.05), angular_velocity=(0.01, 10.0, 0.0)
    )
    sim = am.Simulation(world, step=5e-3)
    along = []
    sim.run(4.0, on_step=lambda report: along.append(top.point(Y)[1]))
    assert min(along) < -0.9
    assert max(along[200:]) > 0.9


@pytest.mark.slow
def test_a_fast_top_precesses_at_the_known_rate():
    """Heavy symmetric top on a ball joint: Ω = m g l / (I₃ ω₃), for ω₃ ≫ Ω, spin axis level."""
    inertia, spin, arm = (0.01, 0.01, 0.012), 200.0, 0.2
    world = am.World()
    lying = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)  # z of the body along x
    rate = G * arm / (0.012 * spin)
    top = world.add_body(
        BALL, mass=1.0, position=(arm, 0, 0), orientation=lying, inertia=inertia,
        angular_velocity=(spin, 0.0, rate), velocity=(0.0, rate * arm, 0.0),
    )  # fmt: skip
    world.add_joint(am.Spherical(None, top, point=ORIGIN))
    sim = am.Simulation(world, step=1e-3, solver=JOINTED)
    sim.run(0.5)
    angle = math.atan2(top.position[1], top.position[0])
    assert angle == pytest.approx(rate * 0.5, rel=2e-2)
    assert abs(top.position[2]) < 0.02


# -- loads ----------------------------------------------------------------------------------------


def test_forces_in_the_arrays_and_as_loads_are_the_same():
    ends = []
    for way in ("array", "load", "function", "user"):
        world = am.World(gravity=WEIGHTLESS)
        body = world.add_body(am.Box((1.0, 0.5, 0.2)), mass=2.0)
        if way == "load":
            world.add_force(am.AppliedForce(body, (1.0, 2.0, 3.0)))
            world.add_force(am.AppliedTorque(body, (0.1, 0.2, 0.3)))
        elif way == "function":
            world.add_force(am.AppliedForce(body, lambda t: (1.0, 2.0, 3.0)))
            world.add_force(am.AppliedTorque(body, lambda t: (0.1, 0.2, 0.3)))
        elif way == "user":
            wrench = np.array([[1.0, 2.0, 3.0, 0.1, 0.2, 0.3]])
            world.add_force(am.Force(body, lambda state, wrench=wrench: wrench))
        sim = am.Simulation(world, step=0.01)
        if way == "array":
            sim.bodies.force[0] = (1.0, 2.0, 3.0)
            sim.bodies.torque[0] = (0.1, 0.2, 0.3)
        sim.run(0.3)
        ends.append(sim.bodies.twist[0].copy())
    assert ends[0][:3] == pytest.approx([0.15, 0.3, 0.45])
    for end in ends[1:]:
        assert end == pytest.approx(ends[0], rel=1e-13)


@pytest.mark.slow
def test_spring_swings_with_the_known_period():
    world = am.World(gravity=WEIGHTLESS)
    ball = world.add_body(BALL, mass=1.0, position=(1.2, 0.0, 0.0))
    world.add_force(
        am.LinearSpring(
            None, ball, point_a=ORIGIN, point_b=(1.2, 0, 0), stiffness=400.0, length=1.0
        )
    )
    sim = am.Simulation(world, step=1e-3, solver=JOINTED)
    x = []
    sim.run(1.0, on_step=lambda report: x.append(ball.position[0] - 1.0))
    x = np.array(x)
    up = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    assert np.diff(up).mean() * 1e-3 == pytest.approx(2.0 * math.pi / 20.0, rel=5e-3)


# -- kinematic bodies -----------------------------------------------------------------------------


@pytest.mark.slow
def test_conveyor_drags_a_block_to_its_own_speed():
    material = am.Material(friction=0.5)
    world = am.World()
    belt = world.add_body(
        am.Box((20.0, 1.0, 0.2)), position=(0, 0, -0.1), motion=am.Motion(velocity=X),
        material=material,
    )  # fmt: skip
    block = world.add_body(am.Box.cube(0.2), mass=1.0, position=(0, 0, 0.1), material=material)
    sim = am.Simulation(world, step=2e-3)
    sim.run(0.1)
    assert block.velocity[0] == pytest.approx(0.5 * G * 0.1, rel=2e-2)
    sim.run(0.3)
    assert block.velocity == pytest.approx(X, abs=1e-6)
    assert belt.position[0] == pytest.approx(0.4)
    assert belt.mass == math.inf


@pytest.mark.slow
def test_turntable_carries_a_block():
    """A block near the axis of a turntable stays on it; μ g > ω² r."""
    material = am.Material(friction=0.5)
    world = am.World()
    table = world.add_body(
        am.Box((2.0, 2.0, 0.2)), position=(0, 0, -0.1), material=material,
        motion=am.Motion(angular_velocity=(0.0, 0.0, 2.0)),
    )  # fmt: skip
    block = world.add_body(
        am.Box.cube(0.1), mass=1.0, position=(0.5, 0, 0.05), velocity=(0, 1, 0),
        angular_velocity=(0, 0, 2), material=material,
    )  # fmt: skip
    sim = am.Simulation(world, step=2e-3)
    sim.run(0.5)
    assert np.hypot(*block.position[:2]) == pytest.approx(0.5, rel=2e-2)
    assert math.atan2(block.position[1], block.position[0]) == pytest.approx(1.0, abs=0.02)
    turned = 2.0 * math.acos(table.orientation[0])
    assert turned == pytest.approx(1.0, abs=1e-9)


@pytest.mark.slow
def test_turning_drum_lifts_balls_at_its_side():
    """Four walls that turn about a level axis take the balls along: their heap leans."""
    walls = [am.Part(am.Box((2.0, 0.4, 0.2)), (0, 0, z)) for z in (-0.9, 0.9)]
    walls += [am.Part(am.Box((0.2, 0.4, 1.6)), (x, 0, 0)) for x in (-0.9, 0.9)]
    world = am.World()
    world.add_body(am.Compound(walls), motion=am.Motion(angular_velocity=(0.0, 1.0, 0.0)))
    grid = [(0.3 * i - 0.6, 0.0, 0.3 * k - 0.65) for i in range(5) for k in range(2)]
    world.add_bodies(am.Sphere(0.14), position=grid, mass=1.0)
    for side in (-1.0, 1.0):  # glass in front and behind
        place = (0.0, side * 0.2, 0.0)
        world.add_body(am.Plane((0.0, -side, 0.0)), fixed=True, position=place)
    world.set_contact(am.Material(), am.Material(), am.Material(friction=0.8))
    sim = am.Simulation(world, step=5e-3)
    sim.run(0.6)
    balls = sim.bodies.position[1:11]
    assert np.linalg.norm(balls[:, [0, 2]], axis=1).max() < 0.8 * math.sqrt(2.0)  # none got out
    assert balls[:, 0].mean() < -0.05  # the floor goes towards −x


def test_prescribed_poses_are_met_exactly():
    world = am.World()
    shaker = world.add_body(
        am.Box((1.0, 1.0, 0.1)),
        motion=am.Motion(
            position=lambda t: (0.0, 0.0, 0.1 * math.sin(5.0 * t)),
            orientation=lambda t: (math.cos(t), 0.0, 0.0, math.sin(t)),
        ),
    )
    world.add_body(BALL, mass=1.0, position=(0.0, 0.0, 0.16))
    sim = am.Simulation(world, step=1e-2)
    for _ in range(30):
        sim.step()
        assert shaker.position == pytest.approx([0, 0, 0.1 * math.sin(5 * sim.time)], abs=1e-12)
        turn = [math.cos(sim.time), 0.0, 0.0, math.sin(sim.time)]
        assert shaker.orientation == pytest.approx(turn, abs=1e-12)
    assert sim.bodies.position[1, 2] > shaker.position[2] + 0.14  # the ball is on top of it


# -- groups and masks -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("group", "mask", "meets"),
    [(1, 0xFFFFFFFF, True), (2, 0xFFFFFFFF, False), (1, 2, False), (3, 1, True)],
)
def test_groups_and_masks(group, mask, meets):
    """The floor is in group 1, and meets group 1 alone."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True, group=1, mask=1)
    ball = world.add_body(BALL, mass=1.0, position=(0, 0, 0.1), group=group, mask=mask)
    am.Simulation(world, step=5e-3).run(0.1)
    assert (ball.position[2] > 0.099) == meets


def test_joined_bodies_collide_only_if_told_to():
    for collide in (False, True):
        world = am.World(gravity=WEIGHTLESS)
        one = world.add_body(BALL, mass=1.0)
        two = world.add_body(BALL, mass=1.0, position=(0.15, 0, 0))
        world.add_joint(am.Planar(one, two, point=ORIGIN, normal=Z, collide=collide))
        sim = am.Simulation(world, step=5e-3)
        sim.run(0.1)
        assert (two.position[0] - one.position[0] > 0.16) == collide


# -- mechanisms -----------------------------------------------------------------------------------


def rising(signal, h):
    """Times at which a sampled signal rises through zero."""
    z = np.array(signal)
    up = np.flatnonzero((z[:-1] < 0) & (z[1:] >= 0))
    return h * (up + 1 + z[up] / (z[up] - z[up + 1]))


@pytest.mark.slow
def test_pendulum():
    start, h = 0.5, 4e-3
    world = am.World()
    bob = world.add_body(BALL, mass=1.0, position=(math.sin(start), 0.0, -math.cos(start)))
    world.add_joint(am.Revolute(None, bob, point=ORIGIN, axis=Y))
    sim = am.Simulation(world, step=h, solver=JOINTED)
    x = []
    sim.run(JOINTED_TIME, on_step=lambda report: x.append(bob.position[0]))
    moment = 1.0 + 0.4 * 0.1**2
    right = 4.0 * math.sqrt(moment / G) * ellipk(math.sin(start / 2) ** 2)
    assert np.diff(rising(x, h)).mean() == pytest.approx(right, rel=5e-3)
    assert sim.readings.joint_error.max() <= 1e-5
    # symplectic Euler keeps H − (h/2) V'·v, so H swings by h max|V' v| = h ω E
    swing = h * math.sqrt(G) * G * (1.0 - math.cos(start))
    assert np.ptp(sim.readings.energy) < 1.1 * swing


@pytest.mark.slow
def test_double_pendulum():
    world = am.World()
    upper = world.add_body(BALL, mass=1.0, position=(0.5, 0.0, 0.0))
    lower = world.add_body(BALL, mass=1.0, position=(1.0, 0.0, 0.0))
    world.add_joint(am.Revolute(None, upper, point=ORIGIN, axis=Y))
    world.add_joint(am.Revolute(upper, lower, point=(0.5, 0.0, 0.0), axis=Y))
    sim = am.Simulation(world, step=2e-3, solver=JOINTED)
    sim.run(JOINTED_TIME)
    assert sim.readings.joint_error.max() <= 1e-5
    # H swings by h Σ m g|v|, and no bob is faster than by all of the 1.5 m that both can fall
    assert np.abs(sim.readings.energy).max() < 2e-3 * 2.0 * G * math.sqrt(2.0 * 1.5 * G)


@pytest.mark.slow
def test_slider_crank():
    r, rod, h = 0.2, 0.7, 2e-3
    world = am.World()
    crank, bar, slider = (
        world.add_body(BALL, mass=1.0, position=(x, 0, 0)) for x in (r / 2, r + rod / 2, r + rod)
    )
    motor = am.PositionMotor(position=lambda t: 3.0 * t)
    world.add_joint(am.Revolute(None, crank, point=ORIGIN, axis=Y, motor=motor))
    world.add_joint(am.Revolute(crank, bar, point=(r, 0, 0), axis=Y))
    world.add_joint(am.Revolute(bar, slider, point=(r + rod, 0, 0), axis=Y))
    world.add_joint(am.Prismatic(None, slider, point=(r + rod, 0, 0), axis=X))
    sim = am.Simulation(world, step=h, solver=JOINTED)

    def follows(report):
        angle = 3.0 * sim.time
        right = r * math.cos(angle) + math.sqrt(rod**2 - (r * math.sin(angle)) ** 2)
        assert slider.position[0] == pytest.approx(right, abs=2e-5)

    sim.run(JOINTED_TIME, on_step=follows)
    assert sim.readings.joint_error.max() <= 1e-5


@pytest.mark.slow
def test_closed_four_bar():
    corners = np.array([[0, 0, 0], [0, 0, 0.3], [0.9, 0, 0.6], [1, 0, 0]], dtype=float)
    middles = 0.5 * (corners[:-1] + corners[1:])
    world = am.World()
    ids = world.add_bodies(BALL, position=middles, mass=1.0)
    ends = [None, *ids.tolist(), None]
    for k, corner in enumerate(corners):
        motor = am.SpeedMotor(speed=2.0) if k == 0 else None
        world.add_joint(am.Revolute(ends[k], ends[k + 1], point=corner, axis=Y, motor=motor))
    sim = am.Simulation(world, step=2e-3, solver=JOINTED)
    sim.run(JOINTED_TIME)
    assert sim.readings.joint_error.max() <= 1e-5
    assert sim.joints.angle[0] == pytest.approx(2.0 * JOINTED_TIME, abs=1e-5)
    assert np.abs(sim.bodies.position[:, 1]).max() < 1e-6


# -- energy ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_energy_is_accounted_for():
    """Kinetic + potential + dissipated is constant, but for gravity's h: m g v h/2 at most."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_bodies(
        am.Sphere(0.1), position=[(0.21 * i, 0.05 * i, 0.3 + 0.1 * i) for i in range(5)], mass=1.0
    )
    h = 1e-3
    sim = am.Simulation(world, step=h, solver=am.APGD(tolerance=1e-8, max_iterations=2000))
    sim.run(0.5)
    readings = sim.readings
    total = readings.energy + readings.dissipated_energy
    fastest = math.sqrt(2.0 * G * 0.7)
    assert readings.dissipated_energy[-1] > 5.0
    assert (np.diff(readings.dissipated_energy) > -1e-6).all()
    # of each step, v⁺ moves the weight by h v⁺ and not by its mean: m g · g h²/2, up to each impact
    assert np.abs(total - total[0]).max() < 5 * G * fastest * h
