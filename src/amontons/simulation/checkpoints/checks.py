"""What the arrays of a checkpoint must be before a simulation takes them over.

A checksum finds damage. What a program wrote with a checksum that fits is looked at here, since
compiled code trusts the numbers of bodies, shapes and contacts that it is given.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.checks import LARGEST
from amontons.dynamics.bonds.model import WHOLE
from amontons.dynamics.joints.tables import UNBROKEN
from amontons.model.body_checks import inertia_fault
from amontons.model.materials import PAIRED, PROPERTIES
from amontons.simulation.checkpoints.inventory import Belongings
from amontons.simulation.detection.margins import LEVELS
from amontons.simulation.flows.flow_state import FlowState

Arrays = Mapping[str, NDArray[Any]]

FINITE = ("position", "orientation", "twist", "force", "torque", "surface_velocity", "turned")
"""Columns of bodies without which no step can be taken."""

UNIT = 0.01
"""How far from one the length of a quaternion may be, squared."""

MEMORIES = ("contacts.", "rest.dormant.")
"""Prefixes of remembered contacts, of which there may be any number."""

COUNTED = (
    "bodies.", "joints.", "bonds.", "loads.", "shapes.", "materials.", "flows.", *MEMORIES
)  # fmt: skip
"""Prefixes of arrays whose shapes are compared elsewhere."""

PER_BODY = ("rest.seen", "rest.since")
"""Arrays with one row per body beside those called `bodies`."""


def checksum(arrays: Arrays) -> str:
    """SHA-256 of all arrays: names, types, shapes and bits."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def wrong_types(arrays: Arrays, own: Arrays) -> Iterator[str]:
    """Which arrays of a checkpoint hold another type than those that the simulation has now."""
    for name, mine in own.items():
        found = arrays[name]
        if found.dtype != mine.dtype and mine.dtype.kind != "U":
            yield f"{name} holds {found.dtype}; expected {mine.dtype}"


def wrong_shapes(arrays: Arrays) -> Iterator[str]:
    """Which arrays of a checkpoint's inventory, or of what flows counted, are of odd shapes."""
    shapes, materials = arrays["shapes.digest"].size, len(np.atleast_1d(arrays["materials.list"]))
    flows = arrays["flows.due"].size
    wanted = {
        "begun": (2,),
        "motions": (),
        "next_id": (),
        "shapes.digest": (shapes,),
        "shapes.radius": (shapes,),
        "shapes.origin": (shapes, 3),
        "materials.list": (materials, len(PROPERTIES)),
        "materials.pairs": (len(PAIRED), materials, materials),
    }
    wanted |= {
        f"flows.{name}": array.shape
        for name, array in FlowState.none(flows, materials)._asdict().items()
    }
    for name, shape in wanted.items():
        if arrays[name].shape != shape:
            yield f"{name} has shape {arrays[name].shape}; expected {shape}"


def faults(arrays: Arrays, own: Arrays, inventory: Belongings, motions: int) -> Iterator[str]:
    """What is wrong with a checkpoint's arrays, beside those that the simulation has now.

    Types are right, and bodies, joints and loads as many as they must be.
    """
    count = arrays["bodies.id"].size
    if arrays["flows.due"].size != own["flows.due"].size:
        yield "it has other sources, sinks or meters"
        return
    for name in own.keys() - {"format", "version", "names"}:
        if name.startswith(COUNTED):
            continue
        wanted = own[name].shape
        if name in PER_BODY:
            wanted = (count, *wanted[1:])
        if arrays[name].shape != wanted:
            yield f"{name} has shape {arrays[name].shape}; expected {wanted}"
            return  # what follows takes shapes for granted
    for name in MEMORIES:
        yield from _memory_faults(name, arrays, count)
    yield from _body_faults(arrays, inventory, motions)
    yield from _number_faults(arrays)


def _memory_faults(name: str, arrays: Arrays, count: int) -> Iterator[str]:
    """Of remembered contacts."""
    bodies, keys = arrays[f"{name}bodies"], arrays[f"{name}keys"]
    first, values = arrays[f"{name}first"], arrays[f"{name}values"]
    contacts, what = keys.size, f"the memory {name[:-1]}"
    shapes = (keys.shape, bodies.shape, first.shape, values.shape[:1], (values.ndim,))
    if shapes != ((contacts,), (contacts, 2), (count + 1,), (contacts,), (2,)):
        yield f"{what} does not have one row per contact and one list per body"
    elif first[-1] != contacts or not 0 <= first.min() <= first.max() <= contacts:
        # they need not rise: in large worlds bodies are listed in the order in which they lie
        yield f"the lists of {what} lead beyond their {contacts} contacts"
    elif contacts and not 0 <= bodies.min() <= bodies.max() < count:
        yield f"{what} names bodies that are not there"
    elif not np.isfinite(values).all():
        yield f"{what} has a number that is not finite"


def _body_faults(arrays: Arrays, inventory: Belongings, motions: int) -> Iterator[str]:
    ids = arrays["bodies.id"]
    if (np.diff(ids) <= 0).any() or (ids < 0).any() or (ids >= arrays["next_id"]).any():
        yield "the ids of its bodies do not rise"
    for column, least, number in (
        ("shape", 0, len(inventory.shapes)),
        ("material", 0, len(inventory.materials.list)),
        ("motion", 0, motions + 1),  # 0: none
    ):
        used = arrays[f"bodies.{column}"]
        if used.size and not least <= used.min() <= used.max() < number:
            yield f"a body has a {column} that the scene does not have"
    for column in FINITE:
        if not np.isfinite(arrays[f"bodies.{column}"]).all():
            yield f"bodies.{column} has a number that is not finite"
    with np.errstate(over="ignore"):
        if not np.isfinite(arrays["bodies.twist"] ** 2).all():
            yield "a body is too fast for its energy to be a number"
    length = (arrays["bodies.orientation"] ** 2).sum(axis=1)
    if (np.abs(length - 1.0) > UNIT).any():
        yield "an orientation is not a unit quaternion"
    mass, inertia = arrays["bodies.mass"], arrays["bodies.inertia"]
    if not (mass > 0.0).all() or not np.isfinite(inertia).all():
        yield "a body has no mass or no inertia"
    elif fault := inertia_fault(inertia[np.isfinite(mass)]):
        yield f"the inertia of a body {fault[1]}"


def _number_faults(arrays: Arrays) -> Iterator[str]:
    if not np.isfinite(arrays["time"]).all() or not np.isfinite(arrays["gravity"]).all():
        yield "its time or its gravity is not finite"
    for name in ("steps", "margin.calm", "watch.strikes"):
        if (arrays[name] < 0).any():
            yield f"{name} is negative"
    if not 0 <= arrays["margin.doublings"] < LEVELS:
        yield "margin.doublings is out of range"
    if (np.abs(arrays["joints.command"]) > LARGEST).any():  # NaN where nothing is told
        yield f"a motor is told a number beyond ±{LARGEST:g}"
    if (arrays["joints.broken_by"] > UNBROKEN).any():
        yield "a joint broke in a way that there is not"
    if (arrays["bonds.broken_by"] > WHOLE).any():
        yield "a bond broke in a way that there is not"
    for name in ("id", "bodies"):
        if not np.array_equal(arrays[f"bonds.{name}"], arrays[f"bonds.made.{name}"]):
            yield "its bonds are not those of its state"
    if not np.isfinite(arrays["bonds.load"]).all():
        yield "bonds.load has a number that is not finite"
