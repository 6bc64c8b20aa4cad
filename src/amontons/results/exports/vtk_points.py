"""Runs as points for ParaView: one a body, with its radius, instead of a surface of triangles.

Draw them there with the filter Glyph (sphere, scaled by `radius`) or as Point Gaussian.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from amontons.results.exports.particles import particles_of
from amontons.results.exports.vtkhdf import CELLS, PACKED, add_cells, add_steps, replace
from amontons.results.reader import Results


def write_points(results: Results, folder: Path, frames: Sequence[int]) -> list[Path]:
    """Write `points.vtkhdf`; walls are left out."""
    path = folder / "points.vtkhdf"
    replace(path, lambda root: _points(root, results, list(frames)))
    return [path]


def _points(root: h5py.Group, results: Results, frames: list[int]) -> None:
    particles = particles_of(results)
    points, count = len(particles.id), len(frames)
    root["NumberOfPoints"] = np.array([points])
    for name in CELLS:
        mine = points if name == "Vertices" else 0
        add_cells(root, name, [mine], [mine], np.arange(mine), size=1)
    moving = {
        "Points": (np.float64, 3), "PointData/velocity": (np.float32, 3),
        "PointData/angular_velocity": (np.float32, 3), "PointData/orientation": (np.float32, 4),
    }  # fmt: skip
    sets = {
        name: root.create_dataset(
            name, (count * points, width), kind, chunks=(max(points, 1), width), **PACKED
        )
        for name, (kind, width) in moving.items()
    }
    still: dict[str, Any] = {
        "body": particles.id, "type": particles.type, "radius": particles.radius,
        "mass": particles.mass, "half_lengths": particles.half,
    }  # fmt: skip
    for name, values in still.items():
        root[f"PointData/{name}"] = values
    for i, number in enumerate(frames):
        frame, rows = results[number], slice(i * points, (i + 1) * points)
        sets["Points"][rows] = frame.position[particles.row]
        sets["PointData/velocity"][rows] = frame.twist[particles.row, :3]
        sets["PointData/angular_velocity"][rows] = frame.twist[particles.row, 3:]
        sets["PointData/orientation"][rows] = frame.orientation[particles.row]
    starts, none = points * np.arange(count), np.zeros(count, dtype=np.int64)
    steps = add_steps(root, results.time[frames], parts=none, points=starts)
    for name in moving:
        if name.startswith("PointData"):
            steps[name.replace("PointData", "PointDataOffsets")] = starts
    for name in still:
        steps[f"PointDataOffsets/{name}"] = none
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        steps[name] = np.zeros((count, len(CELLS)), dtype=np.int64)
