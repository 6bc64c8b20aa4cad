"""`RobotVectorEnv`: world for world the same as environments of their own."""

import gymnasium
import numpy as np
import pytest

import amontons as am
from amontons.gym import Ant, CartPole, RobotEnv, RobotVectorEnv
from amontons.gym.ant import ant
from amontons.gym.vector_env import WorldBatch


@pytest.mark.parametrize("task", [CartPole, Ant])
def test_worlds_are_those_of_single_environments(task):
    many, alone = RobotVectorEnv(task, 3), [task() for _ in range(3)]
    assert isinstance(many._worlds, WorldBatch)
    seen, _ = many.reset(seed=10)
    for i, env in enumerate(alone):
        np.testing.assert_array_equal(seen[i], env.reset(seed=10 + i)[0])
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (4, *many.action_space.shape))
    for action in actions:
        seen, rewards, terminated, truncated, _ = many.step(action)
        for i, env in enumerate(alone):
            own, reward, ended, late, _ = env.step(action[i])
            np.testing.assert_array_equal(seen[i], own)
            assert (rewards[i], terminated[i], truncated[i]) == (reward, ended, late)
        assert not terminated.any()


def test_worlds_of_several_robots_are_stepped_one_after_the_other():
    skips = iter((1, 2))
    several = RobotVectorEnv(lambda: CartPole(frame_skip=next(skips)), 2)
    assert not isinstance(several._worlds, WorldBatch)
    texts = iter((ant(), ant().replace('density="200"', 'density="300"')))
    heavier = RobotVectorEnv(lambda: RobotEnv(next(texts)), 2)
    assert not isinstance(heavier._worlds, WorldBatch)
    staged = RobotVectorEnv(lambda: CartPole(simulation={"compiled": False}), 2)
    assert not isinstance(staged._worlds, WorldBatch)
    staged.reset(seed=3)
    together = RobotVectorEnv(CartPole, 2)
    together.reset(seed=3)
    push = np.array([[0.4], [-0.7]])
    for _ in range(5):
        np.testing.assert_array_equal(staged.step(push)[0], together.step(push)[0])


def test_an_episode_begins_in_the_step_after_the_last_one_ended():
    many = RobotVectorEnv(CartPole, 2, max_episode_steps=3)
    many.reset(seed=0, options={"q": [0.0, 0.19], "qd": [0.0, 1.0]})
    _, rewards, terminated, *_ = many.step(np.zeros((2, 1)))
    assert terminated.all()
    assert (rewards == 1.0).all()
    seen, rewards, terminated, *_ = many.step(np.ones((2, 1)))
    assert not terminated.any()
    assert (rewards == 0.0).all()
    assert (np.abs(seen) <= 0.05).all()  # what noise draws: no time has gone by
    for _ in range(3):
        *_, truncated, _ = many.step(np.zeros((2, 1)))
    assert truncated.all()


def test_some_worlds_begin_anew():
    many = RobotVectorEnv(CartPole, 2)
    many.reset(seed=0)
    before, *_ = many.step(np.ones((2, 1)))
    after, _ = many.reset(options={"reset_mask": np.array([False, True])})
    np.testing.assert_array_equal(after[0], before[0])
    assert (after[1] != before[1]).all()


def test_gymnasium_makes_them():
    many = gymnasium.make_vec("amontons/CartPole-v0", num_envs=2)
    assert isinstance(many.unwrapped, RobotVectorEnv)
    assert many.unwrapped.max_episode_steps == 500
    assert many.reset(seed=1)[0].shape == (2, 4)
    pictures = RobotVectorEnv(lambda: CartPole(render_mode="rgb_array"), 2)
    pictures.reset(seed=0)
    shown = pictures.render()
    assert [each.shape for each in shown] == [(320, 480, 3)] * 2
    for _ in range(10):
        pictures.step(np.array([[1.0], [-1.0]]))
    assert all((new != old).any() for new, old in zip(pictures.render(), shown, strict=True))


def test_errors_name_the_argument():
    with pytest.raises(am.InputError, match="num_envs"):
        RobotVectorEnv(CartPole, 0)
    with pytest.raises(am.InputError, match="make must return a RobotEnv"):
        RobotVectorEnv(dict, 1)
    many = RobotVectorEnv(CartPole, 2)
    with pytest.raises(am.InputError, match="there are 2 worlds"):
        many.reset(seed=[1, 2, 3])
    many.reset(seed=0)
    with pytest.raises(am.InputError, match=r"shape \(2, 1\)"):
        many.step(np.zeros(2))
