"""Shapes and scenes that the tests of queries share."""

import numpy as np

import amontons as am
from amontons.collision.detector import CollisionDetector
from amontons.collision.queries.snapshot import Snapshot
from helpers.query_oracles import quaternions


def torus():
    import trimesh

    mesh = trimesh.creation.torus(1.0, 0.4, major_sections=14, minor_sections=8)
    return am.TriangleMesh(mesh.vertices, mesh.faces)


CONVEX = {
    "sphere": am.Sphere(0.7),
    "capsule": am.Capsule(0.3, 1.2),
    "box": am.Box((1.0, 0.6, 1.6)),
    "cylinder": am.Cylinder(0.5, 1.4),
    "cone": am.Cone(0.6, 1.5),
    "ellipsoid": am.Ellipsoid((0.4, 0.7, 1.1)),
    "hull": am.ConvexHull(np.random.default_rng(3).standard_normal((30, 3)) * 0.5),
}
MESHES = {
    "torus": torus(),
    "field": am.HeightField(0.3 * np.random.default_rng(4).random((6, 7)), 0.5),
}
COMPOUND = am.Compound(
    [
        (am.Box((0.4, 0.4, 1.5)), (0.3, 0.0, 0.0)),
        (am.Cylinder(0.3, 1.0), (-0.3, 0.2, 0.1), (0.7, 0.7, 0.1, 0.0)),
        (am.Sphere(0.4), (0.0, 0.0, 0.9)),
    ]
)
SHAPES = CONVEX | MESHES | {"compound": COMPOUND, "plane": am.Plane((0.2, -0.3, 1.0), -0.4)}


TURN = np.array([[0.5, -0.5, 0.7, 0.1]])  # unit


def snapshot(shapes, position, turn=None, **options):
    return Snapshot(CollisionDetector(shapes, margin=0.01, **options), position, turn)


def alone(shape):
    """The shape by itself, somewhere, turned; the snapshot, the place and the rotation."""
    place = np.array([[3.0, -2.0, 5.0]])
    return snapshot([shape], place, TURN), place[0], TURN[0]


def scene(rng, number, spread=4.0):
    names = rng.choice([name for name in SHAPES if name != "plane"], number)
    shapes = [SHAPES[name] for name in names] + [am.Plane((0, 0, 1), -spread)]
    position = rng.uniform(-spread, spread, (number + 1, 3))
    position[-1] = 0.0
    turn = quaternions(rng, number + 1)
    turn[-1] = [1, 0, 0, 0]
    return shapes, position, turn


def cube():
    return np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def cube_faces():
    return [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]  # fmt: skip
