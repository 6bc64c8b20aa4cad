"""A simulation that several processes share: which solvers can be, and whether all agree."""

from __future__ import annotations

import dataclasses
import math
import zlib

from amontons.errors import InputError, SimulationError
from amontons.model.world import World
from amontons.ranks.communicator import Communicator
from amontons.ranks.divided import DividedAPGD
from amontons.simulation.rules import COARSE, MOST_ITERATIONS, SolverChoice
from amontons.simulation.sleep.sleeping import Sleeping
from amontons.simulation.state import State
from amontons.solvers import APGD, ExactCoulomb, Jacobi, Solver, SpectralGradient

SHARED = (DividedAPGD, SpectralGradient, Jacobi)
"""Solvers whose iterations processes can share."""


def chosen_solvers(
    solver: Solver | None,
    friction: str,
    ranks: Communicator | None,
    sleeping: Sleeping | None,
) -> SolverChoice:
    """The solvers of a run; with ranks, those whose iterations processes can share."""
    usual = SolverChoice.of(solver, friction)
    if ranks is None:
        return usual
    if not isinstance(ranks, Communicator):
        raise InputError(f"ranks must be those of amontons.ranks.here(), got {ranks!r}")
    if sleeping is not None:
        raise InputError(
            "processes cannot share a run in which bodies fall asleep: leave out `ranks`, or "
            "`sleeping`"
        )
    if any(each.time_limit < math.inf for each in (usual.many, solver) if each is not None):
        raise InputError(
            "a time limit depends on the clock of each process: with ranks, leave out "
            "time_limit and say max_iterations"
        )
    if solver is None:
        mine = APGD(tolerance=COARSE, max_iterations=MOST_ITERATIONS)
        return usual._replace(many=_shared(SolverChoice.of(mine, friction).many))
    return SolverChoice(_shared(usual.many), _shared(usual.few))


def require_shareable(ranks: Communicator | None, world: World) -> None:
    """Raise where processes cannot share what there is in the world."""
    if ranks is not None and world.cell is not None:
        raise InputError(
            "processes cannot share a world with a cell yet: leave out `ranks`, or the cell"
        )


def _shared(solver: Solver) -> Solver:
    """A solver as several processes run it."""
    if isinstance(solver, ExactCoulomb):
        return dataclasses.replace(solver, inner=_shared(solver.inner), newton=False, persist=False)
    if type(solver) is APGD:
        settings = {field.name: getattr(solver, field.name) for field in dataclasses.fields(solver)}
        return DividedAPGD(**settings | {"precision": "double"})
    if isinstance(solver, SHARED):
        return solver
    raise InputError(
        f"processes cannot share {type(solver).__name__}, only APGD, SpectralGradient and Jacobi: "
        f"take solver=APGD(tolerance={solver.tolerance:g}) (`--solver apgd`), or one process"
    )


def require_agreement(ranks: Communicator | None, state: State) -> None:
    """Raise where processes have come to different states: one of them was told otherwise."""
    if ranks is None or ranks.count == 1:
        return
    bodies = state.bodies
    mark = zlib.crc32(bodies.twist.tobytes(), zlib.crc32(bodies.position.tobytes()))
    if not ranks.alike(float(mark)):
        raise SimulationError(
            f"after step {state.steps} the {ranks.count} processes have different states: they "
            "must all run the same script on the same input (seed what is random, ask no clock), "
            "and the same versions on processors of one kind"
        )
