"""The contract of a shape: small named checks, each of which raises `ContractError` if it fails.

A shape describes the same solid several times: in closed forms, as a surface, and as a row of
numbers for collision kernels. The checks compare these with each other.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.model.shapes import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Ellipsoid,
    Shape,
    Sphere,
    build_table,
    leaves,
)
from amontons.model.shapes.base import Faces, ShapeRow
from amontons.model.shapes.surfaces import enclosed
from amontons.model.shapes.table import ShapeKind
from amontons.testing.judging import EXACT, NamedCheck, expect, fail, named_checks, refused

Check = Callable[[Shape], None]

FINE = 128
"""Resolution of the surfaces that the checks measure."""

COARSE = 4e-3
"""Largest distance of a surface of that resolution from the true one, relative to the size."""

CLOSE = 1e-5
"""Relative error of what is extrapolated from two resolutions."""


def check_shape(shape: Shape) -> None:
    """Run every check of the contract on a shape; raise `ContractError` at the first that fails.

    Try several: thin and thick ones, small and large ones.
    """
    for _, check in shape_checks(shape):
        check()


def shape_checks(shape: Shape) -> Iterator[NamedCheck]:
    """Name and check, one by one, for `pytest.mark.parametrize`."""
    return named_checks(SHAPE_CHECKS, shape)


# -- helpers of the checks -------------------------------------------------------------------------


def _is_plane(shape: Shape) -> bool:
    return not isinstance(shape, Compound) and shape.encode().kind is ShapeKind.PLANE


def _has_volume(shape: Shape) -> bool:
    try:
        return shape.volume > 0.0
    except InputError:
        return False


def _size(shape: Shape) -> float:
    """Longest side of the bounding box [m], slightly more if far from the origin.

    The addition allows for rounding: 1e-9 of it is a few rounding errors of the farthest point.
    """
    low, high = shape.bounds
    return float((high - low).max() + 1e-6 * np.maximum(np.abs(low), np.abs(high)).max())


def _directions(number: int = 200) -> Floats:
    """The axes both ways, diagonals, and directions all over the sphere, not all of unit length."""
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 0, 1) for z in (-1, 1)])
    spread = np.random.default_rng(0).normal(size=(number, 3))
    return np.concatenate([axes, corners, spread])


def _heights(shape: Shape, directions: Floats) -> Floats:
    """How far the shape reaches along each direction."""
    return np.asarray(np.einsum("ij,ij->i", shape.support(directions), directions))


def _near(found: object, right: object, tolerance: float, what: str, scale: float = 0.0) -> None:
    """Arrays agree, relative to the largest entry of the right one or to a scale."""
    found, right = np.asarray(found, dtype=float), np.asarray(right, dtype=float)
    expect(found.shape == right.shape, f"{what} has shape {found.shape}, not {right.shape}")
    error = np.abs(found - right).max(initial=0.0)
    expect(
        bool(error <= tolerance * np.abs(right).max(initial=scale)),
        f"{what} is {found.tolist()}, but {right.tolist()} was expected",
    )


# -- the checks -----------------------------------------------------------------------------------


def check_shape_never_changes(shape: Shape) -> None:
    """Attributes cannot be set."""
    for name in ("volume", *vars(shape)):
        try:
            setattr(shape, name, getattr(shape, name, None))
        except (AttributeError, InputError):
            continue
        fail(f"{name} can be changed; make the class a frozen dataclass")


def check_equality_and_repr(shape: Shape) -> None:
    """Equal by value, hashable, picklable; a short repr that names the class."""
    twin = pickle.loads(pickle.dumps(shape))
    expect(twin == shape, "a pickled copy is not equal to the shape")
    expect(hash(twin) == hash(shape), "equal shapes have different hashes")
    stranger: object = "shape"
    expect(shape != stranger, "a shape is equal to a string")
    text = repr(shape)
    expect(type(shape).__name__ in text, f"repr {text!r} does not name the class")
    expect(len(text) <= 1000, f"repr has {len(text)} characters: sum large arrays up")
    if not _is_plane(shape):
        expect(shape != shape.scaled(2.0), "a shape is equal to one twice as large")


def check_surface_mesh(shape: Shape) -> None:
    """Finite vertices, valid triangles, closed if there is a volume."""
    vertices, triangles = shape.surface_mesh(FINE)
    expect(vertices.ndim == 2 and vertices.shape[1] == 3, "vertices must have shape (n, 3)")
    expect(triangles.ndim == 2 and triangles.shape[1] == 3, "triangles must have shape (m, 3)")
    expect(bool(np.isfinite(vertices).all()), "a vertex of the surface is not finite")
    expect(np.issubdtype(triangles.dtype, np.integer), "triangles must be whole numbers")
    expect(
        bool((triangles >= 0).all() and (triangles < len(vertices)).all()),
        "a triangle of the surface has a vertex that does not exist",
    )
    if not _has_volume(shape):
        return
    edges = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    walked = {(a, b) for a, b in edges.tolist()}
    expect(
        len(walked) == len(edges),
        "two triangles traverse an edge of the surface in the same direction",
    )
    expect(all((b, a) in walked for a, b in walked), "the surface mesh is not closed")


def check_bounds(shape: Shape) -> None:
    """The bounding box contains the surface and touches it on all six sides."""
    low, high = shape.bounds
    expect(low.shape == high.shape == (3,), "bounds must be two arrays of shape (3,)")
    if _is_plane(shape):
        return
    size = _size(shape)
    expect(bool(size > 0.0), f"the bounding box from {low} to {high} has no size")
    vertices, _ = shape.surface_mesh(FINE)
    for bound, reached in ((low, vertices.min(axis=0)), (high, vertices.max(axis=0))):
        expect(
            bool((np.abs(bound - reached) <= COARSE * size).all()),
            f"the surface reaches {reached}, the bounding box {bound}",
        )
    outside = max((low - vertices).max(), (vertices - high).max())
    expect(bool(outside <= EXACT * size), f"the surface leaves the bounding box by {outside:g} m")
    axes = np.eye(3)
    _near(_heights(shape, axes), high, EXACT, "reach along the axes", scale=size)
    _near(-_heights(shape, -axes), low, EXACT, "reach against the axes", scale=size)


def check_support(shape: Shape) -> None:
    """Support points belong to the shape, and no point of the surface is farther along."""
    if _is_plane(shape):
        return
    directions, size = _directions(), _size(shape)
    points = shape.support(directions)
    expect(points.shape == directions.shape, "support must give one point per direction")
    length = np.linalg.norm(directions, axis=1)
    reach = np.einsum("ij,ij->i", points, directions) / length
    vertices, _ = shape.surface_mesh(FINE)
    surface = (directions @ vertices.T).max(axis=1) / length
    worst = int(np.argmax(np.abs(reach - surface)))
    expect(
        bool((reach >= surface - EXACT * size).all() and (reach <= surface + COARSE * size).all()),
        f"along {directions[worst]} support reaches {reach[worst]:g} m, "
        f"the surface {surface[worst]:g} m",
    )
    beyond = (directions @ points.T / length[:, None] - reach[:, None]).max()
    expect(bool(beyond <= EXACT * size), f"a support point lies {beyond:g} m outside of the shape")
    _near(shape.support(1e-3 * directions), points, EXACT, "support along shorter directions")
    expect(
        bool(np.isfinite(shape.support(np.zeros((1, 3)))).all()), "support along 0 is not finite"
    )
    refused(lambda: shape.support([[np.nan, 0.0, 1.0]]), "support along NaN")


def check_mass_properties(shape: Shape) -> None:
    """Volume, centre and inertia are those of the solid that the surface encloses."""
    if not _has_volume(shape):
        for name in ("volume", "centre"):
            refused(partial(getattr, shape, name), f"{name} of a shape without volume")
        refused(shape.inertia, "inertia of a shape without volume")
        refused(lambda: shape.mass_properties(1000.0), "mass of a shape without volume")
        return
    half, full = (enclosed(*shape.surface_mesh(number)) for number in (FINE // 2, FINE))
    # The error of flat triangles falls with the square of their size.
    volume = (4 * full[0] - half[0]) / 3
    centre, inertia = (4 * full[1] - half[1]) / 3, (4 * full[2] - half[2]) / 3
    _near(shape.volume, volume, CLOSE, "volume")
    _near(shape.centre, centre, CLOSE, "centre", scale=_size(shape))
    _near(shape.inertia(), inertia, CLOSE, "inertia")
    moments = np.linalg.eigvalsh(shape.inertia())
    expect(bool(moments[0] > 0), "the inertia is not positive definite")
    expect(bool(moments[0] + moments[1] >= moments[2] * (1 - EXACT)), "no body has this inertia")
    mass, at, about = shape.mass_properties(2500.0)
    _near(mass, 2500.0 * shape.volume, EXACT, "mass")
    _near(at, shape.centre, EXACT, "centre of mass_properties")
    _near(about, 2500.0 * shape.inertia(), EXACT, "inertia of mass_properties")
    for wrong in (0.0, -1.0, np.nan, np.inf):
        refused(partial(shape.mass_properties, wrong), f"a density of {wrong}")


def check_scaling(shape: Shape) -> None:
    """Lengths grow with the factor, volume with its cube, inertia with its fifth power."""
    for factor in (0.01, 1.0, 3.0):
        scaled = shape.scaled(factor)
        expect(type(scaled) is type(shape), "scaled() gives another class")
        if _has_volume(shape):
            _near(scaled.volume, factor**3 * shape.volume, EXACT, "volume of a scaled shape")
            _near(scaled.inertia(), factor**5 * shape.inertia(), EXACT, "inertia, scaled")
        if not _is_plane(shape):
            _near(scaled.bounds, factor * np.array(shape.bounds), EXACT, "bounds, scaled")
    for wrong in (0.0, -1.0, np.nan, np.inf):
        refused(partial(shape.scaled, wrong), f"a scale of {wrong}")


def check_row_of_the_table(shape: Shape) -> None:
    """The numbers that collision kernels see describe the same solid."""
    for leaf in leaves(shape):
        _check_row(leaf.shape)


def _check_row(shape: Shape) -> None:
    row = shape.encode()
    expect(row.kind in list(ShapeKind), f"{row.kind!r} is not a ShapeKind")
    table = build_table([Sphere(1.0), shape, shape])
    for i in (1, 2):
        _near(table.size[i], row.size, 0.0, "size in the table")
        expect(bool(table.kind[i] == row.kind), "the table has another kind")
    expect((row.faces is not None) == (row.kind in FACETED), "hulls and meshes alone have faces")
    if row.kind is ShapeKind.PLANE:
        expect(bool(np.isinf(row.half).all()), "a plane's bounding box has no end")
        _near(np.linalg.norm(row.size[:3]), 1.0, EXACT, "length of the normal")
        return
    size = _size(shape)
    box = np.array([np.subtract(row.middle, row.half), np.add(row.middle, row.half)])
    error = np.abs(box - np.array(shape.bounds)).max()
    expect(bool(error <= EXACT * size), f"the row's box is {box.tolist()}, not {shape.bounds}")
    directions = _directions()
    error = np.abs(_heights(shape, directions) - _row_heights(row, directions)).max()
    expect(bool(error <= 1e-8 * size), f"kind and size describe another solid: {error:g} m off")
    if row.faces is not None:
        _check_faces(row.faces, size, solid=row.kind is ShapeKind.HULL)


FACETED = (ShapeKind.HULL, ShapeKind.MESH)

STANDARD: dict[ShapeKind, Callable[..., Shape]] = {
    ShapeKind.SPHERE: lambda r, *_: Sphere(r),
    ShapeKind.CAPSULE: lambda r, half, *_: Capsule(r, 2 * half),
    ShapeKind.BOX: lambda x, y, z, _: Box((2 * x, 2 * y, 2 * z)),
    ShapeKind.CYLINDER: lambda r, half, *_: Cylinder(r, 2 * half),
    ShapeKind.CONE: lambda r, h, *_: Cone(r, h),
    ShapeKind.ELLIPSOID: lambda a, b, c, _: Ellipsoid((a, b, c)),
}
"""The shape that kernels take a row of each kind for."""


def _row_heights(row: ShapeRow, directions: Floats) -> Floats:
    """How far the solid that a row describes reaches along each direction."""
    if row.faces is not None:
        return np.asarray((directions @ row.faces.point.T).max(axis=1))
    return _heights(STANDARD[row.kind](*row.size), directions)


def _check_faces(faces: Faces, size: float, *, solid: bool) -> None:
    """Faces point outwards, neighbours refer to each other, leaves hold every triangle once."""
    start, corner, plane = faces.face_start, faces.corner, faces.plane
    walked = {}
    for face in range(len(start) - 1):
        loop = corner[start[face] : start[face + 1]].tolist()
        expect(len(set(loop)) == len(loop) >= 3, f"face {face} is not a polygon: {loop}")
        around = faces.point[loop]
        turn = np.cross(around[1:-1] - around[0], around[2:] - around[0]).sum(axis=0)
        expect(bool(turn @ plane[face, :3] > 0), f"face {face} goes round the wrong way")
        away = np.abs(around @ plane[face, :3] - plane[face, 3]).max()
        expect(bool(away <= 1e-8 * size), f"face {face} is {away:g} m out of its plane")
        for k, vertex in enumerate(loop):
            walked[face, vertex, loop[(k + 1) % len(loop)]] = int(faces.neighbour[start[face] + k])
    for (face, here, there), other in walked.items():
        back = other == -1 or walked.get((other, there, here)) == face
        expect(back, f"face {other} is not a neighbour of face {face}")
    if solid:
        expect(-1 not in walked.values(), "a hull's face has no neighbour")
        above = (faces.point @ plane[:, :3].T - plane[:, 3]).max()
        expect(bool(above <= 1e-8 * size), f"a vertex is {above:g} m outside of a face")
        euler = len(faces.point) - len(corner) / 2 + len(start) - 1
        expect(euler == 2, f"vertices − edges + faces is {euler}, not 2")
    else:
        _check_tree(faces)


def _check_tree(faces: Faces) -> None:
    """Every triangle is in one leaf, and in the boxes of all nodes above it."""
    expect(len(faces.node_box) >= 1, "a mesh needs a tree")
    seen, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        first, second = faces.node_link[node].tolist()
        low, high = faces.node_box[node, :3], faces.node_box[node, 3:]
        if first >= 0:
            inner = faces.node_box[[first, second]]
            waiting += [first, second]
            inside = (inner[:, :3] >= low).all() and (inner[:, 3:] <= high).all()
        else:
            entries = faces.node_face[-1 - first : second]
            seen += entries.tolist()
            corners = faces.point[faces.corner.reshape(-1, 3)[entries]]
            inside = (corners >= low).all() and (corners <= high).all()
        expect(bool(inside), f"the box of node {node} does not contain what is below it")
    expect(sorted(seen) == list(range(len(faces.plane))), "leaves do not hold each triangle once")


SHAPE_CHECKS: tuple[Check, ...] = (
    check_shape_never_changes,
    check_equality_and_repr,
    check_surface_mesh,
    check_bounds,
    check_support,
    check_mass_properties,
    check_scaling,
    check_row_of_the_table,
)
"""Every check, in the order in which `check_shape` runs them."""
