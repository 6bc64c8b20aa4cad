"""What bodies give are pieces of the tables: live, or cut off, and never stale."""

from __future__ import annotations

import numpy as np
import pytest

import amontons as am

BALL = am.Sphere(0.1)


@pytest.fixture
def world():
    return am.World()


@pytest.fixture
def pair(world):
    """Two balls, of which the second has a name."""
    first = world.add_body(BALL, mass=1.0)
    return first, world.add_body(BALL, mass=2.0, position=(1.0, 0.0, 0.0), name="second")


STATE = ("position", "orientation", "velocity", "angular_velocity", "force", "torque")


@pytest.mark.parametrize("name", STATE)
def test_what_a_handle_gives_is_the_body_itself(world, pair, name):
    """In-place writes take effect, in all ways to write and to read."""
    second = pair[1]
    held, table = getattr(second, name), getattr(world.bodies, name)
    held[:] = np.arange(1.0, 1.0 + held.size)
    assert table[1].tolist() == getattr(world.body("second"), name).tolist() == held.tolist()
    held[0] += 5.0
    assert table[1, 0] == 6.0
    table[1, 1] = -3.0
    assert held[1] == -3.0
    setattr(second, name, [0.0, 1.0, 0.0, 0.0][: held.size])  # also seen by who asked before
    assert held.tolist() == [0.0, 1.0, 0.0, 0.0][: held.size]
    assert not table[0, 1:].any()  # the other body is left alone


@pytest.mark.slow
def test_handles_follow_a_simulation_and_writes_reach_it(world):
    ball = world.add_body(BALL, mass=1.0)
    sim = am.Simulation(world, step=1e-2)
    place, speed = ball.position, ball.velocity
    speed[:] = (1.0, 0.0, 0.0)
    sim.bodies.position[0] = (0.0, 5.0, 0.0)
    sim.step()
    assert place is ball.position
    assert place == pytest.approx([0.01, 5.0, -9.81e-4])
    assert speed == pytest.approx([1.0, 0.0, -0.0981])


@pytest.mark.parametrize("change", ["many more", "one less", "all others gone"])
def test_views_are_cut_off_and_never_stale(world, pair, change):
    """Where rows move, old views read NaN and refuse to be written; those asked anew are live."""
    second = pair[1]
    old = {name: (getattr(second, name), getattr(world.bodies, name)) for name in STATE}
    if change == "many more":
        world.add_bodies(BALL, position=np.zeros((1000, 3)), mass=1.0)
    else:
        world.add_body(BALL, mass=1.0)
        world.remove_bodies(2 if change == "one less" else [0, 2])
    for name, (row, whole) in old.items():
        for dead in (row, whole):
            assert np.isnan(dead).all(), name
            with pytest.raises(ValueError, match="read-only"):
                dead[...] = 1.0
        getattr(second, name)[0] = 4.0
        assert getattr(world.bodies, name)[second.index, 0] == 4.0
    assert second.position.tolist() == [4.0, 0.0, 0.0]


def test_views_live_on_where_bodies_are_added_and_there_is_room(world, pair):
    world.add_body(BALL, mass=1.0)  # room for four from now on
    place = pair[1].position
    world.add_body(BALL, mass=1.0)
    assert place is pair[1].position
    place[0] = 7.0
    assert world.bodies.position[1, 0] == 7.0
    assert len(world.bodies.position) == 4


def test_what_a_body_is_made_of_cannot_be_written_past_the_simulation(world, pair):
    for name in ("id", "mass", "inertia", "shape", "group", "mask", "fixed"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(world.bodies, name)[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        pair[0].inertia[0, 0] = 1.0


def test_a_copy_of_a_world_has_views_of_its_own(world, pair):
    mine = pair[0].position
    other = world.copy()
    other.body(0).position[:] = 3.0
    other.bodies.velocity[1] = 4.0
    assert other.bodies.position[0].tolist() == [3.0, 3.0, 3.0]
    assert other.body("second").velocity.tolist() == [4.0, 4.0, 4.0]
    assert not mine.any()
    assert not world.bodies.twist.any()


def test_views_live_on_over_checkpoints_and_steps_that_are_taken_back(world, tmp_path):
    ball = world.add_body(BALL, mass=1.0)
    sim = am.Simulation(world, step=1e-2, substeps=2)
    place = ball.position
    sim.save(tmp_path / "start.npz")
    sim.run(0.1)
    sim.restore(tmp_path / "start.npz")
    assert place.tolist() == [0.0, 0.0, 0.0]

    def fails(state):
        if state.time > 0.0:
            raise RuntimeError("no more")
        return np.zeros((1, 6))

    world.add_force(am.Force(ball, fails))
    with pytest.raises(RuntimeError, match="no more"):
        sim.step()
    assert place is ball.position
    assert place.tolist() == [0.0, 0.0, 0.0]
