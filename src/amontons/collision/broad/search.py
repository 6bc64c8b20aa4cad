"""Kernels of the broad phase: each part looks through the cells around it for partners."""

from __future__ import annotations

import numpy as np

from amontons._jit import kernel, prange, routine, serial_kernel
from amontons.collision.broad.grid import FEW_LEVEL, PLANE_LEVEL, cell, row_slot

KEPT = 10
"""Most partners of a part that the first pass stores; with more, it searches again."""

BATCH = 256
"""Parts per unit of parallel work."""

HITS = 64
"""Candidates that are tested at once."""

RUN_BITS = 6
RUNS = 1 << RUN_BITS
"""Most runs of sorted parts to search on one level."""

OWN_RUNS = 16
"""Rows that come first: those on a part's own level, at most 5 rows, each in two pieces or one.

Behind them are those of a coarser level, 3 × 3 rows in two pieces at most."""


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
def search(low, high, grid, parts, plane_world, ordered, slots, first, near, count):
    """Partners of the sorted parts from `low` to `high`: near ← numbers, count ← how many.

    Part i is listed in slot s = slots[i], or i where there are no `slots`. Its first KEPT partners
    go to near[KEPT·s :]. If `first` is given, only parts with more than that search, once more, and
    theirs go to near[first[s] : first[s + 1]]. It is one long loop over plain arrays, since Numba
    counts references to arrays that are handed on inside it.
    """
    per_metre, base, mask, level = grid
    tag, plane, apart_start, apart = parts
    stride, start, part, ball, half, tags = ordered
    hits, row = np.empty(HITS + 1, dtype=np.int64), np.empty((RUNS, 2), dtype=np.int64)
    run, stop = np.empty(RUNS, dtype=np.int64), np.empty(RUNS, dtype=np.int64)
    levels, boxes, filters = base.size, half.size > 0, tags.size > 0
    last = levels + 1 if start[start.size - 2] < start[start.size - 1] else levels
    # runs of the own level, which parts in one cell share
    own_runs, before, bx, by, bz = 0, FEW_LEVEL, np.int64(0), np.int64(0), np.int64(0)
    for k in range(low, high):
        i = part[k]
        own, s = level[i], slots[i] if slots.size > 0 else i
        if own == PLANE_LEVEL:
            count[s] = 0
            continue
        begin, most = np.int64(s) * KEPT, KEPT
        if first.size > 0:
            begin, most = first[s], first[s + 1] - first[s]
            if most <= KEPT:
                continue
        number = 0
        mine, groups, meets, moves = tag[0, 0], tag[0, 1], tag[0, 2], tag[0, 3]
        if filters or plane.size > 0:
            mine, groups, meets, moves = tag[i, 0], tag[i, 1], tag[i, 2], tag[i, 3]
        px, py, pz, radius = ball[k, 0], ball[k, 1], ball[k, 2], ball[k, 3]
        ex, ey, ez, is_round = radius, radius, radius, True
        if boxes and half[k, 0] >= 0.0:
            ex, ey, ez, is_round = half[k, 0], half[k, 1], half[k, 2], False
        # own level, coarser levels, and last the few, which are one run behind all slots
        for m in range(own if own >= 0 else levels, last):
            r, runs, width = OWN_RUNS, OWN_RUNS, 0.0
            if m == levels:
                run[runs], stop[runs] = start[start.size - 2], start[start.size - 1]
                runs += 1
            else:
                width = per_metre[m]
                cx, cy, cz = cell(px, width), cell(py, width), cell(pz, width)
                if m == own and before == own and bx == cx and by == cy and bz == cz:
                    r, runs = 0, own_runs
                else:
                    # a partner's centre is within half a cell and our own half extents
                    wide, size = 0.5 / width, mask[m] + 1
                    z0, z1, y0, y1 = cz, cz + 1, cy - 1, cy + 1
                    x0, x1 = cx - 1, cx + 1
                    if m == own:
                        r, runs = 0, 0
                    else:
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
                            slot = row_slot(y, z, mask[m], stride[m, 0], stride[m, 1])
                            slot = (slot + left) & mask[m]
                            end = slot + x1 - left + 1
                            run[runs] = start[base[m] + slot]
                            stop[runs] = start[base[m] + min(end, size)]
                            row[runs, 0], row[runs, 1] = y, z
                            # empty ones are left out, but for our own, the first
                            runs += np.int64((run[runs] < stop[runs]) | (runs == 0))
                            if end > size:  # the row leaves the table and goes on at its beginning
                                run[runs], stop[runs] = start[base[m]], start[base[m] + end - size]
                                row[runs, 0], row[runs, 1] = y, z
                                runs += 1
                    if m == own:
                        own_runs, before, bx, by, bz = runs, own, cx, cy, cz
                if m == own:  # the first run begins with our own slot, in order of number
                    run[0] = k + 1
            found, q0 = 0, run[r]
            while r < runs:
                # No branches in this loop: whether a candidate overlaps cannot be foreseen, and a
                # wrong guess of the processor costs more than the test.
                pause = min(stop[r], q0 + HITS - found)
                for q in range(q0, pause):
                    j = np.uint64(q)
                    dx, dy, dz = px - ball[j, 0], py - ball[j, 1], pz - ball[j, 2]
                    reach = radius + ball[j, 3]
                    near_by = (dx * dx + dy * dy + dz * dz <= reach * reach) & (reach >= 0.0)
                    hits[np.uint64(found)] = (q << RUN_BITS) + r
                    found += np.int64(near_by)
                q0 = pause
                if pause == stop[r]:
                    r += 1
                    q0 = run[r]
                if r < runs and found < HITS:
                    continue
                for h in range(found):
                    q, v = hits[h] >> RUN_BITS, hits[h] & (RUNS - 1)
                    j = part[q]
                    if boxes and not (is_round and half[q, 0] < 0.0):  # they must overlap, too
                        hx, hy, hz = half[q, 0], half[q, 1], half[q, 2]
                        if hx < 0.0:
                            hx, hy, hz = ball[q, 3], ball[q, 3], ball[q, 3]
                        away = abs(px - ball[q, 0]) > ex + hx
                        away |= abs(py - ball[q, 1]) > ey + hy
                        if away | (abs(pz - ball[q, 2]) > ez + hz):
                            continue
                    if m < levels:
                        # two rows may share slots: a partner counts in its own row only
                        y, z = cell(ball[q, 1], width), cell(ball[q, 2], width)
                        if y != row[v, 0] or z != row[v, 1]:
                            continue
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
        count[s] = number


@kernel
def find_pairs(grid, parts, plane_world, ordered, slots, first, near, count):
    """near ← partners of each part (see `search`); count ← their number."""
    number = ordered.part.size
    for chunk in prange((number + BATCH - 1) // BATCH):
        low, high = chunk * BATCH, min(number, (chunk + 1) * BATCH)
        search(low, high, grid, parts, plane_world, ordered, slots, first, near, count)


@serial_kernel
def add_up(count, first):
    """First ← sums of all counts before; return the largest count."""
    total, most = 0, 0
    for i in range(count.size):
        first[i] = total
        total += count[i]
        most = max(most, count[i])
    first[count.size] = total
    return most


@kernel
def list_pairs(near, more, first, listed, pairs):
    """Pairs ← (part, partner) for all parts in turn, partners sorted; `first` is where each begins.

    Slot s has the part listed[s], or s if `listed` is empty. Its partners are in
    near[KEPT·s :], or in more[first[s] :] if there are too many.
    """
    for chunk in prange((first.size - 1 + BATCH - 1) // BATCH):
        for s in range(chunk * BATCH, min(first.size - 1, (chunk + 1) * BATCH)):
            i = listed[s] if listed.size > 0 else s
            begin, size = first[s], first[s + 1] - first[s]
            source, low = (near, np.int64(KEPT) * s) if size <= KEPT else (more, begin)
            for j in range(low, low + size):
                value = source[j]
                place = begin
                for k in range(low, low + size):  # no branches, and lists are short
                    place += np.int64(source[k] < value)
                pairs[place, 0], pairs[place, 1] = i, value
