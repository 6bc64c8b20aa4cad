"""Kernels of the broad phase: a hierarchy of hashed grids.

A part lives in one cell, that of its centre, on the level whose cells are just as wide as it is. On
its own level it meets others within one cell; on a coarser level it looks up the cells that a part
of that level could reach it from. Whoever is finer finds the pair, of two on one level the one in
the earlier cell: so a part writes its own list only, and no list is long, not even that of a floor.

Cells along x have neighbouring slots: three of them are one run of the sorted parts. Other rows
start anywhere, by a hash, so memory does not depend on how far apart things are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import helper, kernel, prange, routine, serial_kernel
from amontons.algebra.rotations import rotation_of
from amontons.model.shapes.table import PLANE, SPHERE

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

KEPT = 10
"""Partners of a part that fit into its place of the first pass; beyond, it searches once more."""

BATCH = 256
"""Parts that a thread searches for before it takes more."""

HITS = 64
"""Candidates that are tested in one go."""

RUN_BITS = 6
RUNS = 1 << RUN_BITS
"""Most runs of sorted parts to look through on one level: 3 × 3 rows, each in two pieces or one."""

FEW_LEVEL, PLANE_LEVEL = -1, -2
"""Parts of levels with hardly any members, which everybody tests one by one; unbounded parts."""

FAR = 4e18
"""Cells are counted in 64 bits; what lies farther out shares the outermost."""


class Levels(NamedTuple):
    """The grids, from the finest to the coarsest."""

    per_metre: Floats  # one over the width of a cell [1/m], (levels,)
    base: NDArray[np.int64]  # first slot of a level's table, (levels,)
    mask: NDArray[np.int64]  # slots of that table less one, a power of two less one, (levels,)


class Parts(NamedTuple):
    """What the broad phase knows of parts besides their boxes."""

    level: NDArray[np.int8]  # or FEW_LEVEL or PLANE_LEVEL
    tag: NDArray[np.uint32]  # body, its groups, groups that it meets, whether it moves, (parts, 4)
    plane: Ints  # unbounded parts, which everybody tests one by one
    apart_start: NDArray[np.int64]  # of each body, its partners in `apart`; or empty
    apart: Ints  # bodies that must not meet it, sorted


class Sorted(NamedTuple):
    """Parts in the order of their slots."""

    start: Ints  # first part of each slot, of those on no level, and the end, (slots + 2,)
    part: Ints
    ball: Floats  # centre and radius of a sphere around the box [m], (parts, 4)
    half: Floats  # half extents of the box [m], negative for a sphere, (parts, 3); if any is a box
    tag: NDArray[np.uint32]  # as in `Parts`, (parts, 4); if any filter is set


@kernel
def bound_parts(kind, size, middle, half, place, turn, shape, reach, box):
    """Box ← centre and half extents of each part's bounding box, widened by `reach` [m]."""
    for i in prange(shape.size):
        s = shape[i]
        if kind[s] == SPHERE:
            box[i, 0], box[i, 1], box[i, 2] = place[i, 0], place[i, 1], place[i, 2]
            wide = size[s, 0] + reach
            box[i, 3], box[i, 4], box[i, 5] = wide, wide, wide
        elif kind[s] == PLANE:  # overlaps no box; planes are tested on their own
            box[i, 0], box[i, 1], box[i, 2] = 0.0, 0.0, 0.0
            box[i, 3], box[i, 4], box[i, 5] = -np.inf, -np.inf, -np.inf
        else:
            a, b, c, d, e, f, g, h, k = rotation_of(turn, i)
            x, y, z = middle[s, 0], middle[s, 1], middle[s, 2]
            box[i, 0] = place[i, 0] + (a * x + b * y + c * z)
            box[i, 1] = place[i, 1] + (d * x + e * y + f * z)
            box[i, 2] = place[i, 2] + (g * x + h * y + k * z)
            x, y, z = half[s, 0], half[s, 1], half[s, 2]
            box[i, 3] = abs(a) * x + abs(b) * y + abs(c) * z + reach
            box[i, 4] = abs(d) * x + abs(e) * y + abs(f) * z + reach
            box[i, 5] = abs(g) * x + abs(h) * y + abs(k) * z + reach


@helper
def cell(x, per_metre):
    """Number of the cell that x lies in."""
    return np.int64(np.floor(min(max(x * per_metre, -FAR), FAR)))


@helper
def row_slot(y, z, mask):
    """Slot at which the row of cells (·, y, z) has x = 0."""
    h = np.uint64(y) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(z) * np.uint64(0xC2B2AE3D27D4EB4F)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    return np.int64(h >> np.uint64(32)) & mask


@kernel
def find_slots(per_metre, base, mask, level, box, slot):
    """Slot ← where each part belongs; what is on no level goes to the slot after the last."""
    last = base[base.size - 1] + mask[base.size - 1] + 1 if base.size > 0 else 0
    for i in prange(slot.size):
        if level[i] < 0:
            slot[i] = last
        else:
            m = level[i]
            y, z = cell(box[i, 1], per_metre[m]), cell(box[i, 2], per_metre[m])
            x = cell(box[i, 0], per_metre[m])
            slot[i] = base[m] + ((row_slot(y, z, mask[m]) + x) & mask[m])


@serial_kernel
def sort_by_slot(slot, start, part):
    """A counting sort: part ← parts slot by slot, in order of number within one."""
    for i in range(slot.size):
        start[slot[i] + 1] += 1
    for s in range(start.size - 1):
        start[s + 1] += start[s]
    # the start of slot s moves to its end while it fills, which is the start of the next
    for i in range(slot.size):
        part[start[slot[i]]] = i
        start[slot[i]] += 1
    for s in range(start.size - 1, 0, -1):
        start[s] = start[s - 1]
    start[0] = 0


@kernel
def gather_parts(part, box, tag, kind, shape, ball, half, sorted_tag):
    """Copy boxes and tags into the order of slots, where neighbours are neighbours in memory.

    A sphere is its own ball; it needs no box, and says so by negative half extents.
    """
    for k in prange(part.size):
        i = part[k]
        x, y, z = box[i, 3], box[i, 4], box[i, 5]
        for j in range(3):
            ball[k, j] = box[i, j]
        ball[k, 3] = x
        if half.size > 0:
            if kind[shape[i]] == SPHERE:
                x, y, z = -1.0, -1.0, -1.0
            else:
                ball[k, 3] = np.sqrt(x * x + y * y + z * z) if x >= 0.0 else -np.inf
            half[k, 0], half[k, 1], half[k, 2] = x, y, z
        if sorted_tag.size > 0:
            for j in range(4):
                sorted_tag[k, j] = tag[i, j]


@routine
def kept_apart(a, b, apart_start, apart):
    """Whether body b is among those that body a must not meet."""
    low, end = apart_start[a], apart_start[a + 1]
    high = end
    while low < high:
        half = (low + high) // 2
        if apart[half] < b:
            low = half + 1
        else:
            high = half
    return low < end and apart[low] == b


@routine
def search(
    low, high, per_metre, base, mask, level, tag, apart_start, apart, plane, plane_world, start,
    part, ball, half, tags, first, near, count,
):  # fmt: skip
    """Partners of the sorted parts from `low` to `high`: near ← numbers, count ← how many.

    The first KEPT of part i go to near[KEPT·i :]. If `first` is given, only parts with more than
    that search, once more, and theirs go to near[first[i] : first[i + 1]]. It is one long loop over
    plain arrays, since Numba counts references to arrays that are handed on inside it.
    """
    hits, row = np.empty(HITS + 1, dtype=np.int64), np.empty((RUNS, 2), dtype=np.int64)
    run, stop = np.empty(RUNS, dtype=np.int64), np.empty(RUNS, dtype=np.int64)
    levels, boxes, filters = base.size, half.size > 0, tags.size > 0
    for k in range(low, high):
        i = part[k]
        own = level[i]
        if own == PLANE_LEVEL:
            count[i] = 0
            continue
        begin, most = np.int64(i) * KEPT, KEPT
        if first.size > 0:
            begin, most = first[i], first[i + 1] - first[i]
            if most <= KEPT:
                continue
        number = 0
        mine, groups, meets, moves = tag[i, 0], tag[i, 1], tag[i, 2], tag[i, 3]
        px, py, pz, radius = ball[k, 0], ball[k, 1], ball[k, 2], ball[k, 3]
        ex, ey, ez, is_round = radius, radius, radius, True
        if boxes and half[k, 0] >= 0.0:
            ex, ey, ez, is_round = half[k, 0], half[k, 1], half[k, 2], False
        # own level, coarser levels, and last the few, which are one run behind all slots
        for m in range(own if own >= 0 else levels, levels + 1):
            runs, width = 0, 0.0
            cx, cy, cz = 0, 0, 0
            if m == levels:
                run[0], stop[0] = start[start.size - 2], start[start.size - 1]
                runs = 1
            else:
                # a partner's centre is within half a cell and our own half extents
                width = per_metre[m]
                wide, size = 0.5 / width, mask[m] + 1
                cx, cy, cz = cell(px, width), cell(py, width), cell(pz, width)
                z0, z1, y0, y1 = cz, cz + 1, cy - 1, cy + 1
                x0, x1 = cx - 1, cx + 1
                if m != own:
                    z0, z1 = cell(pz - ez - wide, width), cell(pz + ez + wide, width)
                    y0, y1 = cell(py - ey - wide, width), cell(py + ey + wide, width)
                    x0, x1 = cell(px - ex - wide, width), cell(px + ex + wide, width)
                for z in range(z0, z1 + 1):
                    for y in range(y0, y1 + 1):
                        left = x0
                        if m == own and z == cz:  # those in cells before our own have found us
                            if y < cy:
                                continue
                            if y == cy:
                                left = cx
                        slot = (row_slot(y, z, mask[m]) + left) & mask[m]
                        end = slot + x1 - left + 1
                        run[runs] = start[base[m] + slot]
                        stop[runs] = start[base[m] + min(end, size)]
                        row[runs, 0], row[runs, 1] = y, z
                        runs += 1
                        if end > size:  # the row leaves the table and goes on at its beginning
                            run[runs], stop[runs] = start[base[m]], start[base[m] + end - size]
                            row[runs, 0], row[runs, 1] = y, z
                            runs += 1
            r, found = 0, 0
            while r < runs:
                # No branches in this loop: whether a candidate overlaps cannot be foreseen, and a
                # wrong guess of the processor costs more than the test.
                pause = min(stop[r], run[r] + HITS - found)
                for q in range(run[r], pause):
                    j = np.uint64(q)
                    dx, dy, dz = px - ball[j, 0], py - ball[j, 1], pz - ball[j, 2]
                    reach = radius + ball[j, 3]
                    near_by = (dx * dx + dy * dy + dz * dz <= reach * reach) & (reach >= 0.0)
                    hits[np.uint64(found)] = (q << RUN_BITS) + r
                    found += np.int64(near_by)
                if pause == stop[r]:
                    r += 1
                else:
                    run[r] = pause
                if r < runs and found < HITS:
                    continue
                for h in range(found):
                    q, v = hits[h] >> RUN_BITS, hits[h] & (RUNS - 1)
                    j = part[q]
                    if boxes and not (is_round and half[q, 0] < 0.0):  # they must overlap, too
                        hx, hy, hz = half[q, 0], half[q, 1], half[q, 2]
                        if hx < 0.0:
                            hx, hy, hz = ball[q, 3], ball[q, 3], ball[q, 3]
                        if abs(px - ball[q, 0]) > ex + hx or abs(py - ball[q, 1]) > ey + hy:
                            continue
                        if abs(pz - ball[q, 2]) > ez + hz:
                            continue
                    if m < levels:
                        # two rows may share slots: a partner counts in its own row only
                        y, z = cell(ball[q, 1], width), cell(ball[q, 2], width)
                        if y != row[v, 0] or z != row[v, 1]:
                            continue
                        at_home = m == own and y == cy and z == cz
                        if at_home and j <= i and cell(ball[q, 0], width) == cx:
                            continue  # it finds us
                    elif own == FEW_LEVEL and j <= i:
                        continue
                    if filters:
                        if tags[q, 0] == mine or (groups & tags[q, 2]) == 0:
                            continue
                        if (tags[q, 1] & meets) == 0 or (tags[q, 3] | moves) == 0:
                            continue
                        if apart_start.size > 0 and kept_apart(
                            np.int64(mine), tags[q, 0], apart_start, apart
                        ):
                            continue
                    if number < most:
                        near[begin + number] = j
                    number += 1
                found = 0
        for f in range(plane.size):
            n0, n1, n2 = plane_world[f, 0], plane_world[f, 1], plane_world[f, 2]
            wide = ex if is_round else abs(n0) * ex + abs(n1) * ey + abs(n2) * ez
            j = plane[f]
            if n0 * px + n1 * py + n2 * pz - plane_world[f, 3 if is_round else 4] > wide:
                continue
            if tag[j, 0] == mine or (groups & tag[j, 2]) == 0:
                continue
            if (tag[j, 1] & meets) == 0 or (tag[j, 3] | moves) == 0:
                continue
            if apart_start.size > 0 and kept_apart(np.int64(mine), tag[j, 0], apart_start, apart):
                continue
            if number < most:
                near[begin + number] = j
            number += 1
        count[i] = number


@kernel
def find_pairs(levels, parts, plane_world, sorted_parts, first, near, count):
    """near ← partners of each part (see `search`); count ← how many it has."""
    for chunk in prange((sorted_parts.part.size + BATCH - 1) // BATCH):
        search(
            chunk * BATCH, min(sorted_parts.part.size, (chunk + 1) * BATCH), levels.per_metre,
            levels.base, levels.mask, parts.level, parts.tag, parts.apart_start, parts.apart,
            parts.plane, plane_world, sorted_parts.start, sorted_parts.part, sorted_parts.ball,
            sorted_parts.half, sorted_parts.tag, first, near, count,
        )  # fmt: skip


@kernel
def list_pairs(near, more, first, pairs):
    """Pairs ← (part, partner) for all parts in turn, partners sorted; `first` is where each begins.

    Partners of part i are in near[KEPT·i :], or in more[first[i] :] where they are too many.
    """
    for chunk in prange((first.size - 1 + BATCH - 1) // BATCH):
        for i in range(chunk * BATCH, min(first.size - 1, (chunk + 1) * BATCH)):
            begin, size = first[i], first[i + 1] - first[i]
            for j in range(size):  # insertion sort: lists are short
                value = near[KEPT * i + j] if size <= KEPT else more[begin + j]
                place = begin + j
                while place > begin and pairs[place - 1, 1] > value:
                    pairs[place, 1] = pairs[place - 1, 1]
                    place -= 1
                pairs[place, 1] = value
                pairs[begin + j, 0] = i
