"""Particles from LAMMPS's data files, as `write_data` writes them and `read_data` reads them."""

from __future__ import annotations

import re

import numpy as np

from amontons.errors import FileFormatError
from amontons.interchange.particles.loaded import Particles, particles, table

SPHERE = "id type diameter density x y z"
"""Columns of Atoms in style sphere; periodic image flags may follow."""

_TITLE = re.compile(r"^([A-Z][A-Za-z ]*?)\s*(?:#\s*(\S+))?$")


def read_lammps_data(text: str, name: str, frame: int) -> Particles:
    """Atoms of style sphere, with their velocities if there are any."""
    sections = _sections(text)
    if "Atoms" not in sections:
        raise FileFormatError(f"{name} has no section Atoms: it is not a LAMMPS data file")
    style, lines = sections["Atoms"]
    if style not in ("", "sphere"):
        raise FileFormatError(
            f"{name} is of atom style {style!r}; particles with a radius are of style sphere"
        )
    names = SPHERE.split()
    columns = dict(zip(names, table(name, lines, len(names)).T, strict=True))
    columns["radius"] = 0.5 * columns.pop("diameter")
    if "Velocities" in sections:
        speeds = table(name, sections["Velocities"][1], 4)
        order = np.argsort(speeds[:, 0], kind="stable")
        where = np.searchsorted(speeds[order, 0], columns["id"])
        if where.max(initial=-1) >= len(speeds) or (
            speeds[order[where], 0] != columns["id"]
        ).any():  # fmt: skip
            raise FileFormatError(f"{name} has atoms without a line in Velocities")
        for k, axis in enumerate(("vx", "vy", "vz"), start=1):
            columns[axis] = speeds[order[where], k]
    return particles(name, columns)


def _sections(text: str) -> dict[str, tuple[str, list[tuple[int, list[str]]]]]:
    """Atom style and lines of each section, by its name."""
    found: dict[str, tuple[str, list[tuple[int, list[str]]]]] = {}
    current: list[tuple[int, list[str]]] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        title = _TITLE.match(line.strip()) if number > 1 else None
        if title:
            current = []
            found[title[1]] = (title[2] or "", current)
            continue
        words = line.split("#")[0].split()
        if words and current is not None:
            current.append((number, words))
    return found
