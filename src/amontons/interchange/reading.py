"""From the text of a scene file to a world."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.interchange.body_fields import BODY, MATERIAL, PAIR
from amontons.interchange.bond_fields import add_bonds
from amontons.interchange.context import Known, has_body
from amontons.interchange.flow_fields import METER, SINK, SOURCE
from amontons.interchange.joint_fields import JOINTS, LOADS
from amontons.interchange.probe_fields import PROBE
from amontons.interchange.scene_fields import SCENE, VERSION, Named
from amontons.interchange.shape_fields import ShapeValue
from amontons.interchange.source import Node, SourceText
from amontons.interchange.values import shown
from amontons.model.materials import Material
from amontons.model.world import World

Floats = NDArray[np.float64]

UNIT = 1e-14
"""A quaternion this close to unit length was written by amontons: its last digits are kept."""

WORLD = ("gravity", "rules", "cell")
"""Sections that say what kind of world it is."""

PLACES = ("position", "positions", "grid")
STATE = ("force", "torque", "asleep", "still")
"""Columns of bodies that `World.add_bodies` does not take."""


def read_scene(source: SourceText) -> tuple[World, dict[str, Any]]:
    """The world of a scene file, and its other sections by name."""
    node = source.root
    if not isinstance(node.value, dict) or not node.value:
        found = shown(node.value or None)
        raise node.fault(
            f"a scene file has sections such as 'bodies' and 'joints', this has {found}"
        )
    _check_version(node)
    SCENE.check_keys(node)
    known = Known(source.path.parent)
    given = {
        name: SCENE.field(name).value.read(node[name], known)
        for name in ("amontons", "name", "summary", *WORLD, "run", "output", "next_id")
        if name in node.value
    }
    given.pop("amontons", None)
    known.world = World(**{name: given.pop(name) for name in WORLD if name in given})
    _read_materials(node, known)
    _read_shapes(node, known)
    for entry in _entries(node, "bodies", known):
        add_bodies(entry, known)
    for entry in _entries(node, "joints", known):
        joint = JOINTS.read(entry, known)
        with entry.blamed():
            known.world.add_joint(joint)
    for entry in _entries(node, "bonds", known):
        add_bonds(entry, known)
    for entry in _entries(node, "forces", known):
        load = LOADS.read(entry, known)
        with entry.blamed():
            known.world.add_force(load)
    for section, record, add in (
        ("sources", SOURCE, known.world.add_source),
        ("sinks", SINK, known.world.add_sink),
        ("meters", METER, known.world.add_meter),
        ("probes", PROBE, known.world.add_probe),
    ):
        for entry in _entries(node, section, known):
            thing = record.read(entry, known)
            with entry.blamed():
                add(thing)
    if "next_id" in given:
        _set_next_id(node["next_id"], known.world, given.pop("next_id"))
    return known.world, given


def _check_version(node: Node) -> None:
    version = node.value.get("amontons", VERSION)
    if isinstance(version, int) and not isinstance(version, bool) and version > VERSION:
        raise node["amontons"].fault(
            f"is {version}, but this release reads version {VERSION}; update amontons"
        )


def _entries(node: Node, name: str, known: Known) -> list[Node]:
    if name not in node.value:
        return []
    entries: list[Node] = SCENE.field(name).value.read(node[name], known)
    return entries


def _read_materials(node: Node, known: Known) -> None:
    if "materials" in node.value:
        known.materials = Named(MATERIAL).read(node["materials"], known)
        for material in known.materials.values():
            known.world.materials.number(material)
    for entry in _entries(node, "pairs", known):
        fields = PAIR.read_fields(entry, known)
        between = fields.pop("between")
        if len(between) != 2:
            raise entry["between"].fault(f"must name two materials, not {len(between)}")
        one, other = between
        with entry.blamed():
            known.world.set_contact(one, other, Material(**fields))


def _read_shapes(node: Node, known: Known) -> None:
    """Shapes in order, so that a compound may refer to those before it."""
    if "shapes" not in node.value:
        return
    section = node["shapes"]
    Named(ShapeValue()).check(section)
    for name, entry in section.items():
        known.shapes[name] = ShapeValue().read(entry, known)


def add_bodies(node: Node, known: Known) -> None:
    """Add the body or the bodies of one entry."""
    fields = BODY.read_fields(node, known)
    world = known.world
    if "id" in fields:
        _set_next_id(node["id"], world, fields.pop("id"))
    name, many, place = fields.pop("name", ""), *_places(node, fields)
    if name and has_body(world, name):
        raise node["name"].fault(f"there is already a body called {name!r}; names must differ")
    state = {each: fields.pop(each) for each in STATE if each in fields}
    turn = np.array(fields["orientation"]) if "orientation" in fields else None
    if turn is not None:
        _refuse_zero(node["orientation"], turn)
    before = len(world.bodies)
    with node.blamed():
        if many:
            world.add_bodies(position=place, **fields)
        else:
            world.add_body(position=place, name=name, **fields)
    rows = slice(before, len(world.bodies))
    if turn is not None:
        _keep_digits(world.bodies.orientation[rows], turn)
    for column, value in state.items():
        _set(node[column], world.bodies.columns[column][rows], value)


def _places(node: Node, fields: dict[str, Any]) -> tuple[bool, Any]:
    """Whether an entry stands for many bodies, and their positions."""
    given = [each for each in PLACES if each in fields]
    if len(given) > 1:
        raise node[given[1]].fault(f"{given[0]} gives the position already; keep one of them")
    if not given:
        return False, (0.0, 0.0, 0.0)
    many = given[0] != "position"
    if many and "name" in node.value:
        raise node["name"].fault("a name is for one body; leave it out, or give each an entry")
    return many, fields.pop(given[0])


def _refuse_zero(node: Node, turn: Floats) -> None:
    length = np.linalg.norm(np.atleast_2d(turn), axis=1)
    if (length == 0.0).any():
        raise node.fault("is all zeros; a body that is not rotated has [1, 0, 0, 0]")


def _keep_digits(rows: Floats, given: Floats) -> None:
    """Undo the rounding of quaternions that were unit when they were written."""
    given = np.broadcast_to(given, rows.shape)
    unit = np.abs(np.linalg.norm(given, axis=1) - 1.0) < UNIT
    rows[unit] = given[unit]


def _set(node: Node, rows: NDArray[Any], value: Any) -> None:
    array = np.asarray(value)
    if array.ndim == rows.ndim and len(array) != len(rows):
        raise node.fault(f"has {len(array)} entries for {len(rows)} bodies")
    rows[:] = array


def _set_next_id(node: Node, world: World, id: int) -> None:
    if id < world.next_id:
        raise node.fault(f"is {id}, but the next free number is {world.next_id}")
    world.next_id = id
