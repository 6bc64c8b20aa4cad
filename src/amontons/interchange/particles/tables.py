"""Particles from plain tables: YADE's x y z r, and CSV with names."""

from __future__ import annotations

import csv
import io

from amontons.errors import FileFormatError
from amontons.interchange.particles.loaded import Particles, particles, table

ALIASES = {
    "r": "radius", "rad": "radius", "d": "diameter", "pos_x": "x", "pos_y": "y", "pos_z": "z",
    "rho": "density", "m": "mass", "velx": "vx", "vely": "vy", "velz": "vz",
}  # fmt: skip
"""Other names of columns."""

KNOWN = ("x", "y", "z", "radius", "diameter", "id", "type", "vx", "vy", "vz", "density", "mass")


def read_xyzr(text: str, name: str, frame: int) -> Particles:
    """Lines of x y z r, separated by spaces, tabs or commas; further columns are ignored.

    Lines that begin with # are comments; YADE's first one names the format.
    """
    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#format") and line.split()[1:2] not in (
            ["x_y_z_r"], ["x_y_z_r_matId"], ["x_y_z_r_attrs"],
        ):  # fmt: skip
            raise FileFormatError(f"{name} is in YADE's format {line[8:].strip()}, not in x_y_z_r")
        words = line.split("#")[0].replace(",", " ").split()
        if words:
            lines.append((number, words))
    if not lines:
        raise FileFormatError(f"{name} has no particles in it")
    x, y, z, r = table(name, lines, 4).T
    return particles(name, {"x": x, "y": y, "z": z, "radius": r})


def read_csv(text: str, name: str, frame: int) -> Particles:
    """A table with names in its first line; unknown columns are ignored."""
    rows = [row for row in csv.reader(io.StringIO(text)) if row and not row[0].startswith("#")]
    if len(rows) < 2:
        raise FileFormatError(f"{name} needs at least a line of names and one of numbers")
    titles = [each.strip().lower().split("[")[0].split("(")[0].strip() for each in rows[0]]
    titles = [ALIASES.get(each, each) for each in titles]
    kept = [i for i, each in enumerate(titles) if each in KNOWN]
    lines = []
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(titles):
            raise FileFormatError(
                f"{name}, row {number}: {len(titles)} columns were expected, got {len(row)}"
            )
        lines.append((number, [row[i] for i in kept]))
    values = table(name, lines, len(kept))
    columns = {titles[i]: values[:, k] for k, i in enumerate(kept)}
    if "radius" not in columns and "diameter" in columns:
        columns["radius"] = 0.5 * columns["diameter"]
    return particles(name, columns)
