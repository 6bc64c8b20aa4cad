"""The linear system of an interior point step, over bodies or over contacts, whichever is less."""

from __future__ import annotations

from amontons.problem.operators.base import block_offsets
from amontons.problem.problem import ConeProblem
from amontons.solvers.interior_point.lift import Lift
from amontons.solvers.interior_point.linear_system.base import Hessian, LinearSystem
from amontons.solvers.interior_point.linear_system.body_space import BodySpace, MassSpace
from amontons.solvers.interior_point.linear_system.contact_space import ContactSpace
from amontons.solvers.interior_point.linear_system.cost import touching_bodies

__all__ = ["SPACES", "Hessian", "LinearSystem", "linear_system_of"]

SPACES = ("auto", "bodies", "contacts")


def linear_system_of(
    problem: ConeProblem, lift: Lift, space: str = "auto", library: str = "auto"
) -> LinearSystem:
    """The system of a problem in the given space: "bodies", "contacts", or the smaller one."""
    offsets = block_offsets(problem.sets.arrays)
    operator = problem.operator
    if operator.over_bodies is not None:
        _, bodies = touching_bodies(operator.over_bodies)
        if space == "bodies" or (space == "auto" and 6 * bodies <= problem.rows):
            return BodySpace(operator.over_bodies, lift, offsets, library)
    if operator.mass_form is not None and space != "contacts":
        return MassSpace(operator.mass_form, lift, offsets, library)
    return ContactSpace(problem, lift, offsets, library)
