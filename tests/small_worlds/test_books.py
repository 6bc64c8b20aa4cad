"""The books and the watch, against formulas written out in numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amontons.dynamics.energy_ledger import CAUSES, OF_BODIES, OF_CONTACTS, OF_JOINTS
from amontons.small_worlds import books

few = settings(max_examples=50, deadline=None)
energies = st.floats(-1e3, 1e3)


@few
@given(st.integers(0, 5), st.integers(0, 25), st.floats(0.0, 1e4))
def test_margins_cover_the_way_of_a_step(doublings, calm, speed):
    near, step = 1e-3, 2e-3
    found, left = books.level_of_margin(doublings, calm, speed, near, step)
    wanted = min(5, int(np.ceil(np.log2(max(1.0, (near + step * speed) / near)))))
    if wanted > doublings or wanted == doublings or calm + 1 > books.PATIENCE:
        assert (found, left) == (wanted, 0)
    else:
        assert (found, left) == (doublings, calm + 1)


def test_a_speed_that_is_no_number_has_the_widest_margin():
    assert books.level_of_margin(0, 0, np.inf, 1e-3, 1e-3)[0] == books.MARGINS - 1
    assert books.level_of_margin(0, 0, np.nan, 1e-3, 1e-3)[0] == books.MARGINS - 1


@few
@given(st.lists(energies, min_size=47, max_size=47))
def test_works_are_entered_under_their_causes(numbers):
    work, holds = np.array(numbers[:15]), np.array(numbers[15:19])
    told, works = np.array(numbers[19:27]), np.array(numbers[27:47])
    of = {OF_BODIES: works[:4], OF_CONTACTS: works[4:12], OF_JOINTS: works[12:20]}
    expected = dict(zip(CAUSES, work, strict=True))
    for causes, values in of.items():
        for cause, value in zip(causes, values, strict=True):
            expected[cause] += value
    kinetic, potential, elastic, before, after, loads, loads_after, stiff = told
    expected["outside"] += kinetic + potential + loads + before + holds[3] - holds[0]
    expected["loads"] += loads_after - loads
    expected["integration"] += elastic - holds[3] - before + after + stiff
    books.enter_works(work, holds, told, *of.values())
    assert work == pytest.approx(list(expected.values()), rel=1e-12, abs=1e-9)
    assert holds[1:].tolist() == [loads_after, after, elastic]
    stored = books.hold(holds, 2.0, 3.0)
    assert stored == pytest.approx(loads_after + after + elastic)
    assert holds[0] == pytest.approx(5.0 + stored)


def watched(kinetic, supplied=1.0, strikes=0):
    """The watch of a run that held a joule, in a step from one joule to this much."""
    recent, known = np.tile([1.0, 0.0], (10, 1)), np.array([supplied, 1.0, 1.0])
    alarm = np.array([strikes, 0])
    ratio = books.judge_energy(
        recent, known, alarm, np.array([1.0, kinetic, 0.0, 1.0, 0.0, 0.0, 1.0])
    )
    return ratio, alarm[0], recent, known


def test_energy_from_nowhere_is_a_runaway_at_once_or_after_three_steps():
    assert watched(5.0)[:2] == (0.0, 0)
    assert watched(20.0)[:2] == (0.0, 1)
    assert watched(20.0, strikes=2)[:2] == (20.0, 3)
    assert watched(2e3)[0] == 2e3
    _, _, recent, known = watched(20.0)
    assert recent[-1].tolist() == [20.0, 0.0]
    assert known.tolist() == [1.0, 1.0, 20.0]


def test_a_world_that_changed_may_have_brought_the_energy_of_its_springs():
    told = np.array([0.0, 50.0, 0.0, 0.0, 50.0, 0.0, 1.0])
    for changed, expected in ((1, 1.0), (0, np.inf)):
        known, alarm = np.zeros(3), np.array([2, changed])
        told[books.SPEED] = 0.0 if changed else 1e-3
        ratio = books.judge_energy(np.zeros((10, 2)), known, alarm, told)
        assert ratio == 0.0 if expected == 1.0 else ratio > 1e3
        assert alarm[1] == 0
