"""Meshes against convex shapes: triangles near the shape, their contacts, and the best of those."""

from __future__ import annotations

import numpy as np

from amontons._jit import heavy_kernel, kernel, prange, routine
from amontons.algebra.rotations import rotation_of
from amontons.algebra.vectors import cross, dot, minus, norm, over, put, row
from amontons.array_types import Ints, Longs
from amontons.collision.body_parts import Poses
from amontons.collision.narrow.choose_four import ROUND, weighed
from amontons.collision.narrow.convex_pairs import new_pair_scratch, relative_pose, write_world
from amontons.collision.narrow.manifold import HullFaces
from amontons.collision.narrow.support import core_of, out_of_b
from amontons.collision.narrow.triangles import MeshEdges, Triangle, collide_triangle
from amontons.collision.pair_contacts import MOST, ContactSlots, PairContacts, empty_slots
from amontons.model.shapes.table import ShapeArrays

PAIRS = 16
"""Pairs, or triangles, that share one set of scratch arrays."""

DEEP = 64
"""Size of the stack for walking down a tree; trees are balanced, so it suffices."""

ALIKE = 0.996
"""Cosine of the angle (5°) within which normals count as one side of a shape."""

SIDES = 6
"""Sides of a shape that a mesh may touch at once; four contacts each are kept."""

SLANT = (np.cos(0.35), np.sin(0.35))
"""Direction in the plane of contact to be extreme in; slanted, for edges are often square."""


@routine
def box_in_frame(middle, half, s, pose, margin):
    """Middle and half extents of the box around shape s, B, along A's axes, the margin included."""
    x, y, z = row(half, s)
    return out_of_b(pose, row(middle, s)), (
        abs(pose[0]) * x + abs(pose[1]) * y + abs(pose[2]) * z + margin,
        abs(pose[3]) * x + abs(pose[4]) * y + abs(pose[5]) * z + margin,
        abs(pose[6]) * x + abs(pose[7]) * y + abs(pose[8]) * z + margin,
    )


@routine
def faces_near(shapes, m, c, e, stack, first, out):
    """Out ← faces of mesh m whose boxes overlap the box (c, e), from out[first] on; how many.

    Counts only, where `first` is negative.
    """
    data, point, corner, face_start = shapes.data, shapes.point, shapes.corner, shapes.face_start
    node_box, node_link, node_face = shapes.node_box, shapes.node_link, shapes.node_face
    count, top = 0, 1
    stack[0] = data[m, 4]
    first_point, first_face = data[m, 0], data[m, 2]
    while top > 0:
        top -= 1
        v = stack[top]
        apart = False
        for k in range(3):
            apart = apart or node_box[v, k] > c[k] + e[k] or node_box[v, 3 + k] < c[k] - e[k]
        if apart:
            continue
        if node_link[v, 0] >= 0:
            stack[top], stack[top + 1] = node_link[v, 1], node_link[v, 0]
            top += 2
            continue
        for entry in range(-1 - node_link[v, 0], node_link[v, 1]):
            face = node_face[entry]
            begin = face_start[first_face + face]
            apart = False
            for k in range(3):
                x = point[first_point + corner[begin], k]
                y = point[first_point + corner[begin + 1], k]
                z = point[first_point + corner[begin + 2], k]
                apart = apart or min(x, y, z) > c[k] + e[k] or max(x, y, z) < c[k] - e[k]
            if not apart:
                if first >= 0:
                    out[first + count] = face
                count += 1
    return count


@kernel
def find_faces(shapes, poses, pair, margin, first, faces, count):
    """Faces ← those of each pair's mesh that its convex shape comes near; count ← how many.

    While `first` is empty they are only counted; else they go to faces[first[i] :].
    """
    middle, half = shapes.middle, shapes.half
    place, turn, shape = poses.place, poses.turn, poses.shape
    for chunk in prange((pair.shape[0] + PAIRS - 1) // PAIRS):
        stack = np.empty(2 * DEEP, dtype=np.int32)
        for at in range(chunk * PAIRS, min((chunk + 1) * PAIRS, pair.shape[0])):
            i, j = pair[at, 0], pair[at, 1]
            pose = relative_pose(rotation_of(turn, i), rotation_of(turn, j), place, i, place, j)
            c, e = box_in_frame(middle, half, shape[j], pose, margin)
            begin = np.int64(-1)
            if first.size > 0:
                begin = first[at]
            count[at] = faces_near(shapes, shape[i], c, e, stack, begin, faces)


@heavy_kernel
def collide_faces(shapes, poses, pair, owner, faces, margin, found):
    """Contacts of single triangles: faces[t] of the mesh of pair owner[t] and its convex shape."""
    kind, shape_size, middle, half = shapes.kind, shapes.size, shapes.middle, shapes.half
    data, points, neighbour, edge_kind = (
        shapes.data, shapes.point, shapes.neighbour, shapes.edge_kind,
    )  # fmt: skip
    face_start, corner, plane = shapes.face_start, shapes.corner, shapes.plane
    place, turn, shape = poses.place, poses.turn, poses.shape
    number, normal, point, gap, key = found.number, found.normal, found.point, found.gap, found.key
    for chunk in prange((faces.size + PAIRS - 1) // PAIRS):
        scratch, tri, out = new_pair_scratch(), np.empty((3, 3)), (point, gap, key)
        table = HullFaces(face_start, corner, plane)
        for at in range(chunk * PAIRS, min((chunk + 1) * PAIRS, faces.size)):
            i, j = pair[owner[at], 0], pair[owner[at], 1]
            m, s = shape[i], shape[j]
            begin = face_start[data[m, 2] + faces[at]]
            for k in range(3):
                put(tri, k, row(points, data[m, 0] + corner[begin + k]))
            r = rotation_of(turn, i)
            pose = relative_pose(r, rotation_of(turn, j), place, i, place, j)
            c, _ = box_in_frame(middle, half, s, pose, 0.0)
            size = norm(row(half, s))
            for k in range(1, 3):
                size += 0.5 * norm(minus(row(tri, k), row(tri, 0)))
            made, n = collide_triangle(
                Triangle(tri, faces[at], begin), MeshEdges(neighbour, edge_kind, data[m, 2]),
                core_of(kind, shape_size, data, s), points, table, pose, c, size, margin, scratch,
                out, at,
            )  # fmt: skip
            write_world(r, n, abs(made), at, normal, point)
            number[at] = made
            for k in range(abs(made)):  # features of different triangles have different keys
                key[at, k] ^= np.uint32(np.uint32(faces[at]) * np.uint32(2654435761))


@routine
def keep_extremes(low, high, seed, normal, point, gap, left, keep):
    """Keep four contacts of the side that contact `seed`, the deepest, is on: its extremes.

    Contacts that are less deep count for less. The seed is kept beside them where it is deeper.
    `left` marks contacts that no side has claimed yet; those of this side are claimed.
    """
    n = row(normal, seed)
    u = (0.0, n[2], -n[1]) if abs(n[0]) < 0.6 else (-n[2], 0.0, n[0])
    u = over(u, norm(u))
    v = cross(n, u)
    lowest, spread = np.inf, 0.0
    for way in range(4):
        c = SLANT[0] if way % 2 == 0 else -SLANT[1]
        s = SLANT[1] if way % 2 == 0 else SLANT[0]
        sign = 1.0 if way < 2 else -1.0
        best, farthest = seed, 0.0
        for q in range(low, high):
            if not left[q] or dot(n, row(normal, q)) < ALIKE:
                continue
            d = minus(row(point, q), row(point, seed))
            far = sign * (c * dot(d, u) + s * dot(d, v))
            far = weighed(far, far, gap[q] - gap[seed], ROUND)
            if far > farthest:
                best, farthest = q, far
        keep[best] = True
        lowest = min(lowest, gap[best])
        spread += farthest
    if gap[seed] < lowest - 1e-7 * spread:
        keep[seed] = True
    for q in range(low, high):
        if dot(n, row(normal, q)) >= ALIKE:
            left[q] = False


@kernel
def thin_out(first, normal, point, gap, left, keep):
    """Keep ← of each pair's contacts first[i] to first[i + 1], four or five on each side."""
    for i in prange(first.size - 1):
        low, high = first[i], first[i + 1]
        for _ in range(SIDES):
            seed = -1
            for q in range(low, high):
                if left[q] and (seed < 0 or gap[q] < gap[seed]):
                    seed = q
            if seed < 0:
                break
            keep_extremes(low, high, seed, normal, point, gap, left, keep)


def collide_mesh(shapes: ShapeArrays, poses: Poses, pairs: Ints, margin: float) -> PairContacts:
    """Contacts of pairs (mesh, convex shape), at most five on each side of the shape."""
    count = np.empty(len(pairs), dtype=np.int64)
    none = np.empty(0, dtype=np.int32)
    search = find_faces.sized(len(pairs))
    search(shapes, poses, pairs, margin, np.empty(0, dtype=np.int64), none, count)
    first = np.cumsum(count) - count
    faces = np.empty(int(count.sum()), dtype=np.int32)
    if not faces.size:
        return _nothing(len(pairs))
    search(shapes, poses, pairs, margin, first, faces, count)
    owner = np.repeat(np.arange(len(pairs)), count)
    found = empty_slots(faces.size, MOST)
    collide_faces.sized(faces.size)(shapes, poses, pairs, owner, faces, margin, found)
    return _best(found, owner, len(pairs))


def _best(found: ContactSlots, owner: Longs, pairs: int) -> PairContacts:
    """Contacts of pairs from those of their triangles."""
    # what overlaps but should be another triangle's matter counts where no other has taken it up
    sure = np.zeros(pairs, dtype=np.bool_)
    sure[owner[(found.number > 0) & (found.gap[:, 0] <= 0.0)]] = True
    counted = np.where(found.number < 0, np.where(sure[owner], 0, -found.number), found.number)
    used = np.arange(MOST) < counted[:, None]
    normal, point, gap, key = (
        found.normal[used],
        found.point[used],
        found.gap[used],
        found.key[used],
    )
    number = np.bincount(owner, weights=counted, minlength=pairs).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(number)])
    keep = np.zeros(len(gap), dtype=np.bool_)
    thin_out.sized(len(gap))(first, normal, point, gap, np.ones_like(keep), keep)
    kept = np.bincount(np.repeat(np.arange(pairs), number)[keep], minlength=pairs)
    return PairContacts(
        kept.astype(np.int32),
        np.cumsum(kept) - kept,
        normal[keep],
        point[keep],
        gap[keep],
        key[keep],
    )


def _nothing(pairs: int) -> PairContacts:
    return PairContacts(
        np.zeros(pairs, dtype=np.int32),
        np.zeros(pairs, dtype=np.int64),
        np.empty((0, 3)),
        np.empty((0, 3)),
        np.empty(0),
        np.empty(0, dtype=np.uint32),
    )
