"""Joints and motors: connections between two bodies, and their drives."""

from amontons.model.joints.base import Connection, Joint
from amontons.model.joints.cylindrical import Cylindrical, Planar, Screw
from amontons.model.joints.distance import Distance, Rope
from amontons.model.joints.gears import Gear, RackAndPinion
from amontons.model.joints.motors import Motor, PositionMotor, SpeedMotor, TorqueMotor
from amontons.model.joints.points import PointOnLine, PointOnPlane, Spherical, Universal
from amontons.model.joints.prismatic import Fixed, Prismatic
from amontons.model.joints.revolute import Revolute
from amontons.model.joints.strength import Strength

__all__ = [
    "Connection",
    "Cylindrical",
    "Distance",
    "Fixed",
    "Gear",
    "Joint",
    "Motor",
    "Planar",
    "PointOnLine",
    "PointOnPlane",
    "PositionMotor",
    "Prismatic",
    "RackAndPinion",
    "Revolute",
    "Rope",
    "Screw",
    "SpeedMotor",
    "Spherical",
    "Strength",
    "TorqueMotor",
    "Universal",
]
