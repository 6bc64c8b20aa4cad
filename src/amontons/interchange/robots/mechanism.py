"""What URDF and MJCF have in common: links, their shapes, and how links move in their parents.

All is in world coordinates, in the initial configuration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from amontons.interchange.robots.left_out import LeftOut
from amontons.model.joints import Motor
from amontons.model.materials import Material
from amontons.model.shapes import Shape

Floats = NDArray[np.float64]


class Pose(NamedTuple):
    """A frame in another: p ↦ R p + x."""

    position: Floats  # [m], (3,)
    rotation: Floats  # (3, 3)

    @classmethod
    def of_matrix(cls, matrix: ArrayLike | None) -> Pose:
        """From a homogeneous matrix (4, 4); None is the identity."""
        whole = np.eye(4) if matrix is None else np.asarray(matrix, dtype=np.float64)
        return cls(whole[:3, 3].copy(), whole[:3, :3].copy())

    @classmethod
    def of_quaternion(cls, position: ArrayLike, quaternion: ArrayLike) -> Pose:
        """From a position [m] and a quaternion (w, x, y, z) of any length but zero."""
        turn = Rotation.from_quat(np.asarray(quaternion, dtype=np.float64), scalar_first=True)
        return cls(np.array(position, dtype=np.float64), turn.as_matrix())

    @property
    def quaternion(self) -> Floats:
        """Unit quaternion (w, x, y, z)."""
        return np.asarray(Rotation.from_matrix(self.rotation).as_quat(scalar_first=True))

    def then(self, inner: Pose) -> Pose:
        """The world pose of a frame given in this one."""
        return Pose(self.point(inner.position), self.rotation @ inner.rotation)

    def seen_from(self, outer: Pose) -> Pose:
        """The same frame, expressed in another one."""
        back = outer.rotation.T
        return Pose(back @ (self.position - outer.position), back @ self.rotation)

    def point(self, local: ArrayLike) -> Floats:
        """A point of this frame in the world [m]."""
        return np.asarray(self.rotation @ np.asarray(local) + self.position)


class Way(StrEnum):
    """How a link may move in its parent."""

    HINGE = "hinge"
    SLIDE = "slide"
    BALL = "ball"
    PLANAR = "planar"


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One joint between a link and its parent.

    Angles and travels [rad or m] count from the initial configuration.
    """

    name: str
    way: Way
    point: Floats  # [m], (3,)
    direction: Floats  # axis, or a plane's normal, (3,)
    limits: tuple[float, float] | None = None
    friction: float = 0.0  # largest torque or force [N m or N]
    damping: float = 0.0  # [N m s/rad or N s/m]
    stiffness: float = 0.0  # [N m/rad or N/m]
    rest: float = 0.0  # where its spring is at rest
    motor: Motor | None = None
    armature: float = 0.0  # inertia of a rotor [kg m² or kg]


class Actuator(NamedTuple):
    """What drives a joint, and how its control becomes the command of the joint's motor.

    Command = factor · control + offset, with the control kept between `low` and `high`.
    """

    joint: str
    factor: float = 1.0
    offset: float = 0.0
    low: float = -math.inf
    high: float = math.inf


@dataclass(frozen=True)
class Piece:
    """A shape of a link, and the pose of its frame."""

    shape: Shape
    pose: Pose
    collides: bool = True


@dataclass
class Link:
    """A rigid part. Without axes it is fixed to its parent, unless it is free."""

    name: str
    parent: str | None
    """Another link; None is the world."""
    pose: Pose
    mass: float = 0.0  # [kg]
    centre: Floats = field(default_factory=lambda: np.zeros(3))  # of mass [m]
    inertia: Floats = field(default_factory=lambda: np.zeros((3, 3)))  # about it [kg m²]
    pieces: list[Piece] = field(default_factory=list)
    material: Material | None = None
    axes: list[Axis] = field(default_factory=list)
    """In order from the parent: the second moves with the first."""
    free: bool = False
    group: int = 1
    mask: int = 0xFFFFFFFF


@dataclass
class Mechanism:
    """A robot as its file describes it, before it becomes bodies and joints."""

    name: str
    path: Path
    links: list[Link]
    """Parents before their children."""
    apart: list[tuple[str, str]] = field(default_factory=list)
    """Links that never collide, though no joint connects them."""
    left_out: LeftOut = field(default_factory=LeftOut)
    """What the file contains and this does not."""
    ground_collides: bool = True
    """Whether a link collides with the fixed link that carries it."""


def merged_inertia(parts: list[tuple[float, Floats, Floats]]) -> tuple[float, Floats, Floats]:
    """Mass [kg], centre [m] and inertia about it [kg m²] of parts that are given by these three."""
    mass = sum(each for each, _, _ in parts)
    if mass == 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centre = np.asarray(sum(each * at for each, at, _ in parts) / mass)
    inertia = np.zeros((3, 3))
    for each, at, own in parts:
        inertia += own + each * steiner(at - centre)
    return mass, centre, inertia


def steiner(arm: Floats) -> Floats:
    """Inertia of one kilogram at an arm [m²], shape (3, 3)."""
    return np.asarray(arm @ arm * np.eye(3) - np.outer(arm, arm))
