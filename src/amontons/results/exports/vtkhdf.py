"""Runs as VTKHDF time series, which ParaView (5.12 and later) opens.

Two files: the bodies' surfaces, and contact points with their forces where they were recorded. Both
are `PolyData` of version 2 of the format:
https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from amontons.results.exports.meshes import Meshes
from amontons.results.reader import Results
from amontons.results.run_file import writing
from amontons.storage.writing import beside, take_place

CELLS = ("Vertices", "Lines", "Polygons", "Strips")
PACKED: dict[str, Any] = {"compression": "gzip", "compression_opts": 1, "shuffle": True}


def write_vtkhdf(results: Results, folder: Path, frames: Sequence[int]) -> list[Path]:
    """Write `bodies.vtkhdf`, and `contacts.vtkhdf` where contacts were recorded."""
    written = [folder / "bodies.vtkhdf"]
    replace(written[0], lambda root: _bodies(root, results, frames))
    if results.has_contacts:
        written.append(folder / "contacts.vtkhdf")
        replace(written[1], lambda root: _contacts(root, results, frames))
    return written


def replace(path: Path, fill: Any) -> None:
    """Write a file whole, or keep the old one."""
    with writing(path):
        fresh = beside(path)
        try:
            with h5py.File(fresh, "x") as file:
                root = file.create_group("VTKHDF")
                root.attrs["Version"] = (2, 0)
                kind = h5py.string_dtype("ascii", len(b"PolyData"))
                root.attrs.create("Type", b"PolyData", dtype=kind)
                fill(root)
            take_place(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)


def _bodies(root: h5py.Group, results: Results, frames: Sequence[int]) -> None:
    """Surfaces: triangles are written once, points for every frame."""
    if results.come_and_go:
        _passing_bodies(root, results, frames)
        return
    meshes, count = Meshes.of(results), len(frames)
    points, triangles = len(meshes.vertices), len(meshes.triangles)
    root["NumberOfPoints"] = np.array([points])
    for name in CELLS:
        corners = meshes.triangles if name == "Polygons" else np.empty((0, 3), dtype=np.int64)
        add_cells(root, name, [len(corners)], [corners.size], corners.ravel(), size=3)
    place = root.create_dataset(
        "Points", (count * points, 3), np.float32, chunks=(max(points, 1), 3), **PACKED
    )
    speed = root.create_dataset(
        "PointData/velocity", (count * points, 3), np.float32, chunks=(max(points, 1), 3), **PACKED
    )
    root["PointData/body"] = results.bodies.id[meshes.owner]
    for i, number in enumerate(frames):
        frame, rows = results[number], slice(i * points, (i + 1) * points)
        place[rows] = meshes.placed(frame.position, frame.orientation)
        speed[rows] = frame.velocity[meshes.owner]
    moving, still = points * np.arange(count), np.zeros(count, dtype=np.int64)
    steps = add_steps(root, results.time[list(frames)], parts=still, points=moving)
    steps["PointDataOffsets/velocity"], steps["PointDataOffsets/body"] = moving, still
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        steps[name] = np.zeros((count, len(CELLS)), dtype=np.int64)
    assert triangles == root["Polygons/NumberOfCells"][0]


def _passing_bodies(root: h5py.Group, results: Results, frames: Sequence[int]) -> None:
    """Surfaces of the bodies that exist in each frame, with triangles for each frame."""
    everybody = Meshes.of(results)
    found, parts = [results[number].whole() for number in frames], []
    for frame in found:
        parts.append(everybody.among(~np.isnan(frame.position[:, 0])))
    points = np.array([len(each.vertices) for each in parts], dtype=np.int64)
    root["NumberOfPoints"] = points
    cells = {name: np.zeros_like(points) for name in CELLS}
    cells["Polygons"] = np.array([len(each.triangles) for each in parts], dtype=np.int64)
    for name in CELLS:
        corners = [each.triangles.ravel() for each in parts] if name == "Polygons" else []
        add_cells(
            root, name, cells[name], 3 * cells[name],
            np.concatenate([np.empty(0, dtype=np.int64), *corners]), size=3,
        )  # fmt: skip
    both = list(zip(parts, found, strict=True))
    root["Points"] = _stacked([m.placed(f.position, f.orientation) for m, f in both], 3)
    root["PointData/velocity"] = _stacked([f.velocity[m.owner] for m, f in both], 3)
    ids = [results.bodies.id[each.owner] for each in parts]
    root["PointData/body"] = np.concatenate([np.empty(0, dtype=np.int64), *ids])
    starts = np.cumsum(points) - points
    steps = add_steps(root, results.time[list(frames)], parts=np.arange(len(frames)), points=starts)
    for name in root["PointData"]:
        steps[f"PointDataOffsets/{name}"] = starts
    first = cells["Polygons"].cumsum() - cells["Polygons"]
    offsets = np.zeros((len(frames), len(CELLS)), dtype=np.int64)
    offsets[:, CELLS.index("Polygons")] = first
    steps["CellOffsets"], steps["ConnectivityIdOffsets"] = offsets, 3 * offsets


def _contacts(root: h5py.Group, results: Results, frames: Sequence[int]) -> None:
    """Contact points, a different number in each frame."""
    found = [results.contacts(number) for number in frames]
    counts = np.array([len(each) for each in found], dtype=np.int64)
    starts = np.cumsum(counts) - counts
    root["NumberOfPoints"] = counts
    for name in CELLS:
        mine = counts if name == "Vertices" else np.zeros_like(counts)
        numbers = [np.arange(count) for count in mine]
        add_cells(root, name, mine, mine, np.concatenate([[], *numbers]), size=1)
    root["Points"] = _stacked([each.points for each in found], 3)
    data = root.create_group("PointData")
    data["force"] = _stacked([each.force for each in found], 3)
    data["normal"] = _stacked([each.normals for each in found], 3)
    data["gap"] = np.concatenate([np.empty(0), *(each.gaps for each in found)])
    data["bodies"] = _stacked([each.bodies for each in found], 2).astype(np.int64)
    count = len(frames)
    steps = add_steps(root, results.time[list(frames)], parts=np.arange(count), points=starts)
    for name in data:
        steps[f"PointDataOffsets/{name}"] = starts
    zero = np.zeros((count, len(CELLS)), dtype=np.int64)
    zero[:, 0] = starts
    # each frame has one more offset than cells
    steps["CellOffsets"], steps["ConnectivityIdOffsets"] = zero, zero


def add_cells(
    root: h5py.Group, name: str, cells: Any, corners: Any, connectivity: NDArray[Any], *, size: int
) -> None:
    """Cells of one kind: `cells` and `corners` count those of each part, `size` corners a cell."""
    group = root.create_group(name)
    group["NumberOfCells"] = np.asarray(cells, dtype=np.int64)
    group["NumberOfConnectivityIds"] = np.asarray(corners, dtype=np.int64)
    group["Connectivity"] = connectivity.astype(np.int64)
    offsets = [size * np.arange(count + 1) for count in np.asarray(cells)]
    group["Offsets"] = np.concatenate(offsets).astype(np.int64)


def add_steps(
    root: h5py.Group, times: NDArray[np.float64], *, parts: Any, points: Any
) -> h5py.Group:
    """Times of the frames, and where the parts and points of each begin; return the group."""
    steps = root.create_group("Steps")
    steps.attrs["NSteps"] = len(times)
    steps["Values"] = times
    steps["PartOffsets"] = np.asarray(parts, dtype=np.int64)
    steps["NumberOfParts"] = np.ones(len(times), dtype=np.int64)
    steps["PointOffsets"] = np.asarray(points, dtype=np.int64)
    return steps


def _stacked(arrays: list[NDArray[Any]], width: int) -> NDArray[Any]:
    return np.concatenate([np.empty((0, width)), *arrays])
