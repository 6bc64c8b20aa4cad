"""Bounding volume hierarchies: which boxes of many can overlap a box, or each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amontons.array_types import Flags, Floats, Ints, Longs

LEAF = 4
"""Most entries of a leaf."""


class BoxTree(NamedTuple):
    """Nodes, the root first; parents come before their children."""

    box: Floats  # low and high corners, (nodes, 6)
    link: Ints  # two children, or −1 − first and the end of a leaf's entries, (nodes, 2)
    entry: Ints  # the boxes in leaves, (boxes,)


def median_tree(low: Floats, high: Floats) -> BoxTree:
    """A balanced tree over boxes (n, 3): halves by the order of centres along the longest side.

    Built level by level, so that a million boxes take few steps.
    """
    number = len(low)
    entry = np.arange(number)
    centre = low / 2 + high / 2
    begin, end = np.array([0]), np.array([number])
    boxes, links, nodes = [], [], 0
    while len(begin):
        boxes.append(
            np.hstack(
                [
                    _over(np.minimum, low[entry], begin, end),
                    _over(np.maximum, high[entry], begin, end),
                ]
            )
        )
        split = end - begin > LEAF
        link = np.stack([-1 - begin, end], axis=1)
        nodes += len(begin)
        first_child = nodes + 2 * np.arange(split.sum())
        link[split] = np.stack([first_child, first_child + 1], axis=1)
        links.append(link)
        begin, end = begin[split], end[split]
        if len(begin):
            _sort_along_longest(entry, centre, begin, end)
        middle = begin + (end - begin + 1) // 2
        begin, end = np.stack([begin, middle], 1).ravel(), np.stack([middle, end], 1).ravel()
    return BoxTree(
        np.concatenate(boxes), np.concatenate(links).astype(np.int32), entry.astype(np.int32)
    )


def _over(extreme: np.ufunc, values: Floats, begin: Longs, end: Longs) -> Floats:
    """The extreme of values[begin:end], for each range."""
    padded = np.concatenate([values, values[-1:]])  # the last end may be the length
    ranges = np.stack([begin, end], axis=1).ravel()
    return np.asarray(extreme.reduceat(padded, ranges, axis=0)[::2])


def _sort_along_longest(entry: Longs, centre: Floats, begin: Longs, end: Longs) -> None:
    """Sort each range of entries by its centres along the axis where these are farthest apart."""
    sorted_centres = centre[entry]
    spread = _over(np.maximum, sorted_centres, begin, end)
    spread -= _over(np.minimum, sorted_centres, begin, end)
    axis = np.argmax(spread, axis=1)
    number = end - begin
    segment = np.repeat(np.arange(len(begin)), number)
    place = np.arange(len(segment)) + np.repeat(begin - (np.cumsum(number) - number), number)
    along = sorted_centres[place, axis[segment]]
    entry[place] = entry[place[np.lexsort((along, segment))]]


def overlapping_entries(tree: BoxTree) -> Longs:
    """Pairs of entries whose leaves overlap, each pair once, shape (pairs, 2)."""
    pairs = np.zeros((1, 2), dtype=np.int64)
    found = []
    while len(pairs):
        a, b = tree.box[pairs[:, 0]], tree.box[pairs[:, 1]]
        meet = ((a[:, :3] <= b[:, 3:]) & (b[:, :3] <= a[:, 3:])).all(axis=1)
        pairs = pairs[meet]
        leaf = tree.link[pairs, 0] < 0
        both = leaf.all(axis=1)
        found.append(_entries_of(tree, pairs[both]))
        pairs = _descended(tree, pairs[~both], leaf[~both])
    return np.concatenate(found)


def _descended(tree: BoxTree, pairs: Longs, leaf: Flags) -> Longs:
    """Children of all nodes that are not leaves, paired; a leaf waits for its partner."""
    first = np.where(leaf[:, :1], pairs[:, :1], tree.link[pairs[:, 0]])
    second = np.where(leaf[:, 1:], pairs[:, 1:], tree.link[pairs[:, 1]])
    combined = np.stack([first[:, [0, 0, 1, 1]], second[:, [0, 1, 0, 1]]], axis=2).reshape(-1, 2)
    twice = np.zeros((len(pairs), 4), dtype=bool)
    twice[:, 2] = pairs[:, 0] == pairs[:, 1]  # a node with itself: (1, 0) is (0, 1) again
    twice[:, 2:] |= leaf[:, :1]
    twice[:, 1::2] |= leaf[:, 1:]
    return combined[~twice.ravel()]


def _entries_of(tree: BoxTree, pairs: Longs) -> Longs:
    """Entries of pairs of leaves, paired."""
    first = -1 - tree.link[pairs, 0].astype(np.int64)
    number = tree.link[pairs, 1] - first
    offsets = np.arange(LEAF)
    a, b = np.meshgrid(offsets, offsets, indexing="ij")
    shape = (len(pairs), LEAF, LEAF)
    place_a = np.broadcast_to(first[:, 0, None, None] + a, shape)
    place_b = np.broadcast_to(first[:, 1, None, None] + b, shape)
    there = (a < number[:, 0, None, None]) & (b < number[:, 1, None, None])
    there &= (pairs[:, 0] != pairs[:, 1])[:, None, None] | (a < b)
    return np.stack([tree.entry[place_a[there]], tree.entry[place_b[there]]], axis=1).astype(
        np.int64
    )
