"""Taking note: what of a step deserves a word, and which."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from amontons.dynamics.bonds.model import WAYS_TO_BREAK
from amontons.dynamics.contact_laws import ContactRules
from amontons.dynamics.joints.breaking import told
from amontons.problem.solution import Solution
from amontons.simulation.model import Model
from amontons.simulation.reports.notes import (
    BROKEN_BOND,
    BROKEN_JOINT,
    CONVERGENCE,
    FIRST_OVERLAP,
    OVERLAP,
    TRAVEL,
    Note,
    listed,
    percent,
)
from amontons.simulation.solve.overlaps import AT_FIRST, DEEP, LATER, SLIGHT
from amontons.simulation.solve.step_solution import StepSolution
from amontons.simulation.state import State
from amontons.simulation.step_size import travels

Floats = NDArray[np.float64]


def notes_of(
    model: Model, state: State, solved: StepSolution, rules: ContactRules, tolerance: float,
    broken: list[int], torn: NDArray[np.bool_],
) -> tuple[Note, ...]:  # fmt: skip
    """What a careful user should know of the step just taken.

    `broken` are ids of the joints that let go in it, and `torn` are the bonds, shape (bonds,).

    The state is that after the step, and the tolerance is what its solver was asked for.
    """
    taking = _Taking(model, state, solved, rules, tolerance)
    return (
        *taking.convergence(),
        *taking.travel(),
        *taking.overlaps(),
        *taking.broken_joints(broken),
        *(taking.broken_bonds(np.flatnonzero(torn)) if torn.any() else ()),
    )


class _Taking:
    """Notes of one step."""

    def __init__(
        self,
        model: Model,
        state: State,
        solved: StepSolution,
        rules: ContactRules,
        tolerance: float,
    ) -> None:
        self.model, self.state, self.solved = model, state, solved
        self.rules, self.tolerance = rules, tolerance

    def _note(self, kind: str, message: str, rows: list[int], value: float = 0.0) -> Note:
        return Note(
            kind=kind,
            message=message,
            step=self.state.steps,
            time=self.state.time,
            bodies=tuple(self.model.name_of(row) for row in rows),
            value=value,
        )

    def convergence(self) -> Iterator[Note]:
        """A solver that missed its tolerance."""
        solution = self.solved.worst
        if solution.converged:
            return
        rows = worst_rows(self.solved, solution)
        where = f", the worst of it between {_both(map(self.model.name_of, rows))}" if rows else ""
        yield self._note(
            CONVERGENCE,
            f"the solver did not converge: {solution.message}, residual {solution.residual:.1e} "
            f"where {self.tolerance:.1e} was asked for{where}; forces and velocities are that "
            "inexact: allow more iterations (max_iterations), take a shorter step, or see whether "
            "joints, motors and contacts there contradict each other",
            rows,
            solution.residual,
        )

    def travel(self) -> Iterator[Note]:
        """Bodies that moved so far in the step that they may have passed through others."""
        solved, masses = self.solved, self.model.masses
        if not solved.step * masses.most_travel(solved.motion) > 1.0:
            return
        covered = solved.step * travels(solved.motion, masses)
        row, far = int(np.argmax(covered)), np.flatnonzero(covered > 1.0)
        half, most = float(masses.span[row]), float(covered[row])
        others = f" (as did {far.size - 1} more)" if far.size > 1 else ""
        yield self._note(
            TRAVEL,
            f"{self.model.name_of(row)} moved {length(most * half)} in one step{others}, "
            f"{most:.2g} times its half thickness of {length(half)}: contacts may be missed; use "
            f"a step below {duration(solved.step / most)}, now it is {duration(solved.step)}",
            [row],
            most,
        )

    def overlaps(self) -> Iterator[Note]:
        """Bodies that were put into each other, and bodies that came to overlap deeply."""
        solved = self.solved
        if solved.terms.parting is None:
            return
        detected = solved.detected
        rows = np.column_stack([detected.bodies, detected.gaps, solved.depths, solved.parting])
        rows = solved.share.gathered(rows[solved.share.own_contacts(detected)])
        depth, since = rows[:, 3], rows[:, 4]
        fresh = (since == AT_FIRST) & solved.new[rows[:, :2].astype(np.int64)].any(axis=1)
        for kind, found in (
            (FIRST_OVERLAP, fresh & (depth > SLIGHT)),
            (OVERLAP, (since == LATER) & (depth > DEEP)),
        ):
            if found.any():
                yield self._overlap(kind, rows[found])

    def _overlap(self, kind: str, rows: Floats) -> Note:
        """Of bodies A and B, gap and relative depth of some contacts."""
        depth = rows[:, 3]
        deepest = np.argsort(-depth, kind="stable")
        pairs = list(dict.fromkeys(tuple(map(int, rows[c, :2])) for c in deepest))
        named = [_both(map(self.model.name_of, pair)) for pair in pairs]
        worst = deepest[0]
        share = f"{percent(depth[worst])} of the smaller half thickness"
        deep = f"by up to {length(-float(rows[worst, 2]))}, {share}"
        count = "1 pair of bodies" if len(pairs) == 1 else f"{len(pairs)} pairs of bodies"
        if kind == FIRST_OVERLAP:
            slow = speed(self.rules.recovery_speed)
            text = (
                f"{count} overlapped from the start {deep}: {listed(named)}; they are moved apart "
                f"at up to {slow}, which is not physics: place them apart, or keep pairs that are "
                "meant to overlap from colliding (groups and masks, or a joint)"
            )
        else:
            text = (
                f"{count} overlap {deep}: {listed(named)}; take a shorter step, let the solver "
                "iterate longer, or see whether joints or motors push them into each other"
            )
        ends = list(dict.fromkeys(row for pair in pairs[:3] for row in pair))
        return self._note(kind, text, ends, float(depth[worst]))

    def broken_joints(self, broken: list[int]) -> Iterator[Note]:
        """Joints that carried more than they may."""
        joints, state = self.model.joints, self.state.joints
        for id in broken:
            row = int(np.flatnonzero(joints.ids == id)[0])
            joint, ends = joints.joints[row], joints.bodies[row].tolist()
            name = repr(joint.name) if joint.name else id
            load = float(state.broken_at[row])
            over = ""
            if joint.break_time > 0.0:
                over = f" on average over {duration(joint.break_time)}"
            yield self._note(
                BROKEN_JOINT,
                f"joint {name} {told(int(state.broken_by[row]), load)}{over}, a "
                f"{type(joint).__name__} between {_both(map(self.model.name_of, ends))}",
                ends,
                load,
            )

    def broken_bonds(self, torn: NDArray[np.intp]) -> Iterator[Note]:
        """Bonds under greater stress than they may bear, all of a step in one note."""
        state, bonds = self.state.bonds, self.model.bonds
        worst = torn[np.argmax(state.broken_under[torn])]
        under = float(state.broken_under[worst])
        count = "1 bond broke" if torn.size == 1 else f"{torn.size} bonds broke, the worst"
        ends = bonds.bodies[worst].tolist()
        yield self._note(
            BROKEN_BOND,
            f"{count} in {WAYS_TO_BREAK[state.broken_by[worst]]} at {under:.4g} Pa: bond "
            f"{bonds.id[worst]} between {_both(map(self.model.name_of, ends))}",
            ends,
            under,
        )


def worst_rows(solved: StepSolution, solution: Solution) -> list[int]:
    """The two bodies at the contact or rigid joint whose velocity misses its law by most."""
    count, width = len(solved.terms), solved.terms.width
    u = solution.velocities[: width * count].reshape(count, width)[:, :3]
    normals = solved.terms.contacts.normals
    most, pair = 0.0, (0, 0)
    if count:
        along = np.einsum("ci,ci->c", u, normals)
        across = np.sqrt(np.maximum(np.einsum("ci,ci->c", u, u) - along * along, 0.0))
        missed = solved.terms.friction * across - along
        worst = int(np.argmax(missed))
        most, pair = float(missed[worst]), tuple(solved.terms.contacts.bodies[worst].tolist())
    if solved.rows.free:
        rows = solved.rows.only(solved.acting)
        missed = np.abs(solution.velocities[width * count :][: rows.free])
        if missed.max(initial=0.0) > most:
            worst = int(np.argmax(missed))
            most, pair = float(missed[worst]), tuple(rows.bodies[worst].tolist())
    most, pair = solved.share.worst(most, pair)
    return list(pair) if most > 0.0 else []


def _both(names: Iterator[str]) -> str:
    return " and ".join(names)


def length(value: float) -> str:
    """A length [m] in a unit that suits it."""
    return _scaled(value, (("m", 1.0), ("mm", 1e-3), ("µm", 1e-6)))


def duration(value: float) -> str:
    """A time [s] in a unit that suits it."""
    return _scaled(value, (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)))


def speed(value: float) -> str:
    """A speed [m/s] in a unit that suits it."""
    return _scaled(value, (("m/s", 1.0), ("mm/s", 1e-3)))


def _scaled(value: float, units: tuple[tuple[str, float], ...]) -> str:
    for unit, size in units[:-1]:
        if abs(value) >= 0.1 * size or value == 0.0:
            return f"{value / size:.3g} {unit}"
    unit, size = units[-1]
    return f"{value / size:.3g} {unit}"
