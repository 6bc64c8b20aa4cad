"""A Geneva drive of four slots, as meshes: a pin turns the wheel by a slot, then a disc locks it.

At crank angles |θ| ≤ 45° from the line of centres the wheel is at atan2(r sin θ, a − r cos θ) with
r = a sin 45°, and else it dwells. It may be off by its play: the clearance by the distance from its
axis at which the pin or the disc holds it.
"""

import numpy as np

import amontons as am
from amontons.generators.geneva import geneva_drive

DISTANCE, CLEARANCE, SPEED = 0.1, 1e-4, 2.0 * np.pi  # m, m, rad/s


def about_z(angle: float) -> tuple[float, float, float, float]:
    """A turn about z as a quaternion."""
    return np.cos(0.5 * angle), 0.0, 0.0, np.sin(0.5 * angle)


drive = geneva_drive(4, DISTANCE, width=0.01, clearance=CLEARANCE)
arm = am.Part(am.Box((drive.crank, 0.012, 0.004)), position=(0.5 * drive.crank, 0.0, -0.01))
crank_shape = am.Compound([am.Part(drive.disc), am.Part(drive.pin), arm])
start = -np.pi  # of the crank: the pin is farthest from the wheel

world = am.World(gravity=(0.0, 0.0, 0.0))
steel, axis, there = am.Material(friction=0.05), (0.0, 0.0, 1.0), (DISTANCE, 0.0, 0.0)
crank = world.add_body(
    crank_shape, density=7800.0, orientation=about_z(start), placed_by="frame", material=steel
)
wheel = world.add_body(
    drive.wheel,
    density=2700.0,
    position=there,
    orientation=about_z(drive.wheel_angle(start)),
    placed_by="frame",
    material=steel,
)
motor = am.SpeedMotor(speed=SPEED)
world.add_joint(am.Revolute(None, crank, point=(0.0, 0.0, 0.0), axis=axis, motor=motor))
world.add_joint(am.Revolute(None, wheel, point=there, axis=axis, friction=2e-3))  # N m
sim = am.Simulation(world, step=1e-3)

angles = []
sim.run(2.0 * np.pi / SPEED, on_step=lambda report: angles.append(np.array(sim.joints.angle)))
theta = start + np.array(angles)[:, 0]
turned = drive.wheel_angle(start) + np.array(angles)[:, 1]
error = np.abs(turned - [drive.wheel_angle(each) for each in theta])
turning = np.abs(theta) < np.pi / 4
print(f"the wheel turned by {np.degrees(turned[0] - turned[-1]):.2f}° in a turn of the crank")
print(f"off by at most {1e3 * error[turning].max():.2f} mrad while it turns, "
      f"{1e3 * error[~turning].max():.2f} while it dwells")  # fmt: skip
play = CLEARANCE / (DISTANCE - drive.crank)
assert abs(turned[0] - turned[-1] - np.pi / 2) < play
assert error.max() < 1.2 * play
