"""From a mechanism to the bodies and joints of a world."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.interchange.context import has_body
from amontons.interchange.robots.axes import add_axis
from amontons.interchange.robots.imported import Imported
from amontons.interchange.robots.mechanism import (
    Axis,
    Link,
    Mechanism,
    Piece,
    Pose,
    merged_inertia,
    steiner,
)
from amontons.model.bodies import Body
from amontons.model.joints import Connection, Rope
from amontons.model.shapes import Compound, Part, Plane, Shape, Sphere
from amontons.model.world import World

SHARE = 1e-3
"""Share of a body's mass that goes to each of the small bodies between its several axes."""

SLACK = 1e6
"""Length of a rope that is never taut [m]: its only purpose is to keep two bodies from colliding.
"""


@dataclass
class RigidLinks:
    """Links that move as one; the first carries the others."""

    links: list[Link]
    mass: float = 0.0
    centre: Floats = field(default_factory=lambda: np.zeros(3))
    inertia: Floats = field(default_factory=lambda: np.zeros((3, 3)))

    @property
    def head(self) -> Link:
        """The link that the axes belong to."""
        return self.links[0]


class RobotAssembly:
    """A world that grows by the links of a mechanism."""

    def __init__(self, mechanism: Mechanism, world: World) -> None:
        self.mechanism, self.world = mechanism, world
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Connection] = {}
        self.frames: dict[str, Pose] = {}
        self.grounded: set[str] = set()

    def build(self, configuration: dict[str, float], step: float) -> Imported:
        """Add all bodies and joints."""
        ground, moving = grouped(self.mechanism.links)
        for group in moving:
            if group.mass <= 0.0:
                raise InputError(
                    f"{self.mechanism.path}: link {group.head.name!r} moves, but has no mass; give "
                    "it a mass and an inertia, or fix it to another link"
                )
            self._note_bare_inertias(group.links, "added to those of the bodies they are fixed to")
        self._note_bare_inertias(ground, "left out, as these links are fixed in the world")
        for link in ground:
            self._add_fixed(link)
        for group in moving:
            self._add_moving(group)
        for one, other in self.mechanism.apart:
            keep_apart(self.world, self.bodies.get(one), self.bodies.get(other))
        return Imported(
            self.world, self.mechanism.name, self.bodies, self.joints, configuration,
            tuple(self.mechanism.left_out.lines()), step, self.frames,
        )  # fmt: skip

    def _note_bare_inertias(self, links: list[Link], what: str) -> None:
        for link in links:
            if link.mass == 0.0 and link.inertia.any():
                self.mechanism.left_out.add(f"inertias without a mass: {what}", link.name)

    # -- bodies -----------------------------------------------------------------------------------

    def _add_fixed(self, link: Link) -> None:
        """Fixed bodies: one for each plane, and one for all other shapes of a link."""
        self.grounded.add(link.name)
        planes = [piece for piece in link.pieces if isinstance(piece.shape, Plane)]
        solid = [piece for piece in link.pieces if not isinstance(piece.shape, Plane)]
        mask = link.mask if any(piece.collides for piece in link.pieces) else 0
        common = {"fixed": True, "material": link.material, "group": link.group, "mask": mask}
        for piece in planes:
            name = link.name if link.name not in self.bodies and not solid else ""
            body = self.world.add_body(
                piece.shape, position=piece.pose.position, name=self._free_name(name),
                orientation=piece.pose.quaternion, **common,
            )  # fmt: skip
            self._register(link, body, piece.pose)
        if solid:
            body = self.world.add_body(
                whole(solid, link.pose), position=link.pose.position, placed_by="frame",
                orientation=link.pose.quaternion, name=self._free_name(link.name), **common,
            )  # fmt: skip
            self._register(link, body, Pose(body.position, link.pose.rotation))

    def add_floor(self) -> None:
        """A plane at z = 0."""
        self.world.add_body(Plane(), fixed=True, name=self._free_name("floor"))

    def _free_name(self, name: str) -> str:
        """A name that is not yet taken."""
        if not name or not has_body(self.world, name):
            return name
        numbered = (f"{name} {i}" for i in itertools.count(2))
        return next(other for other in numbered if not has_body(self.world, other))

    def _register(self, link: Link, body: Body, frame: Pose) -> None:
        self.bodies.setdefault(link.name, body)
        self.frames.setdefault(link.name, link.pose.seen_from(frame))

    def _add_moving(self, group: RigidLinks) -> None:
        head = group.head
        between = head.axes[:-1]
        mass, centre, inertia, small = shared_out(group, [axis.point for axis in between])
        body = self._add_body(group, mass, centre, inertia)
        frame = Pose(body.position, head.pose.rotation)
        for link in group.links:
            self._register(link, body, frame)
        carrier = self._carrier(head)
        last = carrier
        for number, axis in enumerate(between):
            name = self._free_name(f"{head.name} after {axis.name or number}")
            joint_body = self.world.add_body(
                Sphere(ball_radius(*small)), mass=small[0], inertia=(small[1],) * 3,
                position=axis.point, orientation=body.orientation, mask=0, name=name,
            )  # fmt: skip
            self._add_axis(axis, last, joint_body)
            last = joint_body
        if head.axes:
            self._add_axis(head.axes[-1], last, body)
        if between:
            keep_apart(self.world, carrier, body)

    def _add_body(self, group: RigidLinks, mass: float, centre: Floats, inertia: Floats) -> Body:
        head = group.head
        pieces = [piece for link in group.links for piece in link.pieces]
        colliding = [piece for piece in pieces if piece.collides]
        drawn = colliding or pieces
        inside = head.pose.rotation.T @ (centre - head.pose.position)
        local = head.pose.rotation.T @ inertia @ head.pose.rotation
        radius = ball_radius(mass, float(np.trace(local)) / 3.0)
        shape = whole(drawn, head.pose) if drawn else Compound([(Sphere(radius), inside)])
        surface = self._surface(group)
        try:
            return self.world.add_body(
                shape, mass=mass, inertia=0.5 * (local + local.T), centre=inside,
                position=centre, orientation=head.pose.quaternion, material=surface.material,
                name=self._free_name(head.name), group=surface.group,
                mask=surface.mask if colliding else 0,
            )  # fmt: skip
        except InputError as reason:
            raise InputError(f"{self.mechanism.path}, link {head.name!r}: {reason}") from None

    def _surface(self, group: RigidLinks) -> Link:
        """The link whose material and collision groups apply to all that move with it."""
        touching = [
            link for link in group.links if any(piece.collides for piece in link.pieces)
        ] or group.links
        said = {(link.material, link.group, link.mask) for link in touching}
        if len(said) > 1:
            self.mechanism.left_out.add(
                "friction or collision filters that differ within a body: the first are used",
                group.head.name,
            )
        return touching[0]

    def _carrier(self, link: Link) -> Body | None:
        """The body that a link's first axis is fixed in; None is the world."""
        if link.parent is None:
            return None
        if link.parent in self.grounded and self.mechanism.ground_collides:
            return None
        return self.bodies.get(link.parent)

    # -- joints -----------------------------------------------------------------------------------

    def _add_axis(self, axis: Axis, carrier: Body | None, body: Body) -> None:
        try:
            joint = add_axis(self.world, axis, carrier, body, self.mechanism.left_out)
        except InputError as reason:
            raise InputError(f"{self.mechanism.path}, joint {axis.name!r}: {reason}") from None
        self.joints[axis.name] = joint


def keep_apart(world: World, one: Body | None, other: Body | None) -> None:
    """Let two bodies not collide, by a rope that is never taut."""
    if one is None or other is None or one == other:
        return
    dynamic = world.bodies.dynamic
    if not (dynamic[one.index] or dynamic[other.index]):
        return
    pair = {one.id, other.id}
    if any(pair == set(joint.bodies) and not joint.collide for joint in world.joints):
        return
    ends: Any = {"point_a": one.position, "point_b": other.position}
    name = f"no contact: {one.name}, {other.name}"
    world.add_joint(Rope(one, other, length=SLACK, name=name, **ends))


def grouped(links: list[Link]) -> tuple[list[Link], list[RigidLinks]]:
    """Links that are fixed in the world, and groups of those that move as one."""
    ground: list[Link] = []
    groups: dict[str, RigidLinks] = {}
    still: set[str | None] = {None}
    for link in links:
        if link.axes or link.free:
            groups[link.name] = RigidLinks([link])
        elif link.parent in still:
            still.add(link.name)
            ground.append(link)
        else:
            assert link.parent is not None
            groups[link.name] = groups[link.parent]
            groups[link.name].links.append(link)
    moving = list({id(group): group for group in groups.values()}.values())
    for group in moving:
        parts = [(link.mass, link.centre, link.inertia) for link in group.links]
        group.mass, group.centre, group.inertia = merged_inertia(parts)
    return ground, moving


def shared_out(
    group: RigidLinks, points: list[Floats]
) -> tuple[float, Floats, Floats, tuple[float, float]]:
    """A body's mass properties less those of small bodies at some points [m], and one of these.

    Together they weigh what the body weighed, with the same centre and inertia.
    """
    mass, centre, inertia = group.mass, group.centre, group.inertia
    share = SHARE
    while True:
        small = share * mass, share * float(np.linalg.eigvalsh(inertia)[0])
        rest = mass - len(points) * small[0]
        taken = sum((small[0] * (point - centre) for point in points), np.zeros(3))
        shift = -taken / rest
        left = inertia - rest * steiner(shift)
        for point in points:
            left = left - small[1] * np.eye(3) - small[0] * steiner(point - centre)
        low, middle, high = np.linalg.eigvalsh(left)
        if not points or (low > 0.0 and high <= low + middle) or share < 1e-9:
            return rest, centre + shift, left, small
        share *= 0.1


def ball_radius(mass: float, inertia: float) -> float:
    """Radius of a ball of that mass [kg] and inertia [kg m²], to draw it by [m]."""
    return math.sqrt(2.5 * inertia / mass)


def whole(pieces: list[Piece], frame: Pose) -> Shape:
    """One shape of several, in a link's frame."""
    placed = [(piece.shape, piece.pose.seen_from(frame)) for piece in pieces]
    if len(placed) == 1:
        shape, pose = placed[0]
        if not pose.position.any() and (pose.rotation == np.eye(3)).all():
            return shape
    return Compound([_part(shape, pose) for shape, pose in placed])


def _part(shape: Shape, pose: Pose) -> Part:
    position: Any = tuple(pose.position.tolist())
    orientation: Any = tuple(pose.quaternion.tolist())
    return Part(shape, position, orientation)
