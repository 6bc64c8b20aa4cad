"""The mixer of table III: a cylinder, four blades, and sticky bodies of four shapes."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.model.materials import Material
from amontons.model.motion import Motion
from amontons.model.shapes import Box, Cylinder, Ellipsoid, Plane, Shape, Sphere
from amontons.model.world import World
from amontons.scenes.mixer import blade_turn, stirrer
from amontons.scenes.placement import disc_layers
from amontons.scenes.vessels import vessel

Floats = NDArray[np.float64]

HALF = 0.05
"""Average radius or half width of a body [m]."""
AXES = (1.15 * HALF, HALF, 0.85 * HALF)
"""Half axes of an ellipsoid [m]."""
BLADES, SPEED, TILT, SEGMENTS = 4, pi / 2, -pi / 4, 48
"""Four blades, their turning speed [rad/s] and tilt [rad]; flat pieces of the container."""
PITCH, LEAN, GAP = 0.104, 0.02, 2e-4
"""Distance of columns [m], how far bodies lean at most [rad], and gaps within a column [m]."""
DIAGONAL = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 0.0], [1.0, 1.0, -2.0]])
ASKEW = np.roll(Rotation.from_matrix(DIAGONAL.T / np.linalg.norm(DIAGONAL, axis=1)).as_quat(), 1)
"""An ellipsoid's turn (w, x, y, z): its long axis lies along a diagonal, where there is room."""


@dataclass(frozen=True)
class StickyMixer:
    """A cylinder, four blades, and spheres, ellipsoids, cylinders and cubes with cohesion."""

    bodies: int
    cohesion: float = 200.0
    """[N]"""
    friction: float = 0.5
    still: float = 0.0
    """Until then the blades do not turn [s]: blades that do press loose bodies into one another."""
    seed: int = 0

    @property
    def radius(self) -> float:
        """Of the container, which is filled as high as it is wide [m]."""
        room = PITCH**2 * 2.0 * HALF  # of a body
        return float((self.bodies * room / (2.0 * pi)) ** (1.0 / 3.0) + 2.0 * HALF)

    def build(self) -> World:
        """The mixer with its bodies in columns."""
        world = World()
        sticky = Material(friction=self.friction, cohesion=self.cohesion)
        steel = Material(friction=self.friction)
        R, inner = self.radius, self.radius * cos(pi / SEGMENTS)
        blade = Blade(0.85 * inner, 0.06 * inner, 0.5 * inner)
        places, kind, turns = self._columns(inner, blade)
        world.add_body(Plane(), fixed=True, material=steel, name="floor")
        profile = [(R, -HALF), (R, float(places[:, 2].max()) + 4.0 * HALF)]
        world.add_body(
            vessel(profile, thickness=0.1 * R, segments=SEGMENTS),
            fixed=True,
            placed_by="frame",
            material=steel,
            name="container",
        )
        world.add_body(
            stirrer(
                blades=BLADES,
                reach=blade.reach,
                size=(blade.thickness, blade.height),
                middle=blade.middle,
                tilt=TILT,
            ),
            motion=Motion(angular_velocity=self._turning),
            placed_by="frame",
            material=steel,
            name="blades",
        )
        for number, shape in enumerate(shapes()):
            world.add_bodies(
                shape,
                position=places[kind == number],
                orientation=turns[kind == number],
                density=1000.0,
                material=sticky,
            )
        return world

    def _turning(self, time: float) -> tuple[float, float, float]:
        """Angular velocity of the blades [rad/s]."""
        return (0.0, 0.0, SPEED if time >= self.still else 0.0)

    def _columns(self, inner: float, blade: Blade) -> tuple[Floats, NDArray[np.int64], Floats]:
        """Places [m], kinds and turns of bodies that stand on one another: the lowest ones."""
        rng = np.random.default_rng(self.seed)
        room = inner - 1.5 * HALF
        feet = disc_layers(int(4.0 * (room / PITCH) ** 2) + 9, room, PITCH, 0.0)
        feet = feet[feet[:, 2] == 0.0]
        high = int(1.6 * self.bodies / len(feet)) + 8
        kind = rng.integers(4, size=len(feet) * high)
        turns = small_turns(rng, kind.size, LEAN)
        turns[kind == 1] = quaternion_product(
            turns[kind == 1], np.broadcast_to(ASKEW, turns[kind == 1].shape)
        )
        half = half_heights(kind, turns).reshape(-1, high)
        places = np.repeat(feet, high, axis=0)
        places[:, 2] = (np.cumsum(2.0 * half + GAP, axis=1) - half).ravel()
        free = np.flatnonzero(~blade.near(places, 1.6 * HALF))  # of a leaning cube's corner
        lowest = free[np.argsort(places[free, 2], kind="stable")][: self.bodies]
        return places[lowest], kind[lowest], turns[lowest]


@dataclass(frozen=True)
class Blade:
    """One of the blades, from the shaft outwards [m]."""

    reach: float
    thickness: float
    height: float

    @property
    def middle(self) -> float:
        """Its height above the floor [m]: the shaft is a third longer than blades are high."""
        return 0.7 * self.height

    def near(self, places: Floats, clear: float) -> NDArray[np.bool_]:
        """Which places are nearer than `clear` [m] to the shaft or to one of the blades."""
        close = np.hypot(places[:, 0], places[:, 1]) < 2.0 * self.thickness + clear
        half = 0.5 * np.array([self.reach, self.thickness, self.height]) + clear
        for i in range(BLADES):
            angle = 2.0 * pi * i / BLADES
            axes = rotation_matrices(np.array([blade_turn(angle, TILT)]))[0]
            out = 0.5 * self.reach
            middle = np.array([out * cos(angle), out * sin(angle), self.middle])
            close |= (np.abs((places - middle) @ axes) < half).all(axis=1)
        return np.asarray(close)


def shapes() -> tuple[Shape, ...]:
    """The four shapes, 0.05 m of average radius or half width."""
    return (
        Sphere(HALF),
        Ellipsoid(AXES),
        Cylinder(HALF, 2.0 * HALF),
        Box((2.0 * HALF, 2.0 * HALF, 2.0 * HALF)),
    )


def half_heights(kind: NDArray[np.int64], turns: Floats) -> Floats:
    """How far bodies of these kinds, so turned, reach up from their middles [m], (bodies,)."""
    up = rotation_matrices(turns)[:, 2, :]  # the vertical in their own axes
    upright = np.abs(up[:, 2])
    reaches = (
        np.ones(len(up)),
        np.linalg.norm(up * AXES, axis=1) / HALF,
        upright + np.sqrt(np.maximum(1.0 - upright**2, 0.0)),
        np.abs(up).sum(axis=1),
    )
    return np.asarray(HALF * np.choose(kind, reaches))


def small_turns(rng: np.random.Generator, count: int, largest: float) -> Floats:
    """Unit quaternions of turns about random axes, by `largest` [rad] at most; shape (count, 4)."""
    axis = rng.standard_normal((count, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    half = 0.5 * rng.uniform(0.0, largest, (count, 1))
    return np.concatenate([np.cos(half), np.sin(half) * axis], axis=1)
