"""The impulses of a step: what contacts and joints do to the bodies' free velocities."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.collision.contacts import ContactSet
from amontons.dynamics.assembly import assemble
from amontons.dynamics.contact_laws import ContactRules, contact_terms
from amontons.dynamics.energy import mechanics_of
from amontons.dynamics.joints.law import JointRows
from amontons.model.world import World
from amontons.problem.operators import BodyOperator
from amontons.problem.problem import ConeProblem
from amontons.simulation.checks import check_velocities
from amontons.simulation.report import Stopwatch
from amontons.simulation.solved import STICKING, Solved
from amontons.solvers import Solver

Floats = NDArray[np.float64]

BOUNCES = (1.0, 0.99, 0.9, 0.0)
"""Shares of the restitution: several impacts with friction may together give back more than came
in, and then all of them give back less."""


class Start(NamedTuple):
    """Bodies at the start of a step."""

    twist: Floats  # v, as it is or is prescribed, (bodies, 6)
    free: Floats  # v* = v + h M⁻¹ f, (bodies, 6)
    inverse_mass: Floats  # [1/kg], zero for bodies that nothing can push, (bodies,)
    inverse_inertia: Floats  # I⁻¹ in world axes [1/(kg m²)], (bodies, 3, 3)
    step: float  # h [s]


def find_impulses(
    world: World,
    start: Start,
    contacts: ContactSet,
    forces: Floats,
    rows: JointRows,
    rules: ContactRules,
    *,
    solver_of: Callable[[ConeProblem], Solver],
    rounding: float,
    name: str,
    watch: Stopwatch,
) -> Solved:
    """v⁺ = v* + M⁻¹ D γ, with the impulses γ that solve the problem of this step.

    `forces` are what contacts carried before, the first guess; shape (contacts, 7). Impulses may
    seem to add a share of the energy, the `rounding`, as a solver has a tolerance.
    """
    mobile = np.zeros(len(start.free) + 1, dtype=bool)  # the last is the world: −1
    np.greater(start.inverse_mass, 0.0, out=mobile[:-1])
    acting = np.asarray(mobile[rows.bodies].any(axis=1))
    acting_rows = rows if acting.all() else rows.only(acting)
    energy = mechanics_of(world, start.free).kinetic
    for bouncing in BOUNCES:
        terms = contact_terms(
            contacts,
            before=start.twist,
            free=start.free,
            mobile=mobile,
            material=world.bodies.material,
            pairs=world.materials.table,
            step=start.step,
            rules=rules,
            sticking=forces[:, STICKING] > 0.0,
            bouncing=bouncing,
        )
        problem = assemble(
            terms,
            acting_rows,
            inverse_mass=start.inverse_mass,
            inverse_inertia=start.inverse_inertia,
            free=start.free,
            name=name,
        )
        guess = start.step * terms.of_kept(forces[:, : terms.width])
        watch.lap("assemble")
        guess_of_all = np.concatenate([guess.ravel(), acting_rows.guess])
        solution = solver_of(problem).solve(problem, guess=guess_of_all)
        watch.lap("solve")
        assert isinstance(problem.operator, BodyOperator)
        kick = problem.operator.velocities(problem.sets.inward(solution.impulses))
        velocity = start.free + kick
        check_velocities(world, velocity)
        work = mechanics_of(world, velocity).kinetic - energy
        if not terms.bouncing or work <= rounding * energy:
            break
    return Solved(contacts, terms, rows, acting, problem, solution, velocity, work, start.step)
