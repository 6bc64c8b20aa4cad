"""What a checkpoint holds of shapes, materials and names, so that bodies can come while a run goes.

Shapes that were there when the simulation was made come from the script that makes it again: only
their digests are kept. Those that came since are written down.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.errors import FileFormatError, InputError
from amontons.model.materials import PAIRED, PROPERTIES, Material, Materials
from amontons.model.shapes import Shape, Sphere
from amontons.model.world import World
from amontons.simulation.checkpoints.plain_shapes import plain_shape, shape_from

Arrays = dict[str, NDArray[Any]]
Origin = tuple[float, float, float]

DIFFER = "its shapes, materials or motions differ; build the same world first"


class Begun(NamedTuple):
    """How many shapes and materials there were when a simulation was made."""

    shapes: int
    materials: int

    @classmethod
    def of(cls, world: World) -> Begun:
        """Those of a world now."""
        return cls(len(world.shapes), len(world.materials.list))


class Belongings(NamedTuple):
    """What a world is to have: shapes with their origins, materials, names of bodies."""

    shapes: list[Shape]
    origins: list[Origin]
    materials: Materials
    names: dict[int, str]

    def put(self, world: World) -> None:
        """Have a world have it."""
        world.put_shapes(self.shapes, self.origins)
        world.materials = self.materials
        world.put_names(self.names)


def inventory_arrays(world: World, begun: Begun) -> Arrays:
    """What a checkpoint holds of a world."""
    later = {
        str(number): plain_shape(shape)
        for number, shape in enumerate(world.shapes)
        if number >= begun.shapes and type(shape) is not Sphere
    }
    return {
        "begun": np.array(begun),
        "shapes.digest": _digests(world.shapes, world.origins),
        "shapes.radius": np.array([getattr(each, "radius", np.nan) for each in world.shapes]),
        "shapes.origin": np.array(world.origins, dtype=np.float64).reshape(-1, 3),
        "shapes.later": np.array(json.dumps(later)),
        "materials.list": _rows(world.materials.list),
        "materials.pairs": _tables(world.materials),
        "motions": np.array(len(world.motions)),
        "names": np.array(json.dumps({str(id): name for id, name in world.names.items()})),
    }


def inventory_from(arrays: Mapping[str, NDArray[Any]], world: World, begun: Begun) -> Belongings:
    """What a world had when a checkpoint was written; `InputError` where it is another world."""
    digest, radius = arrays["shapes.digest"], arrays["shapes.radius"]
    same = min(len(digest), len(world.shapes))
    mine = _digests(world.shapes[:same], world.origins[:same])
    if (
        arrays["begun"].tolist() != list(begun)
        or len(digest) < begun.shapes
        or int(arrays["motions"]) != len(world.motions)
        or (digest[:same] != mine).any()
    ):
        raise InputError(DIFFER)
    shapes, origins = world.shapes[:same], world.origins[:same]
    told = _json(arrays["shapes.later"])
    for number in range(same, len(digest)):
        x, y, z = arrays["shapes.origin"][number].tolist()
        origins.append((x, y, z))
        plain = told.get(str(number))
        if plain is None and not np.isfinite(radius[number]):
            raise InputError(
                f"shape {number} came while the run went on and is of a class of its own, which a "
                "checkpoint cannot hold: add a body that has it before the simulation is made"
            )
        shapes.append(Sphere(float(radius[number])) if plain is None else shape_from(plain))
    if (_digests(shapes[same:], origins[same:]) != digest[same:]).any():
        raise FileFormatError("its shapes do not match their digests")
    names = {int(id): str(name) for id, name in _json(arrays["names"]).items()}
    return Belongings(shapes, origins, _materials(arrays, world.materials), names)


def _materials(arrays: Mapping[str, NDArray[Any]], mine: Materials) -> Materials:
    """Those of a checkpoint: as they are here, less what came since, and what is missing."""
    rows = arrays["materials.list"]
    made = copy.deepcopy(mine)
    made.keep(len(rows))
    for row in rows[len(made.list) :]:
        made.number(Material(**dict(zip(PROPERTIES, _numbers(row), strict=True))))
    tables = arrays["materials.pairs"]
    if not np.array_equal(_rows(made.list), rows, equal_nan=True) or not np.array_equal(
        _tables(made), tables
    ):
        raise InputError(DIFFER)
    return made


def _numbers(row: NDArray[np.float64]) -> list[Any]:
    return [None if np.isnan(each) else float(each) for each in row]


def _rows(materials: Sequence[Material]) -> NDArray[np.float64]:
    """Properties, NaN for a static friction that is not given, shape (materials, properties)."""
    rows = [[getattr(each, name) for name in PROPERTIES] for each in materials]
    return np.array(rows, dtype=np.float64).reshape(-1, len(PROPERTIES))  # None becomes NaN


def _tables(materials: Materials) -> NDArray[np.float64]:
    """What each pair makes of a contact, shape (properties, materials, materials)."""
    return np.stack([getattr(materials.table, name) for name in PAIRED])


def _digests(shapes: Sequence[Shape], origins: Sequence[Origin]) -> NDArray[np.uint64]:
    """Of kinds, bounds and origins, shape (shapes,)."""
    said = (f"{_extent(s)} {o!r}".encode() for s, o in zip(shapes, origins, strict=True))
    found = [int.from_bytes(hashlib.sha256(each).digest()[:8], "little") for each in said]
    return np.array(found, dtype=np.uint64)


def _extent(shape: Shape) -> str:
    """Kind and bounds of a shape; those of spheres, of which there may be many, at once."""
    if type(shape) is Sphere:
        return f"Sphere {shape.radius!r}"
    return f"{type(shape).__name__} {[bound.tolist() for bound in shape.bounds]}"


def _json(text: NDArray[Any]) -> dict[str, Any]:
    try:
        found = json.loads(str(text))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise FileFormatError("it cannot be read as a checkpoint: a list of it is damaged")
    return found
