"""Readings keep the last steps: a run of days does not fill the memory."""

import gc
import tracemalloc
import warnings

import numpy as np
import pytest

import amontons as am


def small():
    """A ball on a floor: contacts, notes of none, and nothing that comes or goes."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 0, 0.1))
    return am.Simulation(world, step=1e-3)


def taken(sim, steps):
    for _ in range(steps):
        sim.step()


def test_the_last_steps_are_kept_and_it_is_said_once():
    sim = small()
    sim.readings.keep = 5
    taken(sim, 5)
    assert (len(sim.readings), sim.readings.forgotten) == (5, 0)
    with pytest.warns(am.ProblemWarning, match="keep the last 5 steps"):
        sim.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        taken(sim, 3)
    np.testing.assert_array_equal(sim.readings.number, [5, 6, 7, 8, 9])
    assert sim.readings.energy.shape == (5,)
    assert sim.readings[-1].number == 9
    assert "the last 5 steps of 9" in repr(sim.readings)
    assert sim.readings.summary().startswith("the last 5 steps of 9 to 0.009 s")


def test_how_many_are_kept_can_be_changed():
    sim = small()
    assert sim.readings.keep == 20_000
    taken(sim, 6)
    sim.readings.keep = 4
    np.testing.assert_array_equal(sim.readings.number, [3, 4, 5, 6])
    assert sim.readings.forgotten == 2
    sim.readings.keep = None
    taken(sim, 6)
    assert len(sim.readings) == 10
    sim.readings.clear()
    assert (len(sim.readings), sim.readings.forgotten, sim.readings.keep) == (0, 0, None)
    for wrong in (0, -1, 2.5, True, "all"):
        with pytest.raises(am.InputError, match="keep must be a whole number, 1 or more"):
            sim.readings.keep = wrong


def held():
    """Bytes in use; a step leaves cycles behind, which Python clears away now and then."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:readings keep the last")
def test_a_run_does_not_grow_in_memory():
    """Of 1.5 kB a step that readings of all steps would take, not a thirtieth is left."""
    sim = small()
    sim.readings.keep = 50
    taken(sim, 200)
    tracemalloc.start()
    try:
        taken(sim, 1000)
        before = held()
        taken(sim, 2000)
        grown = held() - before
    finally:
        tracemalloc.stop()
    assert grown < 2000 * 50, f"{grown} bytes more after 2000 steps"
