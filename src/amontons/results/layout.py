"""What a run's folder and its HDF5 file contain, and under which names.

`run.h5`, readable while it grows (HDF5's SWMR: open it with ``swmr=True``), by HDF5 1.10 and later:

- attributes ``format``, ``version``, ``amontons``, ``rate`` [1/s], ``about`` (JSON: scene,
  parameters, settings), and ``digest`` of all that does not change
- ``shapes/``: ``kind``, ``half``, ``middle`` [m], and triangles for display about each shape's
  centre of mass, end to end: ``vertices``, ``triangles``, ``vertex_start``, ``triangle_start``;
  spheres have none, as ``half`` is their radius
- ``bodies/``: ``id``, ``shape``, ``material``, ``mass`` [kg], ``fixed``, ``kinematic``, ``name`` of
  the bodies that there were when the recorder began
- ``added/``: what came later, in the order in which it came: ``bodies`` (`ADDED_BODY`), ``shapes``
  (`ADDED_SHAPE`) with their ``vertices`` and ``triangles`` end to end. Numbers go on where those
  of ``bodies/`` and ``shapes/`` end. ``position``, ``orientation`` and ``twist`` are theirs in all
  frames, and ``row`` the numbers of the bodies; each frame's begin at a multiple of `ROWS`.
- ``materials``: rows of `MATERIAL`, those of the start and those that came later
- ``frames/``, one entry per frame: ``position``, ``orientation``, ``twist`` of the bodies of the
  start, NaN where one is gone; ``first_added`` and ``added``, where those of the others are;
  ``bodies``, how many there are in all; ``step``, ``time``; with contacts ``first_contact`` and
  ``contacts``; ``check``, checksums of what its attribute ``of`` names, which are of the bodies
  that are there, one after the other, and of their ``rows``. A frame is there once its ``time`` is.
- ``contacts/``: the arrays of `CONTACT`; each frame's begin at a multiple of `ROWS`, so that no
  compressed chunk is ever written twice
- ``steps``: one row per step; its attributes ``columns`` and ``units`` say what is in it, of which
  the last is the row's checksum
- ``notes``: what there was to note, one row per note: `NOTE`
- ``meters``: what sources, sinks and flow meters had counted at each frame: `METER`
- ``bonds``: those that broke, one row each: `BROKEN`

How checksums are made is said in `amontons.results.checksums`.

Version 3 had the bodies of the start alone, no materials and no meters. Version 2 had no
checksums. Version 1 had no torques of contacts, no units, and fewer columns, and
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

from amontons.model.materials import PROPERTIES
from amontons.simulation.reports.report import READINGS

FORMAT = "amontons run"
VERSION = 4
READABLE = (1, 2, 3, 4)
CHECKED = 3
"""First version in which everything has a checksum."""
OPEN = 4
"""First version in which bodies may be added and removed."""

HDF5_VERSIONS = ("v110", "v110")
"""The files can be read by HDF5 1.10 and later, whichever release wrote them."""

RUN_FILE = "run.h5"
CHECKPOINT = "checkpoint.npz"
SCENE_FILE = "scene.yaml"
LOCK_FILE = ".run.lock"

ROWS = 512
"""Contacts, or bodies added after the start, per chunk of the file."""

NAME_LENGTH = 64
"""Longest name [bytes]; longer ones are cut."""

COLUMNS = {each.column: each for each in READINGS}
"""Readings of a step, by their names in the file."""

STAGES = tuple(name for name, each in COLUMNS.items() if each.attribute == "seconds")
"""Readings that are wall-clock times of a stage of the step [s]."""

WORK = {name.removeprefix("work_"): name for name in COLUMNS if name.startswith("work_")}
"""Readings of the energy added to the bodies since the start [J], by cause."""

FRAME: dict[str, tuple[Any, tuple[int, ...]]] = {
    "position": (np.float64, (3,)),
    "orientation": (np.float32, (4,)),
    "twist": (np.float32, (6,)),
}
"""Arrays of a frame: their numbers and the shape of one body's entry.

Compression dominates the cost of recording, and last digits do not compress; checkpoints keep full
precision.
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
        ("value", np.float64),  # severity, in the kind's own measure
        ("kind", "S24"),
        ("bodies", "S240"),  # names, with newlines between
        ("message", "S720"),
        ("crc32", np.uint32),
    ]
)
"""A note of a step; texts are UTF-8, and cut if they are too long."""

ADDED_BODY = np.dtype(
    [
        ("step", np.int64),  # of the first frame that it is in
        ("id", np.int64),
        ("shape", np.int32),
        ("material", np.int32),
        ("mass", np.float64),  # [kg]
        ("fixed", np.bool_),
        ("kinematic", np.bool_),
        ("name", f"S{NAME_LENGTH}"),
        ("crc32", np.uint32),
    ]
)
"""A body that was added after the start."""

ADDED_SHAPE = np.dtype(
    [
        ("step", np.int64),  # of the first frame after it came
        ("kind", "S24"),
        ("half", np.float64, 3),  # [m]
        ("middle", np.float64, 3),  # [m]
        ("vertices", np.int64),  # how many it has
        ("triangles", np.int64),
        ("surface", np.uint32),  # checksum of these
        ("crc32", np.uint32),
    ]
)
"""A shape that was added after the start."""

MATERIAL = np.dtype(
    [("step", np.int64), *((name, np.float64) for name in PROPERTIES), ("crc32", np.uint32)]
)
"""A material, by its number; static friction is stored even where it equals sliding friction."""

METER = np.dtype(
    [
        ("step", np.int64),
        ("time", np.float64),  # [s]
        ("kind", "S8"),  # source, sink or meter
        ("name", f"S{NAME_LENGTH}"),
        ("material", np.int32),  # number
        ("count", np.int64),  # bodies so far: added, removed, or passed forwards
        ("mass", np.float64),  # of these [kg]
        ("momentum", np.float64),  # of these along a meter's normal [kg m/s]
        ("count_back", np.int64),  # that passed a meter backwards
        ("mass_back", np.float64),  # of these [kg]
        ("crc32", np.uint32),
    ]
)
"""What a source, sink or meter has counted of a material since the start."""

BROKEN = np.dtype(
    [
        ("step", np.int64),
        ("time", np.float64),  # [s]
        ("bond", np.int64),  # its id
        ("bodies", np.int64, 2),  # ids of A and B
        ("by", "S8"),  # tension or shear
        ("under", np.float64),  # the stress then [Pa]
        ("crc32", np.uint32),
    ]
)
"""A bond that broke."""

CRC = "crc32"
"""Column of a step, and field of a note, that is the checksum of the others."""

MOMENT = "moment"
"""Name of a frame's checksum over its step, its time and its range of contacts."""

RECORDS = {
    "added/bodies": ADDED_BODY,
    "added/shapes": ADDED_SHAPE,
    "materials": MATERIAL,
    "meters": METER,
    "bonds": BROKEN,
}
"""Growing tables of records, each record with its own checksum."""

SURFACES = {"vertices": np.float32, "triangles": np.int32}
"""Arrays of the surfaces of shapes that are added later, and their types."""

PACKED: dict[str, Any] = {"compression": "gzip", "compression_opts": 1, "shuffle": True}


ADDED = ("row", *FRAME)
"""Arrays of frames for bodies added after the start."""

PRESENT = "rows"
"""Name of a frame's checksum over the rows of the bodies in it."""


def checked_names(contacts: Iterable[str], version: int = VERSION) -> list[str]:
    """The checksums of a frame, in order; `contacts` are the arrays of contacts."""
    rows = [PRESENT] if version >= OPEN else []
    return [MOMENT, *FRAME, *(f"contacts/{name}" for name in contacts), *rows]


def run_file(path: Path) -> Path:
    """The HDF5 file of a run, given by its folder or by itself."""
    return path if path.is_file() or path.suffix == ".h5" else path / RUN_FILE
