"""Shapes and materials as geoms of an MJCF file."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import ArrayLike

from amontons.interchange.robots.left_out import LeftOut
from amontons.interchange.robots.mechanism import Pose
from amontons.interchange.robots.outline import RobotBody
from amontons.model.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    HeightField,
    Plane,
    Shape,
    Sphere,
    TriangleMesh,
)
from amontons.model.shapes.compound import leaves
from amontons.model.shapes.hull import Polyhedron

DEPTH = 1.0
"""Depth of the solid below a height field, by the larger of its sides."""


def numbers(values: ArrayLike) -> str:
    """Numbers with all of their digits."""
    return " ".join(repr(each) for each in np.asarray(values, dtype=np.float64).ravel().tolist())


class ShapeWriting:
    """Geoms, and the assets that they need."""

    def __init__(self, assets: Element, left_out: LeftOut) -> None:
        self.assets, self.note = assets, left_out.add
        self.known: dict[int, tuple[str, Shape]] = {}

    def add_geoms(self, element: Element, node: RobotBody) -> None:
        """Add the shapes of a body, in the frame of its centre of mass."""
        body = node.body
        world, bodies = body.world, body.world.bodies
        origin = np.array(world.origins).reshape(-1, 3)[int(bodies.shape[body.index])]
        surface = self._surface(node)
        for leaf in leaves(body.shape):
            geom = self._geom(leaf.shape, node.name)
            if geom is None:
                continue
            place = Pose.of_quaternion(leaf.position, leaf.orientation)
            made = SubElement(element, "geom", geom)
            made.set("pos", numbers(place.point((0.0, 0.0, _floor_of(leaf.shape))) - origin))
            made.set("quat", numbers(place.quaternion))
            for name, value in surface.items():
                made.set(name, value)

    def _surface(self, node: RobotBody) -> dict[str, str]:
        """Friction and filters of a body's geoms."""
        body = node.body
        bodies, material = body.world.bodies, body.material
        mask, group = int(bodies.mask[body.index]), int(bodies.group[body.index])
        condim = 6 if material.rolling_friction else 4 if material.spinning_friction else 3
        lost = ("restitution", "cohesion", "rolling_resistance", "spinning_resistance")
        for name in lost:
            if getattr(material, name):
                self.note(f"{name.replace('_', ' ')} of materials", node.name)
        if material.compliance:
            self.note("compliance of materials: MuJoCo has solref and solimp", node.name)
        friction = (material.friction, material.spinning_friction, material.rolling_friction)
        return {
            "friction": numbers(friction),
            "condim": str(condim),
            "contype": str(_signed(group) if mask else 0),
            "conaffinity": str(_signed(mask) if group else 0),
        }

    def _geom(self, shape: Shape, name: str) -> dict[str, str] | None:
        """Type and size of a geom."""
        if isinstance(shape, Plane):
            return {"type": "plane", "size": "0 0 1"}
        if isinstance(shape, Sphere):
            return {"type": "sphere", "size": numbers([shape.radius])}
        if isinstance(shape, Box):
            return {"type": "box", "size": numbers(0.5 * np.array(shape.size))}
        if isinstance(shape, Capsule):
            return {"type": "capsule", "size": numbers([shape.radius, 0.5 * shape.length])}
        if isinstance(shape, Cylinder):
            return {"type": "cylinder", "size": numbers([shape.radius, 0.5 * shape.height])}
        if isinstance(shape, Ellipsoid):
            return {"type": "ellipsoid", "size": numbers(shape.semi_axes)}
        if isinstance(shape, HeightField):
            return self._height_field(shape)
        if isinstance(shape, Polyhedron | TriangleMesh):
            return self._mesh(shape, name)
        self.note(f"shapes that MJCF does not know ({type(shape).__name__})", name)
        return None

    def _mesh(self, shape: Polyhedron | TriangleMesh, name: str) -> dict[str, str]:
        if isinstance(shape, TriangleMesh):
            self.note("meshes that are not convex: MuJoCo takes their hulls", name)
        points = shape.corners if isinstance(shape, Polyhedron) else shape.vertices
        asset, new = self._asset(shape, "mesh")
        if new:
            SubElement(self.assets, "mesh", name=asset, vertex=numbers(points))
        return {"type": "mesh", "mesh": asset}

    def _height_field(self, shape: HeightField) -> dict[str, str]:
        """Heights from 0 to 1, times their range; the last row of the grid comes first."""
        heights = np.asarray(shape.heights)
        columns, rows = heights.shape
        low, top = _floor_of(shape), float(np.ptp(heights)) or 1.0
        x, y = (
            (n - 1) * each / 2.0 for n, each in zip((columns, rows), shape.spacing, strict=True)
        )
        asset, new = self._asset(shape, "heights")
        if new:
            SubElement(
                self.assets, "hfield", name=asset, nrow=str(rows), ncol=str(columns),
                size=numbers([x, y, top, DEPTH * max(x, y)]),
                elevation=numbers((heights.T[::-1] - low) / top),
            )  # fmt: skip
        return {"type": "hfield", "hfield": asset}

    def _asset(self, shape: Shape, kind: str) -> tuple[str, bool]:
        """The name of a shape's asset, and whether it is new."""
        if id(shape) in self.known:
            return self.known[id(shape)][0], False
        name = f"{kind} {len(self.known) + 1}"
        self.known[id(shape)] = name, shape
        return name, True


def _floor_of(shape: Shape) -> float:
    """Height where a field begins in MuJoCo: at its lowest point [m]."""
    return float(np.min(shape.heights)) if isinstance(shape, HeightField) else 0.0


def _signed(bits: int) -> int:
    """32 bits as MuJoCo counts them."""
    return bits - 2**32 if bits >= 2**31 else bits
