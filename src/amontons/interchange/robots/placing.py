"""The initial pose of a robot, and which of its parts overlap from the start."""

from __future__ import annotations

import dataclasses

import numpy as np

from amontons.collision.detector import CollisionDetector
from amontons.interchange.robots.assembly import keep_apart
from amontons.interchange.robots.imported import Imported
from amontons.interchange.robots.left_out import LeftOut
from amontons.interchange.robots.mechanism import Mechanism, Pose
from amontons.model.shapes import Plane

CLEARANCE = 1e-3
"""Initial height above the floor [m]."""

TOUCHING = 1e-6
"""Overlap that counts as none [m]."""


def put_on_floor(mechanism: Mechanism) -> None:
    """Raise or lower a robot so that its lowest point is just above z = 0."""
    lowest = np.inf
    for link in mechanism.links:
        for piece in link.pieces:
            if piece.collides and not isinstance(piece.shape, Plane):
                down = piece.pose.rotation.T @ np.array([[0.0, 0.0, -1.0]]).T
                point = piece.shape.support(down.T)[0]
                lowest = min(lowest, float(piece.pose.point(point)[2]))
    if np.isfinite(lowest):
        move(mechanism, Pose(np.array([0.0, 0.0, CLEARANCE - lowest]), np.eye(3)))


def move(mechanism: Mechanism, to: Pose) -> None:
    """Move a whole mechanism by a pose: that of its frame in the world."""
    for link in mechanism.links:
        link.pose, link.centre = to.then(link.pose), to.point(link.centre)
        link.inertia = to.rotation @ link.inertia @ to.rotation.T
        link.pieces = [dataclasses.replace(each, pose=to.then(each.pose)) for each in link.pieces]
        link.axes = [
            dataclasses.replace(
                axis, point=to.point(axis.point), direction=to.rotation @ axis.direction
            )
            for axis in link.axes
        ]


def keep_overlaps_apart(imported: Imported) -> Imported:
    """Exclude contacts between bodies of a robot that overlap from the start, and list them.

    Links of a robot often reach into each other near their joints; contacts there would push
    them apart.
    """
    world = imported.world
    own = {body.id for body in imported.bodies.values()}
    joined = [joint.bodies for joint in world.joints if not joint.collide]
    pairs = [(world.index_of(a), world.index_of(b)) for a, b in joined if None not in (a, b)]
    bodies = world.bodies
    if len(bodies) < 2:
        return imported
    detector = CollisionDetector(
        [world.shapes[i] for i in bodies.shape], margin=0.0, fixed=~bodies.dynamic,
        groups=bodies.group, masks=bodies.mask, origin=np.array(world.origins)[bodies.shape],
        apart=np.array(pairs, dtype=np.int64).reshape(-1, 2),
    )  # fmt: skip
    contacts = detector.detect(bodies.position, bodies.orientation)
    deep = contacts.bodies[contacts.gaps < -TOUCHING]
    left_out = LeftOut()
    for one, other in sorted({(int(a), int(b)) for a, b in deep if a >= 0 and b >= 0}):
        a, b = (world.body(int(bodies.id[row])) for row in (one, other))
        if a.id in own and b.id in own:
            keep_apart(world, a, b)
            left_out.add("contacts of bodies that overlap at the start", f"{a.name} and {b.name}")
    return dataclasses.replace(imported, unsupported=(*imported.unsupported, *left_out.lines()))
