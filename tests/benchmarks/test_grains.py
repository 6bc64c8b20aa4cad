"""Scenes of the races: the same for every engine, and free of overlaps at the start."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from amontons.scenes import packed_bed
from engines.grains import bed, drum, round_silo, silo


def holed(bodies):
    """A silo with a round hole."""
    return round_silo(bodies, width=18.0, orifice=5.5)


@pytest.mark.parametrize("scene", [bed, drum, silo, holed])
@pytest.mark.parametrize("bodies", [300, 2000])
def test_nothing_overlaps_at_the_start(scene, bodies):
    grains = scene(bodies)
    assert len(grains.places) == bodies
    near = np.concatenate([grains.places, grains.wall])
    found = cKDTree(near).query_pairs(2.0 * grains.radius * (1.0 - 1e-9), output_type="ndarray")
    assert not (found[:, 0] < bodies).any()  # spheres of the wall may overlap each other
    for point, normal in grains.faces:
        assert ((grains.places - point) @ normal >= grains.radius).all()


def test_the_bed_is_that_of_the_scene():
    world = packed_bed(700)
    np.testing.assert_array_equal(bed(700).places, world.bodies.position[world.bodies.dynamic])
    assert bed(700).box[0][1] == world.body("right").position[0]


@pytest.mark.parametrize("scene", [drum, silo])
def test_no_grain_slips_through_a_wall_of_spheres(scene):
    grains = scene(1000)
    wall = grains.wall
    if scene is silo:  # nowhere but at the hole, in the middle
        wall = wall[np.abs(wall[:, :2]).max(axis=1) > 0.8 * grains.box[0][1]]
    nearest = cKDTree(wall).query(wall, k=2)[0][:, 1]
    assert (nearest < 2.2 * grains.radius).all()


def test_the_silo_has_a_hole_that_grains_pass():
    grains = silo(1000)
    assert np.abs(grains.wall[:, :2]).max(axis=1).min() > 4.0 * grains.radius


def test_a_round_hole_is_as_wide_as_asked_and_the_floor_has_no_other():
    grains = holed(1000)
    d = 2.0 * grains.radius
    away = np.hypot(grains.wall[:, 0], grains.wall[:, 1])
    assert 2.0 * (away.min() - grains.radius) == pytest.approx(5.5 * d)
    assert grains.box[0] == pytest.approx((-9.0 * d, 9.0 * d))
    x = np.arange(-9.0, 9.01, 0.1) * d
    x, y = (each.ravel() for each in np.meshgrid(x, x))
    floor = np.hypot(x, y) > away.min()
    spots = np.stack([x, y, 0.0 * x], axis=1)[floor]
    assert cKDTree(grains.wall).query(spots)[0].max() < 1.5 * grains.radius  # a grain needs 2


def test_a_drum_turns_slowly_enough_to_roll_its_grains():
    grains = drum(1000, froude=0.05)
    shell = np.hypot(grains.wall[:, 0], grains.wall[:, 2])
    assert shell == pytest.approx(shell[0])
    assert grains.spin**2 * shell[0] / 9.81 == pytest.approx(0.05)
