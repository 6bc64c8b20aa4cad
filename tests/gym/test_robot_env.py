"""`RobotEnv`: what is seen, told and rewarded; seeds, saving, and errors that help."""

import gymnasium
import mujoco
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import amontons as am
import amontons.gym
from amontons.gym import Ant, CartPole, RobotEnv
from amontons.gym.cart_pole import ROBOT

UNBOUNDED = "ignore:.*A Box observation space m[a-z]* value is"  # speeds have no bounds
UNSCALED = "ignore:.*we recommend using a symmetric and normalized space"  # actions have units

CRANE = """
<robot name="crane">
  <link name="stand"/>
  <link name="arm">
    <inertial>
      <origin xyz="0.5 0 0"/><mass value="2"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.17" iyz="0" izz="0.17"/>
    </inertial>
  </link>
  <joint name="swing" type="revolute">
    <parent link="stand"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="5"/>
  </joint>
</robot>
"""


def crane(motors):
    """A crane whose arm carries an instrument."""

    def make():
        robot = am.Robot.load("crane.urdf", motors=motors)
        robot.world.add_sensor(am.JointSensor(robot.imported.joints["swing"], name="gauge"))
        return robot

    return make


@pytest.fixture
def crane_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crane.urdf").write_text(CRANE)


@pytest.mark.slow
@pytest.mark.filterwarnings(UNBOUNDED)
@pytest.mark.parametrize("name", ["CartPole", "Ant"])
def test_tasks_pass_gymnasiums_own_checks(name):
    env = gymnasium.make(f"amontons/{name}-v0", render_mode="rgb_array")
    check_env(env.unwrapped)
    assert env.spec.max_episode_steps == amontons.gym.TASKS[f"amontons/{name}-v0"][1]


@pytest.mark.slow
@pytest.mark.filterwarnings(UNBOUNDED, UNSCALED)
def test_a_robot_file_passes_them(crane_file):
    check_env(RobotEnv(crane("torque"), step=1e-3, noise=0.1), skip_render_check=True)


def test_what_is_observed_has_names(crane_file):
    env = RobotEnv(crane("torque"), step=1e-3)
    seen, _ = env.reset(options={"q": {"swing": 0.4}, "qd": [0.2]})
    assert env.observation_names == (
        "swing", "speed of swing", "gauge.position", "gauge.speed", "gauge.effort",
    )  # fmt: skip
    np.testing.assert_allclose(seen, [0.4, 0.2, 0.0, 0.0, 0.0])
    seen, *_ = env.step(np.array([30.0]))
    named = dict(zip(env.observation_names, seen, strict=True))
    assert named["gauge.effort"] == pytest.approx(30.0)
    assert named["gauge.position"] == pytest.approx(named["swing"])
    base = Ant().observation_names
    assert len(base) == Ant().observation_space.shape[0]


def test_actions_are_as_large_as_motors_allow(crane_file):
    effort = RobotEnv(crane("torque"), step=1e-3)
    assert (effort.action_space.low, effort.action_space.high) == (-30.0, 30.0)
    place = RobotEnv(crane("position"), step=1e-3)
    assert (place.action_space.low, place.action_space.high) == (-1.0, 2.0)
    own = RobotEnv(crane("speed"), step=1e-3, action_limits={"swing": (-3.0, 3.0)})
    assert (own.action_space.low, own.action_space.high) == (-3.0, 3.0)
    effort.reset()
    effort.step(np.array([1e3]))
    assert effort.robot.tau == pytest.approx([30.0])


def test_the_cart_pole_accelerates_as_in_mujoco():
    env = CartPole(frame_skip=1, step=1e-4)
    env.reset(options={"q": [0.0, 0.1], "qd": [0.0, 0.5]})
    env.step(np.array([0.7]))
    model = mujoco.MjModel.from_xml_string(ROBOT)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.ctrl[:] = [0.0, 0.1], [0.0, 0.5], 0.7
    mujoco.mj_forward(model, data)
    rate = (env.robot.qd - [0.0, 0.5]) / 1e-4
    np.testing.assert_allclose(rate, data.qacc, rtol=1e-3)


def test_seeds_determine_episodes():
    one, other = CartPole(), CartPole()
    for env in (one, other):
        env.action_space.seed(3)
    first, _ = one.reset(seed=5)
    np.testing.assert_array_equal(first, other.reset(seed=5)[0])
    assert (first != CartPole().reset(seed=6)[0]).all()
    for _ in range(5):
        mine, yours = (env.step(env.action_space.sample()) for env in (one, other))
        np.testing.assert_array_equal(mine[0], yours[0])
    np.testing.assert_array_equal(one.reset()[0], other.reset()[0])
    assert (one.reset()[0] != first).all()


def test_what_is_saved_goes_on_bit_for_bit():
    env = Ant()
    env.reset(seed=1)
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (6, 8))
    for action in actions[:3]:
        env.step(action)
    saved = env.save()
    once = [env.step(action) for action in actions[3:]], env.reset()[0]
    np.testing.assert_array_equal(env.restore(saved), env.observation(saved.before))
    again = [env.step(action) for action in actions[3:]], env.reset()[0]
    for (seen, reward, *_), (seen_again, reward_again, *_) in zip(once[0], again[0], strict=True):
        np.testing.assert_array_equal(seen, seen_again)
        assert reward == reward_again
    np.testing.assert_array_equal(once[1], again[1])


def test_an_ant_falls_onto_its_feet_and_earns_its_way():
    env = Ant(noise=0.0)
    env.reset(seed=0)
    _, reward, ended, *_ = env.step(np.zeros(8))
    assert not ended
    assert reward == pytest.approx(1.0, abs=1e-6)  # it falls straight down
    for _ in range(20):
        _, _, ended, *_ = env.step(np.zeros(8))
    assert not ended
    assert np.abs(env.robot.velocities).max() < 1e-2
    assert env.step(np.full(8, 0.5))[1] < 1.0


def test_an_episode_ends_where_energy_comes_from_nowhere(monkeypatch):
    env = CartPole()
    env.reset(seed=0)

    def run_away(steps):
        raise am.RunawayError("step 7: bodies gained energy")

    monkeypatch.setattr(env.sim, "advance", run_away)
    _, _, ended, truncated, info = env.step(np.zeros(1))
    assert (ended, truncated) == (False, True)
    assert info["runaway"].startswith("step 7")


def test_long_runs_do_not_grow():
    env = CartPole()
    for _ in range(3):
        env.reset(seed=0)
        env.step(np.zeros(1))
    assert len(env.sim.readings.time) == env.frame_skip


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"frame_skip": 0}, "frame_skip"),
        ({"noise": -1.0}, "noise"),
        ({"observe": ("q", "speed")}, "observe must be"),
        ({"observe": lambda now: np.nan * now.q}, "finite"),
        ({"render_mode": "human"}, "render_mode"),
        ({"action_limits": {"pull": (0.0, 1.0)}}, "'pull', which is no control"),
        ({"action_limits": (1.0, -1.0)}, "lower first"),
        ({"step": am.AutomaticStep(largest=1e-3)}, "fixed length"),
        ({"reward": 3}, "reward must be a function"),
        ({"terminated": True}, "terminated must be a function"),
    ],
)
def test_errors_name_the_argument(options, said):
    with pytest.raises(am.InputError, match=said):
        RobotEnv(ROBOT, **options)


def test_controls_need_limits_and_motors(crane_file):
    with pytest.raises(am.InputError, match=r"action_limits=\{'swing'"):
        RobotEnv(crane("speed"), step=1e-3)
    with pytest.raises(am.InputError, match="no motors"):
        RobotEnv(crane(None), step=1e-3)


def test_resets_and_actions_are_checked():
    env = CartPole()
    with pytest.raises(am.InputError, match="takes 'q' and 'qd'"):
        env.reset(options={"pose": 1})
    env.reset(seed=0)
    with pytest.raises(am.InputError, match=r"shape \(1,\)"):
        env.step(np.zeros(2))
