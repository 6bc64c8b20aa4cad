"""The kernels of a time step against plain numpy, in both forms, and what they must keep."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import amontons as am
from amontons._jit import CHUNK
from amontons.algebra.rotations import rotation_matrices
from amontons.collision.contacts import ContactSet
from amontons.dynamics.adhesion import NO_CURVATURE, pulls_of, shared
from amontons.dynamics.contact_laws import (
    BodiesAtStart,
    ContactPlaces,
    ContactRules,
    Laws,
    Limits,
    contact_kernel,
    contact_terms,
    late_hits,
)
from amontons.dynamics.energy import mechanics, mechanics_kernel
from amontons.dynamics.free_velocity import free_velocities
from amontons.dynamics.integration import advance
from amontons.dynamics.islands import islands
from amontons.dynamics.masses import Masses, bound_speeds
from amontons.dynamics.soundness import first_unsound
from amontons.model.materials import PROPERTIES, Materials
from helpers import step_oracles as oracle

FORMS = ["serial", "parallel"]
few = settings(max_examples=60, deadline=None)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def unit_rows(rng, count, width=4):
    rows = rng.standard_normal((count, width))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def inertias(rng, count):
    """Inertias of real bodies, with their axes anywhere; every third is even."""
    squares = rng.uniform(0.05, 1.0, (count, 3))  # second moments of mass along three axes
    squares[::3] = squares[::3, :1]
    diagonal = squares.sum(axis=1, keepdims=True) - squares
    R = rotation_matrices(unit_rows(rng, count))
    out = np.einsum("nij,nj,nkj->nik", R, diagonal, R)
    out[::3] = diagonal[::3, :1, None] * np.eye(3)
    return 0.5 * (out + out.transpose(0, 2, 1))


# -- free velocity, energy ------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_free_velocities(rng, form):
    count, gravity, h = 40, np.array([1.0, 2.0, -9.0]), 0.01
    turn, twist, wrench = unit_rows(rng, count), *rng.standard_normal((2, count, 6))
    own = np.linalg.inv(inertias(rng, count))
    inverse_mass = rng.uniform(0.1, 3.0, count)
    inverse_mass[5::7] = 0.0
    even = np.arange(count) % 3 == 0
    free, inverse = np.empty((count, 6)), np.empty((count, 3, 3))
    getattr(free_velocities, form)(
        turn, twist, wrench, inverse_mass, own, even, gravity, h, free, inverse
    )
    for i in range(count):
        v, own_inverse = oracle.free_velocity(
            turn[i], twist[i], wrench[i], inverse_mass[i], own[i], gravity, h
        )
        assert free[i] == pytest.approx(v, rel=1e-12, abs=1e-12)
        assert inverse[i] == pytest.approx(own_inverse, rel=1e-12, abs=1e-12)
    assert np.array_equal(inverse, inverse.transpose(0, 2, 1))


@pytest.mark.parametrize("count", [1, 30, 4100])
def test_mechanics(rng, count):
    mass = rng.uniform(0.1, 3.0, count)
    mass[3::5] = math.inf
    state = (
        rng.standard_normal((count, 3)), unit_rows(rng, count), rng.standard_normal((count, 6)),
        mass, inertias(rng, count), np.array([1.0, 2.0, -9.0]),
    )  # fmt: skip
    found = mechanics(*state)
    right = oracle.energy_and_momenta(*state)
    for mine, theirs in zip(found, right, strict=True):
        assert mine == pytest.approx(theirs, rel=1e-11, abs=1e-11)
    for form in FORMS:
        partial = np.empty((-(-count // CHUNK), 8))
        getattr(mechanics_kernel, form)(*state, partial)
        assert partial.sum(axis=0) == pytest.approx(np.hstack(right), rel=1e-11, abs=1e-11)


def test_no_bodies_have_no_energy():
    none = np.zeros((0, 3))
    found = mechanics(none, np.zeros((0, 4)), np.zeros((0, 6)), np.zeros(0), np.zeros((0, 3, 3)),
                      np.zeros(3))  # fmt: skip
    assert found.kinetic == found.potential == 0.0


# -- rotation -------------------------------------------------------------------------------------


def advanced(orientation, twist, inertia, h, *, even=False, driven=False, form="serial"):
    """One body after one step: its orientation and twist."""
    out = np.empty((1, 3)), np.empty((1, 4)), np.empty((1, 6))
    getattr(advance, form)(
        np.zeros((1, 3)), orientation[None], twist[None], inertia[None], np.array([even]),
        np.array([driven]), h, *out,
    )  # fmt: skip
    assert out[0][0] == pytest.approx(h * twist[:3], abs=1e-15)
    return out[1][0], out[2][0]


def spin(orientation, inertia, w):
    """Angular momentum and kinetic energy."""
    R = rotation_matrices(orientation[None])[0]
    momentum = R @ inertia @ R.T @ w
    return momentum, 0.5 * w @ momentum


moments = st.tuples(*[st.floats(1e-3, 1e3)] * 3)
spins = arrays(float, 3, elements=st.floats(-1e3, 1e3, allow_subnormal=False))
turns = arrays(float, 4, elements=st.floats(-1.0, 1.0)).filter(lambda q: np.linalg.norm(q) > 0.1)


@few
@given(squares=moments, w=spins, turn=turns, axes=turns, h=st.floats(1e-5, 0.1))
def test_free_rotation_keeps_energy_and_momentum(squares, w, turn, axes, h):
    """Whatever the inertia, spin and step: h|ω| up to 170 rad here."""
    R = rotation_matrices((axes / np.linalg.norm(axes))[None])[0]
    inertia = R @ np.diag(sum(squares) - np.array(squares)) @ R.T
    inertia = 0.5 * (inertia + inertia.T)
    q = turn / np.linalg.norm(turn)
    new_q, twist = advanced(q, np.concatenate([np.zeros(3), w]), inertia, h)
    momentum, energy = spin(q, inertia, w)
    new_momentum, new_energy = spin(new_q, inertia, twist[3:])
    assert np.linalg.norm(new_q) == pytest.approx(1.0, abs=1e-14)
    # rounding of hundreds of parts, seen through the inverse of an ill-conditioned inertia
    lossy = 1e-12 * np.linalg.cond(inertia)
    assert new_energy == pytest.approx(energy, rel=lossy, abs=1e-300)
    assert np.linalg.norm(new_momentum - momentum) <= lossy * np.linalg.norm(momentum)


@few
@given(squares=moments, w=spins, h=st.floats(1.0, 1e3))
def test_absurd_spins_keep_their_energy(squares, w, h):
    """Up to 1e6 rad in one step: no one knows where the body is, but it has not gained energy."""
    inertia = np.diag(sum(squares) - np.array(squares))
    q = np.array([1.0, 0.0, 0.0, 0.0])
    new_q, twist = advanced(q, np.concatenate([np.zeros(3), w]), inertia, h)
    assert np.linalg.norm(new_q) == pytest.approx(1.0, abs=1e-14)
    _, energy = spin(q, inertia, w)
    _, new_energy = spin(new_q, inertia, twist[3:])
    assert new_energy == pytest.approx(energy, rel=1e-9 * np.linalg.cond(inertia), abs=1e-300)


@pytest.mark.parametrize("form", FORMS)
def test_free_rotation_solves_its_equation(rng, form):
    """I Ω⁺ = exp(−h [Ω_m]×) I Ω, and the body turns by exp(h [Ω_m]×), where one part suffices."""
    for inertia in inertias(rng, 9)[1::3]:
        q, w, h = unit_rows(rng, 1)[0], rng.uniform(-1.0, 1.0, 3), 0.1
        new_q, twist = advanced(q, np.concatenate([np.zeros(3), w]), inertia, h, form=form)
        R, S = rotation_matrices(np.stack([q, new_q]))
        W, X = R.T @ w, S.T @ twist[3:]
        turn = oracle.rotation_exponential(0.5 * h * (W + X))
        assert inertia @ X == pytest.approx(turn.T @ inertia @ W, rel=1e-12, abs=1e-13)
        assert np.allclose(S, R @ turn, rtol=1e-12, atol=1e-13)


def test_free_rotation_is_of_second_order(rng):
    """Halving the step quarters the error against many tiny steps."""
    inertia, q = np.diag([1.0, 2.0, 2.8]), np.array([1.0, 0.0, 0.0, 0.0])
    w = np.array([0.3, 1.0, 0.4])

    def after(parts):
        turn, twist = q, np.concatenate([np.zeros(3), w])
        for _ in range(parts):
            turn, twist = advanced(turn, twist, inertia, 0.8 / parts)
        return np.concatenate([turn, twist])

    right = after(4096)
    coarse, fine = (np.linalg.norm(after(parts) - right) for parts in (8, 16))
    assert coarse / fine == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize("kind", ["even", "driven"])
@pytest.mark.parametrize("speed", [0.0, 1e-12, 1e-3, 1.0, 500.0])
def test_even_and_driven_bodies_turn_about_a_fixed_axis(rng, kind, speed):
    q, axis, h = unit_rows(rng, 1)[0], unit_rows(rng, 1, 3)[0], 0.02
    inertia = np.eye(3) if kind == "even" else np.diag([1.0, 2.0, 2.5])
    twist = np.concatenate([np.zeros(3), speed * axis])
    new_q, new_twist = advanced(q, twist, inertia, h, **{kind: True})
    assert np.array_equal(new_twist, twist)
    R, S = rotation_matrices(np.stack([q, new_q]))
    assert np.allclose(S, oracle.rotation_exponential(h * speed * axis) @ R, rtol=0, atol=1e-12)


def test_spin_about_a_principal_axis_stays(rng):
    for axis in np.eye(3):
        twist = np.concatenate([np.zeros(3), 30.0 * axis])
        _, new = advanced(np.array([1.0, 0, 0, 0]), twist, np.diag([1.0, 2.0, 2.5]), 0.01)
        assert new == pytest.approx(twist, abs=1e-13)


# -- contact laws ---------------------------------------------------------------------------------


def random_contacts(rng, count, bodies):
    pairs = np.sort([rng.choice(bodies, 2, replace=False) for _ in range(count)], axis=1)
    pairs = pairs[np.lexsort(pairs.T[::-1])].astype(np.int32)
    first = np.searchsorted(pairs[:, 0], np.arange(bodies + 1))
    return ContactSet(
        pairs, unit_rows(rng, count, 3), rng.standard_normal((count, 3)),
        rng.standard_normal((count, 3)), rng.uniform(-0.02, 0.1, count),
        np.arange(count, dtype=np.uint64), first.astype(np.int64),
    )  # fmt: skip


def all_materials():
    materials = Materials()
    for options in (
        {"friction": 0.4, "restitution": 0.5}, {"friction": 0.0}, {"friction": 1.3},
        {"compliance": 1e-3, "damping": 0.02, "restitution": 0.3}, {"compliance": 1e-5},
    ):  # fmt: skip
        materials.number(am.Material(**options))
    materials.set_pair(
        materials.list[0], materials.list[3], am.Material(compliance=1e-4, restitution=0.8)
    )
    return materials


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lift", [0.05, math.inf], ids=["relaxed", "exact"])
def test_contact_kernel(rng, form, lift):
    bodies, count, h = 12, 400, 0.01
    contacts = random_contacts(rng, count, bodies)
    table = all_materials().table
    material = rng.integers(0, 5, bodies).astype(np.int32)
    mobile = rng.random(bodies) > 0.3
    before, free = 0.5 * rng.standard_normal((2, bodies, 6))
    rules = ContactRules(near=0.01, recovery_speed=0.5, bounce_speed=0.2, lift_speed=lift,
                         slip_speed=0.0, cohesion_range=0.0)  # fmt: skip
    keep, bounces = np.empty((2, count), dtype=bool)
    mu, b, E = np.empty((3, count))
    hit = rng.random(count) < 0.2
    getattr(contact_kernel, form)(
        ContactPlaces.of(contacts), BodiesAtStart(before, free, mobile, material),
        Laws(table.friction, table.restitution, table.compliance, table.damping),
        Limits(rules.near, rules.recovery_speed, rules.bounce_speed, rules.lift_speed), h, hit,
        keep, mu, b, E, bounces,
    )  # fmt: skip
    for c, (i, j) in enumerate(contacts.bodies):
        two = [i, j]
        pair = {name: getattr(table, name)[material[i], material[j]] for name in PROPERTIES}
        right = oracle.contact_law(
            contacts.normals[c], (contacts.arms_a[c], contacts.arms_b[c]), contacts.gaps[c],
            before[two], free[two], mobile[two], pair, h, rules, hit[c],
        )  # fmt: skip
        assert (keep[c], bounces[c]) == (right[0], right[4])
        assert (mu[c], b[c], E[c]) == pytest.approx(right[1:4], rel=1e-9, abs=1e-12)
    assert 0 < keep.sum() < count
    assert 0 < bounces.sum() < count


@pytest.mark.parametrize("form", FORMS)
def test_late_hits(rng, form):
    """Contacts outside the problem that velocities close, one by one from the formula."""
    bodies, count, h, slack = 12, 400, 0.01, 1e-3
    contacts = random_contacts(rng, count, bodies)
    velocity = rng.standard_normal((bodies, 6))
    inside = rng.random(count) < 0.4
    hit = np.zeros(count, dtype=bool)
    found = getattr(late_hits, form)(
        ContactPlaces.of(contacts), velocity, h, slack, inside, hit,
    )  # fmt: skip
    for c, (a, b) in enumerate(contacts.bodies):
        v = velocity[b, :3] + np.cross(velocity[b, 3:], contacts.arms_b[c])
        v -= velocity[a, :3] + np.cross(velocity[a, 3:], contacts.arms_a[c])
        closes = contacts.gaps[c] + h * (v @ contacts.normals[c]) < -slack
        assert hit[c] == (closes and not inside[c])
    assert found == hit.sum() > 0


def test_contact_terms_keep_what_may_act(rng):
    bodies, count, h = 12, 300, 0.01
    contacts = random_contacts(rng, count, bodies)
    materials = Materials()
    for rolling, cohesion in ((0.1, 3.0), (0.2, 5.0)):
        materials.number(
            am.Material(friction=0.3, static_friction=0.6, rolling_friction=rolling,
                        spinning_friction=rolling / 2, cohesion=cohesion)
        )  # fmt: skip
    table, material = materials.table, rng.integers(0, 2, bodies).astype(np.int32)
    rules = ContactRules(near=0.01, recovery_speed=0.5, bounce_speed=0.2, lift_speed=0.05,
                         slip_speed=0.0, cohesion_range=0.004)  # fmt: skip
    sticking = rng.random(count) > 0.5
    terms = contact_terms(
        contacts, before=np.zeros((bodies, 6)), free=np.zeros((bodies, 6)),
        mobile=np.ones(bodies, dtype=bool), material=material, pairs=table, step=h, rules=rules,
        sticking=sticking,
    )  # fmt: skip
    kept = np.flatnonzero(contacts.gaps <= rules.near)
    assert np.array_equal(terms.kept, kept)
    assert np.array_equal(terms.contacts.gaps, contacts.gaps[kept])
    assert terms.friction == pytest.approx(np.where(sticking, 0.6, 0.3)[kept])
    least = np.minimum(*material[contacts.bodies[kept]].T)
    assert terms.rolling == pytest.approx(np.array([0.1, 0.2])[least])
    assert terms.spinning == pytest.approx(np.array([0.05, 0.1])[least])
    values = rng.standard_normal((count, 3))
    assert np.array_equal(terms.of_kept(values), values[kept])
    # the pull of a pair, shared by its contacts that touch, as an impulse of the step
    pulls = pulls_of(contacts, material, NO_CURVATURE, table, rules, h)
    for pair in np.unique(contacts.bodies, axis=0):
        members = np.flatnonzero((contacts.bodies == pair).all(axis=1))
        touching = contacts.gaps[members] <= rules.cohesion_range
        whole = h * np.array([3.0, 5.0])[material[pair].min()] if touching.any() else 0.0
        assert pulls[members].sum() == pytest.approx(whole)
        assert not pulls[members][~touching].any()


@few
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=20))
def test_shared_gives_each_pair_its_whole_force(members):
    members.sort(key=lambda member: member[0])
    pair = np.array([p for p, _ in members], dtype=np.int32)
    touching = np.array([t for _, t in members], dtype=bool)
    force = np.where(pair % 2 == 0, 2.0, 7.0)
    parts = shared(force, pair.astype(np.int64), touching)
    for p in set(pair.tolist()):
        of = parts[pair == p]
        n = int(touching[pair == p].sum())
        assert of == pytest.approx(np.where(touching[pair == p], (2.0, 7.0)[p % 2] / max(n, 1), 0))


# -- islands, masses ------------------------------------------------------------------------------


@few
@given(st.data())
def test_islands_are_those_of_spreading_labels(data):
    count = data.draw(st.integers(1, 12))
    ends = st.integers(-1, count - 1)
    pairs = np.array(data.draw(st.lists(st.tuples(ends, ends), max_size=20)), dtype=np.int32)
    pairs = pairs.reshape(-1, 2)
    mobile = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    found = islands(pairs, mobile)
    assert np.array_equal(found[:, None] == found[None, :], oracle.same_island(pairs, mobile))
    firsts = [found.tolist().index(island) for island in range(found.max() + 1)]
    assert firsts == sorted(firsts)


@pytest.mark.parametrize("form", FORMS)
def test_bounds_of_speeds(rng, form):
    twist, reach, speed = rng.standard_normal((30, 6)), rng.uniform(0.0, 2.0, 30), np.empty(30)
    getattr(bound_speeds, form)(twist, reach, speed)
    v, w = np.linalg.norm(twist[:, :3], axis=1), np.linalg.norm(twist[:, 3:], axis=1)
    assert speed == pytest.approx(v + reach * w, rel=1e-14)


@few
@given(
    st.sampled_from(["position", "orientation", "twist", "force", "torque"]),
    st.sampled_from([math.nan, math.inf, -math.inf]),
    st.integers(0, 8),
    st.integers(0, 2),
)
def test_the_first_body_that_is_unsound(name, value, row, column):
    rng = np.random.default_rng(row)
    state = {
        "position": rng.standard_normal((9, 3)),
        "orientation": unit_rows(rng, 9),
        "twist": rng.standard_normal((9, 6)),
        "force": rng.standard_normal((9, 3)),
        "torque": rng.standard_normal((9, 3)),
    }
    assert first_unsound(**state) == -1
    state[name][row:, column] = value
    assert first_unsound(**state) == row


@pytest.mark.parametrize(("length", "found"), [(1.0 + 0.9e-6, -1), (1.0 + 1.1e-6, 1), (0.0, 1)])
def test_a_quaternion_may_be_a_little_off(rng, length, found):
    turn, rows = unit_rows(rng, 3), np.zeros((3, 3))
    turn[1] *= length
    assert first_unsound(rows, turn, np.zeros((3, 6)), rows, rows) == found


def test_masses_of_a_world():
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(am.Sphere(0.5), mass=2.0)
    world.add_body(am.Box((1.0, 2.0, 4.0)), mass=3.0, centre=(0.1, 0.0, 0.0))
    world.add_body(am.Sphere(0.1), motion=am.Motion(velocity=(1.0, 0.0, 0.0)))
    masses = Masses.of(world)
    assert masses.inverse_mass == pytest.approx([0.0, 0.5, 1.0 / 3.0, 0.0])
    assert masses.driven.tolist() == [True, False, False, True]
    assert masses.even[1:3].tolist() == [True, False]
    assert masses.size.tolist() == [math.inf, 0.5, 0.5, 0.1]
    assert masses.reach[1:] == pytest.approx(
        [math.sqrt(0.75), math.sqrt(0.6**2 + 1.0 + 4.0), math.sqrt(0.03)]
    )
    assert masses.own_inverse[2] @ world.bodies.inertia[2] == pytest.approx(np.eye(3))
    assert masses.typical_size == 0.5
    assert masses.reach[0] == 0.0
    assert masses.span.tolist() == [math.inf, 0.5, 0.5, math.inf]
    assert masses.kinematic.tolist() == [3]
