"""What the page holds of a run: meshes, groups of bodies that share one, and their frames."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.results import Frame
from amontons.viewer.extent import Recording, extent, is_glass
from amontons.viewer.meshes import SCALED, Mesh, corners_of, plane_mesh, unit_mesh

STATE = np.dtype([("place", "<f4", 3), ("turn", "<i2", 4), ("speed", "<f4")])
"""A body in a frame: [m], a unit quaternion (x, y, z, w) times 32767, [m/s]; 24 bytes."""

LOOK = np.dtype([("scale", "<f4", 3), ("number", "<f4")])
"""What stays the same of a body: the scale of its mesh, and its row; 16 bytes."""


@dataclass
class Group:
    """Bodies of one mesh that move, or that stand, one after the other in the buffers."""

    mesh: int
    moving: bool
    glass: bool
    rows: list[int] = field(default_factory=list)


def packed(results: Recording, every: int) -> dict[str, Any]:
    """Everything that the page's script reads, ready for JSON."""
    if not results.frames:
        raise InputError(f"{results.path} has no frames to show yet")
    frames = range(0, results.frames, every)
    meshes, groups, scale = _grouped(results)
    ordered = sorted(groups, key=lambda group: (not group.moving, group.glass))
    rows = np.array([row for group in ordered for row in group.rows], dtype=np.int64)
    moving = np.array([row for g in ordered if g.moving for row in g.rows], dtype=np.int64)
    still = rows[len(moving) :]
    look = np.zeros(len(rows), dtype=LOOK)
    look["scale"], look["number"] = scale[rows], rows
    middle, size = extent(results)
    return {
        "title": results.scene or "run",
        "version": results.version,
        "times": [round(float(results.time[number]), 9) for number in frames],
        "middle": middle.tolist(),
        "size": size,
        "meshes": _ranges([len(mesh.corners) for mesh in meshes]),
        "planes": [mesh.plane for mesh in meshes],
        "groups": _described(ordered),
        "moving": len(moving),
        "still": len(still),
        "rows": rows.tolist(),
        "names": results.bodies.names,
        "mass": [_finite(mass) for mass in results.bodies.mass],
        "corners": _text(np.concatenate([mesh.corners for mesh in meshes])),
        "look": _text(look),
        "states": _states(results, frames, moving),
        "places": _text(_state(results[0], still)),
        "contacts": _contacts(results, frames) if results.has_contacts else None,
    }


def _grouped(results: Recording) -> tuple[list[Mesh], list[Group], NDArray[np.float64]]:
    """Meshes, groups of bodies, and every body's scale (bodies, 3)."""
    bodies, shapes = results.bodies, results.shapes
    middle, size = extent(results)
    start = results.position[0]
    scale = np.ones((len(bodies), 3))
    meshes: list[Mesh] = []
    number: dict[Any, int] = {}
    groups: dict[tuple[int, bool, bool], Group] = {}
    for row, which in enumerate(bodies.shape.tolist()):
        shape = shapes[which]
        unit = SCALED.get(shape.kind)
        key: Any = unit or which
        if shape.kind == "Plane":
            key = ("plane", row)
        if key not in number:
            number[key] = len(meshes)
            if unit:
                meshes.append(unit_mesh(unit, len(bodies)))
            elif shape.kind == "Plane":
                meshes.append(plane_mesh(shape, start[row], middle, size))
            else:
                meshes.append(Mesh(corners_of(shape.vertices, shape.triangles)))
        if unit:
            scale[row] = shape.half
        place = (number[key], not bool(bodies.fixed[row]), is_glass(bodies, row, shape))
        groups.setdefault(place, Group(*place)).rows.append(row)
    return meshes, list(groups.values()), scale


def _described(groups: list[Group]) -> list[dict[str, Any]]:
    """Groups as the script knows them; `first` counts within those that move, or that stand."""
    first, described = {True: 0, False: 0}, []
    for group in groups:
        described.append(
            {
                "mesh": group.mesh,
                "moving": group.moving,
                "glass": group.glass,
                "first": first[group.moving],
                "count": len(group.rows),
            }
        )
        first[group.moving] += len(group.rows)
    return described


def _state(frame: Frame, rows: NDArray[np.int64]) -> NDArray[Any]:
    state = np.zeros(len(rows), dtype=STATE)
    state["place"] = frame.position[rows]
    state["turn"] = np.rint(32767.0 * np.roll(frame.orientation[rows], -1, axis=1))
    state["speed"] = frame.speed[rows]
    return state


def _states(results: Recording, frames: Sequence[int], rows: NDArray[np.int64]) -> str:
    """All frames of what moves, compressed one after the other: memory holds one at a time."""
    press, parts = zlib.compressobj(6), []
    for number in frames:
        parts.append(press.compress(_state(results[number], rows).tobytes()))
    return base64.b64encode(b"".join([*parts, press.flush()])).decode()


def _contacts(results: Recording, frames: Sequence[int]) -> dict[str, Any]:
    """Points and forces of all frames, and where each frame's begin."""
    found = [results.contacts(number) for number in frames]
    rows = [np.hstack([each.points, each.force]) for each in found]
    strong = [np.linalg.norm(each.force, axis=1) for each in found]
    largest = np.concatenate([np.empty(0), *strong])
    return {
        "ranges": _ranges([len(each) for each in found]),
        "rows": _text(np.concatenate([np.empty((0, 6)), *rows]).astype("<f4")),
        "strong": float(np.percentile(largest, 99.0)) if largest.size else 1.0,
    }


def _ranges(counts: list[int]) -> list[list[int]]:
    """First and number of each part, where parts of so many come one after the other."""
    ends = np.cumsum(counts, dtype=np.int64).tolist()
    return [[end - count, count] for end, count in zip(ends, counts, strict=True)]


def _text(array: NDArray[Any]) -> str:
    return base64.b64encode(zlib.compress(array.tobytes(), 6)).decode()


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
