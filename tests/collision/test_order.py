"""The order of bodies along rows of cells: what it is, and that nobody sees it but the clock."""

import numpy as np
import pytest

import amontons as am
from amontons.collision.broad import rows
from amontons.collision.broad.rows import BITS, BUNDLE_BITS, ORDERED_FROM, body_order
from amontons.collision.detector import CollisionDetector
from amontons.collision.memory import RememberedContacts, match
from amontons.simulation import step as step_module

MARGIN = 0.05


@pytest.fixture
def always(monkeypatch):
    """Every world has an order, however small."""
    monkeypatch.setattr(rows, "ORDERED_FROM", 1)


def plain_key(place, width):
    """Bundle along z and y, row along z and y, cell along x: as tuples compare."""
    x, y, z = (int(np.floor(each / width)) % 2**BITS for each in place)
    wide = 2**BUNDLE_BITS
    return (z // wide, y // wide, z % wide, y % wide, x)


def test_order_is_that_of_cells_row_by_row():
    rng = np.random.default_rng(0)
    place = rng.uniform(-40.0, 40.0, (ORDERED_FROM, 3))
    place[5] = 1e30, -1e30, 0.0
    order = body_order(place, 2.0)
    expected = sorted(range(len(place)), key=lambda i: (plain_key(place[i], 2.0), i))
    inside = [i for i in expected if i != 5]  # a place that far out is in no cell worth a name
    assert [i for i in order.body.tolist() if i != 5] == inside
    assert np.array_equal(order.body[order.place[:-1]], np.arange(len(place)))
    assert order.place[-1] == -1


def test_few_bodies_stay_as_they_are():
    assert body_order(np.zeros((ORDERED_FROM - 1, 3)), 1.0) is None


def test_order_depends_on_no_unit():
    place = np.random.default_rng(1).uniform(0.0, 30.0, (ORDERED_FROM, 3))
    here, there = body_order(place, 1.0), body_order(1024.0 * place, 1024.0)
    assert np.array_equal(here.body, there.body)


def scene(kind):
    """A detector and places: spheres alone, several shapes, or bodies of two parts."""
    rng = np.random.default_rng(2)
    place = rng.uniform(0.0, 4.0, (60, 3))
    turn = rng.standard_normal((60, 4))
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    if kind == "spheres":
        return CollisionDetector.of_spheres(rng.uniform(0.3, 0.5, 60), margin=MARGIN), place, turn
    ball, box = am.Sphere(0.4), am.Box((0.6, 0.7, 0.8))
    shapes = [ball, box, am.Plane()]
    if kind == "parts":
        shapes = [am.Compound([am.Part(ball, (-0.3, 0, 0)), am.Part(ball, (0.3, 0, 0))]), box]
    which = np.arange(60) % len(shapes)
    if kind == "shapes":
        which = np.where(np.arange(60) == 7, 2, which % 2)
    return CollisionDetector(shapes, which=which, margin=MARGIN), place, turn


def table(contacts):
    """Contacts as rows that sort the same, whoever listed them."""
    rows = zip(
        contacts.bodies.tolist(), contacts.keys.tolist(), contacts.normals.tolist(),
        contacts.arms_a.tolist(), contacts.arms_b.tolist(), contacts.gaps.tolist(), strict=True,
    )  # fmt: skip
    return sorted(rows)


@pytest.mark.parametrize("kind", ["spheres", "shapes", "parts"])
def test_ordered_contacts_are_the_same(kind, always):
    detector, place, turn = scene(kind)
    order = body_order(place, 0.8)
    plain = detector.detect_unit(place, turn, MARGIN)
    ordered = detector.detect_unit(place, turn, MARGIN, order=order)
    assert table(plain) == table(ordered)
    assert len(plain) > 50
    # a body's contacts begin where they are said to, and those of the first body in order are first
    for i in range(60):
        found = ordered.bodies[ordered.first[i] :]
        own = (found == i).any(axis=1)
        run = len(own) if own.all() else int(np.argmin(own))
        later = np.flatnonzero((plain.bodies[plain.first[i] : plain.first[i + 1]] == i).any(axis=1))
        assert run >= len(later)
    assert ordered.first[order.body[0]] == 0
    assert ordered.first[-1] == len(ordered)


@pytest.mark.parametrize("kind", ["spheres", "shapes", "parts"])
def test_memory_matches_across_orders(kind, always):
    detector, place, turn = scene(kind)
    plain = detector.detect_unit(place, turn, MARGIN)
    ordered = detector.detect_unit(place, turn, MARGIN, order=body_order(place, 0.8))
    found = match(ordered, plain)
    assert np.array_equal(plain.bodies[found], ordered.bodies)
    assert np.array_equal(plain.keys[found], ordered.keys)
    values = np.arange(3.0 * len(ordered)).reshape(-1, 3)
    memory = RememberedContacts.of(ordered, values)
    assert np.array_equal(memory.recall(plain, 3)[found], values)
    # bodies that go and bodies that come
    kept, new = np.delete(np.arange(60), [3, 30]), np.array([100])
    moved = memory.renumbered(np.arange(60), np.append(kept, new))
    stay = ~np.isin(ordered.bodies, [3, 30]).any(axis=1)
    number = np.searchsorted(kept, np.delete(np.arange(60), [3, 30]))
    rank = np.full(60, -1)
    rank[kept] = number
    assert np.array_equal(moved.bodies, rank[ordered.bodies[stay]])
    assert np.array_equal(moved.values, values[stay])


def test_free_bodies_alone_meet_others():
    detector, place, turn = scene("shapes")
    free = np.arange(60) % 3 == 0
    some = detector.detect_unit(place, turn, MARGIN, free=free)
    whole = detector.detect_unit(place, turn, MARGIN)
    wanted = whole.take(np.flatnonzero(free[whole.bodies].any(axis=1)))
    assert table(some) == table(wanted)
    assert 0 < len(some) < len(whole)
    assert table(detector.detect_unit(place, turn, MARGIN)) == table(whole)


def heap():
    """Balls and cubes with bounce, rolling friction and a joint, in a heap on a floor."""
    world = am.World()
    rough = am.Material(friction=0.4, rolling_friction=0.01, restitution=0.3)
    world.add_body(am.Plane(), fixed=True, material=rough)
    rng = np.random.default_rng(3)
    grid = np.array([(i, j, k) for k in range(4) for i in range(3) for j in range(3)])
    place = 0.21 * grid + [0, 0, 0.12] + rng.uniform(-0.004, 0.004, (36, 3))
    for i in range(36):
        shape = am.Sphere(0.1) if i % 2 else am.Box((0.18, 0.18, 0.18))
        world.add_body(shape, mass=1.0, position=place[i], material=rough)
    world.add_joint(am.Spherical(1, 2, point=place[0]))
    return world


def test_a_world_in_order_moves_as_without(monkeypatch):
    def end(ordered_from):
        monkeypatch.setattr(rows, "ORDERED_FROM", ordered_from)
        sim = am.Simulation(heap(), step=2e-3, solver=am.InteriorPoint(tolerance=1e-11))
        sim.run(0.06)
        return sim

    plain, ordered = end(10**9), end(1)
    assert ordered._last.detected.order is not None
    assert plain._last.detected.order is None
    assert ordered.bodies.position == pytest.approx(plain.bodies.position, abs=1e-7)
    assert np.abs(ordered.bodies.velocity).max() > 0.1
    pairs = plain.contacts.bodies
    sort = np.lexsort(pairs.T[::-1])
    assert np.array_equal(ordered.contacts.bodies, pairs[sort])
    assert ordered.contacts.force == pytest.approx(plain.contacts.force[sort], abs=1e-3)


def test_a_world_in_order_goes_on_from_a_checkpoint_bit_for_bit(always, tmp_path):
    sim = am.Simulation(heap(), step=2e-3)
    sim.run(0.02)
    sim.save(tmp_path / "half.npz")
    sim.run(0.02)
    again = am.Simulation(heap(), step=2e-3)
    again.restore(tmp_path / "half.npz")
    again.run(0.02)
    assert again.state.equals(sim.state)


def test_steps_ask_for_the_order(always):
    """The step has the order from here, so that `always` reaches it."""
    assert step_module.body_order is rows.body_order
