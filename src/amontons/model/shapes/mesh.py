"""Triangle meshes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Self
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Floats, Ints
from amontons.checks import points_array, positive
from amontons.errors import InputError
from amontons.model.shapes.base import Faces, ShapeRow
from amontons.model.shapes.crossing import first_crossing
from amontons.model.shapes.faceted import Faceted
from amontons.model.shapes.mesh_faces import merged_vertices, mesh_faces, triangle_array
from amontons.model.shapes.orientation import oriented, shared_edges
from amontons.model.shapes.surfaces import enclosed
from amontons.model.shapes.table import ShapeKind
from amontons.model.shapes.tree import BoxTree

if TYPE_CHECKING:
    from amontons.model.shapes.compound import Compound


@dataclass(frozen=True, init=False, eq=False, repr=False)
class TriangleMesh(Faceted):
    """Triangles that are solid from their front: from where their corners go counter-clockwise.

    Vertices at the very same place are merged, those not in use dropped. Triangles that face the
    other way than those around them are turned; a closed mesh is turned to face outwards. Only a
    closed mesh that does not cross itself has a volume, so that it may move freely; one that is
    open is for bodies that are fixed or have a motion.

    Parameters
    ----------
    vertices:
        [m], shape (n, 3)
    faces:
        Three vertices per triangle, counted from 0, shape (m, 3)
    """

    kind = ShapeKind.MESH

    vertices: Floats
    faces: Ints

    def __init__(self, vertices: ArrayLike, faces: ArrayLike) -> None:
        points = points_array("vertices", vertices)
        triangles = triangle_array(points, faces)
        points, triangles = merged_vertices(points, triangles)
        triangles = oriented(points, triangles)
        points.flags.writeable = triangles.flags.writeable = False
        object.__setattr__(self, "vertices", points)
        object.__setattr__(self, "faces", triangles)

    @classmethod
    def load(cls, path: str | PathLike[str], *, scale: float = 1.0) -> Self:
        """Read a mesh file (STL, OBJ, PLY, …) with trimesh; pip install amontons[meshes].

        `scale` takes the units of the file to metres: 0.001 for millimetres.
        """
        from amontons.model.shapes.mesh_files import read_mesh

        vertices, faces = read_mesh(path)
        return cls(positive("scale", scale) * vertices, faces)

    def decompose(
        self, *, threshold: float = 0.05, most_parts: int | None = None, **options: Any
    ) -> Compound:
        """A compound of convex hulls that fills nearly the same space (CoACD).

        Parameters
        ----------
        threshold:
            Concavity that a part may keep, from 0.01 (fine) to 1 (coarse).
        most_parts:
            Number of hulls at most.
        options:
            Further arguments of `coacd.run_coacd`.
        """
        from amontons.model.shapes.decomposition import decomposed

        return decomposed(self, threshold, most_parts, options)

    @property
    def closed(self) -> bool:
        """Whether every edge is shared by exactly two triangles."""
        return bool((shared_edges(self.faces)[1] == 2).all())

    @cached_property
    def polygons(self) -> Faces:
        """The triangles, and a tree of boxes over them."""
        return mesh_faces(self.vertices, self.faces)

    @cached_property
    def _enclosed(self) -> tuple[float, Floats, Floats]:
        self._refuse_open()
        entries = self.polygons
        tree = BoxTree(entries.node_box, entries.node_link, entries.node_face)
        crossing = first_crossing(self.vertices, self.faces, tree)
        if crossing is not None:
            raise InputError(
                f"the mesh crosses itself: triangle {crossing[0]} passes through triangle "
                f"{crossing[1]}, so its volume has no meaning; mend it, or take its convex hull "
                "(ConvexHull.from_mesh) or its convex parts (decompose)"
            )
        return enclosed(self.vertices, self.faces)

    def _refuse_open(self) -> None:
        edges, triangles = shared_edges(self.faces)
        wrong = triangles != 2
        if not wrong.any():
            return
        first = int(np.argmax(wrong))
        one, other = edges[first].tolist()
        raise InputError(
            f"the mesh is not closed, so it has no volume: {wrong.sum()} edges, that between "
            f"vertices {one} and {other} first, belong to {triangles[first]} triangles, not 2. "
            "A body that is fixed or has a motion can have it; or take its convex hull "
            "(ConvexHull.from_mesh)"
        )

    def encode(self) -> ShapeRow:
        return super().encode()._replace(size=(1.0 if self.closed else 0.0, 0.0, 0.0, 0.0))

    @property
    def _points(self) -> Floats:
        return self.vertices

    def surface_mesh(self, resolution: int = 32) -> tuple[Floats, Ints]:
        return self.vertices.copy(), self.faces.copy()

    def scaled(self, factor: float) -> Self:
        return type(self)(positive("factor", factor) * self.vertices, self.faces)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return np.array_equal(self.vertices, other.vertices) and np.array_equal(
            self.faces, other.faces
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Not Python's own hash of bytes: that differs from process to process.
        return hash((crc32(self.vertices.tobytes()), crc32(self.faces.tobytes())))

    def __repr__(self) -> str:
        low, high = self.bounds
        size = " × ".join(f"{length:.4g}" for length in high - low)
        return f"TriangleMesh({len(self.vertices)} vertices, {len(self.faces)} triangles, {size} m)"
