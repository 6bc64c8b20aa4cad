"""A motor turns a gear, and its teeth turn another: two meshes read from STL files, no gear joint.

The driven gear must be where the ratio of the teeth has it, but for the play that the backlash
leaves and for flanks that are polygons: at any time of a turn, not on the average alone.
"""

import tempfile
from pathlib import Path

import numpy as np
import trimesh

import amontons as am
from amontons.generators.machine_parts import involute_gear

TEETH, MODULE, BACKLASH = (20, 30), 2e-3, 4e-5  # −, m, m
SPEED = 2.0 * np.pi  # of the motor, rad/s

folder = Path(tempfile.mkdtemp())
for teeth in TEETH:  # in millimetres, as drawings are
    gear = involute_gear(teeth, MODULE, width=0.01, backlash=BACKLASH).scaled(1e3)
    trimesh.Trimesh(gear.vertices, gear.faces).export(folder / f"gear_{teeth}.stl")

world = am.World(gravity=(0.0, 0.0, 0.0))
distance = 0.5 * MODULE * sum(TEETH)
half_turn = 0.5 * (np.pi + np.pi / TEETH[1])  # a gap of the second gear faces a tooth of the first
steel = am.Material(friction=0.1)
axis, joints = (0.0, 0.0, 1.0), []
for teeth, x, angle in zip(TEETH, (0.0, distance), (0.0, half_turn), strict=True):
    mesh = am.TriangleMesh.load(folder / f"gear_{teeth}.stl", scale=1e-3)
    gear = world.add_body(
        mesh,
        density=7800.0,
        position=(x, 0.0, 0.0),
        orientation=(np.cos(angle), 0.0, 0.0, np.sin(angle)),
        material=steel,
    )
    joints.append((gear, (x, 0.0, 0.0)))
(first, at), (second, there) = joints
world.add_joint(am.Revolute(None, first, point=at, axis=axis, motor=am.SpeedMotor(speed=SPEED)))
world.add_joint(am.Revolute(None, second, point=there, axis=axis, friction=0.05))  # N m
sim = am.Simulation(world, step=1e-3)

angles = []
sim.run(2.0 * np.pi / SPEED, on_step=lambda report: angles.append(np.array(sim.joints.angle)))
driver, driven = np.array(angles).T
lag = driven + driver * TEETH[0] / TEETH[1]
play = BACKLASH / (0.5 * MODULE * TEETH[1])  # of the driven gear to one side
print(f"after a turn: {np.degrees(driver[-1]):.3f}° and {np.degrees(driven[-1]):.3f}°")
print(f"lag {1e3 * lag.mean():.3f} mrad, of which the backlash is {1e3 * play:.3f}")
print(f"it varies by {1e3 * np.ptp(lag[20:]):.3f} mrad over a turn")
assert abs(driven[-1] + driver[-1] * TEETH[0] / TEETH[1]) < 1.5 * play
assert np.ptp(lag[20:]) < 5e-4
