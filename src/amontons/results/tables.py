"""Runs as tables of pandas, Arrow and xarray: bodies, contacts, steps, notes, meters, bonds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.results.probe_columns import PROBE
from amontons.results.probe_tables import probe_table

if TYPE_CHECKING:
    from amontons.results.reader import Results

Column = NDArray[Any]
Columns = dict[str, Column]

UNITS = {
    "time": "s", "x": "m", "y": "m", "z": "m", "vx": "m/s", "vy": "m/s", "vz": "m/s",
    "wx": "rad/s", "wy": "rad/s", "wz": "rad/s", "fx": "N", "fy": "N", "fz": "N", "gap": "m",
    "tx": "N m", "ty": "N m", "tz": "N m", "mass": "kg", "radius": "m",
    "mass_back": "kg", "speed": "m/s", "stress": "Pa",
}  # fmt: skip
"""Units of columns; those of readings of steps come from the run."""


def frame_numbers(results: Results, frames: Sequence[int] | slice | None) -> list[int]:
    """Numbers of the requested frames, by default all."""
    every = range(results.frames)
    if frames is None:
        return list(every)
    if isinstance(frames, slice):
        return list(every[frames])
    chosen = [int(each) for each in frames]
    wrong = [each for each in chosen if not -results.frames <= each < results.frames]
    if wrong:
        raise InputError(f"there is no frame {wrong[0]}; the run has {results.frames}")
    return [each % results.frames for each in chosen]


def radii(results: Results) -> NDArray[np.float64]:
    """Of bodies that are spheres [m], NaN for others; shape (bodies,)."""
    each = [s.half[0] if s.kind == "Sphere" else np.nan for s in results.shapes]
    return np.array(each, dtype=np.float64)[results.bodies.shape]


def _bodies(results: Results, frames: list[int]) -> Columns:
    rows = [results[number] for number in frames]
    counts = [len(row.position) for row in rows]
    every, number = radii(results), np.arange(len(results.bodies))
    which = np.concatenate(
        [np.empty(0, dtype=np.int64), *(number if row.row is None else row.row for row in rows)]
    )
    bodies = results.bodies
    place = _stacked([row.position for row in rows], 3)
    turn = _stacked([row.orientation for row in rows], 4)
    twist = _stacked([row.twist for row in rows], 6)
    return {
        "frame": np.repeat(frames, counts).astype(np.int64),
        "time": np.repeat([row.time for row in rows], counts).astype(np.float64),
        "body": bodies.id[which],
        "name": np.array(bodies.names, dtype=object)[which],
        "mass": bodies.mass[which],
        "radius": every[which],
        **_named(place, "x y z"),
        **_named(turn, "qw qx qy qz"),
        **_named(twist, "vx vy vz wx wy wz"),
    }


def _contacts(results: Results, frames: list[int]) -> Columns:
    found = [results.contacts(number) for number in frames]
    counts = [len(each) for each in found]
    times = results.time
    return {
        "frame": np.repeat(frames, counts).astype(np.int64),
        "time": np.repeat(times[frames], counts),
        **_named(_stacked([c.bodies for c in found], 2).astype(np.int64), "body_a body_b"),
        **_named(_stacked([c.points for c in found], 3), "x y z"),
        **_named(_stacked([c.normals for c in found], 3), "nx ny nz"),
        **_named(_stacked([c.force for c in found], 3), "fx fy fz"),
        "gap": np.concatenate([np.empty(0), *(c.gaps for c in found)]),
        **_named(_stacked([c.torque for c in found], 3), "tx ty tz"),
    }


def _steps(results: Results, frames: list[int]) -> Columns:
    return {name: results.readings(name) for name in results.columns}


def _notes(results: Results, frames: list[int]) -> Columns:
    notes = results.notes
    return {
        "step": np.array([each.step for each in notes], dtype=np.int64),
        "time": np.array([each.time for each in notes], dtype=np.float64),
        "kind": np.array([each.kind for each in notes], dtype=object),
        "value": np.array([each.value for each in notes], dtype=np.float64),
        "message": np.array([each.message for each in notes], dtype=object),
    }


def _meters(results: Results, frames: list[int]) -> Columns:
    rows = results.meters
    texts = {name: np.char.decode(rows[name], "utf-8").astype(object) for name in ("kind", "name")}
    speed = np.full(len(rows), np.nan)
    some = (rows["kind"] == b"meter") & (rows["count"] > 0)
    speed[some] = rows["momentum"][some] / rows["mass"][some]
    names = ("step", "time", "kind", "name", "material", "count", "mass", "count_back", "mass_back")
    return {name: texts.get(name, rows[name]) for name in names} | {"speed": speed}


def _bonds(results: Results, frames: list[int]) -> Columns:
    rows = results.broken_bonds
    return {
        "step": rows["step"],
        "time": rows["time"],
        "bond": rows["bond"],
        **_named(rows["bodies"], "body_a body_b"),
        "by": np.char.decode(rows["by"], "utf-8").astype(object),
        "stress": rows["under"],
    }


TABLES: dict[str, Callable[[Results, list[int]], Columns]] = {
    "bodies": _bodies, "contacts": _contacts, "steps": _steps, "notes": _notes,
    "meters": _meters, "bonds": _bonds,
}  # fmt: skip
"""Tables by name; `Results.to_pandas` describes their rows."""


EXAMPLE = {"joints": "joint:hip.position", "sensors": "sensor:imu.acceleration_x"}
"""Columns of "steps" for those who look for a table of their own."""


def columns_of_table(
    results: Results, table: str, frames: Sequence[int] | slice | None
) -> tuple[Columns, dict[str, str]]:
    """The columns of a table, and units of those that have one."""
    if table.startswith(PROBE):
        _without_frames(table, frames)
        return probe_table(results, table.removeprefix(PROBE))
    if table not in TABLES:
        inside = table in ("joints", "sensors")
        rest = f"; {table} are columns of 'steps', such as {EXAMPLE[table]!r}" if inside else ""
        raise InputError(f"there is no table {table!r}: choose {', '.join(_known(results))}{rest}")
    if table in ("steps", "notes", "meters", "bonds"):
        _without_frames(table, frames)
    columns = TABLES[table](results, frame_numbers(results, frames))
    units = {name: UNITS[name] for name in columns if name in UNITS}
    if table == "steps":
        units = results.units
    return columns, {name: unit for name, unit in units.items() if unit}


def _known(results: Results) -> list[str]:
    return [*TABLES, *(f"{PROBE}{name}" for name in results.probes)]


def _without_frames(table: str, frames: object) -> None:
    if frames is not None:
        raise InputError(f"{table} are not by frames: leave `frames` out")


def to_pandas(results: Results, table: str, frames: Sequence[int] | slice | None) -> Any:
    """A `pandas.DataFrame`; units are in its `attrs`."""
    pandas = _wanted("pandas")
    columns, units = columns_of_table(results, table, frames)
    data = pandas.DataFrame(columns)
    data.attrs["units"] = units
    return data


def to_arrow(results: Results, table: str, frames: Sequence[int] | slice | None) -> Any:
    """A `pyarrow.Table`; units are in the metadata of its fields."""
    arrow = _wanted("pyarrow")
    columns, units = columns_of_table(results, table, frames)
    arrays = {name: arrow.array(values) for name, values in columns.items()}
    fields = [
        arrow.field(name, each.type, metadata={"units": units[name]} if name in units else None)
        for name, each in arrays.items()
    ]
    return arrow.Table.from_arrays(list(arrays.values()), schema=arrow.schema(fields))


def to_xarray(results: Results, table: str, frames: Sequence[int] | slice | None) -> Any:
    """An `xarray.Dataset`: of bodies over time and body, of others over their rows."""
    xarray = _wanted("xarray")
    if table == "bodies":
        return _grid_of_bodies(xarray, results, frame_numbers(results, frames))
    columns, units = columns_of_table(results, table, frames)
    row = {
        "contacts": "contact",
        "steps": "number_of_step",
        "notes": "note",
        "meters": "reading",
        "bonds": "broken_bond",
    }.get(table, "row")
    data = xarray.Dataset({name: (row, values) for name, values in columns.items()})
    for name, unit in units.items():
        data[name].attrs["units"] = unit
    return data


def _grid_of_bodies(xarray: Any, results: Results, frames: list[int]) -> Any:
    bodies, rows = results.bodies, [results[number].whole() for number in frames]
    many = (len(frames), len(bodies))
    place = _stacked([row.position for row in rows], 3).reshape(*many, 3)
    turn = _stacked([row.orientation for row in rows], 4).reshape(*many, 4)
    twist = _stacked([row.twist for row in rows], 6).reshape(*many, 6)
    over = ("time", "body")
    data = xarray.Dataset(
        {
            "position": ((*over, "axis"), place, {"units": "m"}),
            "orientation": ((*over, "part"), turn),
            "velocity": ((*over, "axis"), twist[..., :3], {"units": "m/s"}),
            "angular_velocity": ((*over, "axis"), twist[..., 3:], {"units": "rad/s"}),
            "mass": ("body", bodies.mass, {"units": "kg"}),
            "radius": ("body", radii(results), {"units": "m"}),
        },
        coords={
            "time": ("time", np.array([row.time for row in rows]), {"units": "s"}),
            "body": bodies.id, "name": ("body", np.array(bodies.names, dtype=str)),
            "axis": list("xyz"), "part": list("wxyz"), "frame": ("time", frames),
        },
    )  # fmt: skip
    return data


def _named(values: NDArray[Any], names: str) -> Columns:
    return {name: values[:, i] for i, name in enumerate(names.split())}


def _stacked(arrays: list[NDArray[Any]], width: int) -> NDArray[Any]:
    return np.concatenate([np.empty((0, width)), *arrays])


def _wanted(package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        raise InputError(f"this needs {package}: pip install 'amontons[lab]'") from None
