"""From a world to the plain data of a scene file."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.interchange.body_fields import BODY, MATERIAL, RULE
from amontons.interchange.bond_fields import BOND, bond_parts
from amontons.interchange.cell_fields import CELL
from amontons.interchange.context import Names, given_name
from amontons.interchange.flow_fields import METER, SINK, SOURCE, meter_parts, source_parts
from amontons.interchange.joint_fields import JOINTS, LOADS, title_of
from amontons.interchange.probe_fields import PROBE
from amontons.interchange.records import Record, same
from amontons.interchange.shape_fields import SHAPES
from amontons.model.body_checks import body_inertias
from amontons.model.flows import FlowMeter, Sink, Source
from amontons.model.materials import USUAL_RULES
from amontons.model.probes import Probe
from amontons.model.shapes import Shape
from amontons.model.world import World

Plain = dict[str, Any]
Flags = NDArray[np.bool_]

SHARED = ("shape", "material", "fixed", "motion")
"""Columns that are equal for all bodies of an entry."""

EACH = ("orientation", "velocity", "angular_velocity", "mass", "group", "mask", "surface_velocity")
EACH_STATE = ("force", "torque", "asleep", "still")
"""Columns that an entry gives once for all of its bodies, or for each."""


def world_data(world: World) -> Plain:
    """The sections of a file that describe a world."""
    names = Names(world, materials=[f"material_{i}" for i in range(len(world.materials.list))])
    derived = _derived_inertias(world)
    entries = list(_entries(world, derived))
    shapes = _shared_shapes(world, entries, names)
    data: Plain = {"gravity": world.gravity.tolist()}
    if world.cell is not None:
        data["cell"] = CELL.write(world.cell, names)
    if names.materials:
        pairs = zip(names.materials, world.materials.list, strict=True)
        data["materials"] = {name: MATERIAL.write(each, names) for name, each in pairs}
    data |= _contact_rules(world, names)
    if shapes:
        data["shapes"] = shapes
    data["bodies"] = [_body(world, rows, names, bool(derived[rows[0]])) for rows in entries]
    sections = {
        "joints": [_told(JOINTS, joint, names) for joint in world.joints],
        "bonds": [BOND.write(_Fields(bond_parts(world)), names)] if len(world.bonds) else [],
        "forces": [_told(LOADS, load, names) for load in world.forces],
        **_flows(world, names),
        "probes": [_probe(each, names) for each in world.probes],
    }
    data |= {name: section for name, section in sections.items() if section}
    last = int(world.bodies.id[-1]) + 1 if len(world.bodies) else 0
    if world.next_id != last:
        data["next_id"] = world.next_id
    return data


def _told(family: Any, thing: Any, names: Names) -> Plain:
    try:
        out: Plain = family.write(thing, names)
    except InputError as reason:
        raise InputError(f"a scene file cannot hold {title_of(thing)}: {reason}") from None
    return out


def _probe(probe: Probe, names: Names) -> Plain:
    try:
        return PROBE.write(probe, names)
    except InputError as reason:
        raise InputError(f"a scene file cannot hold the probe {probe.name!r}: {reason}") from None


def _flows(world: World, names: Names) -> dict[str, list[Plain]]:
    """Sources, sinks and meters under their names."""
    number = world.materials.number
    parts: dict[str, list[tuple[str, Record, Mapping[str, Any]]]] = {
        "sources": [
            (name, SOURCE, source_parts(each, name, number(each.material)))
            for _, name, each in world.flows.of(Source)
        ],
        "sinks": [
            (name, SINK, {**vars(each), "name": name}) for _, name, each in world.flows.of(Sink)
        ],
        "meters": [
            (name, METER, meter_parts(each, name)) for _, name, each in world.flows.of(FlowMeter)
        ],
    }
    out: dict[str, list[Plain]] = {}
    for section, entries in parts.items():
        out[section] = []
        for name, record, fields in entries:
            try:
                out[section].append(record.write(_Fields(dict(fields)), names))
            except InputError as reason:
                raise InputError(f"a scene file cannot hold {name}: {reason}") from None
    return out


def _contact_rules(world: World, names: Names) -> Plain:
    out: Plain = {}
    rules = world.materials.rules
    other = {name: rule for name, rule in rules.items() if rule != USUAL_RULES[name]}
    if "friction" in other:  # a file that says only this one means both
        other["static_friction"] = rules["static_friction"]
    if other:
        out["rules"] = RULE.write(_Fields(other), names)
    told = {(i, j): contact for (i, j), contact in world.materials.pairs.items() if i <= j}
    if told:
        out["pairs"] = [
            {"between": [names.material(i), names.material(j)], **MATERIAL.write(contact, names)}
            for (i, j), contact in told.items()
        ]
    return out


class _Fields:
    """Values by name, as an object that a record can take apart."""

    def __init__(self, values: Plain) -> None:
        self.__dict__.update(values)


def _entries(world: World, derived: Flags) -> Iterator[range]:
    """Rows of bodies that one entry can hold: neighbours that differ only in what may vary."""
    columns, count = world.bodies.columns, len(world.bodies)
    named = np.array([bool(given_name(world, id)) for id in columns["id"].tolist()], dtype=bool)
    new = np.ones(count, dtype=bool)
    new[1:] = (np.diff(columns["id"]) != 1) | named[1:] | named[:-1]
    for column in (*(columns[name] for name in SHARED), derived):
        new[1:] |= column[1:] != column[:-1]
    own = columns["inertia"].reshape(count, 9)
    new[1:] |= ~derived[1:] & (own[1:] != own[:-1]).any(axis=1)
    starts = np.flatnonzero(new).tolist()
    for start, stop in itertools.pairwise([*starts, count]):
        yield range(start, stop)


def _derived_inertias(world: World) -> Flags:
    """Whether the bodies' inertias equal those of their shapes to the last bit; shape (bodies,)."""
    bodies = world.bodies
    derived = np.zeros(len(bodies), dtype=bool)
    for number, shape in enumerate(world.shapes):
        rows = np.flatnonzero(bodies.shape == number)
        centre = _other_centre(world, number)
        try:
            usual = body_inertias([shape] * rows.size, bodies.mass[rows], None, centre)
        except InputError:  # it has no volume
            continue
        derived[rows] = (usual == bodies.inertia[rows]).all(axis=(1, 2))
    return derived


def _other_centre(world: World, number: int) -> tuple[float, ...] | None:
    """Centre of mass of a shape's bodies, if it is not that of the shape."""
    shape, origin = world.shapes[number], world.origins[number]
    try:
        own = tuple(shape.centre.tolist())
    except InputError:
        own = (0.0, 0.0, 0.0)
    return None if own == origin else origin


def _shared_shapes(world: World, entries: list[range], names: Names) -> Plain:
    """Shapes that several entries share, by the names given to them here."""
    used = [world.shapes[int(world.bodies.shape[rows[0]])] for rows in entries]
    counts: dict[Shape, int] = {}
    for shape in used:
        counts[shape] = counts.get(shape, 0) + 1
    out: Plain = {}
    for shape, count in counts.items():
        if count > 1:
            data = SHAPES.write(shape, Names())
            name = f"{data['kind']}_{len(out)}"
            out[name], names.shapes[shape] = data, name
    return out


def _body(world: World, rows: range, names: Names, derived: bool) -> Plain:
    """One entry; a `derived` inertia is omitted."""
    bodies, first = world.bodies, rows[0]
    part = slice(rows.start, rows.stop)
    id, number = int(bodies.id[first]), int(bodies.shape[first])
    values: Plain = {
        "name": given_name(world, id) or None,
        "shape": world.shapes[number],
        "centre": _other_centre(world, number),
        "fixed": bool(bodies.fixed[first]),
        "material": int(bodies.material[first]),
        "id": None if id == (int(bodies.id[first - 1]) + 1 if first else 0) else id,
    }
    values |= _place(bodies.position[part])
    motion = int(bodies.columns["motion"][first])
    if motion:
        values["motion"] = world.motions[motion - 1]
    for name in EACH:
        column = getattr(bodies, name)[part]
        if name != "mass" or np.isfinite(column).all():
            values[name] = _one_or_each(column, BODY.field(name).default)
    for name in EACH_STATE:
        column = bodies.columns[name][part]
        if column.any():
            values[name] = _one_or_each(column, None)
    if np.isfinite(bodies.mass[first]) and not derived:
        values["inertia"] = bodies.inertia[first]
    try:
        return BODY.write(_Fields(values), names)
    except InputError as reason:
        raise InputError(f"a scene file cannot hold {world.name_of(id)}: {reason}") from None


def _place(position: NDArray[np.float64]) -> Plain:
    if len(position) == 1:
        return {"position": position[0]}
    return {"positions": position}


def _one_or_each(column: NDArray[Any], default: Any) -> Any:
    """The common value of all rows, None if it is the default, or all rows if they differ."""
    if len({row.tobytes() for row in column}) > 1:
        return column if column.ndim > 1 else column.tolist()
    one = column[0].tolist()
    return None if same(tuple(one) if isinstance(one, list) else one, default) else one
