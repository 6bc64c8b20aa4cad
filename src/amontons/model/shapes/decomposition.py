"""Convex decomposition of meshes, by CoACD."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from amontons.errors import InputError
from amontons.model.shapes.compound import Compound, Part
from amontons.model.shapes.hull import ConvexHull

if TYPE_CHECKING:
    from amontons.model.shapes.mesh import TriangleMesh


def decomposed(
    mesh: TriangleMesh, threshold: float, most_parts: int | None, options: dict[str, Any]
) -> Compound:
    """Convex hulls that fill nearly the same space as a mesh."""
    if not 0.01 <= threshold <= 1.0:
        raise InputError(f"threshold is {threshold}; it must be from 0.01 (fine) to 1 (coarse)")
    if most_parts is not None and not (isinstance(most_parts, Integral) and most_parts >= 1):
        raise InputError(f"most_parts must be a whole number ≥ 1 or None, got {most_parts!r}")
    try:
        import coacd
    except ImportError:
        raise InputError("decomposing meshes needs coacd: pip install 'amontons[meshes]'") from None
    coacd.set_log_level("error")
    limit = -1 if most_parts is None else int(most_parts)
    parts = coacd.run_coacd(
        coacd.Mesh(np.array(mesh.vertices), np.array(mesh.faces)),
        threshold=threshold,
        max_convex_hull=limit,
        **options,
    )
    if not parts:
        raise InputError(f"CoACD finds no convex parts of {mesh!r}; is it closed?")
    return Compound([Part(ConvexHull(vertices)) for vertices, _ in parts])
