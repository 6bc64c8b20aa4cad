"""Settings of a simulation: contact rules, sleeping, and which solver takes which step."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.checks import finite, positive
from amontons.dynamics.contact_laws import ContactRules
from amontons.errors import InputError
from amontons.problem.problem import ConeProblem
from amontons.problem.units import Yardstick
from amontons.simulation.sleep.sleeping import Sleeping
from amontons.solvers import Auto, ExactCoulomb, Solver

Floats = NDArray[np.float64]

FINE_BELOW = 256
"""Most contacts and joint rows for which the default solver uses :data:`FINE`."""

COARSE, FINE = 1e-3, 1e-8
"""Tolerances of the default solver: in a small scene a fine one costs next to nothing."""

MOST_ITERATIONS = 10_000
"""Of the default solver: beds of 10 000 spheres at rest need some 500."""

LEAST_ITERATIONS = 20
"""Iterations of a step at least, of methods that are cheap: a step inherits what the last one left
over, and where bodies come to rest each then begins nearer to the answer than the one before."""

LEAST_SPEED = 1e-6
"""Speed, in half thicknesses per step, below which bodies count as at rest: errors are not measured
against less."""

WORST_SPEED = 10.0
"""Speed, by that of a fall over half a body's thickness, that is an error of 1 in a single contact:
to a tolerance of 1e-2 none closes faster than overlaps are corrected."""

WATCHES = ("stop", "note", "off")


class SolverChoice(NamedTuple):
    """The solvers of a run."""

    many: Solver
    few: Solver  # of problems with at most `FINE_BELOW` blocks, which may be solved more finely

    @classmethod
    def of(cls, solver: Solver | None, friction: str = "convex") -> SolverChoice:
        """A user's solver, or the default one, for convex or exact friction."""
        if solver is not None and not isinstance(solver, Solver):
            raise InputError(f"solver must be one such as amontons.APGD(), got {solver!r}")
        if friction not in ("convex", "exact"):
            raise InputError(f"friction must be 'convex' or 'exact', got {friction!r}")
        inner = solver or Auto(tolerance=COARSE, max_iterations=MOST_ITERATIONS, budget=0.5)
        if friction == "exact" and not inner.exact:
            inner = ExactCoulomb(
                inner=inner,
                tolerance=inner.tolerance,
                max_iterations=inner.max_iterations,
                min_iterations=inner.min_iterations,
                newton=inner.tolerance < COARSE,  # pays off at fine tolerances
                persist=False,
            )
        return cls(_lasting(inner), inner if solver is not None else _finer(inner))

    def for_problem(self, problem: ConeProblem) -> Solver:
        """The one that takes on a problem."""
        return self.few if problem.blocks <= FINE_BELOW else self.many

    def yardstick(self, blocks: int, given: Yardstick) -> Yardstick:
        """What errors are measured with; for a tolerance of `FINE`, ‖r‖ as it is will do."""
        fine = blocks <= FINE_BELOW and self.few.tolerance < self.many.tolerance
        return given._replace(usual=0.0) if fine else given


def _lasting(solver: Solver) -> Solver:
    """The same with a least number of iterations, unless somebody chose one or they are dear."""
    method = solver.inner if isinstance(solver, ExactCoulomb) else solver
    if solver.min_iterations is not None or not method.thrifty:
        return solver
    return dataclasses.replace(solver, min_iterations=LEAST_ITERATIONS)


def _finer(solver: Solver) -> Solver:
    """The default solver as it is used on small problems."""
    if isinstance(solver, ExactCoulomb):
        return dataclasses.replace(
            solver, inner=_finer(solver.inner), tolerance=FINE, newton=True, persist=True
        )
    return dataclasses.replace(solver, tolerance=FINE)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Settings of a run, apart from its solver and its steps; see `Simulation`."""

    near: float | None = None
    """Contacts with a smaller gap are always in the problem [m]."""
    recovery_speed: float | None = None
    """Bodies that overlap separate at this speed at most [m/s]."""
    bounce_speed: float | None = None
    """Slower impacts do not bounce [m/s]."""
    sleeping: Sleeping | None = None
    """When resting bodies fall asleep; by default never."""
    watch: str = "stop"
    """What to do when energy appears from nowhere: "stop", "note" or "off"."""
    compiled: bool | None = None
    """Take steps of small worlds in one compiled call where that can be; the bits are the same.
    None: a simulation does where nothing has to be compiled for it and no joint follows a function
    of time, which would be asked ahead."""

    def __post_init__(self) -> None:
        for name in ("near", "recovery_speed", "bounce_speed"):
            if getattr(self, name) is not None:
                value = finite(name, getattr(self, name))
                if value < 0.0:
                    raise InputError(f"{name} is {value:g}; it must not be negative")
                object.__setattr__(self, name, value)
        if self.near is not None:
            positive("near", self.near)
        if self.sleeping is not None and not isinstance(self.sleeping, Sleeping):
            raise InputError(f"sleeping must be an amontons.Sleeping, got {self.sleeping!r}")
        if self.compiled not in (None, True, False):
            raise InputError(f"compiled must be True, False or None, got {self.compiled!r}")
        if self.watch not in WATCHES:
            raise InputError(f"watch must be 'stop', 'note' or 'off', got {self.watch!r}")

    def of_contacts(self, size: float, gravity: Floats, step: float, exact: bool) -> ContactRules:
        """Lengths and speeds of contact between bodies of this typical half thickness [m]."""
        g = math.sqrt(gravity.dot(gravity))
        return contact_rules(size, g, step, self, exact)


@lru_cache(maxsize=8)  # most steps are as long as the last
def contact_rules(size: float, g: float, step: float, given: Rules, exact: bool) -> ContactRules:
    """Lengths and speeds of contact, by default from a typical body's size [m] and g [m/s²]."""
    near = 0.02 * size if given.near is None else given.near
    fall = math.sqrt(2.0 * g * size) or size / step
    return ContactRules(
        near=near,
        recovery_speed=0.1 * fall if given.recovery_speed is None else given.recovery_speed,
        bounce_speed=2.0 * g * step if given.bounce_speed is None else given.bounce_speed,
        lift_speed=math.inf if exact else g * step,
        slip_speed=1e-3 * fall,
        cohesion_range=0.25 * near,
        yardstick=Yardstick(
            least=LEAST_SPEED * size / step,
            most=min(WORST_SPEED * fall, size / step),
            usual=max(g * step, LEAST_SPEED * size / step),
        ),
    )
