"""Shapes: pieces of solid matter, with their mass properties and their surfaces."""

from amontons.model.shapes.base import MassProperties, Shape, ShapeRow
from amontons.model.shapes.box import Box
from amontons.model.shapes.build import build_table, sphere_table
from amontons.model.shapes.capsule import Capsule
from amontons.model.shapes.compound import Compound, Leaf, Part, leaves
from amontons.model.shapes.cone import Cone
from amontons.model.shapes.cylinder import Cylinder
from amontons.model.shapes.ellipsoid import Ellipsoid
from amontons.model.shapes.height_field import HeightField
from amontons.model.shapes.hull import ConvexHull, Polyhedron
from amontons.model.shapes.mesh import TriangleMesh
from amontons.model.shapes.plane import Plane
from amontons.model.shapes.sphere import Sphere
from amontons.model.shapes.table import ShapeKind

__all__ = [
    "Box",
    "Capsule",
    "Compound",
    "Cone",
    "ConvexHull",
    "Cylinder",
    "Ellipsoid",
    "HeightField",
    "Leaf",
    "MassProperties",
    "Part",
    "Plane",
    "Polyhedron",
    "Shape",
    "ShapeKind",
    "ShapeRow",
    "Sphere",
    "TriangleMesh",
    "build_table",
    "leaves",
    "sphere_table",
]
