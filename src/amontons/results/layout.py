"""What a run's folder and its HDF5 file hold, and under which names.

`run.h5`, readable while it grows (HDF5's SWMR: open it with ``swmr=True``), by HDF5 1.10 and later:

- attributes ``format``, ``version``, ``amontons``, ``rate`` [1/s], ``about`` (JSON: scene,
  parameters, settings), and ``digest`` of all that does not change
- ``shapes/``: ``kind``, ``half``, ``middle`` [m], and triangles for display about each shape's
  centre of mass, end to end: ``vertices``, ``triangles``, ``vertex_start``, ``triangle_start``;
  spheres have none, as ``half`` is their radius
- ``bodies/``: ``id``, ``shape``, ``mass`` [kg], ``fixed``, ``kinematic``, ``name``
- ``frames/``, one entry per frame: ``position``, ``orientation``, ``twist``, ``step``, ``time``;
  with contacts ``first_contact`` and ``contacts``; ``check``, checksums of what its attribute
  ``of`` names. A frame is there once its ``time`` is.
- ``contacts/``: the arrays of `CONTACT`; each frame's begin at a multiple of `ROWS`, so that no
  compressed chunk is ever written twice
- ``steps``: one row per step; its attributes ``columns`` and ``units`` say what is in it, of which
  the last is the row's checksum
- ``notes``: what there was to note, one row per note: `NOTE`

How checksums are made is said in `amontons.results.checksums`.

Version 2 had no checksums. Version 1 had no torques of contacts, no units, and fewer columns, and
the oldest files have no notes. Such files can be read; a run that goes on in one keeps to its
columns and arrays, and gets checksums.

`scene.yaml`: of a run of a scene file or an imported robot, all of it, meshes included.

`checkpoint.npz`: where :func:`amontons.results.resume` and `Recorder(..., resume=True)` go on.

`.run.lock`: while a recorder writes, the number of its process; the lock on it ends with that.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from amontons.simulation.report import READINGS

FORMAT = "amontons run"
VERSION = 3
READABLE = (1, 2, 3)
CHECKED = 3
"""Version from which on everything has a checksum."""

HDF5_VERSIONS = ("v110", "v110")
"""HDF5 1.10 reads the files, and so do all later releases, whichever wrote them."""

RUN_FILE = "run.h5"
CHECKPOINT = "checkpoint.npz"
SCENE_FILE = "scene.yaml"
LOCK_FILE = ".run.lock"

ROWS = 512
"""Contacts in a chunk of the file."""

COLUMNS = {each.column: each for each in READINGS}
"""Readings of a step, by their names in the file."""

STAGES = tuple(name for name, each in COLUMNS.items() if each.attribute == "seconds")
"""Those that are wall-clock time of a stage of the step [s]."""

WORK = {name.removeprefix("work_"): name for name in COLUMNS if name.startswith("work_")}
"""Those of the energy that came to the bodies since the start [J], by its cause."""

FRAME: dict[str, tuple[Any, tuple[int, ...]]] = {
    "position": (np.float64, (3,)),
    "orientation": (np.float32, (4,)),
    "twist": (np.float32, (6,)),
}
"""Arrays of a frame: their numbers and the shape of one body's entry.

Compressing is what recording costs, and last digits do not compress; checkpoints have all of them.
"""

CONTACT: dict[str, tuple[Any, tuple[int, ...], str]] = {
    "bodies": (np.int64, (2,), "bodies"),
    "point": (np.float64, (3,), "points"),
    "normal": (np.float32, (3,), "normals"),
    "gap": (np.float64, (), "gaps"),
    "force": (np.float64, (3,), "force"),
    "torque": (np.float64, (3,), "torque"),
}
"""Arrays of contacts: their numbers, the shape of one entry, and the field of `Contacts`."""

NOTE = np.dtype(
    [
        ("step", np.int64),
        ("time", np.float64),  # [s]
        ("value", np.float64),  # how bad it is, by the kind's own measure
        ("kind", "S24"),
        ("bodies", "S240"),  # names, with newlines between
        ("message", "S720"),
        ("crc32", np.uint32),
    ]
)
"""A note of a step; texts are UTF-8, and cut where they are too long."""

CRC = "crc32"
"""Column of a step, and field of a note, that is the checksum of the others."""

MOMENT = "moment"
"""What a checksum of a frame is called that is of its step, its time and its range of contacts."""

PACKED: dict[str, Any] = {"compression": "gzip", "compression_opts": 1, "shuffle": True}


def checked_names(contacts: Iterable[str]) -> list[str]:
    """Of what a frame has checksums, in their order; `contacts` are the arrays of contacts."""
    return [MOMENT, *FRAME, *(f"contacts/{name}" for name in contacts)]


def run_file(path: Path) -> Path:
    """The HDF5 file of a run, given by its folder or by itself."""
    return path if path.is_file() or path.suffix == ".h5" else path / RUN_FILE
