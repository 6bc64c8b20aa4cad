"""Which way the triangles of a mesh face: all the same, and outwards where it is closed."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from amontons.array_types import Flags, Floats, Ints, Longs
from amontons.errors import InputError

SAMPLES = 32
"""Vertices of a part that are tested when it may lie inside another one."""


def shared_edges(faces: Ints) -> tuple[Longs, Longs]:
    """Edges (e, 2), lower vertex first, and how many triangles have each."""
    edges = np.sort(_edges(faces), axis=1)
    return np.unique(edges, axis=0, return_counts=True)


def _edges(faces: Ints) -> Longs:
    """Directed edges, three per triangle."""
    return np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2).astype(np.int64)


def oriented(vertices: Floats, faces: Ints) -> Ints:
    """The same triangles, all of a part facing the same way; closed meshes have their backs inside.

    In an open part the direction of most of the area decides.
    """
    one, other, turned = _adjacent(faces)
    if turned.any():
        faces = _flipped(faces, _odd_ones(vertices, faces, one, other, turned))
        one, other, turned = _adjacent(faces)
    if 2 * len(one) < 3 * len(faces):
        return faces  # open, or edges with more than two triangles
    return _flipped(faces, _inside_out(vertices, faces, one, other))


def _flipped(faces: Ints, flags: Flags) -> Ints:
    return np.where(flags[:, None], faces[:, ::-1], faces) if flags.any() else faces


def _adjacent(faces: Ints) -> tuple[Longs, Longs, Flags]:
    """Pairs of triangles that alone share an edge, and whether they walk it the same way."""
    walked = _edges(faces)
    forward = walked[:, 0] < walked[:, 1]
    low, high = walked.min(axis=1), walked.max(axis=1)
    order = np.lexsort((high, low))
    name = low[order] * (int(faces.max()) + 1) + high[order]
    begin = np.flatnonzero(np.concatenate([[True], name[1:] != name[:-1]]))
    number = np.diff(np.concatenate([begin, [len(name)]]))
    begin = begin[number == 2]
    first, second = order[begin], order[begin + 1]
    return first // 3, second // 3, forward[first] == forward[second]


def _odd_ones(vertices: Floats, faces: Ints, one: Longs, other: Longs, turned: Flags) -> Flags:
    """Triangles to flip so that each part is oriented consistently.

    Every triangle stands twice, as it is and flipped, and what agrees across an edge is joined: a
    part that can be oriented falls into two mirror images, a Möbius strip does not.
    """
    number = len(faces)
    joined = np.concatenate([one, one + number])
    to = np.concatenate(
        [np.where(turned, other + number, other), np.where(turned, other, other + number)]
    )
    graph = coo_array((np.ones(len(to), dtype=np.int8), (joined, to)), (2 * number, 2 * number))
    labels = connected_components(graph, directed=False)[1]
    plain, mirrored = labels[:number], labels[number:]
    if (plain == mirrored).any():
        triangle = int(np.argmax(plain == mirrored))
        raise InputError(
            f"the triangles around number {triangle} cannot all face the same way: "
            "the surface has only one side, like a Möbius strip"
        )
    flip = plain > mirrored
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    part = np.unique(np.minimum(plain, mirrored), return_inverse=True)[1]
    minority = np.bincount(part, area * flip) > np.bincount(part, area) / 2
    return np.asarray(flip ^ minority[part])


def _inside_out(vertices: Floats, faces: Ints, one: Longs, other: Longs) -> Flags:
    """Triangles of closed parts that face inwards. A part within another is a cavity."""
    number = len(faces)
    graph = coo_array((np.ones(len(one), dtype=np.int8), (one, other)), (number, number))
    parts, part = connected_components(graph, directed=False)
    a, b, c = np.moveaxis(vertices[faces] - vertices[faces].mean(axis=(0, 1)), 1, 0)
    volume = np.bincount(part, np.einsum("ij,ij->i", a, np.cross(b, c)))
    cavity = _depths(vertices, faces, part, parts) % 2 == 1
    return np.asarray(((volume < 0) != cavity)[part])


def _depths(vertices: Floats, faces: Ints, part: Ints, parts: int) -> Longs:
    """Number of other parts around each part."""
    depth = np.zeros(parts, dtype=np.int64)
    if parts == 1:
        return depth
    triangles = [faces[part == i] for i in range(parts)]
    low = np.array([vertices[t].min(axis=(0, 1)) for t in triangles])
    high = np.array([vertices[t].max(axis=(0, 1)) for t in triangles])
    for inner in range(parts):
        inside = ((low < low[inner]) & (high > high[inner])).all(axis=1)
        if not inside.any():
            continue
        used = np.unique(triangles[inner])
        sample = vertices[used[:: max(1, len(used) // SAMPLES)]]
        for outer in np.flatnonzero(inside):
            depth[inner] += all(encloses(vertices[triangles[outer]], point) for point in sample)
    return depth


def encloses(corners: Floats, point: Floats) -> bool:
    """Whether closed triangles (n, 3, 3) go round a point, by the solid angle they fill."""
    a, b, c = np.moveaxis(corners - point, 1, 0)
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    dot_ab, dot_bc, dot_ca = (np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (b, c), (c, a)))
    above = np.einsum("ij,ij->i", a, np.cross(b, c))
    below = la * lb * lc + dot_ab * lc + dot_bc * la + dot_ca * lb
    turns = np.arctan2(above, below).sum() / (2 * np.pi)
    return bool(abs(turns) > 0.5)
