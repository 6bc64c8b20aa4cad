"""Machines whose parts are meshes that touch: gears, cams, Geneva drives, by closed forms."""

import numpy as np
import pytest

import amontons as am
from amontons.generators.machine_parts import involute_gear, prism
from helpers.mesh_oracles import mesh_box

AXIS = (0.0, 0.0, 1.0)


def about_z(angle):
    return np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)


def gear_pair(first, second, module, backlash):
    """A motor turns the first gear, dry friction brakes the second."""
    world = am.World(gravity=(0.0, 0.0, 0.0))
    distance = 0.5 * module * (first + second)
    steel = am.Material(friction=0.1)
    for teeth, x, angle in ((first, 0.0, 0.0), (second, distance, np.pi + np.pi / second)):
        gear = world.add_body(
            involute_gear(teeth, module, width=5 * module, backlash=backlash), density=7800.0,
            position=(x, 0.0, 0.0), orientation=about_z(angle), material=steel,
        )  # fmt: skip
        drive = {"motor": am.SpeedMotor(speed=2.0 * np.pi)} if not x else {"friction": 0.05}
        world.add_joint(am.Revolute(None, gear, point=(x, 0.0, 0.0), axis=AXIS, **drive))
    return world


def sagitta(teeth, module, points=12):
    """By which flanks are within the involute at most [m], as `involute_gear` says."""
    base = 0.5 * module * teeth * np.cos(np.radians(20.0))
    roll = np.sqrt(((0.5 * module * teeth + module) / base) ** 2 - 1.0)
    return base * roll * (roll / points) ** 2 / 8.0


@pytest.mark.slow
@pytest.mark.parametrize("turns", [0.1, pytest.param(1.0, marks=pytest.mark.slow)])
def test_gears_keep_the_ratio_of_their_teeth(turns):
    """At any time: the driven gear lags by the play, and by at most twice what flanks lack."""
    first, second, module, backlash = 20, 30, 2e-3, 4e-5
    sim = am.Simulation(gear_pair(first, second, module, backlash), step=1e-3)
    angles = []
    sim.run(turns, on_step=lambda report: angles.append(np.array(sim.joints.angle)))
    driver, driven = np.array(angles).T
    assert driver[-1] == pytest.approx(2.0 * np.pi * turns, rel=1e-6)
    lag = (driven + driver * first / second)[20:]
    base = 0.5 * module * second * np.cos(np.radians(20.0))
    rough = 2.0 * (sagitta(first, module) + sagitta(second, module)) / base
    assert rough < 6e-4
    assert np.ptp(lag) < rough
    play = backlash / (0.5 * module * second)
    assert abs(lag.mean() - play) < rough


@pytest.mark.slow
def test_a_flat_follower_rises_as_an_eccentric_has_it():
    """A disc of radius r about a point e off its axis lifts a flat face to r + e sin θ."""
    radius, off, corners = 0.03, 0.01, 240
    around = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    outline = np.column_stack([off + radius * np.cos(around), radius * np.sin(around)])
    world, smooth = am.World(gravity=(0.0, -9.81, 0.0)), am.Material(friction=0.0)
    disc = prism(outline, bore=0.005, width=0.02)
    cam = world.add_body(disc, density=7800.0, placed_by="frame", material=smooth)
    follower = world.add_body(
        mesh_box((0.1, 0.01, 0.01)), density=7800.0, position=(0.0, radius + 0.005, 0.0),
        material=smooth,
    )  # fmt: skip
    motor = am.SpeedMotor(speed=np.pi)
    world.add_joint(am.Revolute(None, cam, point=(0, 0, 0), axis=AXIS, motor=motor))
    world.add_joint(am.Prismatic(None, follower, point=(0, radius, 0), axis=(0, 1, 0)))
    sim = am.Simulation(world, step=2e-3)
    heights, angles = [], []

    def note(report):
        angles.append(2.0 * np.arctan2(cam.orientation[3], cam.orientation[0]))
        heights.append(follower.position[1] - 0.005)

    sim.run(2.0, on_step=note)
    lack = radius * (np.pi / corners) ** 2 / 2.0  # of a polygon within the circle
    step = 2e-3 * np.pi * off  # of the lift in a step
    error = np.array(heights) - (radius + off * np.sin(angles))
    assert error.max() < 0.05 * step
    assert error.min() > -lack - 0.05 * step


def test_a_peg_falls_through_its_hole_and_stays_upright():
    corners = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)], dtype=float)
    plate = prism(0.1 * corners, bore=0.02 * np.sqrt(2.0), width=0.04)
    world = am.World()
    smooth = am.Material(friction=0.0)
    world.add_body(plate, fixed=True, material=smooth)
    peg = world.add_body(
        mesh_box((0.0398, 0.0398, 0.1)), density=2700.0, position=(0.0, 0.0, 0.03),
        velocity=(0.01, -0.005, 0.0), angular_velocity=(0.02, 0.01, 0.05), material=smooth,
    )  # fmt: skip
    sim = am.Simulation(world, step=1e-3)
    sim.run(0.12)
    assert peg.position[2] == pytest.approx(0.03 - 0.5 * 9.81 * 0.12**2, abs=2e-3)
    assert np.abs(np.asarray(peg.position)[:2]).max() < 2e-4
    assert abs(peg.orientation[0]) > np.cos(0.02)
