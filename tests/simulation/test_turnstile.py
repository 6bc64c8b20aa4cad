"""A step is taken by one thread, on a world that holds still: everything else is a clear error."""

import copy
import threading

import numpy as np
import pytest

import amontons as am


def falling(force=None):
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    ball = world.add_body(am.Sphere(0.1), mass=1.0, position=(0.0, 0.0, 1.0))
    if force is not None:
        world.add_force(force(world, ball))
    return world, am.Simulation(world, step=1e-3)


def calling(ball, call):
    """A force of a user, whose function does what it should not."""

    def function(state):
        call()
        return np.zeros((1, 6))

    return am.Force(ball, function)


def test_two_threads_cannot_step_one_simulation():
    inside, leave = threading.Event(), threading.Event()

    def wait():
        inside.set()
        leave.wait(60)

    _, sim = falling(lambda world, ball: calling(ball, wait))
    other = threading.Thread(target=sim.step)
    other.start()
    assert inside.wait(60)
    with pytest.raises(am.SimulationError, match="in the middle of a step"):
        sim.step()
    leave.set()
    other.join()
    assert sim.steps == 1
    sim.step()  # and now it may
    assert sim.steps == 2


def test_a_step_within_a_step_is_refused():
    sims = []
    _, sim = falling(lambda world, ball: calling(ball, lambda: sims.pop().step()))
    sims.append(sim)
    with pytest.raises(am.SimulationError, match="in the middle of a step"):
        sim.step()
    assert sim.steps == 0


@pytest.mark.parametrize("what", ["added", "removed"])
def test_bodies_that_come_or_go_within_a_step_are_refused(what):
    def change(world, ball):
        def call():
            if what == "added":
                world.add_body(am.Sphere(0.1), mass=1.0, position=(0.0, 0.0, 3.0))
            else:
                world.remove_bodies(ball)

        return calling(ball, call)

    world, sim = falling(change)
    with pytest.raises(am.InputError, match=r"in the middle of a step.*between steps"):
        sim.step()
    assert sim.steps == 0
    for force in list(world.forces):
        world.remove_force(force)
    sim.step()  # it goes on from where it was
    assert sim.steps == 1


def test_a_copy_of_a_simulation_takes_its_own_steps():
    _, sim = falling()
    sim.step()
    twin = copy.deepcopy(sim)
    sim.step()
    twin.step()
    assert twin.state.hash() == sim.state.hash()
