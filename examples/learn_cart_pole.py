"""A policy learns to balance a pole on a cart: PPO of stable-baselines3 on amontons/CartPole-v0.

Needs pip install 'amontons[gym,rl]'. It learns for 100 000 steps in 8 worlds and is then tried in
10 episodes that it has not seen, of 500 steps and so of at most 500 points each. Without a word
from the policy the pole falls after about 20.
"""

import time

import gymnasium
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

import amontons.gym  # noqa: F401 - registers the task

TASK = "amontons/CartPole-v0"
STEPS = 100_000

torch.set_num_threads(1)  # the networks are small
began = time.perf_counter()
worlds = make_vec_env(TASK, n_envs=8, seed=0)
model = PPO(
    "MlpPolicy", worlds, n_steps=32, batch_size=256, n_epochs=20, gamma=0.98, gae_lambda=0.8,
    learning_rate=lambda left: 1e-3 * left, clip_range=lambda left: 0.2 * left, seed=0,
    device="cpu",
)  # fmt: skip
model.learn(STEPS)
minutes = (time.perf_counter() - began) / 60.0

env = gymnasium.make(TASK)
returns = []
for seed in range(1000, 1010):
    seen, _ = env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        action, _ = model.predict(seen, deterministic=True)
        seen, reward, fallen, late, _ = env.step(action)
        total, over = total + float(reward), fallen or late
    returns.append(total)
print(f"{STEPS} steps learnt in {minutes:.1f} minutes; returns {returns}")
assert np.mean(returns) > 450.0
assert minutes < 5.0
