"""Recorded runs in formats that other programs read; one per file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from amontons.results.exports.csv_tables import write_csv
from amontons.results.exports.gltf import write_gltf
from amontons.results.exports.vtkhdf import write_vtkhdf
from amontons.results.reader import Results

EXPORTS: dict[str, Callable[[Results, Path, Sequence[int]], list[Path]]] = {
    "csv": write_csv,
    "vtkhdf": write_vtkhdf,
    "gltf": write_gltf,
}
"""Writers by format: of a run, into a folder, so many frames; they say which files they wrote."""

NAMES: dict[str, tuple[str, ...]] = {
    "csv": ("bodies.csv", "steps.csv", "contacts.csv"),
    "vtkhdf": ("bodies.vtkhdf", "contacts.vtkhdf"),
    "gltf": ("run.glb",),
    "mp4": ("run.mp4",),
}
"""What is written by format; files of contacts only where contacts were recorded."""

__all__ = ["EXPORTS", "NAMES", "write_csv", "write_gltf", "write_vtkhdf"]
