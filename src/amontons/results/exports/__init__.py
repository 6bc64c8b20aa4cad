"""Recorded runs in formats that other programs read; one per file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from amontons.results.exports.csv_tables import write_csv
from amontons.results.exports.extended_xyz import write_xyz
from amontons.results.exports.gltf import write_gltf
from amontons.results.exports.lammps_dump import write_lammps
from amontons.results.exports.small_tables import table_names, write_tables
from amontons.results.exports.vtk_points import write_points
from amontons.results.exports.vtkhdf import write_vtkhdf
from amontons.results.reader import Results

EXPORTS: dict[str, Callable[[Results, Path, Sequence[int]], list[Path]]] = {
    "csv": write_csv,
    "vtkhdf": write_vtkhdf,
    "gltf": write_gltf,
    "points": write_points,
    "xyz": write_xyz,
    "lammps": write_lammps,
}
"""Writers by format: given a run, a folder and frame numbers, they return the files written."""

NAMES: dict[str, tuple[str, ...]] = {
    "csv": ("bodies.csv", "steps.csv", "contacts.csv"),
    "vtkhdf": ("bodies.vtkhdf", "contacts.vtkhdf"),
    "gltf": ("run.glb",),
    "points": ("points.vtkhdf",),
    "xyz": ("run.xyz",),
    "lammps": ("run.dump",),
    "mp4": ("run.mp4",),
}
"""Files written by each format; those of contacts only if contacts were recorded."""

__all__ = [
    "EXPORTS",
    "NAMES",
    "table_names",
    "write_csv",
    "write_gltf",
    "write_lammps",
    "write_points",
    "write_tables",
    "write_vtkhdf",
    "write_xyz",
]
