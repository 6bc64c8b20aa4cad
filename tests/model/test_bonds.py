"""Bonds as a world takes them: geometry, properties one for all or each, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import amontons as am

BEAM = am.BeamBond(young=1e9, shear=4e8, radius=0.02)


@pytest.fixture
def world():
    world = am.World()
    world.add_bodies(am.Sphere(0.1), position=[(0, 0, 1), (0.3, 0, 1), (0, 0.4, 1)], mass=1.0)
    world.add_body(am.Sphere(0.1), fixed=True, position=(5, 0, 0), name="peg")
    world.add_body(am.Sphere(0.1), fixed=True, position=(6, 0, 0))
    world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 0, 1))
    return world


def test_bonds_are_arrays(world):
    ids = world.add_bonds(np.array([[0, 1], [2, 1]]), BEAM)
    assert ids.tolist() == [0, 1]
    np.testing.assert_allclose(world.bonds.length, [0.3, 0.5])
    np.testing.assert_allclose(world.bonds.point_a, [(0.15, 0, 0), (0.15, -0.2, 0)])
    strong = am.BeamBond(young=[1e9, 2e9], shear=4e8, radius=0.02, tensile=[1e6, np.inf])
    more = world.add_bonds([("peg", 0), (world.body(1), "peg")], strong)
    assert more.tolist() == [2, 3]
    assert world.bonds.young.tolist() == [1e9, 1e9, 1e9, 2e9]
    assert world.bonds.bodies.tolist() == [[0, 1], [2, 1], [3, 0], [1, 3]]
    with pytest.raises(ValueError, match="read-only"):
        world.bonds.young[0] = 1.0
    world.remove_bonds([0, 2])
    assert world.bonds.id.tolist() == [1, 3]
    assert world.add_bonds([(0, 1)], BEAM).tolist() == [4]  # ids are for life


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(1, 1)], r"pairs\[0\] bonds body 1 to itself"),
        ([(0, 1), (1, 0)], "bodies 0 and 1 are bonded twice"),
        ([(0, 99)], "99"),
        (np.array([[0, 99]]), "99"),
        ([(0, 1, 2)], "holds two bodies, but a pair names 3"),
        ([(3, 4)], "neither of the two bodies can move"),
        ([(0, 5)], "have the same centre"),
        (np.zeros((2, 3), dtype=int), r"shape \(2, 3\)"),
        (np.zeros((2, 2)), "float64"),
        (3, "pairs of bodies"),
        ([(0, "pig")], "no body called 'pig'"),
    ],
)
def test_pairs_that_cannot_be_bonded(world, pairs, message):
    with pytest.raises(am.InputError, match=message):
        world.add_bonds(pairs, BEAM)
    assert len(world.bonds) == 0


def test_what_is_bonded_already_is_not_bonded_again(world):
    world.add_bonds([(0, 1)], BEAM)
    with pytest.raises(am.InputError, match="bonded twice"):
        world.add_bonds([(1, 0)], BEAM)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"young": 0.0}, "young is 0; it must be positive"),
        ({"shear": -1.0}, "shear is -1"),
        ({"radius": np.nan}, "radius is nan"),
        ({"tensile": 0.0}, "tensile is 0"),
        ({"damping": -1e-3}, "damping is -0.001; it must be zero or positive"),
        ({"young": np.inf}, "young is inf"),
        ({"young": "stiff"}, "young must be an array of numbers"),
        ({"young": [[1.0]]}, "young must be one number or one per bond"),
    ],
)
def test_properties_that_no_beam_has(given, message):
    with pytest.raises(am.InputError, match=message):
        am.BeamBond(**{"young": 1e9, "shear": 4e8, "radius": 0.02, **given})


def test_other_mistakes(world):
    with pytest.raises(am.InputError, match="3 values of radius for 1 bonds"):
        world.add_bonds([(0, 1)], am.BeamBond(young=1e9, shear=4e8, radius=[0.1, 0.2, 0.3]))
    with pytest.raises(am.InputError, match=r"must be an amontons\.BeamBond"):
        world.add_bonds([(0, 1)], "glue")
    with pytest.raises(am.InputError, match="there is no bond 7"):
        world.remove_bonds([7])
    with pytest.raises(am.InputError, match="named by their ids"):
        world.remove_bonds("all")
    with pytest.raises(AttributeError, match="bonds have no 'strength'"):
        _ = world.bonds.strength
    world.add_bonds([(0, 1)], BEAM)
    world.cell = am.Cell((10.0, 10.0, 10.0), periodic=(True, True, False))
    with pytest.raises(am.InputError, match="bonds cannot be in a world with a cell"):
        am.Simulation(world, step=1e-3)
