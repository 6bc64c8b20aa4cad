"""What the method itself does to energy is in the balance, too: parting overlaps, taut joints."""

import numpy as np
import pytest

import amontons as am

pytestmark = pytest.mark.usefixtures("one_thread")


def gap(readings):
    """Largest energy without a cause, by all the energy turned over."""
    work = np.array(list(readings.work.values()))
    turned_over = np.abs(np.diff(work, axis=1)).sum()
    return np.abs(work.sum(axis=0) - readings.energy).max() / turned_over


@pytest.mark.slow
def test_a_stack_that_is_parted_gains_what_it_is_lifted():
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    shape = am.Box((0.2, 0.25, 0.2))
    world.add_bodies(shape, mass=1.0, position=[(0, 0, 0.08 + 0.15 * i) for i in range(4)])
    sim = am.Simulation(world, step=2e-3)
    readings = sim.run(0.5)
    assert readings.penetration[0] > 0.03
    assert readings.penetration[-1] < 1e-3
    lifted = readings.work["recovery"][-1]
    assert lifted == pytest.approx(9.81 * sum(0.02 + 0.05 * i for i in range(4)), rel=0.05)
    assert gap(readings) < 1e-12


def test_what_taut_joints_damp_is_the_errors_of_the_step():
    world = am.World()
    last = None
    for i in range(6):
        mass = 1e4 if i == 5 else 1.0
        link = world.add_body(
            am.Capsule(radius=0.05, length=0.3), mass=mass, position=(0.4 * i + 0.2, 0, 0),
            orientation=(np.sqrt(0.5), 0, np.sqrt(0.5), 0),
        )  # fmt: skip
        world.add_joint(am.Spherical(last, link, point=(0.4 * i, 0, 0)))
        last = link
    readings = am.Simulation(world, step=5e-3).run(0.5)
    assert gap(readings) < 1e-12
    assert abs(readings.work["integration"][-1]) > 0.0
