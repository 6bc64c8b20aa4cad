"""What the tests of scene files share."""

import numpy as np

from amontons.interchange import load_scene, save_scene
from amontons.interchange.context import given_name

GOOD = """\
amontons: 1
name: crane
gravity: [0, 0, -9.81]
materials:
  wood: {friction: 0.4, restitution: 0.2}
  ice: {friction: 0.02}
rules: {friction: mean}
pairs:
  - {between: [wood, ice], friction: 0.1}
shapes:
  brick: {kind: box, size: [0.2, 0.1, 0.1]}
bodies:
  - {name: floor, shape: {kind: plane}, fixed: true, material: ice}
  - name: ball
    shape: {kind: sphere, radius: 0.2}
    mass: 20
    position: [0, 0, 2]
    orientation: [1, 0, 0, 0]
    material: wood
  - shape: brick
    density: 700
    grid: {count: [2, 2, 3], spacing: 0.3, start: [1, 0, 0.1]}
  - shape: {kind: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}
    mass: 1.5
    positions:
      - [3, 0, 1]
      - [4, 0, 1]
joints:
  - kind: revolute
    a: world
    b: ball
    point: [0, 0, 3]
    axis: [0, 1, 0]
    limits: [-1, 2]
    motor: {kind: speed, speed: 1.5, limit: 10}
forces:
  - {kind: applied_force, body: ball, force: [1, 0, 0]}
run:
  time: 0.1
  step: 5e-3
  solver: {kind: apgd, tolerance: 1e-4}
output: {rate: 60}
"""


def assert_same_world(one, other):
    """Assert that two worlds are the same to the last bit."""
    assert one.gravity.tobytes() == other.gravity.tobytes()
    assert one.next_id == other.next_id
    for name in one.bodies.columns.names:
        here, there = one.bodies.columns[name], other.bodies.columns[name]
        assert here.tobytes() == there.tobytes(), name
    for name in one.bonds.columns.names[1:]:  # ids begin at 0 in a file
        assert getattr(one.bonds, name).tobytes() == getattr(other.bonds, name).tobytes(), name
    for shape, again in zip(one.shapes, other.shapes, strict=True):
        assert type(shape) is type(again)
        assert shape == again
        for points, points_again in zip(shape_arrays(shape), shape_arrays(again), strict=True):
            assert points.tobytes() == points_again.tobytes()
    assert one.origins == other.origins
    assert one.materials.list == other.materials.list
    assert one.materials.rules == other.materials.rules
    assert one.materials.pairs == other.materials.pairs
    assert one.motions == other.motions
    assert [told(joint) for joint in one.joints] == [told(joint) for joint in other.joints]
    assert [told(load) for load in one.forces] == [told(load) for load in other.forces]
    for id in one.bodies.id.tolist():
        assert given_name(one, id) == given_name(other, id)


def shape_arrays(shape):
    """Vertices and triangles, whose order collision detection depends on."""
    return shape.surface_mesh(8)


def told(thing):
    """Type and fields of a joint or load, bodies as their numbers."""
    fields = {name: getattr(value, "id", value) for name, value in vars(thing).items()}
    return type(thing), {name: plain(value) for name, value in fields.items()}


def plain(value):
    if isinstance(value, np.ndarray | list | tuple):
        return [getattr(each, "id", each) for each in value]
    return value


def again(world, folder, ending="yaml"):
    """The world after a round through a file."""
    path = folder / f"world.{ending}"
    save_scene(world, path)
    return load_scene(path).world
