"""A tree of boxes over all parts of a scene, for queries that look at few of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import routine, serial_kernel
from amontons.array_types import Floats, Ints, Longs
from amontons.model.shapes.table import PLANE

LEAF = 4
"""Parts of a leaf at most."""

SLACK = 1e-12
"""Part of its size by which a box is widened, so that rounding errors hide nothing."""


class SceneTree(NamedTuple):
    """A balanced binary tree: node 1 is the root, nodes 2i and 2i + 1 are the children of node i.

    The second half of the nodes are leaves; leaf k has the parts `entry[start[k] : start[k + 1]]`.
    Behind them comes one leaf more, in no node, with the planes: a walk begins with the root and
    with that leaf.
    """

    box: Floats  # low and high corners of nodes, row 0 unused, (2 · leaves, 6)
    start: Longs  # (leaves + 2,)
    entry: Ints  # parts, planes last, (parts,)


@routine
def put_in_halves(key, entry, begin, middle, end):
    """Reorder entries begin to end, so that no key before the middle is above one behind it."""
    low, high = begin, end - 1
    while low < high:
        a, b, c = key[low], key[(low + high) // 2], key[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while key[i] < pivot:
                i += 1
            while key[j] > pivot:
                j -= 1
            if i <= j:
                key[i], key[j] = key[j], key[i]
                entry[i], entry[j] = entry[j], entry[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@routine
def longest_axis(box, entry, begin, end):
    """Axis along which the centres of these parts are farthest apart."""
    low0, low1, low2 = np.inf, np.inf, np.inf
    high0, high1, high2 = -np.inf, -np.inf, -np.inf
    for e in range(begin, end):
        i = entry[e]
        x, y, z = box[i, 0], box[i, 1], box[i, 2]
        low0, low1, low2 = min(low0, x), min(low1, y), min(low2, z)
        high0, high1, high2 = max(high0, x), max(high1, y), max(high2, z)
    wide0, wide1, wide2 = high0 - low0, high1 - low1, high2 - low2
    if wide0 >= wide1 and wide0 >= wide2:
        return 0
    return 1 if wide1 >= wide2 else 2


@serial_kernel
def split(box, levels, entry, start):
    """Order parts so that each node has a run of them, halved along its longest axis."""
    number = entry.size
    key = np.empty(number)
    for level in range(levels):
        for j in range(1 << level):
            begin, end = (number * j) >> level, (number * (j + 1)) >> level
            axis = longest_axis(box, entry, begin, end)
            for e in range(begin, end):
                key[e] = box[entry[e], axis]
            put_in_halves(key, entry, begin, (number * (2 * j + 1)) >> (level + 1), end)
    for j in range(start.size):
        start[j] = (number * j) >> levels


@serial_kernel
def bound_nodes(box, entry, start, node):
    """Boxes of the nodes, from the leaves up to the root."""
    leaves = start.size - 1
    for k in range(leaves):
        for axis in range(3):
            low, high = (np.inf, -np.inf) if entry.size else (0.0, 0.0)
            for e in range(start[k], start[k + 1]):
                centre, half = box[entry[e], axis], box[entry[e], 3 + axis]
                half += SLACK * half + 1e-15 * abs(centre)
                low, high = min(low, centre - half), max(high, centre + half)
            node[leaves + k, axis], node[leaves + k, 3 + axis] = low, high
    for i in range(leaves - 1, 0, -1):
        for axis in range(3):
            node[i, axis] = min(node[2 * i, axis], node[2 * i + 1, axis])
            node[i, 3 + axis] = max(node[2 * i, 3 + axis], node[2 * i + 1, 3 + axis])


def scene_tree(kind: NDArray[np.uint8], box: Floats) -> SceneTree:
    """The tree over parts of these kinds with boxes of given centres and half extents, (parts, 6).

    Medians, not cells of space, divide it: a body that fell out of the world costs nothing.
    """
    bounded = np.flatnonzero(kind != PLANE).astype(np.int32)
    planes = np.flatnonzero(kind == PLANE).astype(np.int32)
    levels = max(0, int(np.ceil(np.log2(max(bounded.size, 1) / LEAF))))
    start = np.empty((1 << levels) + 1, dtype=np.int64)
    split(box, levels, bounded, start)
    node = np.zeros((2 << levels, 6))
    bound_nodes(box, bounded, start, node)
    return SceneTree(node, np.append(start, kind.size), np.concatenate([bounded, planes]))
