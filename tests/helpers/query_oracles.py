"""Slow, plain answers to the questions of test_queries: numpy over all bodies and triangles."""

import numpy as np

import amontons as am
from amontons.algebra.rotations import rotation_matrices
from amontons.model.shapes import leaves

FAR = 1e4


def quaternions(rng, number):
    q = rng.standard_normal((number, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def gauge(shape, p):
    """A convex function of points (..., 3) that is negative inside, zero on the surface."""
    x, y, z = np.moveaxis(p, -1, 0)
    rho = np.hypot(x, y)
    match shape:
        case am.Sphere():
            return np.linalg.norm(p, axis=-1) - shape.radius
        case am.Box():
            return (np.abs(p) - np.array(shape.size) / 2).max(axis=-1)
        case am.Capsule():
            beyond = z - np.clip(z, -shape.length / 2, shape.length / 2)
            return np.hypot(rho, beyond) - shape.radius
        case am.Cylinder():
            return np.maximum(rho - shape.radius, np.abs(z) - shape.height / 2)
        case am.Cone():
            r, h = shape.radius, shape.height
            side = (h * rho + r * (z - 0.75 * h)) / np.hypot(r, h)
            return np.maximum(side, -0.25 * h - z)
        case am.Ellipsoid():
            axes = np.array(shape.semi_axes)
            return (np.linalg.norm(p / axes, axis=-1) - 1) * axes.min()
        case am.ConvexHull():
            planes = shape.polygons.plane
            return (p @ planes[:, :3].T - planes[:, 3]).max(axis=-1)
        case am.Plane():
            return p @ np.array(shape.normal) - shape.offset
    raise TypeError(shape)


def is_mesh(shape):
    return isinstance(shape, am.TriangleMesh | am.HeightField)


def placed_leaves(shape, position, turn):
    """Shapes that are no compounds, with their rotations and places in the world."""
    rotation = rotation_matrices(np.asarray(turn, dtype=float))
    for leaf in leaves(shape):
        local = rotation_matrices(np.array(leaf.orientation))
        yield leaf.shape, rotation @ local, position + rotation @ np.array(leaf.position)


def ray_to_convex(shape, origins, directions, inside=False):
    """Distances to the first hits, by bisection between the outside and the deepest point."""
    at = lambda t: gauge(shape, origins + t[:, None] * directions)  # noqa: E731
    low, high = np.zeros(len(origins)), np.full(len(origins), FAR)
    for _ in range(200):  # golden section: the gauge is convex along the ray
        a, b = low + 0.382 * (high - low), low + 0.618 * (high - low)
        left = at(a) <= at(b)
        low, high = np.where(left, low, a), np.where(left, b, high)
    deepest = (low + high) / 2
    low, high = np.zeros(len(origins)), deepest
    for _ in range(100):
        middle = (low + high) / 2
        out = at(middle) > 0
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    hit = (at(deepest) <= 0) & (at(np.zeros(len(origins))) > 0)
    distance = np.where(hit, high, np.inf)
    if inside:
        distance[at(np.zeros(len(origins))) <= 0] = 0.0
    return distance


def ray_to_triangles(vertices, faces, origins, directions):
    """Distances to the first triangle on either side: Möller and Trumbore."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    e, f = b - a, c - a
    best = np.full(len(origins), np.inf)
    for i, (o, d) in enumerate(zip(origins, directions, strict=True)):
        h = np.cross(d, f)
        scale = np.einsum("ij,ij->i", e, h)
        with np.errstate(divide="ignore", invalid="ignore"):
            s = o - a
            u = np.einsum("ij,ij->i", s, h) / scale
            q = np.cross(s, e)
            v = q @ d / scale
            t = np.einsum("ij,ij->i", f, q) / scale
            met = (u >= -1e-12) & (v >= -1e-12) & (u + v <= 1 + 1e-12) & (t >= 0)
        best[i] = t[met].min(initial=np.inf)
    return best


def first_hits(shapes, position, turn, origins, directions, inside=False):
    """Body (−1: none) and distance of the first hit of each ray."""
    bodies, best = np.full(len(origins), -1), np.full(len(origins), np.inf)
    for body, shape in enumerate(shapes):
        for leaf, rotation, place in placed_leaves(shape, position[body], turn[body]):
            o, d = (origins - place) @ rotation, directions @ rotation
            if is_mesh(leaf):
                t = ray_to_triangles(*leaf.surface_mesh(), o, d)
            else:
                t = ray_to_convex(leaf, o, d, inside)
            bodies[t < best] = body
            best = np.minimum(best, t)
    return bodies, best


def points_to_triangles(vertices, faces, points):
    """Unsigned distances of points from triangles (n, m)."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    normal = unit(np.cross(b - a, c - a))
    p = points[:, None]
    height = np.einsum("nmk,mk->nm", p - a, normal)
    within = np.ones(height.shape, dtype=bool)
    best = np.full(height.shape, np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        edge = end - start
        within &= np.einsum("nmk,mk->nm", p - start, np.cross(normal, edge)) >= 0
        along = np.einsum("nmk,mk->nm", p - start, edge) / np.einsum("mk,mk->m", edge, edge)
        nearest = start + np.clip(along, 0, 1)[..., None] * edge
        best = np.minimum(best, np.linalg.norm(p - nearest, axis=-1))
    return np.where(within, np.abs(height), best)


def winding(vertices, faces, points):
    """How often a closed surface goes around each point: a sum of solid angles."""
    a, b, c = (vertices[faces[:, k]] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=-1) for v in (a, b, c))
    triple = np.einsum("nmk,nmk->nm", a, np.cross(b, c))
    rest = la * lb * lc + np.sum(a * b, -1) * lc + np.sum(b * c, -1) * la + np.sum(c * a, -1) * lb
    return np.arctan2(triple, rest).sum(axis=1) / (2 * np.pi)


def signed_mesh_distance(mesh, points):
    vertices, faces = mesh.surface_mesh()
    distance = points_to_triangles(vertices, faces, points).min(axis=1)
    if isinstance(mesh, am.TriangleMesh) and mesh.closed:
        distance *= np.where(np.abs(winding(vertices, faces, points)) > 0.5, -1.0, 1.0)
    return distance


def support_height(shape, directions):
    return np.einsum("ij,ij->i", shape.support(directions), directions)


def signed_convex_distance(shape, points, tries=4000, seed=0):
    """max over unit n of n·p − h(n), or a bit less: by random search that closes in."""
    rng = np.random.default_rng(seed)
    answers = []
    for p in points:
        n = unit(rng.standard_normal((tries, 3)))
        spread = 0.3
        best, best_n = -np.inf, n[0]
        for _ in range(45):
            value = n @ p - support_height(shape, n)
            k = int(np.argmax(value))
            if value[k] > best:
                best, best_n = value[k], n[k]
            n = unit(best_n + spread * rng.standard_normal((60, 3)))
            spread *= 0.6
        answers.append(best)
    return np.array(answers)
