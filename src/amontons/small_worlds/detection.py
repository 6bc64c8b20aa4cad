"""Contacts of a small world: `CollisionDetector.detect_unit` by the same kernels, in one call.

The broad phase and the assembly are linked. Kernels of the narrow phase are called by their
addresses, so that each is compiled by itself, and only those whose pairs a world can have.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats, Ints, Longs
from amontons.collision.body_parts import Poses, place_parts
from amontons.collision.broad.grid import (
    Grid,
    PartTags,
    Sorted,
    bound_parts,
    find_slots,
    gather_parts,
    lay_out,
    planes_in_world,
    sort_by_slot,
)
from amontons.collision.broad.search import KEPT, add_up, find_pairs, list_pairs
from amontons.collision.contacts import (
    PartOwners,
    Rows,
    assemble,
    assemble_spheres,
    count_contacts,
)
from amontons.collision.narrow.narrow_phase import KINDS, sort_by_kinds
from amontons.collision.pair_contacts import MOST, ContactSlots, PairContacts
from amontons.model.shapes.table import ShapeArrays
from amontons.small_worlds.linking import joining
from amontons.small_worlds.pointers import call_for_nothing

_bound, _find_slots, _gather_parts = bound_parts.serial, find_slots.serial, gather_parts.serial
_find_pairs, _list_pairs, _place = find_pairs.serial, list_pairs.serial, place_parts.serial
_assemble, _assemble_spheres = assemble.serial, assemble_spheres.serial

MOST_PAIRS = 100_000
"""Close pairs of parts above which a world is left to the staged step."""


class DetectionTable(NamedTuple):
    """What detection knows of parts and of bodies, as in `DetectorTables`."""

    shapes: ShapeArrays
    shape: Ints  # of parts, (parts,)
    body: Ints  # of parts, (parts,)
    offset: Floats  # (parts, 3), or (0, 3)
    turn: Floats  # (parts, 4), or (0, 4)
    alone: bool  # part i is body i, and its frame the body's
    only_spheres: bool
    kind: NDArray[np.uint8]  # of parts, (parts,)
    local: Ints  # of parts, (parts,)
    first: Longs  # parts of bodies, (bodies + 1,)
    radius: Floats  # of spheres [m], (parts,)
    parts: PartTags
    planes: int
    boxes: bool
    filters: bool
    grids: tuple[Grid, ...]  # one for each level of the margin
    slots: Longs  # of each grid
    ranks: Longs  # of pairs of kinds, (kinds²,)
    narrow: Longs  # ranks from, to, and address of each kernel, 0 for none, (kernels, 3)
    piece: Ints  # rigid piece that each body is of, (bodies,)
    welds: bool  # whether any has several bodies
    nobody_meets: bool


class Detected(NamedTuple):
    """Contacts, as in `ContactSet`."""

    bodies: Ints
    normals: Floats
    arms_a: Floats
    arms_b: Floats
    gaps: Floats
    keys: Longs
    first: Longs


@joining
def small_contact_room(contacts):
    """Room for so many contacts."""
    return Rows(
        np.empty(2 * contacts, np.int32), np.empty(9 * contacts), np.empty(contacts),
        np.empty(contacts, np.uint64),
    )  # fmt: skip


@joining
def small_poses(table, position, orientation):
    """Poses of the parts."""
    if table.alone:
        return Poses(position, orientation, table.shape)
    count = table.body.size
    place, turn = np.empty((count, 3)), np.empty((count, 4))
    _place(position, orientation, table.body, table.offset, table.turn, place, turn)
    return Poses(place, turn, table.shape)


@joining
def small_pairs(table, poses, level, margin):
    """Close pairs of parts, and where those of each part begin."""
    shapes, parts, grid, count = table.shapes, table.parts, table.grids[level], table.shape.size
    box, slot, none = np.empty((count, 6)), np.empty(count, np.int32), np.empty(0, np.int32)
    levels = grid.base.size
    ordered = Sorted(
        np.empty((levels, 2), np.int64), np.empty(table.slots[level] + 2, np.int32),
        np.empty(count, np.int32), np.empty((count, 4)),
        np.empty((count if table.boxes else 0, 3)),
        np.empty((count if table.filters else 0, 4), np.uint32),
    )  # fmt: skip
    _bound(
        shapes.kind, shapes.size, shapes.middle, shapes.half, poses.place, poses.turn, table.shape,
        0.5 * margin, box,
    )  # fmt: skip
    lay_out(grid.per_metre, grid.mask, grid.level, box, np.empty((levels, 6)), ordered.stride)
    _find_slots(grid.per_metre, grid.base, grid.mask, ordered.stride, grid.level, box, slot)
    sort_by_slot(slot, ordered.start, ordered.part)
    _gather_parts(
        ordered.part, box, parts.tag, shapes.kind, table.shape, ordered.ball, ordered.half,
        ordered.tag,
    )  # fmt: skip
    world = np.empty((table.planes, 5))
    planes_in_world(
        shapes.size, poses.place, poses.turn, table.shape, parts.plane, 0.5 * margin, world
    )
    first, number = np.empty(count + 1, np.int64), np.empty(count, np.int32)
    near = np.empty(count * KEPT, np.int32)
    _find_pairs(grid, parts, world, ordered, none, first[:0], near, number)
    more, most = near[:0], add_up(number, first)
    total = first[count]
    if total > MOST_PAIRS:
        return np.empty((0, 2), np.int32), first, False
    if most > KEPT:
        more = np.empty(total, np.int32)
        _find_pairs(grid, parts, world, ordered, none, first, more, number)
    pairs = np.empty((total, 2), np.int32)
    _list_pairs(near, more, first, none, pairs)
    return pairs, first, True


@joining
def small_touching(table, poses, position, pairs, first, margin):
    """Contacts of close pairs in rows, where those of each body begin, and whether all are there.

    They are not where a pair is of kinds whose kernel has no address.
    """
    count, bodies = pairs.shape[0], table.first.size - 1
    which, ordered = np.empty(count, np.int64), np.empty((count, 2), np.int32)
    begin, start = np.zeros(KINDS * KINDS + 1, np.int64), np.zeros(count + 1, np.int64)
    sort_by_kinds(table.shapes.kind, table.shape, pairs, table.ranks, begin, which, ordered)
    number, key = np.zeros(count, np.int32), np.zeros((count, MOST), np.uint32)
    normal, point = np.empty((count, MOST, 3)), np.empty((count, MOST, 3))
    gap, row = np.empty((count, MOST)), np.arange(0, count * MOST, MOST)
    body_first = np.empty(bodies + 1, np.int64)
    for k in range(table.narrow.shape[0]):
        low, high = begin[table.narrow[k, 0]], begin[table.narrow[k, 1]]
        if low < high:
            if table.narrow[k, 2] == 0:
                return small_contact_room(0), body_first, False
            found = ContactSlots(
                number[low:high], normal[low:high], point[low:high], gap[low:high], key[low:high]
            )
            call_for_nothing(
                table.narrow[k, 2], (table.shapes, poses, ordered[low:high], margin, found)
            )
            count_contacts(which[low:high], number[low:high], start)
    spheres = which[: begin[1]]
    for i in range(spheres.size):
        start[spheres[i] + 1] = 1
    for i in range(count):
        start[i + 1] += start[i]
    rows = small_contact_room(start[count])
    owners = PartOwners(table.body, table.local, poses.place, position)
    for k in range(table.narrow.shape[0]):
        low, high = begin[table.narrow[k, 0]], begin[table.narrow[k, 1]]
        if low < high:
            size = (high - low) * MOST
            contacts = PairContacts(
                number[low:high], row[: high - low], normal[low:high].reshape(size, 3),
                point[low:high].reshape(size, 3), gap[low:high].reshape(size),
                key[low:high].reshape(size),
            )  # fmt: skip
            _assemble(pairs, table.kind, which[low:high], contacts, start, owners, rows)
    if spheres.size:
        kept = 0 if table.alone else table.body.size
        owners = PartOwners(table.body[:kept], table.local[:kept], poses.place, position)
        _assemble_spheres(pairs, spheres, start, owners, table.radius, margin, rows)
    for i in range(bodies + 1):
        body_first[i] = start[first[table.first[i]]]
    return rows, body_first, True


@joining
def small_outer(piece, found):
    """The contacts but for those within rigid pieces."""
    count, bodies = found.gaps.size, found.first.size - 1
    new, kept = np.empty(count, np.int64), 0
    for c in range(count):
        if piece[found.bodies[c, 0]] != piece[found.bodies[c, 1]]:
            new[kept] = c
            kept += 1
    if kept == count:
        return found
    rows, first = new[:kept], np.empty(bodies + 1, np.int64)
    i = 0
    for b in range(bodies + 1):
        while i < kept and rows[i] < found.first[b]:
            i += 1
        first[b] = i
    ends, normals = np.empty((kept, 2), np.int32), np.empty((kept, 3))
    arms_a, arms_b = np.empty((kept, 3)), np.empty((kept, 3))
    gaps, keys = np.empty(kept), np.empty(kept, np.uint64)
    for k in range(kept):
        c = rows[k]
        gaps[k], keys[k] = found.gaps[c], found.keys[c]
        ends[k, 0], ends[k, 1] = found.bodies[c, 0], found.bodies[c, 1]
        for j in range(3):
            normals[k, j] = found.normals[c, j]
            arms_a[k, j], arms_b[k, j] = found.arms_a[c, j], found.arms_b[c, j]
    return Detected(ends, normals, arms_a, arms_b, gaps, keys, first)


@joining
def small_detect(table, position, orientation, level, margin):
    """All contacts within the margin [m], whose level is given, and whether all are there."""
    bodies = position.shape[0]
    rows, first, complete = small_contact_room(0), np.zeros(bodies + 1, np.int64), True
    if not table.nobody_meets:
        poses = small_poses(table, position, orientation)
        pairs, first, complete = small_pairs(table, poses, level, margin)
        if complete and table.only_spheres:
            rows, none = small_contact_room(pairs.shape[0]), np.empty(0, np.int64)
            owners = PartOwners(table.body[:0], table.local[:0], poses.place, poses.place)
            _assemble_spheres(pairs, none, none, owners, table.radius, margin, rows)
        elif complete:
            rows, first, complete = small_touching(table, poses, position, pairs, first, margin)
    count = rows.gaps.size
    vectors = rows.vectors.reshape(3, count, 3)
    found = Detected(
        rows.bodies.reshape(count, 2), vectors[0], vectors[1], vectors[2], rows.gaps, rows.keys,
        first,
    )  # fmt: skip
    if table.welds:
        found = small_outer(table.piece, found)
    return found, complete
