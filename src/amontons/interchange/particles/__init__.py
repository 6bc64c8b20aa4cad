"""Particles from files of other programs: YADE, LAMMPS, LIGGGHTS, tables; one format per file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from amontons.errors import FileFormatError, InputError
from amontons.interchange.particles.lammps_data import read_lammps_data
from amontons.interchange.particles.lammps_dump import read_lammps_dump
from amontons.interchange.particles.loaded import Particles
from amontons.interchange.particles.tables import read_csv, read_xyzr

FORMATS: dict[str, Callable[[str, str, int], Particles]] = {
    "yade": read_xyzr,
    "csv": read_csv,
    "lammps-data": read_lammps_data,
    "lammps-dump": read_lammps_dump,
}
"""Readers by format; arguments are the text of a file, its name and the number of a snapshot."""

__all__ = ["FORMATS", "Particles", "load_particles"]


def load_particles(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    scale: float = 1.0,
    frame: int = -1,
) -> Particles:
    """Spheres from a file of another program.

    >>> grains = am.load_particles("packing.txt")                          # doctest: +SKIP
    >>> world.add_spheres(grains.radius, position=grains.position, density=2650.0)

    Parameters
    ----------
    format:
        "yade" for lines of x y z r, as YADE's `export.text` and `ymport.text` have them; "csv" with
        names in the first line (x, y, z, radius or diameter, perhaps vx, density, …); "lammps-data"
        for what `read_data` reads, atom style sphere; "lammps-dump" for a dump of LAMMPS or
        LIGGGHTS. By default it is recognised from the file's content.
    scale:
        Factor from the file's lengths to metres: 0.001 for millimetres.
    frame:
        Snapshot of a dump, from the end if negative.
    """
    where = Path(path)
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown format {format!r}; choose one of {', '.join(FORMATS)}")
    if not where.is_file():
        raise InputError(f"there is no file {where}")
    try:
        text = where.read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError) as reason:
        raise FileFormatError(f"{where} cannot be read as text: {reason}") from None
    found = FORMATS[format or _recognised(text, where)](text, where.name, frame)
    return found.scaled(scale)


def _recognised(text: str, path: Path) -> str:
    """The format of a file, recognised from its content."""
    head = text[:2000]
    if "ITEM: " in head:
        return "lammps-dump"
    if path.suffix.lower() == ".csv":
        return "csv"
    lines = [line.split("#")[0].split() for line in head.splitlines()[1:]]
    if any(line[1:] == ["atoms"] for line in lines) or "Atoms" in head:
        return "lammps-data"
    first = next((line for line in head.splitlines() if line.strip()), "")
    if "," in first and any(letter.isalpha() for letter in first.replace("e", "")):
        return "csv"
    return "yade"
