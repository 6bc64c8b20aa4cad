"""Runs as points for ParaView: one per body, with its radius, instead of a surface.

Draw them there with the filter Glyph (sphere, scaled by `radius`) or as Point Gaussian.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from amontons.results.exports.particles import particles_of, present
from amontons.results.exports.vtkhdf import CELLS, PACKED, add_cells, add_steps, replace
from amontons.results.reader import Results


def write_points(results: Results, folder: Path, frames: Sequence[int]) -> list[Path]:
    """Write `points.vtkhdf`; walls are left out."""
    path = folder / "points.vtkhdf"
    replace(path, lambda root: _points(root, results, list(frames)))
    return [path]


def _points(root: h5py.Group, results: Results, frames: list[int]) -> None:
    everybody, count = particles_of(results), len(frames)
    found = [present(results[number], everybody) for number in frames]
    points = np.array([len(particles.row) for particles, _ in found], dtype=np.int64)
    root["NumberOfPoints"] = points
    for name in CELLS:
        mine = points if name == "Vertices" else np.zeros_like(points)
        numbers = [np.arange(each) for each in mine]
        add_cells(root, name, mine, mine, np.concatenate([[], *numbers]), size=1)
    columns: dict[str, tuple[Any, list[Any]]] = {
        "Points": (np.float64, [f.position[p.row] for p, f in found]),
        "PointData/velocity": (np.float32, [f.twist[p.row, :3] for p, f in found]),
        "PointData/angular_velocity": (np.float32, [f.twist[p.row, 3:] for p, f in found]),
        "PointData/orientation": (np.float32, [f.orientation[p.row] for p, f in found]),
        "PointData/body": (np.int64, [p.id for p, _ in found]),
        "PointData/type": (np.int64, [p.type for p, _ in found]),
        "PointData/radius": (np.float64, [p.radius for p, _ in found]),
        "PointData/mass": (np.float64, [p.mass for p, _ in found]),
        "PointData/half_lengths": (np.float64, [p.half for p, _ in found]),
    }
    starts = np.cumsum(points) - points
    steps = add_steps(root, results.time[frames], parts=np.arange(count), points=starts)
    for name, (kind, parts) in columns.items():
        each = parts[0].shape[1:] if parts else ()
        whole = np.concatenate([np.empty((0, *each)), *parts]).astype(kind)
        root.create_dataset(name, data=whole, **(PACKED if len(whole) else {}))
        if name.startswith("PointData"):
            steps[name.replace("PointData", "PointDataOffsets")] = starts
    offsets = np.zeros((count, len(CELLS)), dtype=np.int64)
    offsets[:, 0] = starts
    steps["CellOffsets"], steps["ConnectivityIdOffsets"] = offsets, offsets
