"""Shapes in scene files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amontons.checks.words import meant
from amontons.errors import InputError
from amontons.interchange.context import Known, Names
from amontons.interchange.hull_order import in_order, order_to_tell
from amontons.interchange.list_values import Array, Either, ListOf, Numbers
from amontons.interchange.records import REQUIRED, Field, Record, first_sentence, table
from amontons.interchange.source import Node
from amontons.interchange.values import Choice, Number, Schema, Text, Value, Whole
from amontons.model.shapes import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HeightField,
    Part,
    Plane,
    Shape,
    Sphere,
    TriangleMesh,
)
from amontons.model.shapes.compound import OVERLAPS

LENGTH = Number(above=0.0)
VECTOR = Numbers(3)


@dataclass(frozen=True)
class ShapeValue(Value):
    """A shape: the name of one under `shapes`, or one with its own kind and sizes."""

    @property
    def words(self) -> str:
        return "a shape, or the name of one"

    def read(self, node: Node, known: Known) -> Shape:
        if not isinstance(node.value, str):
            shape: Shape = SHAPES.read(node, known)
            return shape
        if node.value not in known.shapes:
            raise node.fault(
                f"there is no shape {node.value!r} under 'shapes'{meant(node.value, known.shapes)}"
            )
        return known.shapes[node.value]

    def write(self, value: Any, names: Names) -> Any:
        name = names.shapes.get(value)
        return SHAPES.write(value, names) if name is None else name

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "string"}, SHAPES.schema()]}


@dataclass(frozen=True)
class MeshFile(Value):
    """A file with triangles, relative to the scene file."""

    @property
    def words(self) -> str:
        return "file (STL, OBJ, PLY, ...)"

    def read(self, node: Node, known: Known) -> TriangleMesh:
        path = known.folder / Text().read(node, known)
        if not path.is_file():
            raise node.fault(f"there is no mesh file {str(path)!r}")
        with node.blamed():
            return TriangleMesh.load(path)

    def write(self, value: Any, names: Names) -> str:
        raise InputError("is a mesh file, which is written as vertices and faces")

    def schema(self) -> Schema:
        return Text().schema()


def _hull(
    points: Any = None,
    faces: Any = None,
    file: TriangleMesh | None = None,
    scale: float | None = None,
) -> ConvexHull:
    if (points is None) == (file is None):
        raise InputError("a hull needs either its points or a mesh file")
    if file is None:
        _no_scale(scale)
    hull = ConvexHull(points if file is None else (scale or 1.0) * file.vertices)
    return hull if faces is None else in_order(hull, faces)


def _hull_parts(hull: ConvexHull) -> Mapping[str, Any]:
    return {"points": hull.points, "faces": order_to_tell(hull)}


def _mesh(
    vertices: Any = None,
    faces: Any = None,
    file: TriangleMesh | None = None,
    scale: float | None = None,
) -> TriangleMesh:
    if file is not None:
        if vertices is not None or faces is not None:
            raise InputError("the mesh is given twice, by file and by vertices; keep one of them")
        return file if scale is None else file.scaled(scale)
    _no_scale(scale)
    if vertices is None or faces is None:
        raise InputError("a mesh needs a file, or vertices and faces")
    return TriangleMesh(vertices, faces)


def _no_scale(scale: float | None) -> None:
    if scale is not None:
        raise InputError("scale is for mesh files; leave it out")


def _named(*names: str) -> Any:
    """Takes these attributes of a shape."""

    def parts(shape: Any) -> Mapping[str, Any]:
        return {name: getattr(shape, name) for name in names}

    return parts


FILE = Field("file", MeshFile(), "a mesh file, found from the scene file's folder")
SCALE = Field("scale", LENGTH, "from the file's units to metres: 0.001 for millimetres")
POINTS = Field("points", Array(3, least=4), "at least four, not all in one plane [m]")
ORDER = Field(
    "faces",
    ListOf(ListOf(Whole(), least=3), least=4),
    "its faces as loops of points, where their order must match another run",
)
VERTICES = Field("vertices", Array(3, least=3), "[m]")
FACES = Field("faces", Array(3, whole=True), "three vertices a triangle, counted from 0")
TWO_LENGTHS = Either(LENGTH, Numbers(2, above=0.0), depth=1)

PART = Record.of(
    Part,
    "part of a compound",
    {"shape": ShapeValue(), "position": VECTOR, "orientation": Numbers(4)},
)

SHAPES = table(
    "shape",
    {
        Sphere: Record.of(Sphere, "sphere", {"radius": LENGTH}),
        Plane: Record.of(Plane, "plane", {"normal": VECTOR, "offset": Number()}),
        Box: Record.of(Box, "box", {"size": Numbers(3, above=0.0)}),
        Capsule: Record.of(Capsule, "capsule", {"radius": LENGTH, "length": LENGTH}),
        Cylinder: Record.of(Cylinder, "cylinder", {"radius": LENGTH, "height": LENGTH}),
        Cone: Record.of(Cone, "cone", {"radius": LENGTH, "height": LENGTH}),
        Ellipsoid: Record.of(Ellipsoid, "ellipsoid", {"semi_axes": Numbers(3, above=0.0)}),
        ConvexHull: Record(
            "hull",
            (POINTS, ORDER, FILE, SCALE),
            _hull,
            "The convex hull of points, or of a mesh file.",
            _hull_parts,
        ),
        TriangleMesh: Record(
            "mesh",
            (VERTICES, FACES, FILE, SCALE),
            _mesh,
            first_sentence(TriangleMesh),
            _named("vertices", "faces"),
        ),
        HeightField: Record(
            "height_field",
            (
                Field("heights", Array(0, least=2), "z over a grid in x and y [m]", REQUIRED),
                Field("spacing", TWO_LENGTHS, "between neighbouring points [m]"),
                Field("extent", TWO_LENGTHS, "of the whole grid, in place of the spacing [m]"),
            ),
            HeightField,
            first_sentence(HeightField),
            _named("heights", "spacing"),
        ),
        Compound: Record(
            "compound",
            (
                Field("parts", ListOf(PART), "shapes and where they stand", REQUIRED),
                Field(
                    "overlap", Choice(OVERLAPS), "what is in several parts: `union`, once", "sum"
                ),
                Field("solid", ShapeValue(), "whose mass it has in place of its parts'"),
            ),
            Compound,
            first_sentence(Compound),
            _named("parts", "overlap", "solid"),
        ),
    },
)
"""All shapes by their kinds in files."""
