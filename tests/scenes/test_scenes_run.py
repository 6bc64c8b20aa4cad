"""Every scene begins without overlaps, runs, and does what it is there to show."""

import dataclasses

import numpy as np
import pytest

import amontons as am
from amontons.collision.detector import CollisionDetector
from amontons.scenes import (
    SCENES,
    BouncingBalls,
    Chain,
    Conveyor,
    Crater,
    Dominoes,
    Drum,
    FourBar,
    Hourglass,
    MixedPile,
    Mixer,
    PackedBed,
    PebbleBed,
    Plates,
    PressedBed,
    Shaker,
    Snowball,
    Vehicle,
    Wall,
    WreckingBall,
)
from helpers.small_scenes import SMALL


def started(scene, duration):
    """The scene's simulation after so many seconds, run as advised."""
    sim = am.Simulation(scene.build(), step=scene.advice.step, solver=scene.advice.make_solver())
    sim.run(duration)
    assert np.isfinite(sim.bodies.position).all()
    return sim


def moving(sim):
    return sim.bodies.dynamic


def overlaps(world):
    """Largest overlap of two bodies that meet, one of which moves freely [m]."""
    joined = [joint.bodies for joint in world.joints if None not in joint.bodies]
    bodies = world.bodies
    detector = CollisionDetector(
        world.shapes,
        which=bodies.shape,
        margin=1e-3,
        fixed=bodies.fixed,
        groups=bodies.group,
        masks=bodies.mask,
        apart=np.array(joined, dtype=np.int64).reshape(-1, 2),
        origin=np.array(world.origins),
    )
    contacts = detector.detect(bodies.position, bodies.orientation)
    free = bodies.dynamic[contacts.bodies].any(axis=1)
    return -contacts.gaps[free].min(initial=0.0)


def test_every_scene_is_here():
    assert {scene.name for scene in SMALL} == set(SCENES)


@pytest.mark.parametrize("scene", SMALL, ids=lambda scene: scene.name)
def test_no_bodies_overlap_at_the_start(scene):
    assert overlaps(scene.build()) < 1e-12


@pytest.mark.parametrize("name", sorted(SCENES))
def test_nor_do_they_with_the_defaults(name):
    assert overlaps(SCENES[name]().build()) < 1e-12


def test_balls_bounce_lower_and_stay_in_the_tray():
    scene = BouncingBalls(12, height=0.3)
    sim = started(scene, 0.5)
    energy = sim.readings.energy
    assert energy[-1] < 0.95 * energy[0]
    assert (np.diff(energy) < 1e-6 * energy[0]).all()
    assert sim.bodies.velocity[moving(sim), 2].max() > 0.5  # some are on their way up
    assert np.abs(sim.bodies.position[moving(sim), :2]).max() < 1.0


def test_a_mixed_pile_falls_and_settles():
    sim = started(MixedPile(10), 0.5)
    z = sim.bodies.position[moving(sim), 2]
    assert 0.0 < z.min() < 0.1
    assert sim.readings.contacts[-1] > 8
    assert len(set(sim.bodies.shape[moving(sim)])) >= 4


def test_a_packed_bed_comes_to_lie_on_the_floor():
    sim = started(PackedBed(40), 0.3)
    weight = 40 * 9.81
    assert sim.bodies.position[moving(sim), 2].min() > 0.149
    on_floor = sim.contacts.bodies[:, 0] == 0
    assert sim.contacts.force[on_floor, 2].sum() > 0.2 * weight


def test_a_wall_and_a_stack_stand():
    for scene in (Wall(3, 4), Plates(4)):
        before = scene.build().bodies.position
        sim = started(scene, 0.2)
        assert np.abs(sim.bodies.position - before).max() < 1e-4


@pytest.mark.slow
def test_the_ball_goes_through_the_wall():
    scene = WreckingBall(courses=4, length=4, rope=1.5, angle=50.0)
    sim = started(scene, 0.8)
    ball = sim.world.body("ball")
    bricks = moving(sim) & (sim.bodies.id != ball.id)
    assert ball.position[1] > 0.0
    assert sim.bodies.position[bricks, 1].max() > 0.3
    anchor = np.array(sim.world.joints[0].point_a)
    assert np.linalg.norm(ball.position - anchor) < 1.5 + 1e-3


@pytest.mark.slow
def test_dominoes_topple_one_after_the_other():
    sim = started(Dominoes(8), 0.6)
    up = 1.0 - 2.0 * (sim.bodies.orientation[1:, 1:3] ** 2).sum(axis=1)  # z axis of each, along z
    assert (up[:4] < 0.8).all()
    unpushed = started(Dominoes(8, push=0.0), 0.2)
    assert np.abs(unpushed.bodies.velocity).max() < 1e-3


def test_grains_pass_the_neck_and_stay_in_the_glass():
    scene = Hourglass(40, bulb=8.0)
    sim = started(scene, 0.5)
    place = sim.bodies.position[moving(sim)]
    assert (place[:, 2] < 0.0).any()
    assert np.hypot(place[:, 0], place[:, 1]).max() < 8.0 * scene.radius
    assert place[:, 2].min() > -2.0 * 1.2 * 5.0 * scene.radius


@pytest.mark.slow
def test_the_drum_carries_balls_round():
    scene = Drum(30, width=0.2, turns=30.0)
    sim = started(scene, 0.5)
    place = sim.bodies.position[moving(sim)]
    assert np.hypot(place[:, 0], place[:, 2]).max() < scene.drum_radius
    still = started(dataclasses.replace(scene, turns=0.0), 0.5)
    assert place[:, 0].mean() < still.bodies.position[moving(still), 0].mean() - 0.01
    spin = sim.world.body("drum").angular_velocity
    np.testing.assert_allclose(spin, [0.0, np.pi, 0.0], atol=1e-12)


@pytest.mark.slow
def test_blades_stir():
    scene = Mixer(60, bowl=8.0)
    sim = started(scene, 0.5)
    place, speed = sim.bodies.position[moving(sim)], sim.bodies.velocity[moving(sim)]
    about = place[:, 0] * speed[:, 1] - place[:, 1] * speed[:, 0]
    assert about.mean() > 0.01
    assert np.hypot(place[:, 0], place[:, 1]).max() < 8.0 * scene.radius


def test_parcels_are_carried_along():
    scene = Conveyor(4, rollers=14)
    before = scene.build()
    sim = started(scene, 0.5)
    ran = (sim.bodies.position - before.bodies.position)[moving(sim), 0]
    assert (ran > 0.1).all()
    assert (ran < 0.5 * scene.speed + 1e-3).all()


def test_a_chain_stays_together_and_falls():
    sim = started(Chain(6), 0.3)
    assert sim.readings.joint_error.max() < 1e-4
    assert sim.world.body("ball").velocity[2] < -0.5


def test_the_crank_turns_at_its_speed_and_the_loop_stays_closed():
    scene = FourBar()
    sim = started(scene, 0.5)
    turned = -2.0 * np.pi * scene.turns / 60.0 * sim.time
    assert sim.joints.angle[0] == pytest.approx(turned, abs=1e-3)
    assert sim.readings.joint_error.max() < 1e-3


@pytest.mark.slow
def test_the_vehicle_drives_forward_on_its_springs():
    sim = started(Vehicle(12), 0.5)
    chassis = sim.world.body("chassis")
    assert chassis.velocity[0] > 0.5
    assert chassis.position[0] > 0.1
    assert 0.4 < chassis.position[2] < 0.6
    assert abs(chassis.orientation[0]) > 0.99


@pytest.mark.slow
def test_a_slab_comes_to_rest_on_its_bed():
    scene = PressedBed(60, width=1.0, slab_mass=100.0)
    sim = started(scene, 2.5)  # the last spheres fall into place until 2 s
    slab = sim.world.body("slab")
    spheres = moving(sim) & (sim.bodies.id != slab.id)
    top = sim.bodies.position[spheres, 2].max() + scene.radius
    # it leans a little: on so few spheres none need be right below its middle
    assert slab.position[2] - scene.radius == pytest.approx(top, abs=0.3 * scene.radius)
    assert np.abs(slab.velocity).max() < 0.01


@pytest.mark.slow
def test_a_ball_sinks_into_a_bed_but_not_through_it():
    scene = Crater(200, width=10.0, diameter=4e-3, height=0.02)
    sim = started(scene, 0.12)
    ball = sim.world.body("ball")
    grains = moving(sim) & (sim.bodies.id != ball.id)
    top = np.quantile(sim.bodies.position[grains, 2], 0.9)
    assert 0.5 * scene.diameter < ball.position[2] < top + 0.5 * scene.diameter
    assert abs(ball.velocity[2]) < 0.1


@pytest.mark.slow
def test_a_sticky_ball_holds_together_and_a_dry_one_does_not():
    spread = {}
    for cohesion in (0.0, 20_000.0):
        sim = started(Snowball(60, cohesion=cohesion), 0.15)
        spread[cohesion] = sim.bodies.position[moving(sim)].std(axis=0).max()
    assert spread[0.0] > 1.5 * spread[20_000.0]


def test_the_shaken_box_goes_up_and_down_by_its_amplitude():
    scene = Shaker(60, 2)
    sim = am.Simulation(scene.build(), step=1e-3, solver=scene.advice.make_solver())
    floor, heights = sim.world.body("floor"), []
    sim.run(1.0 / scene.frequency, on_step=lambda _: heights.append(floor.position[2]) and None)
    reach = scene.amplitude * scene.radius
    np.testing.assert_allclose([min(heights), max(heights)], [-reach, reach], rtol=0.02)
    inside = np.abs(sim.bodies.position[moving(sim), :2]).max()
    assert inside < abs(sim.world.body("left").position[0])


@pytest.mark.slow
def test_pebbles_run_out_unless_a_plug_holds_them():
    open_bed = PebbleBed(80, core=6.0, outlet=4.0)
    sim = started(open_bed, 0.4)
    assert (sim.bodies.position[moving(sim), 2] < -open_bed.radius).any()
    sim = started(dataclasses.replace(open_bed, plugged=1), 0.4)
    place = sim.bodies.position[moving(sim)]
    assert place[:, 2].min() > 0.9 * open_bed.radius
    assert np.hypot(place[:, 0], place[:, 1]).max() < open_bed.core * open_bed.radius
