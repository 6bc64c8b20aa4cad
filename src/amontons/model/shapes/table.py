"""Shapes in the form for collision kernels: one table for all the shapes of a world.

Frames: a shape's own frame is where its numbers are given. Primitives have their centre of mass at
its origin; capsules, cylinders and cones stand along z, a cone with its tip up.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats, Ints


class ShapeKind(IntEnum):
    """How a shape's numbers are read. A pair of parts is always taken in this order."""

    PLANE = 0  # half-space n·p ≤ offset; size = (n, offset)
    MESH = 1  # one-sided triangles, height fields included; size = (1 if closed, 0, 0, 0)
    SPHERE = 2  # size = (radius, 0, 0, 0)
    CAPSULE = 3  # size = (radius, half length of its segment along z, 0, 0)
    BOX = 4  # size = (half extents, 0)
    CYLINDER = 5  # size = (radius, half height along z, 0, 0)
    CONE = 6  # size = (radius of the base, height, 0, 0); base at z = −h/4, tip at z = 3h/4
    ELLIPSOID = 7  # size = (semi-axes, 0)
    HULL = 8  # convex polyhedron; vertices and faces in the table's arrays; no size


# Numba folds plain integers into its code; an enum's members it would look up.
PLANE, MESH, SPHERE, CAPSULE, BOX, CYLINDER, CONE, ELLIPSOID, HULL = (int(k) for k in ShapeKind)
TRIANGLE = 9  # one triangle of a mesh, in contact with a convex shape; never in the table


class ShapeArrays(NamedTuple):
    """All shapes of a world; row s of the first five arrays is shape s.

    `data` says where a hull or mesh has its share of the arrays below: first point, points, first
    face, faces, first node, nodes. A hull's face f has the vertices
    `corner[face_start[f] : face_start[f + 1]]`, counted within the hull, counter-clockwise seen
    from outside. A mesh's face is the same with three corners. Neighbours of a face are in step
    with its corners: `neighbour[k]` is the face beyond the edge from `corner[k]` to the next,
    counted within the shape, or −1. `face_start` and `node_link` count through the whole table;
    corners, neighbours and `node_face` within their own shape.
    """

    kind: NDArray[np.uint8]  # ShapeKind
    size: Floats  # (shapes, 4)
    middle: Floats  # centre of the bounding box in the shape's frame [m], (shapes, 3)
    half: Floats  # half extents of that box [m], infinite for a plane, (shapes, 3)
    data: Ints  # (shapes, 6)
    point: Floats  # vertices in the frames of their shapes [m], (points, 3)
    face_start: Ints  # first corner of each face, and the end of the last, (faces + 1,)
    corner: Ints  # (corners,)
    neighbour: Ints  # (corners,)
    plane: Floats  # outward normal and offset n·p of each face, (faces, 4)
    edge_kind: NDArray[np.uint8]  # of meshes, per corner: 0 flat or concave, 1 convex or border
    node_box: Floats  # bounding volume hierarchy of each mesh: low and high corners, (nodes, 6)
    node_link: Ints  # two children, or −1 − first and the end of a leaf's entries, (nodes, 2)
    node_face: Ints  # faces of leaves, counted within the mesh, (leaf entries,)
