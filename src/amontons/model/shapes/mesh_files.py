"""Mesh files, read by trimesh."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from amontons.array_types import Floats, Ints
from amontons.errors import FileFormatError, InputError
from amontons.model.shapes.mesh_repair import without_thin_triangles


def read_mesh(path: str | os.PathLike[str]) -> tuple[Floats, Ints]:
    """Vertices (n, 3) and triangles (m, 3) of a file; triangles without area are mended."""
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no mesh file {str(file)!r}")
    try:
        import trimesh
    except ImportError:
        raise InputError(
            "reading mesh files needs trimesh: pip install 'amontons[meshes]'"
        ) from None
    try:
        mesh = trimesh.load_mesh(file, process=True)
        vertices, faces = np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces)
    except Exception as reason:  # trimesh's readers may raise anything
        raise FileFormatError(f"trimesh cannot read {str(file)!r}: {reason}") from reason
    if faces.ndim != 2 or not len(faces):
        raise FileFormatError(f"{str(file)!r} holds no triangles")
    if vertices.ndim != 2 or vertices.shape[1] != 3 or not np.isfinite(vertices).all():
        raise FileFormatError(
            f"{str(file)!r} has vertices that are not three finite numbers each; export it anew"
        )
    if faces.shape[1] != 3 or not 0 <= faces.min() <= faces.max() < len(vertices):
        raise FileFormatError(f"{str(file)!r} has triangles with corners that it does not list")
    vertices, faces = without_thin_triangles(vertices, faces.astype(np.int32))
    if not len(faces):
        raise FileFormatError(f"no triangle in {str(file)!r} has an area")
    return vertices, faces
