"""Steps of large scenes take some iterations more than the tolerance asks for."""

import numpy as np
import pytest

import amontons as am
from helpers.shared_beds import bed


def median_speed(**given):
    """Of a bed of 288 spheres after 1.5 s, to a coarse tolerance [m/s]."""
    solver = am.APGD(tolerance=1e-2, **given)
    simulation = am.Simulation(bed(layers=2), step=5e-3, solver=solver, friction="exact")
    simulation.run(1.5)
    assert simulation.readings.contacts[-1] > 256
    assert simulation.readings.converged.all()
    bodies = simulation.bodies
    return np.median(np.linalg.norm(bodies.velocity[bodies.dynamic], axis=1))


@pytest.mark.slow
def test_a_bed_comes_to_rest_and_does_not_hover_at_the_tolerance():
    hovering = 1e-2 * 9.81 * 5e-3  # the tolerance, of what gravity gives in a step
    assert median_speed(min_iterations=0) > 0.5 * hovering
    assert median_speed() < 0.1 * hovering
