"""What lasts from step to step: contact memory whose bodies change, and how far ahead is looked."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.collision.memory import RememberedContacts, gather_values
from amontons.dynamics.masses import Masses
from amontons.simulation.detection.margins import (
    LEVELS,
    NEAR_ONLY,
    MarginLevel,
    choose_margin,
)
from amontons.small_worlds.books import PATIENCE

few = settings(max_examples=60, deadline=None)


def spheres(count, seed):
    rng = np.random.default_rng(seed)
    position = rng.uniform(-0.4, 0.4, (count, 3))
    detector = am.CollisionDetector.of_spheres(np.full(count, 0.15), margin=0.01)
    return position, detector.detect(position)


def named(contacts, ids, values):
    """Values by the ids of the bodies and the key."""
    rows = zip(ids[contacts.bodies].tolist(), contacts.keys.tolist(), values, strict=True)
    return {(*pair, key): tuple(value) for pair, key, value in rows}


@pytest.mark.parametrize("form", ["serial", "parallel"])
def test_gather_values(form):
    old = np.arange(12.0).reshape(4, 3)
    values = np.full((5, 3), np.nan)
    getattr(gather_values, form)(np.array([3, -1, 0, 0, 2]), old, values)
    assert np.array_equal(values, [old[3], [0, 0, 0], old[0], old[0], old[2]])


@few
@given(
    gone=st.sets(st.integers(0, 19), max_size=19),
    more=st.integers(0, 5),
    seed=st.integers(0, 50),
)
def test_memory_follows_bodies_that_are_renumbered(gone, more, seed):
    """Some bodies go and others come: what is left is remembered, and the rest forgotten."""
    position, contacts = spheres(20, seed)
    old_ids = 3 * np.arange(20)
    values = np.random.default_rng(seed).standard_normal((len(contacts), 7))
    memory = am.ContactMemory()
    memory.store(contacts, values)
    stay = np.array([i for i in range(20) if i not in gone], dtype=np.int64)
    new_ids = np.concatenate([old_ids[stay], 60 + np.arange(more)])
    memory.renumber(old_ids, new_ids)
    new_position = np.concatenate([position[stay], np.zeros((more, 3))])
    detector = am.CollisionDetector.of_spheres(np.full(len(new_ids), 0.15), margin=0.01)
    now = detector.detect(new_position)
    known = named(contacts, old_ids, values)
    for name, value in named(now, new_ids, memory.recall(now, 7)).items():
        assert value == known.get(name, (0.0,) * 7)
    held = memory.contacts
    if len(contacts):
        assert held.first.shape == (len(new_ids) + 1,)
    assert len(held.keys) == len(held.values) == held.first[-1]
    assert (np.diff(held.first) >= 0).all()


def test_memory_that_is_empty_knows_nothing():
    none = RememberedContacts.none(4)
    assert none.first.tolist() == [0] * 5
    assert len(none.renumbered(np.arange(4), np.arange(6)).first) == 7
    memory = am.ContactMemory()
    memory.renumber(np.arange(3), np.arange(5))
    _, something = spheres(4, 0)
    assert not memory.recall(something, 7).any()
    assert not none.recall(something, 7).any()


def test_memory_keeps_values_of_its_own():
    _, contacts = spheres(20, 1)
    values = np.random.default_rng(1).standard_normal((len(contacts), 7))
    memory = am.ContactMemory()
    memory.store(contacts, values)
    values_before = values.copy()
    values[:] = 0.0
    assert np.array_equal(memory.recall(contacts, 7), values_before)


# -- margins --------------------------------------------------------------------------------------


@pytest.fixture
def masses():
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(am.Sphere(0.1), mass=1.0)
    world.add_body(am.Sphere(0.1), mass=1.0, position=(1.0, 0.0, 0.0))
    return Masses.of(world)


def moving(*speeds):
    twist = np.zeros((3, 6))
    twist[1 : 1 + len(speeds), 0] = speeds
    return twist


def margins(masses, *twists, level=NEAR_ONLY):
    """Margins of steps of 10 ms in which bodies move like that, and the level after the last."""
    taken = []
    for twist in twists:
        level, margin = choose_margin(level, masses.surface_speeds(twist), 0.01, 0.01)
        taken.append(margin)
    return taken, level


@pytest.mark.parametrize(
    ("speeds", "margin"),
    [
        ((), 0.01),  # nothing moves
        ((0.0, 0.5), 0.02),  # near + h (0.5 + 0.5) = 0.02
        ((1.0, 1.0), 0.04),  # near + 0.02 = 0.03, so 0.04
        ((1e6, 1e6), 0.01 * 2 ** (LEVELS - 1)),  # no farther than this
    ],
)
def test_the_margin_covers_what_bodies_close_in_a_step(masses, speeds, margin):
    assert margins(masses, moving(*speeds))[0] == [pytest.approx(margin)]


def test_spin_counts_by_the_reach_of_a_body(masses):
    twist = moving()
    twist[1, 5] = 10.0
    reach = 0.1 * math.sqrt(3.0)  # corner of the box around the ball
    needed = 0.01 + 0.01 * 2 * 10.0 * reach
    (margin,), _ = margins(masses, twist)
    assert 0.5 * margin < needed <= margin


def test_the_margin_grows_at_once_and_shrinks_after_a_while(masses):
    slow, fast = moving(0.1, 0.1), moving(5.0, 5.0)
    (little, much), level = margins(masses, slow, fast)
    assert much > little
    taken, level = margins(masses, *[slow] * (PATIENCE + 1), level=level)
    assert taken == [much] * PATIENCE + [little]
    _, level = margins(masses, fast, *[slow] * PATIENCE, fast, level=level)
    assert margins(masses, slow, level=level)[0] == [much]  # calm started anew


def test_the_level_is_all_there_is_to_put_back(masses):
    slow, fast = moving(0.1, 0.1), moving(5.0, 5.0)
    twists = [fast, slow] * 5 + [slow] * (PATIENCE + 2)
    through, last = margins(masses, *twists)
    before, level = margins(masses, *twists[:13])
    after, again = margins(masses, *twists[13:], level=MarginLevel(*np.array(level).tolist()))
    assert before + after == through
    assert again == last
