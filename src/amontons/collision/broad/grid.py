"""Kernels of the broad phase: a hierarchy of grids, and parts sorted into their cells.

A part lives in one cell, that of its centre, on the level whose cells are just as wide as it is. On
its own level it meets others within one cell; on a coarser level it looks up the cells that a part
of that level could reach it from. Whoever is finer finds the pair, of two on one level the one in
the earlier cell: so a part writes its own list only, and no list is long, not even that of a floor.

Cells along x have neighbouring slots: three of them are one run of the sorted parts. Where all
cells of a level fit into its table, rows follow each other, too: what is near in space is near in
memory. Otherwise rows start anywhere, by a hash; memory never depends on how far apart things are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import helper, kernel, prange, serial_kernel
from amontons.algebra.rotations import rotation_of
from amontons.model.shapes.table import PLANE, SPHERE

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

FEW_LEVEL, PLANE_LEVEL = -1, -2
"""Level of parts that are tested one by one, and level of unbounded parts."""

FAR = 4e18
"""Cells are counted in 64 bits; what lies farther out shares the outermost."""


class Grid(NamedTuple):
    """Levels of cells, from the finest to the coarsest, and the level of each part."""

    per_metre: Floats  # one over the width of a cell [1/m], (levels,)
    base: NDArray[np.int64]  # first slot of a level's table, (levels,)
    mask: NDArray[np.int64]  # slots of that table less one, a power of two less one, (levels,)
    level: NDArray[np.int8]  # of each part, or FEW_LEVEL or PLANE_LEVEL, (parts,)


class PartTags(NamedTuple):
    """What the broad phase knows about parts besides their boxes and levels."""

    tag: NDArray[np.uint32]  # body, its groups, groups that it meets, whether it moves, (parts, 4)
    plane: Ints  # unbounded parts, which are tested one by one
    apart_start: NDArray[np.int64]  # of each body, its partners in `apart`; or empty
    apart: Ints  # bodies that must not meet it, sorted


class Sorted(NamedTuple):
    """Parts in the order of their slots."""

    stride: NDArray[np.int64]  # slots to the next row along y and along z, (levels, 2); 0: hashed
    start: Ints  # first part of each slot, of those on no level, and the end, (slots + 2,)
    part: Ints
    ball: Floats  # centre and radius of a sphere around the box [m], (parts, 4)
    half: Floats  # half extents of the box [m], negative for a sphere, (parts, 3); if any is a box
    tag: NDArray[np.uint32]  # as in `PartTags`, (parts, 4); if any filter is set


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


@serial_kernel
def planes_in_world(size, place, turn, shape, plane, reach, world):
    """World ← unit normals of planes, offsets at which spheres and boxes meet them within 2 reach.

    The extents of a box have `reach` on each axis, which is more than that along a slanting normal.
    """
    for f in range(plane.size):
        i, s = plane[f], shape[plane[f]]
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = rotation_of(turn, i)
        x, y, z = size[s, 0], size[s, 1], size[s, 2]
        n0 = r00 * x + r01 * y + r02 * z
        n1 = r10 * x + r11 * y + r12 * z
        n2 = r20 * x + r21 * y + r22 * z
        offset = size[s, 3] + n0 * place[i, 0] + n1 * place[i, 1] + n2 * place[i, 2]
        world[f, 0], world[f, 1], world[f, 2], world[f, 3] = n0, n1, n2, offset + reach
        world[f, 4] = offset + reach * (2.0 - (abs(n0) + abs(n1) + abs(n2)))


@helper
def cell(x, per_metre):
    """Number of the cell that x lies in."""
    return np.int64(np.floor(min(max(x * per_metre, -FAR), FAR)))


@helper
def row_slot(y, z, mask, stride_y, stride_z):
    """Slot at which the row of cells (·, y, z) has x = 0."""
    if stride_y > 0:
        return (stride_y * y + stride_z * z) & mask
    h = np.uint64(y) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(z) * np.uint64(0xC2B2AE3D27D4EB4F)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    return np.int64(h >> np.uint64(32)) & mask


@serial_kernel
def lay_out(per_metre, mask, level, box, corner, stride):
    """Stride ← slots from row to row on each level, or 0 where not all cells fit into its table.

    `corner` is room for the least and the greatest cell of each level, (levels, 6).
    """
    for m in range(mask.size):
        for j in range(3):
            corner[m, j], corner[m, 3 + j] = np.inf, -np.inf
    for i in range(level.size):
        m = level[i]
        if m >= 0:
            for j in range(3):
                corner[m, j] = min(corner[m, j], box[i, j])
                corner[m, 3 + j] = max(corner[m, 3 + j], box[i, j])
    for m in range(mask.size):
        # one cell more on either side, so that a row's neighbours are not those of another
        x = np.floor(corner[m, 3] * per_metre[m]) - np.floor(corner[m, 0] * per_metre[m]) + 2.0
        y = np.floor(corner[m, 4] * per_metre[m]) - np.floor(corner[m, 1] * per_metre[m]) + 2.0
        z = np.floor(corner[m, 5] * per_metre[m]) - np.floor(corner[m, 2] * per_metre[m]) + 2.0
        stride[m, 0], stride[m, 1] = 0, 0
        if x * y * z <= mask[m] + 1.0:
            stride[m, 0], stride[m, 1] = np.int64(x), np.int64(x) * np.int64(y)


@kernel
def find_slots(per_metre, base, mask, stride, level, box, slot):
    """Slot ← where each part belongs; what is on no level goes to the slot after the last."""
    last = base[base.size - 1] + mask[base.size - 1] + 1 if base.size > 0 else 0
    for i in prange(slot.size):
        if level[i] < 0:
            slot[i] = last
        else:
            m = level[i]
            y, z = cell(box[i, 1], per_metre[m]), cell(box[i, 2], per_metre[m])
            x = cell(box[i, 0], per_metre[m])
            row = row_slot(y, z, mask[m], stride[m, 0], stride[m, 1])
            slot[i] = base[m] + ((row + x) & mask[m])


@serial_kernel
def sort_by_slot(slot, start, part):
    """A counting sort: part ← parts slot by slot, in order of number within one."""
    for s in range(start.size):
        start[s] = 0
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
