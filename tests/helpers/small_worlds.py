"""Small worlds, and each simulated twice: with compiled steps, and stage by stage."""

import math

import amontons as am
from amontons.scenes import FourBar, MixedPile, WalkingRobot


def pendulum():
    world = am.World()
    rod = world.add_body(am.Capsule(0.02, 0.5), density=1000.0, position=(0.25, 0.0, 0.0))
    world.add_joint(am.Revolute(None, rod.id, point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    return world


def cube():
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(
        am.Box((0.1, 0.1, 0.1)), density=1000.0, position=(0.0, 0.0, 0.06), velocity=(1.0, 0.3, 0.0)
    )
    return world


def stack():
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    for i in range(4):
        world.add_body(
            am.Box((0.1, 0.1, 0.1)), density=1000.0, position=(0.01 * i, 0.0, 0.05 + 0.1 * i)
        )
    return world


def bouncing():
    world, rubber = am.World(), am.Material(friction=0.3, restitution=0.7)
    world.add_body(am.Plane(), fixed=True, material=rubber)
    for i in range(3):
        place = (0.15 * i, 0.0, 0.3 + 0.2 * i)
        world.add_body(am.Sphere(0.1), density=1000.0, position=place, material=rubber)
    return world


def motor_and_limits():
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    arm = world.add_body(am.Box((0.4, 0.05, 0.05)), density=500.0, position=(0.2, 0.0, 0.5))
    tip = world.add_body(am.Box((0.3, 0.04, 0.04)), density=500.0, position=(0.55, 0.0, 0.5))
    world.add_joint(
        am.Revolute(
            None, arm.id, point=(0.0, 0.0, 0.5), axis=(0.0, 1.0, 0.0),
            motor=am.PositionMotor(position=lambda t: 0.5 * math.sin(3.0 * t), limit=10.0),
        )
    )  # fmt: skip
    world.add_joint(
        am.Revolute(arm.id, tip.id, point=(0.4, 0.0, 0.5), axis=(0.0, 1.0, 0.0), limits=(-0.4, 0.4))
    )
    return world


WORLDS = {
    "pendulum": pendulum,
    "cube": cube,
    "stack": stack,
    "bouncing": bouncing,
    "motor and limits": motor_and_limits,
    "four-bar": lambda: FourBar().build(),
    "walking robot": lambda: WalkingRobot().build(),
    "mixed": lambda: MixedPile(8).build(),
}


def both(world, step=2e-3):
    """The same simulation twice: with compiled steps, and stage by stage."""
    return tuple(am.Simulation(world(), step=step, compiled=way) for way in (True, False))
