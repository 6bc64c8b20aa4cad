"""One joint of each kind and more, all with bodies 0 and 1, for tests."""

from __future__ import annotations

import math

from amontons.model.forces import Bushing, LinearSpring, TorsionSpring
from amontons.model.joints import (
    Connection,
    Cylindrical,
    Distance,
    Fixed,
    Gear,
    Planar,
    PointOnLine,
    PointOnPlane,
    PositionMotor,
    Prismatic,
    RackAndPinion,
    Revolute,
    Rope,
    Screw,
    SpeedMotor,
    Spherical,
    Strength,
    TorqueMotor,
    Universal,
)

P = (0.3, -0.2, 0.5)
AXIS = (1.0, 2.0, -0.5)

SAMPLES: dict[str, Connection] = {
    "spherical": Spherical(0, 1, point=P),
    "spherical-soft": Spherical(0, 1, point=P, compliance=1e-4, damping=3.0),
    "revolute": Revolute(0, 1, point=P, axis=AXIS),
    "revolute-limits": Revolute(0, 1, point=P, axis=AXIS, limits=(-1.0, 2.0), friction=0.4),
    "revolute-motor": Revolute(0, 1, point=P, axis=AXIS, motor=SpeedMotor(speed=3.0, limit=2.0)),
    "prismatic": Prismatic(0, 1, point=P, axis=AXIS, limits=(-0.5, math.inf)),
    "prismatic-motor": Prismatic(
        0, 1, point=P, axis=AXIS, motor=PositionMotor(position=math.sin, stiffness=50.0)
    ),
    "cylindrical": Cylindrical(0, 1, point=P, axis=AXIS, motor=TorqueMotor(torque=1.0)),
    "universal": Universal(0, 1, point=P, axis_a=(1.0, 0.0, 1.0), axis_b=(0.0, 1.0, 0.0)),
    "planar": Planar(0, 1, point=P, normal=AXIS),
    "fixed": Fixed(0, 1, point=P),
    "fixed-soft": Fixed(0, 1, point=P, compliance=1e-3, angular_compliance=1e-2),
    "fixed-strength": Fixed(
        0, 1, point=P, strength=Strength(tension=3.0, bending=2.0, axis=AXIS), break_time=1e-2
    ),
    "distance": Distance(0, 1, point_a=P, point_b=(1.0, 0.0, 0.0)),
    "distance-driven": Distance(0, 1, point_a=P, point_b=(1.0, 0.0, 0.0), length=lambda t: 1 + t),
    "rope": Rope(0, 1, point_a=P, point_b=(1.0, 0.0, 0.0), length=2.0),
    "screw": Screw(0, 1, point=P, axis=AXIS, pitch=0.2),
    "gear-spur": Gear(
        0, 1, point_a=P, point_b=(1.3, -0.2, 0.5), axis_a=(0, 0, 1), axis_b=(0, 0, 1), ratio=-0.5
    ),
    "gear-bevel": Gear(
        0, 1, point_a=P, point_b=(1.3, -0.2, 1.5), axis_a=(0, 0, 1), axis_b=(1, 0, 0), ratio=2.0
    ),
    "rack": RackAndPinion(0, 1, point=P, axis=(0, 1, 0), pitch_point=(0.3, -0.2, 0.1)),
    "point-on-line": PointOnLine(0, 1, point=P, axis=AXIS, limits=(-1.0, 1.0), friction=2.0),
    "point-on-plane": PointOnPlane(0, 1, point=P, normal=AXIS),
    "linear-spring": LinearSpring(
        0, 1, point_a=P, point_b=(1.0, 0.0, 0.0), stiffness=100.0, damping=1.0
    ),
    "spring-of-no-length": LinearSpring(
        0, 1, point_a=P, point_b=(1.0, 0.0, 0.0), stiffness=100.0, length=0.0
    ),
    "torsion-spring": TorsionSpring(0, 1, axis=AXIS, stiffness=5.0, angle=0.5),
    "bushing": Bushing(0, 1, point=P, stiffness=(1e3, 2e3, 3e3), angular_damping=2.0),
}
