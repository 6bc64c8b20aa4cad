"""Bodies in contact whose motion is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import amontons as am

G = 9.81
BALL = am.Sphere(0.1)
PRECISE = am.APGD(tolerance=1e-10, max_iterations=2000)


def on_floor(shape, material, *, gravity=(0.0, 0.0, -G), height, **options):
    """A world of a floor and one body, and that body."""
    world = am.World(gravity=gravity)
    world.add_body(am.Plane(), fixed=True, material=material)
    body = world.add_body(shape, mass=1.0, position=(0, 0, height), material=material, **options)
    return world, body


# -- Coulomb friction -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("friction", ["convex", "exact"])
def test_ball_slides_then_rolls(friction):
    """Paper 3, figure 3: μ = 0.2, 2 m/s; rolling from t = 2v/(7μg) = 0.2912 s on, at 5v/7."""
    h, mu, v0 = 2.5e-3, 0.2, 2.0
    material = am.Material(friction=mu)
    world, _ = on_floor(am.Sphere(1.0), material, height=1.0, velocity=(v0, 0.0, 0.0))
    sim = am.Simulation(world, step=h, friction=friction, solver=PRECISE)
    start = 2.0 * v0 / (7.0 * mu * G)
    rolling, error, gap = math.inf, 0.0, 0.0
    while sim.time < 0.45:
        sim.step()
        v, w = sim.bodies.velocity[1, 0], sim.bodies.angular_velocity[1, 1]
        right = v0 - mu * G * sim.time if sim.time < start else 5.0 * v0 / 7.0
        error = max(error, abs(v - right))
        gap = max(gap, sim.bodies.position[1, 2] - 1.0)
        if abs(v - w) < 1e-6:
            rolling = min(rolling, sim.time)
    assert abs(rolling - start) <= h
    if friction == "exact":
        assert error <= 1e-3
        assert gap <= 2e-5
    else:
        assert error <= mu * G * h  # one step's worth of friction
        assert 2e-5 < gap <= h * mu * v0  # the artifact is there, and bounded


def block_on_slope(
    degrees, *, friction="convex", material=None, velocity=0.0, time=0.5, solver=None
):
    """Speed down the slope at the end, of a block with μ = 0.5."""
    slope = math.radians(degrees)
    gravity = (G * math.sin(slope), 0.0, -G * math.cos(slope))
    world, block = on_floor(
        am.Box((1.0, 1.0, 0.3)), material or am.Material(friction=0.5), gravity=gravity,
        height=0.15, velocity=(velocity, 0.0, 0.0),
    )  # fmt: skip
    sim = am.Simulation(world, step=2e-3, friction=friction, solver=solver)
    sim.run(time)
    return block.velocity[0], sim


FRICTION_ANGLE = math.degrees(math.atan(0.5))


@pytest.mark.parametrize("friction", ["convex", "exact"])
@pytest.mark.parametrize("below", [0.1, 0.5, 5.0])
def test_block_rests_below_the_friction_angle(friction, below):
    """With the default solver, in every single step."""
    _, sim = block_on_slope(FRICTION_ANGLE - below, friction=friction, time=0.1)
    for _ in range(200):
        sim.step()
        assert np.abs(sim.bodies.velocity[1]).max() < 1e-7


@pytest.mark.parametrize("above", [0.5, 2.0])
@pytest.mark.parametrize("friction", ["convex", "exact"])
def test_block_slides_above_the_friction_angle(friction, above):
    speed, sim = block_on_slope(FRICTION_ANGLE + above, friction=friction)
    slope = math.radians(FRICTION_ANGLE + above)
    right = G * (math.sin(slope) - 0.5 * math.cos(slope))
    assert speed / sim.time == pytest.approx(right, rel=5e-3)
    assert sim.readings.converged.all()


@pytest.mark.slow
def test_static_friction_holds_what_rests_and_not_what_slides():
    """Between the two friction angles, 11.3° and 21.8°, a block stays if at rest, or slides on."""
    material = am.Material(friction=0.2, static_friction=0.4)
    rest, _ = block_on_slope(16.0, material=material, solver=PRECISE)
    assert abs(rest) < 1e-7
    pushed, sim = block_on_slope(16.0, material=material, velocity=0.5)
    slope = math.radians(16.0)
    gain = G * (math.sin(slope) - 0.2 * math.cos(slope)) * sim.time
    assert pushed == pytest.approx(0.5 + gain, rel=5e-3)
    beyond, _ = block_on_slope(23.0, material=material)
    assert beyond > 0.5


@pytest.mark.slow
def test_a_sliding_block_stops_and_then_static_friction_holds_it():
    material = am.Material(friction=0.3, static_friction=0.6)
    world, block = on_floor(am.Box.cube(0.2), material, height=0.1, velocity=(1.0, 0.0, 0.0))
    sim = am.Simulation(world, step=1e-3)
    sim.run(0.5)
    assert block.position[0] == pytest.approx(1.0 / (2 * 0.3 * G), rel=1e-2)
    assert np.abs(block.velocity).max() < 1e-6
    sim.bodies.force[1, 0] = 0.5 * G  # between 0.3 and 0.6 of the weight
    sim.run(0.2)
    assert np.abs(block.velocity).max() < 1e-6
    sim.bodies.force[1, 0] = 0.7 * G
    sim.run(0.2)
    assert block.velocity[0] == pytest.approx(0.2 * (0.7 - 0.3) * G, rel=0.05)


@pytest.mark.slow
def test_friction_pulls_back_along_the_motion():
    """The cone is round: friction opposes the motion whatever its direction on the floor."""
    for angle in (0.3, 1.1, 2.5):
        way = np.array([math.cos(angle), math.sin(angle), 0.0])
        world, block = on_floor(
            am.Box.cube(0.2), am.Material(friction=0.3), height=0.1, velocity=2.0 * way
        )
        am.Simulation(world, step=1e-3).run(0.2)
        assert block.velocity == pytest.approx((2.0 - 0.3 * G * 0.2) * way, abs=6e-3)


# -- rolling and spinning friction ----------------------------------------------------------------


@pytest.mark.slow
def test_rolling_ball_stops_at_the_known_distance():
    """½ (7/5) m v² = ρ m g · d/r."""
    rho, r, v = 0.02, 0.2, 1.0
    material = am.Material(friction=0.5, rolling_friction=rho)
    world, ball = on_floor(
        am.Sphere(r), material, height=r, velocity=(v, 0, 0), angular_velocity=(0, v / r, 0)
    )
    sim = am.Simulation(world, step=2e-3)
    right = 0.7 * v * v * r / (rho * G)
    sim.run(1.2 * 2.0 * right / v)
    assert ball.position[0] == pytest.approx(right, rel=5e-3)
    assert np.abs(ball.velocity).max() < 1e-6
    assert np.abs(ball.angular_velocity).max() < 1e-5


def test_spinning_ball_stops_in_the_known_time():
    """I ω = σ m g t, for a ball that spins where it is."""
    sigma, r, w = 0.01, 0.2, 5.0
    material = am.Material(friction=0.5, spinning_friction=sigma)
    world, ball = on_floor(am.Sphere(r), material, height=r, angular_velocity=(0.0, 0.0, w))
    sim = am.Simulation(world, step=2e-3, solver=PRECISE)
    stop = 0.4 * r * r * w / (sigma * G)
    sim.run(0.5 * stop)
    assert ball.angular_velocity[2] == pytest.approx(0.5 * w, rel=1e-2)
    assert np.linalg.norm(sim.contacts.torque[0]) == pytest.approx(sigma * G, rel=1e-3)
    sim.run(0.6 * stop)
    assert abs(ball.angular_velocity[2]) < 1e-6
    assert np.abs(ball.position[:2]).max() < 1e-9


def test_without_rolling_friction_a_ball_rolls_on():
    world, ball = on_floor(
        BALL, am.Material(friction=0.5), height=0.1, velocity=(1, 0, 0), angular_velocity=(0, 10, 0)
    )
    am.Simulation(world, step=2e-3).run(0.5)
    assert ball.velocity[0] == pytest.approx(1.0, abs=1e-6)


# -- restitution ----------------------------------------------------------------------------------


def heights_of_a_ball(e, h, time):
    """Of its lowest point above the floor, after a fall from a metre."""
    world, ball = on_floor(BALL, am.Material(restitution=e), height=1.1)
    sim = am.Simulation(world, step=h)
    heights = []
    sim.run(time, on_step=lambda report: heights.append(ball.position[2] - 0.1))
    return np.array(heights)


FALL = math.sqrt(2.0 / G)
"""Time that a fall from a metre takes [s]; its speed is G times that."""


@pytest.mark.slow
@pytest.mark.parametrize("e", [0.5, 0.8, 1.0])
def test_bouncing_ball_rises_to_e_squared(e):
    h = 1e-3
    z = heights_of_a_ball(e, h, 1.1 * (1.0 + e) * FALL)
    # it turns round up to h v before the floor, and symplectic Euler is half of that ahead
    assert z[int(FALL / h) :].max() == pytest.approx(e * e, abs=1.5 * h * G * FALL)
    assert z.min() > -1e-4


def test_ball_without_restitution_stays_down():
    z = heights_of_a_ball(0.0, 2e-3, 1.3 * FALL)
    assert np.abs(z[int(1.05 * FALL / 2e-3) :]).max() < 1e-4


@pytest.mark.slow
def test_heights_of_many_bounces_follow_a_geometric_series():
    e, h = 0.8, 1e-3
    z = heights_of_a_ball(e, h, (1.0 + 2.0 * e + 2.0 * e**2 + 1.1 * e**3) * FALL)
    peaks = z[1:-1][(z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:])]
    assert len(peaks) == 3
    ratios = peaks[1:] / peaks[:-1]
    assert ratios == pytest.approx(e * e, rel=2e-2)


def test_slow_impacts_give_nothing_back():
    world, ball = on_floor(BALL, am.Material(restitution=1.0), height=0.1 + 1e-4)
    sim = am.Simulation(world, step=1e-3, bounce_speed=0.1)
    sim.run(0.1)
    assert ball.position[2] == pytest.approx(0.1, abs=2e-6)


@pytest.mark.slow
def test_free_collisions_keep_momentum():
    """Balls that collide in empty space; with e = 1 and no friction the energy stays, too."""
    rng = np.random.default_rng(3)
    grid = np.stack(np.meshgrid(*[np.arange(3.0)] * 3), axis=-1).reshape(-1, 3)
    for options in ({"restitution": 1.0, "friction": 0.0}, {"restitution": 0.3, "friction": 0.7}):
        world = am.World(gravity=(0.0, 0.0, 0.0))
        world.add_bodies(
            am.Sphere(0.3), position=grid + rng.uniform(-0.1, 0.1, grid.shape), mass=2.0,
            velocity=2.0 * rng.standard_normal(grid.shape) - grid, material=am.Material(**options),
        )  # fmt: skip
        sim = am.Simulation(world, step=2e-3, solver=PRECISE)
        sim.run(0.8)
        readings = sim.readings
        assert readings.contacts.max() >= 2
        assert np.ptp(readings.momentum, axis=0).max() < 1e-11
        # arms end at two surfaces, a gap apart: the couple of a sliding pair is that small
        assert np.ptp(readings.angular_momentum, axis=0).max() < 0.05
        loss = readings.energy[0] - readings.energy[-1]
        if options["friction"] == 0.0:
            assert abs(loss) < 1e-6 * readings.energy[0]
        else:
            assert loss > 0.2 * readings.energy[0]


# -- cohesion, compliance -------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("h", [1e-3, 5e-3, 1e-2])
@pytest.mark.parametrize("weight", [0.99, 1.01])
def test_a_block_hangs_exactly_if_cohesion_carries_it(h, weight):
    c = 20.0
    material = am.Material(cohesion=c)
    world = am.World()
    plate = am.Box((2.0, 2.0, 0.2))
    world.add_body(plate, fixed=True, position=(0, 0, 0.1), material=material)
    box = am.Box((1.0, 1.0, 0.3))
    block = world.add_body(box, mass=weight * c / G, position=(0, 0, -0.15), material=material)
    sim = am.Simulation(world, step=h)
    sim.run(0.5)
    drop = -0.15 - block.position[2]
    if weight < 1.0:
        assert abs(drop) < 1e-5
        assert sim.contacts.normal_force.sum() == pytest.approx(-weight * c, rel=1e-3)
    else:
        # falls with what is left of its weight, until it is out of reach; then freely
        assert drop > 0.5 * 0.01 / 1.01 * G * 0.5**2


def test_cohesion_adds_to_what_friction_holds():
    """|F_t| ≤ μ (F_n + c): a block on a wall stays up by cohesion alone."""
    c, mu = 40.0, 0.5
    for weight, stays in ((0.97 * mu * c, True), (1.05 * mu * c, False)):
        world, block = on_floor(
            am.Box.cube(0.2), am.Material(friction=mu, cohesion=c), height=0.1,
            gravity=(weight, 0.0, 0.0),
        )  # fmt: skip
        sim = am.Simulation(world, step=2e-3)
        sim.run(0.2)
        assert (abs(block.velocity[0]) < 1e-4) == stays


@pytest.mark.parametrize("h", [2e-3, 1e-2])
def test_compliant_contact_sinks_by_its_compliance(h):
    compliance = 1e-4
    world, ball = on_floor(BALL, am.Material(compliance=compliance / 2, damping=0.05), height=0.1)
    am.Simulation(world, step=h).run(0.6)
    assert 0.1 - ball.position[2] == pytest.approx(compliance * G, rel=1e-3)


@pytest.mark.slow
def test_compliant_contact_swings_like_a_spring_and_damper():
    """A ball held down to its floor by its weight: ω² = k/m − (c/2m)², c = k τ."""
    k, tau, h = 500.0, 4e-3, 1e-3
    material = am.Material(compliance=0.5 / k, damping=tau)
    world, ball = on_floor(BALL, material, height=0.1 - 0.5 * G / k)
    seen = []
    sim = am.Simulation(world, step=h)
    sim.run(0.75, on_step=lambda report: seen.append(ball.position[2] - 0.1 + G / k))
    z = np.array(seen)
    assert z.max() < G / k  # it never leaves the floor
    up = np.flatnonzero((z[:-1] < 0.0) & (z[1:] >= 0.0))
    omega = math.sqrt(k - (0.5 * k * tau) ** 2)
    assert np.diff(up).mean() * h == pytest.approx(2.0 * math.pi / omega, rel=1e-2)
    peaks = z[1:-1][(z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:])]
    decay = np.log(peaks[:-1] / peaks[1:]).mean() * omega / (2.0 * math.pi)
    # implicit Euler damps by h ω²/2 on its own
    assert decay == pytest.approx(0.5 * k * (tau + h), rel=3e-2)


def test_a_damped_contact_does_not_act_before_it_touches():
    """However large its damping time, a soft floor brakes a ball that touches it, and no other."""
    world, ball = on_floor(
        BALL, am.Material(compliance=1e-4, damping=0.05), height=0.13, velocity=(0, 0, -1.0)
    )
    h = 1e-3
    sim = am.Simulation(world, step=h)
    while ball.position[2] - 0.1 + h * (ball.velocity[2] - h * G) > 0.0:
        sim.step()
        assert ball.velocity[2] == pytest.approx(-1.0 - G * sim.time, rel=1e-9)
