"""`Scoop`: a scoop that moves grains from one tray into another."""

from __future__ import annotations

from typing import Any

import numpy as np

from amontons.array_types import Floats
from amontons.gym.readout import Readout
from amontons.gym.robot_env import RobotEnv
from amontons.model.materials import Material
from amontons.model.shapes import Box, Compound, Part, Plane, Sphere
from amontons.model.world import World
from amontons.robots import Robot
from amontons.solvers import APGD
from amontons.viewer import View

GRAIN = 0.012
"""Radius of a grain [m]."""

TRAY = (0.15, 0.075)
"""Half the sides of a tray along x and y [m]."""

APART = 0.17
"""Distance of a tray's middle from x = 0 [m]."""

WALL = 0.04
"""Height of a tray's walls [m]."""

COLUMNS = 7
"""Grains of the lowest layer along x; they leave room for the scoop."""

SPILL = 0.5
"""What a grain outside both trays costs, in grains delivered."""

SOLVER = APGD(tolerance=1e-3, max_iterations=200)
"""Grains that jam in the scoop would cost thousands of iterations at the usual tolerance."""

ROBOT = """
<mujoco model="scoop"><compiler angle="radian" autolimits="true"/><option timestep="0.004"/>
  <default><geom friction="0.4 0 0" density="600"/></default>
  <worldbody>
  <body name="carriage" pos="-.265 0 .3">
    <joint name="along" type="slide" axis="1 0 0" range="-.05 .6"/>
    <geom type="box" size=".02 .02 .02" contype="0" conaffinity="0" mass="0.2"/>
    <body name="lift">
      <joint name="height" type="slide" axis="0 0 1" range="-.25 .1"/>
      <geom type="box" size=".01 .01 .02" contype="0" conaffinity="0" mass="0.2"/>
      <body name="scoop" pos="0 0 -.04">
        <joint name="tilt" axis="0 1 0" range="-.8 1.4"/>
        <geom type="box" size=".04 .065 .003" pos="0 0 -.04"/>
        <geom type="box" size=".003 .065 .025" pos="-.04 0 -.015"/>
        <geom type="box" size=".04 .003 .025" pos="0 .065 -.015"/>
        <geom type="box" size=".04 .003 .025" pos="0 -.065 -.015"/>
      </body>
    </body>
  </body></worldbody>
  <actuator>
    <position name="along" joint="along" kp="400" kv="40" ctrlrange="-.05 .6" forcerange="-30 30"/>
    <position name="height" joint="height" kp="800" kv="60" ctrlrange="-.25 .1"
      forcerange="-30 30"/>
    <position name="tilt" joint="tilt" kp="8" kv=".5" ctrlrange="-.8 1.4" forcerange="-4 4"/>
  </actuator>
</mujoco>
"""


def scoop(layers: int = 2) -> Robot:
    """The scoop above two trays on a floor, with layers of grains in the one at negative x."""
    robot = Robot.load(ROBOT)
    world = robot.world
    wood = Material(friction=0.4)
    world.add_body(Plane(), fixed=True, material=wood, name="floor")
    for name, x in (("full tray", -APART), ("empty tray", APART)):
        world.add_body(
            tray(), fixed=True, placed_by="frame", position=(x, 0.0, 0.0), material=wood, name=name
        )
    _add_grains(world, layers, wood)
    return robot


def tray() -> Compound:
    """Four walls about a rectangle."""
    thick, up = 0.2 * WALL, 0.5 * WALL
    far, wide = (half + 0.5 * thick for half in TRAY)
    along = Box((2.0 * (TRAY[0] + thick), thick, WALL))
    across = Box((thick, 2.0 * TRAY[1], WALL))
    return Compound(
        [
            Part(along, (0.0, wide, up)),
            Part(along, (0.0, -wide, up)),
            Part(across, (far, 0.0, up)),
            Part(across, (-far, 0.0, up)),
        ]
    )


def _add_grains(world: World, layers: int, material: Material) -> None:
    """Grains that touch in squares, those of each layer in the pits of the one below."""
    rows = int(TRAY[1] / GRAIN)
    for layer in range(layers):
        height = GRAIN * (1.0 + np.sqrt(2.0) * layer)
        for i in range(COLUMNS - layer):
            for j in range(rows - layer):
                x = TRAY[0] - APART - GRAIN * (1 + layer + 2 * i)
                y = GRAIN * (2 * j - (rows - layer - 1))
                world.add_body(
                    Sphere(GRAIN), density=1500.0, position=(x, y, height), material=material
                )


class Scoop(RobotEnv):
    """Move grains from the full tray into the empty one.

    Controls are where the scoop shall be along x and z, and its tilt. Observed are joints and
    their speeds, the shares of grains in both trays, in the scoop and outside, and the middle of
    those that are still in the full tray. A step of 40 ms earns the share of grains that it
    brings into the empty tray, less half the share that it spills.
    """

    def __init__(self, *, layers: int = 2, render_mode: str | None = None, **options: Any) -> None:
        super().__init__(
            lambda: scoop(layers),
            reward=self._earned,
            **{
                "frame_skip": 10,
                "observe": self._seen,
                "noise": 0.01,
                "simulation": {"solver": SOLVER},
                "render_mode": render_mode,
                "picture": {"view": View(azimuth=-75.0, height=35.0, target=(0.0, 0.0, 0.1))},
                **options,
            },
        )

    def _grains(self, now: Readout) -> Floats:
        """Where the grains are [m], shape (..., grains, 3): they came last into the world."""
        fixed_and_robot = len(self.robot.imported.bodies) + 3
        return now.positions[..., fixed_and_robot:, :]

    def shares(self, now: Readout) -> Floats:
        """Shares of grains in the full tray, the empty tray, the air and outside, (..., 4)."""
        grains = self._grains(now)
        across = np.abs(grains[..., 1]) <= TRAY[1]
        low = grains[..., 2] <= WALL + GRAIN
        full = low & across & (np.abs(grains[..., 0] + APART) <= TRAY[0])
        empty = low & across & (np.abs(grains[..., 0] - APART) <= TRAY[0])
        outside = low & ~full & ~empty
        counted = np.stack([full, empty, ~low, outside], axis=-1)
        return np.asarray(counted.mean(axis=-2))

    def _earned(self, before: Readout, action: Floats, after: Readout) -> Floats:
        gained = self.shares(after) - self.shares(before)
        return np.asarray(gained[..., 1] - SPILL * gained[..., 3])

    def _seen(self, now: Readout) -> Floats:
        grains = self._grains(now)
        left = (grains[..., 0] < 0.0) & (grains[..., 2] <= WALL + GRAIN)
        number = np.maximum(left.sum(axis=-1, keepdims=True), 1)
        middle = (grains * left[..., None]).sum(axis=-2) / number
        return np.concatenate([now.q, now.qd, self.shares(now), middle], axis=-1)
