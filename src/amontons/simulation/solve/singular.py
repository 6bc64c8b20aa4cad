"""Joints that all but contradict each other: rods in line, four-bars laid flat.

Rows whose directions differ by an angle ε in common ask for a speed of 1/ε times their offsets
across them. The problem is solved to the last digit, and bodies are shot away. Where joints bring
in energy out of all proportion, the step is solved once more with rows that give a little: ε is
then seen only down to the square root of that.
"""

from __future__ import annotations

import numpy as np

from amontons.dynamics.joints.law import JointRows
from amontons.problem.problem import ConeProblem
from amontons.problem.solution import Solution

SURGE = 4.0
"""Kinetic energy after impulses, by that at the free velocity, from which joints are suspected."""

CALM = 0.1
"""Share of the energy that must be left out of a second solve for it to be believed."""

GIVE = 1e-8
"""Compliance of rows that give, as a share of their own inverse mass."""


def surges(rows: JointRows, before: float, after: float) -> bool:
    """Whether impulses brought in energy [J] that rows of joints may have made of nothing."""
    return len(rows.compliance) > 0 and after > SURGE * before


def fails_at_rest(rows: JointRows, problem: ConeProblem, solution: Solution) -> bool:
    """Whether joints could not be solved, by less than speeds that count as rest."""
    if len(rows.compliance) == 0 or solution.converged:
        return False
    return solution.residual * problem.speed_unit < problem.yardstick.least


def giving(rows: JointRows, problem: ConeProblem) -> JointRows:
    """The same rows with a little compliance; they are the last blocks of the problem."""
    own = problem.curvature[problem.sets.block_order, 0]
    own = own[own.size - len(rows.compliance) :]
    return rows._replace(compliance=np.maximum(rows.compliance, GIVE * own))
