"""Loose bodies that come to rest, before an experiment begins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from amontons.simulation.simulation import Simulation


def settle(
    simulation: Simulation,
    *,
    length: float,
    limit: float,
    share: float = 0.02,
    every: int = 20,
    watch: Callable[[float], None] = lambda share: None,
) -> bool:
    """Run until bodies are nearly at rest; whether they are within `limit` seconds.

    At rest is a mean kinetic energy below `share` of what a fall over `length` [m] gives. `watch`
    is told the share of the limit that has passed, every so many steps.
    """
    bodies, end = simulation.bodies, simulation.time + limit
    start = simulation.time
    mass = float(bodies.mass[bodies.dynamic].sum())
    calm = share * mass * float(np.linalg.norm(simulation.world.gravity)) * length
    fallen = 0
    while simulation.time < end:
        report = simulation.step()
        fallen += 1
        if fallen % every == 0:
            watch((simulation.time - start) / limit)
            if report.kinetic_energy < calm and report.contacts > np.count_nonzero(bodies.dynamic):
                return True
    return False
