"""`Scoop`: grains that a scripted scoop carries from one tray into another."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from amontons.gym import Scoop

PLAN = (
    ((0.0, -0.21, 0.0), 10),  # down to the floor of the full tray
    ((0.0, -0.21, 0.1), 5),
    ((0.2, -0.21, 0.08), 30),  # under the grains, towards the wall
    ((0.205, -0.21, -0.5), 13),
    ((0.2, -0.05, -0.5), 13),  # up and over
    ((0.45, -0.05, -0.5), 18),
    ((0.45, -0.12, 1.3), 28),  # down, and out with them
)
"""Where the scoop is told to be: along x and up [m], tilt [rad]; and in how many steps."""


def test_shares_count_every_grain_once():
    env = Scoop()
    env.reset(seed=0)
    now = env.save().before
    np.testing.assert_array_equal(env.shares(now), [1.0, 0.0, 0.0, 0.0])
    grains = len(env.sim.bodies) - 6
    assert grains == 72
    moved = now.positions.copy()
    moved[-1, 0] += 0.34  # into the other tray
    moved[-2, 1] += 0.2  # beside the tray
    moved[-3, 2] += 0.2  # into the air
    after = now._replace(positions=moved)
    shares = env.shares(after)
    np.testing.assert_allclose(shares * grains, [grains - 3, 1, 1, 1])
    reward = env.reward(now, np.zeros(3), after)
    assert reward == pytest.approx((1.0 - 0.5) / grains)


@pytest.mark.slow
def test_a_script_brings_a_third_of_the_grains_across():
    env = Scoop()
    env.reset(seed=0)
    told, total = env.robot.q, 0.0
    for goal, steps in PLAN:
        start = told
        for k in range(steps):
            told = start + (np.array(goal) - start) * min(1.0, 1.25 * (k + 1) / steps)
            _, reward, *_ = env.step(told)
            total += reward
    full, empty, air, outside = env.shares(env.save().before)
    assert empty > 1.0 / 3.0
    assert full + empty + air + outside == pytest.approx(1.0)
    assert total == pytest.approx(empty - 0.5 * outside)


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore:.*A Box observation space m[a-z]* value is",  # speeds have no bounds
    "ignore:.*we recommend using a symmetric and normalized space",  # actions have units
)
def test_it_passes_gymnasiums_own_checks():
    check_env(gymnasium.make("amontons/Scoop-v0", render_mode="rgb_array").unwrapped)
