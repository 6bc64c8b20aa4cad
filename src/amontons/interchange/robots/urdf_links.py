"""Inertias and shapes of URDF's links."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from amontons.array_types import Floats
from amontons.checks import finite_array, not_negative
from amontons.errors import FileFormatError, InputError
from amontons.interchange.robots.left_out import LeftOut
from amontons.interchange.robots.mechanism import Link, Piece, Pose, merged_inertia
from amontons.model.shapes import (
    Box,
    ConvexHull,
    Cylinder,
    Shape,
    Sphere,
    TriangleMesh,
)
from amontons.model.shapes.mesh_files import read_mesh

DENSITY = 1000.0
"""Density of a link that has a shape but no mass [kg/m³]; MuJoCo's default."""

MESHES = ("hull", "parts", "exact")


def fill_link(link: Link, described: Any, path: Path, meshes: str, left_out: LeftOut) -> None:
    """Give a link its pieces and its mass."""
    if meshes not in MESHES:
        raise InputError(f"meshes must be one of {', '.join(MESHES)}, got {meshes!r}")
    _add_pieces(link, described.collisions, path, meshes, left_out, collide=True)
    if not link.pieces:
        _add_pieces(link, described.visuals, path, meshes, left_out, collide=False)
    elif described.visuals:
        left_out.add("visual geometry of links that have collision geometry", link.name)
    _fill_inertia(link, described.inertial, path, left_out)


def _add_pieces(
    link: Link, entries: Any, path: Path, meshes: str, left_out: LeftOut, *, collide: bool
) -> None:
    for entry in entries:
        with naming(f"{path}, link {link.name!r}"):
            shape = _shape(entry.geometry, path, meshes)
            pose = link.pose.then(checked_pose("origin", entry.origin))
        if shape is None:
            left_out.add("geometry other than boxes, spheres, cylinders and meshes", link.name)
        else:
            link.pieces.append(Piece(shape, pose, collide))


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Prefix errors with what they are about."""
    try:
        yield
    except (InputError, FileFormatError) as reason:
        raise InputError(f"{what}: {reason}") from None


def checked_pose(name: str, matrix: Any) -> Pose:
    """A pose whose numbers are finite."""
    return Pose.of_matrix(None if matrix is None else finite_array(name, matrix))


def _shape(geometry: Any, path: Path, meshes: str) -> Shape | None:
    if geometry is None:
        return None
    if geometry.box is not None:
        return Box(tuple(np.asarray(geometry.box.size, dtype=float).tolist()))
    if geometry.sphere is not None:
        return Sphere(float(geometry.sphere.radius))
    if geometry.cylinder is not None:
        return Cylinder(float(geometry.cylinder.radius), float(geometry.cylinder.length))
    if geometry.mesh is not None:
        return _mesh(geometry.mesh, path, meshes)
    return None


def _mesh(mesh: Any, path: Path, meshes: str) -> Shape:
    vertices, faces = read_mesh(mesh_path(mesh.filename, path.parent))
    scale = np.asarray(1.0 if mesh.scale is None else mesh.scale, dtype=float)
    if scale.shape not in ((), (3,)) or not (scale > 0.0).all():
        raise InputError(f"the mesh {mesh.filename!r} has the scale {scale.tolist()}")
    if meshes == "hull":
        return ConvexHull(vertices * scale)
    exact = TriangleMesh(vertices * scale, faces)
    return exact if meshes == "exact" else exact.decompose()


def mesh_path(name: str, folder: Path) -> Path:
    """The file that a URDF refers to: packages are searched in the folders around it."""
    scheme, _, rest = name.rpartition(":")
    rest = rest.lstrip("/") if scheme == "package" else rest
    plain = Path(rest if scheme in ("package", "file") else name)
    places = [folder, *folder.parents]
    tries = [place / plain for place in places]
    if scheme == "package":  # the package's name may not be that of its folder
        tries += [place / Path(*plain.parts[1:]) for place in places]
    return next((each for each in tries if each.is_file()), tries[0])


def _fill_inertia(link: Link, inertial: Any, path: Path, left_out: LeftOut) -> None:
    """Mass, centre and inertia in the world, as given or from the shapes."""
    colliding = [piece for piece in link.pieces if piece.collides]
    with naming(f"{path}, link {link.name!r}"):
        given = None if inertial is None else inertial.mass
        mass = 0.0 if given is None else not_negative("mass", given)
        own = _given_inertia(inertial)
    if mass == 0.0:
        if not colliding or link.parent is None:
            if own.any():
                _keep_bare_inertia(link, inertial, own, path, left_out)
            return
        link.mass, link.centre, link.inertia = _from_shapes(colliding, None)
        left_out.add(f"no mass is given: shapes were filled with {DENSITY:g} kg/m³", link.name)
        if own.any():
            left_out.add("inertias without a mass: those of the filled shapes are used", link.name)
        return
    with naming(f"{path}, link {link.name!r}"):
        frame = link.pose.then(checked_pose("origin of the inertia", inertial.origin))
    link.mass, link.centre = mass, frame.position
    low, middle, high = np.linalg.eigvalsh(0.5 * (own + own.T))
    if low > 0.0 and high <= (low + middle) * (1.0 + 1e-6):
        link.inertia = frame.rotation @ own @ frame.rotation.T
        return
    if colliding:
        _, centre, inertia = _from_shapes(colliding, mass)
        arm = frame.position - centre
        link.inertia = inertia + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        left_out.add("physically impossible inertias: those of the shapes are used", link.name)
    else:
        mean = float(np.trace(own)) / 3.0
        link.inertia = np.eye(3) * (mean if mean > 0.0 else 0.01 * mass)
        left_out.add("physically impossible inertias: those of balls are used", link.name)


def _given_inertia(inertial: Any) -> Floats:
    """The inertia that the file gives about its own axes [kg m²], or zeros."""
    given = None if inertial is None else inertial.inertia
    return finite_array("inertia", np.zeros((3, 3)) if given is None else given)


def _keep_bare_inertia(
    link: Link, inertial: Any, own: Floats, path: Path, left_out: LeftOut
) -> None:
    """Inertia without a mass, such as a rotor's: it is added to that of the link's body."""
    low, middle, high = np.linalg.eigvalsh(0.5 * (own + own.T))
    if low < 0.0 or high > (low + middle) * (1.0 + 1e-6):
        left_out.add("physically impossible inertias without a mass: left out", link.name)
        return
    with naming(f"{path}, link {link.name!r}"):
        frame = link.pose.then(checked_pose("origin of the inertia", inertial.origin))
    link.centre, link.inertia = frame.position, frame.rotation @ own @ frame.rotation.T


def _from_shapes(pieces: list[Piece], mass: float | None) -> tuple[float, Floats, Floats]:
    """Mass properties of uniformly filled shapes in the world, scaled to a mass if one is given."""
    parts = []
    for piece in pieces:
        own = piece.shape.mass_properties(DENSITY)
        turn = piece.pose.rotation
        parts.append((own.mass, piece.pose.point(own.centre), turn @ own.inertia @ turn.T))
    total, centre, inertia = merged_inertia(parts)
    scale = 1.0 if mass is None else mass / total
    return scale * total, centre, scale * inertia
