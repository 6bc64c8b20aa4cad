"""Geoms of MJCF as shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from amontons.errors import InputError
from amontons.interchange.robots.left_out import LeftOut
from amontons.interchange.robots.mechanism import Piece, Pose
from amontons.interchange.robots.mjcf_names import body_name, geom_name
from amontons.model.shapes import (
    Box,
    Capsule,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HeightField,
    Plane,
    Shape,
    Sphere,
)


def pieces_of(mujoco: Any, model: Any, data: Any, body: int, left_out: LeftOut) -> list[Piece]:
    """Shapes of a body: those that collide, or all if none does."""
    first, number = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    pieces = []
    for geom in range(first, first + number):
        name = geom_name(model, geom)
        shape = _shape(mujoco, model, geom, name, left_out)
        if shape is None:
            continue
        collides = bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
        pose = Pose(data.geom_xpos[geom].copy(), data.geom_xmat[geom].reshape(3, 3).copy())
        pieces.append(Piece(shape, pose, collides))
    solid = [piece for piece in pieces if piece.collides]
    if solid and len(solid) < len(pieces):
        left_out.add(
            "visual geometry of bodies that have collision geometry", body_name(model, body)
        )
    return solid or [piece for piece in pieces if not isinstance(piece.shape, Plane)]


def _shape(mujoco: Any, model: Any, geom: int, name: str, left_out: LeftOut) -> Shape | None:
    kinds, size = mujoco.mjtGeom, [float(each) for each in model.geom_size[geom]]
    kind = model.geom_type[geom]
    if kind == kinds.mjGEOM_PLANE:
        return Plane()
    if kind == kinds.mjGEOM_SPHERE:
        return Sphere(size[0])
    if kind == kinds.mjGEOM_CAPSULE:
        return Capsule(size[0], 2.0 * size[1])
    if kind == kinds.mjGEOM_CYLINDER:
        return Cylinder(size[0], 2.0 * size[1])
    if kind == kinds.mjGEOM_ELLIPSOID:
        return Ellipsoid((size[0], size[1], size[2]))
    if kind == kinds.mjGEOM_BOX:
        return Box((2.0 * size[0], 2.0 * size[1], 2.0 * size[2]))
    number = int(model.geom_dataid[geom])
    if kind == kinds.mjGEOM_MESH:
        return _hull(model, number, name, left_out)
    if kind == kinds.mjGEOM_HFIELD:
        return _height_field(model, number)
    left_out.add("geoms that are signed distance fields or the like", name)
    return None


def _hull(model: Any, mesh: int, name: str, left_out: LeftOut) -> Shape | None:
    """The convex hull, which is what collides in MuJoCo as well."""
    first, number = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    try:
        return ConvexHull(model.mesh_vert[first : first + number].astype(np.float64))
    except InputError:
        left_out.add("meshes that are flat", name)
        return None


def _height_field(model: Any, number: int) -> HeightField:
    rows, columns = int(model.hfield_nrow[number]), int(model.hfield_ncol[number])
    first = int(model.hfield_adr[number])
    x, y, top, _ = (float(each) for each in model.hfield_size[number])
    heights = model.hfield_data[first : first + rows * columns].reshape(rows, columns)
    return HeightField(top * heights.T.astype(np.float64), extent=(2.0 * x, 2.0 * y))
