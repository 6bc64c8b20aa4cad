"""The wrecking ball of paper 1, up to the step at which it hits the wall."""

from __future__ import annotations

import numpy as np

from amontons.scenes import WreckingBall
from amontons.simulation.simulation import Simulation
from amontons.solvers import APGD
from amontons_papers.notebook import Notebook

STEP = 4e-3
SWING = 60.0
"""Angle that the ball came from [°]."""


def scene(courses: int, length: int) -> WreckingBall:
    """A wall and a ball close to it."""
    return WreckingBall(
        courses, length, ball_mass=3000.0, ball_radius=0.6, rope=8.0, angle=10.0, friction=0.6
    )


def approaching(courses: int, length: int) -> Simulation:
    """The ball close to the wall, as fast as after its swing."""
    setting = scene(courses, length)
    world = setting.build()
    now, start = np.radians(setting.angle), np.radians(SWING)
    fall = setting.rope * (np.cos(now) - np.cos(start))
    speed = np.sqrt(2.0 * 9.81 * fall)
    world.body("ball").velocity = (0.0, speed * np.cos(now), -speed * np.sin(now))
    return Simulation(world, step=STEP, solver=APGD(tolerance=1e-3, max_iterations=200))


def hit(courses: int, length: int, notebook: Notebook) -> Simulation:
    """The simulation just after the step in which the ball first pushes a brick."""
    simulation = approaching(courses, length)
    ball = simulation.world.body("ball")
    while simulation.time < 1.0:
        notebook.say("the ball swings", min(4.0 * simulation.time, 1.0))
        simulation.step()
        contacts = simulation.contacts
        of_ball = (contacts.bodies == ball.id).any(axis=1)
        if (contacts.normal_force[of_ball] > 0.0).any():
            break
    return simulation
