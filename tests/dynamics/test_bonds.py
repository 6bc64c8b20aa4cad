"""Bonds against a second telling of them, and closed forms of beams."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons._jit import CHUNK
from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.dynamics.bonds.model import SHEAR_SHARE, BondModel, BondState
from amontons.dynamics.bonds.rows import (
    BondArrays,
    assemble_bonds,
    measure_bonds,
    work_of_bonds,
)
from amontons.dynamics.bonds.step import bond_rows, strain_of
from amontons.dynamics.bonds.stress import BondStress
from amontons.dynamics.joints.law import NO_ROWS
from helpers import bond_oracles as oracle

FORMS = ["serial", "parallel"]
BEAM = am.BeamBond(young=2e6, shear=8e5, radius=0.03, damping=1e-3)


def unit_rows(rng, count):
    rows = rng.standard_normal((count, 4))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def glued(count=12, bond=BEAM, seed=3):
    """A chain of boxes in any pose with bonds between neighbours, and what they are made of."""
    rng = np.random.default_rng(seed)
    world = am.World()
    place = np.cumsum(rng.uniform(0.1, 0.3, (count + 1, 3)) * rng.choice([-1, 1], 3), axis=0)
    ids = world.add_bodies(
        am.Box.cube(0.05), position=place, orientation=unit_rows(rng, count + 1), mass=1.0
    )
    world.add_bonds(np.stack([ids[:-1], ids[1:]], axis=1), bond)
    return world, BondModel.of(world.bonds, world.bodies.id), rng


def bent(world, rng, size):
    """Poses and velocities of the bodies, moved and turned by up to this from where they stood."""
    count = len(world.bodies)
    place = world.bodies.position + size * rng.standard_normal((count, 3))
    turn = world.bodies.orientation + size * rng.standard_normal((count, 4))
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    return place, turn, rng.standard_normal((count, 6))


def ends(model, n, place, turn):
    """Poses, points and frames of bond n, for the oracle."""
    R, beams = rotation_matrices(turn), model.beams
    return (
        [(place[i], R[i]) for i in model.bodies[n]],
        (beams.point_a[n], beams.point_b[n]),
        (beams.frame_a[n], beams.frame_b[n]),
    )


@pytest.mark.parametrize("form", FORMS)
def test_strains(form):
    world, model, rng = glued()
    place, turn, _ = bent(world, rng, 0.05)
    which = np.array([0, 3, 4, 11])
    found = np.empty((which.size, 6))
    getattr(measure_bonds, form)(which, model.beams, place, turn, found)
    expected = [oracle.strain(*ends(model, n, place, turn))[0] for n in which]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert np.abs(found).max() > 0.01


@pytest.mark.parametrize("form", FORMS)
def test_rows(form):
    """Their derivatives are those of the strain but for the square of the turn."""
    world, model, rng = glued()
    size, h = 1e-3, 0.02
    place, turn, twist = bent(world, rng, size)
    which = np.flatnonzero(np.arange(12) != 5)
    out = BondArrays(*(np.full(s, np.nan) for s in ((6 * 11, 12), (11, 6), 6 * 11)))
    getattr(assemble_bonds, form)(which, model.beams, place, turn, twist, h, out)
    for i, n in enumerate(which):
        poses, points, frames = ends(model, n, place, turn)
        rows = out.jacobian[6 * i : 6 * i + 6]
        now, axes = oracle.strain(poses, points, frames)
        np.testing.assert_allclose(out.strain[i], now, atol=1e-12)
        np.testing.assert_allclose(rows, oracle.jacobian(poses, points, frames), atol=30 * size**2)
        np.testing.assert_allclose(rows[:3, 6:9], axes.T, atol=1e-12)
        both = twist[model.bodies[n]]
        then, _ = oracle.strain(
            [oracle.moved(pose, v, h) for pose, v in zip(poses, both, strict=True)], points, frames
        )
        bend = then - now - h * rows @ both.ravel()
        b = (now + bend) / (h + model.beams.damping[n])
        np.testing.assert_allclose(out.offset[6 * i : 6 * i + 6], b, atol=1e-10)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.floats(1e-3, 1.0))
def test_rows_keep_momentum_and_angular_momentum(seed, size):
    """Whatever impulses rows carry, in whatever pose: A and B feel the opposite."""
    world, model, rng = glued(4, seed=seed)
    place, turn, twist = bent(world, rng, size)
    state = BondState.fresh(model.id, world.bonds.bodies)
    rows = bond_rows(model, state, place, turn, twist, 0.01).rows
    for row, (a, b) in zip(rows.jacobian, rows.bodies, strict=True):
        on_a, on_b = row[:6], row[6:]
        np.testing.assert_allclose(on_a[:3] + on_b[:3], 0.0, atol=1e-14)
        about_origin = np.cross(place[a], on_a[:3]) + np.cross(place[b], on_b[:3])
        np.testing.assert_allclose(about_origin + on_a[3:] + on_b[3:], 0.0, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31))
def test_moving_all_together_strains_nothing(seed):
    world, model, rng = glued(4, seed=seed)
    poses = world.bodies.position, world.bodies.orientation
    every = np.arange(4)
    np.testing.assert_allclose(strain_of(model, every, *poses), 0.0, atol=1e-14)
    turn = unit_rows(rng, 1)
    R = rotation_matrices(turn)[0]
    place = world.bodies.position @ R.T + rng.standard_normal(3)
    orientation = quaternion_product(turn, world.bodies.orientation)
    np.testing.assert_allclose(strain_of(model, every, place, orientation), 0.0, atol=1e-13)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("count", [7, CHUNK + 5])
def test_work(form, count):
    rng = np.random.default_rng(2)
    bodies = rng.integers(0, 9, (count, 2)).astype(np.int32)
    rows = NO_ROWS._replace(bodies=bodies, jacobian=rng.standard_normal((count, 12)))
    impulses, dashpot = rng.standard_normal((2, count))
    mean, after = rng.standard_normal((2, 9, 6))
    inverse_mass = np.array([0.0, 0.0, *np.ones(7)])
    partial = np.empty((-(-count // CHUNK), 3))
    getattr(work_of_bonds, form)(rows, impulses, dashpot, mean, after, inverse_mass, partial)
    loose = inverse_mass > 0.0
    expected = oracle.work(rows.jacobian, bodies, impulses, dashpot, mean, after, loose)
    np.testing.assert_allclose(partial.sum(axis=0), expected, rtol=1e-10)


def test_stiffness_of_a_beam():
    """Clamped at A: B's end gives way by FL/EA, by FL³/3EI + FL/κGA, and turns by FL²/2EI."""
    world = am.World()
    a, b = world.add_bodies(am.Sphere(0.1), position=[(0, 0, 0), (0.4, 0, 0)], mass=1.0)
    world.add_bonds([(a, b)], am.BeamBond(young=3e7, shear=1e7, radius=0.05))
    stretch, across, _, twist, turn, _ = BondModel.of(world.bonds, world.bodies.id).beams.stiffness[
        0
    ]
    L, A, I = 0.4, np.pi * 0.05**2, np.pi * 0.05**4 / 4  # noqa: E741
    assert stretch == pytest.approx(3e7 * A / L)
    assert twist == pytest.approx(1e7 * 2 * I / L)
    # a force F at B is V = F and M = FL/2 at the middle: the turn there moves B by L/2 more
    shift = 1.0 / across + (L / 2) / turn * (L / 2)
    bent_end = L**3 / (3 * 3e7 * I) + L / (SHEAR_SHARE * 1e7 * A)
    assert shift == pytest.approx(bent_end, rel=1e-12)
    assert (L / 2) / turn == pytest.approx(L**2 / (2 * 3e7 * I))


def test_stresses():
    """F/A + M r/I at the end that bears more, and V/A + T r/J."""
    _, model, _ = glued(1)
    L, r = model.length[0], 0.03
    A, I = np.pi * r**2, np.pi * r**4 / 4  # noqa: E741
    load = np.array([[-5.0, 3.0, -4.0, 0.2, 0.1, -0.3]])
    found = BondStress.of(model, load)
    ends_of_beam = [
        np.linalg.norm(load[0, 3:] - x * np.cross([1, 0, 0], load[0, :3]) - [0.2, 0, 0])
        for x in (-L / 2, L / 2)
    ]
    assert found.bending[0] == pytest.approx(max(ends_of_beam))
    assert found.tensile_stress[0] == pytest.approx(5.0 / A + max(ends_of_beam) * r / I)
    assert found.shear_stress[0] == pytest.approx(5.0 / A + 0.2 * r / (2 * I))


def test_the_state_follows_its_bonds():
    world, model, _ = glued(3)
    state = BondState.fresh(model.id, world.bonds.bodies)
    assert state.followed(world.bonds) is state
    state.load[:, 0] = [1.0, 2.0, 3.0]
    state.broken[1] = True
    world.remove_bonds([0])
    world.add_bonds([(0, 3)], BEAM)
    found = state.followed(world.bonds)
    assert found.load[:, 0].tolist() == [2.0, 3.0, 0.0]
    assert found.broken.tolist() == [True, False, False]
    assert found.id.tolist() == [1, 2, 3]
    assert found.bodies.tolist() == [[1, 2], [2, 3], [0, 3]]
    assert sorted(state.ends_of_changes(world.bonds)) == [0, 0, 1, 3]
