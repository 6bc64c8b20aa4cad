"""Particles from dumps of LAMMPS and LIGGGHTS."""

from __future__ import annotations

import numpy as np

from amontons.errors import FileFormatError, InputError
from amontons.interchange.particles.loaded import Floats, Particles, particles, table

KNOWN = ("id", "type", "x", "y", "z", "radius", "diameter", "vx", "vy", "vz", "mass", "density")


def read_lammps_dump(text: str, name: str, frame: int) -> Particles:
    """One snapshot of a dump; other columns are ignored.

    Positions may be scaled by the box (xs, ys, zs) or unwrapped (xu, yu, zu).
    """
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("ITEM: ATOMS")]
    if not starts:
        raise FileFormatError(f"{name} has no snapshot: there is no line ITEM: ATOMS")
    if not -len(starts) <= frame < len(starts):
        raise InputError(f"{name} has no snapshot {frame}; it has {len(starts)}")
    number = frame % len(starts)
    start = starts[number]
    begin = starts[number - 1] + 1 if number else 0
    count, low, high = _head(lines[begin:start], name)
    rows = [(i + 1, lines[i].split()) for i in range(start + 1, min(start + 1 + count, len(lines)))]
    if len(rows) < count:
        raise FileFormatError(f"{name} ends within snapshot {number}: {len(rows)} of {count} atoms")
    names = lines[start].split()[2:]
    values = dict(zip(names, _numbers(name, rows, names).T, strict=True))
    columns = {each: values[each] for each in KNOWN if each in values}
    for k, axis in enumerate("xyz"):
        if f"{axis}u" in values:
            columns[axis] = values[f"{axis}u"]
        elif axis not in columns and f"{axis}s" in values:
            columns[axis] = low[k] + (high[k] - low[k]) * values[f"{axis}s"]
    if "radius" not in columns and "diameter" in columns:
        columns["radius"] = 0.5 * columns["diameter"]
    return particles(name, columns)


def _numbers(name: str, rows: list[tuple[int, list[str]]], names: list[str]) -> Floats:
    """All columns as numbers; text columns, such as `element`, as zeros."""
    texts = [i for i, each in enumerate(names) if each in ("element", "typelabel")]
    for _, words in rows:
        for i in texts:
            if i < len(words):
                words[i] = "0"
    return table(name, rows, len(names))


def _head(lines: list[str], name: str) -> tuple[int, Floats, Floats]:
    """Number of atoms of a snapshot, and low and high corner of its box."""
    count, bounds = -1, np.array([[0.0, 1.0]] * 3)
    for i, line in enumerate(lines):
        if line.startswith("ITEM: BOX BOUNDS xy"):
            raise FileFormatError(f"{name} has a tilted box, which is not supported")
        try:
            if line.startswith("ITEM: NUMBER OF ATOMS"):
                count = int(lines[i + 1])
            elif line.startswith("ITEM: BOX BOUNDS"):
                bounds = np.array([each.split()[:2] for each in lines[i + 1 : i + 4]], dtype=float)
        except (ValueError, IndexError):
            raise FileFormatError(f"{name}: what follows {line!r} is not what should") from None
    if count < 0 or bounds.shape != (3, 2):
        raise FileFormatError(f"{name}: a snapshot lacks its number of atoms or its box")
    return count, bounds[:, 0], bounds[:, 1]
