"""Crowds in one place are refused before their pairs fill the memory."""

import numpy as np
import pytest

import amontons as am
from amontons.collision.broad.crowds import MOST_PAIRS, refuse_crowds


def test_only_many_partners_each_and_many_in_all_are_a_crowd():
    body = np.arange(5000, dtype=np.uint32)
    few = np.full(5000, 40, dtype=np.int32)
    refuse_crowds(few, int(few.sum()), body)  # many pairs, but a few for each
    close = np.full(100, 99, dtype=np.int32)
    refuse_crowds(close, int(close.sum()), body[:100])  # all meet all, but they are few
    crowd = np.full(5000, 400, dtype=np.int32)
    crowd[7] = 1000
    assert crowd.sum() > MOST_PAIRS
    with pytest.raises(am.InputError, match="body 7 alone meets at least 1000 others"):
        refuse_crowds(crowd, int(crowd.sum()), body)


def test_ten_thousand_spheres_in_one_place_are_refused():
    world = am.World()
    world.add_bodies(am.Sphere(0.5), mass=1.0, position=np.zeros((10_000, 3)))
    sim = am.Simulation(world, step=1e-3)
    with pytest.raises(am.InputError, match="Are they in one place"):
        sim.step()
    assert sim.steps == 0
