"""Loads in time: applied forces and torques, users' functions, and drag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.algebra.rotations import rotation_matrices
from amontons.checks import finite, finite_array, finite_vector
from amontons.errors import InputError
from amontons.model.forces import AppliedForce, AppliedTorque, Drag, Force, ForceState, Load
from amontons.model.forces.applied import VectorSignal

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


class _Applied(NamedTuple):
    """Applied forces and torques as arrays; rows of functions of time hold their last values."""

    body: Rows  # (loads,)
    vector: Floats  # force [N], then torque [N m], (loads, 6)
    turning: NDArray[np.bool_]  # given in the body's axes, (loads,)
    arm: Floats  # from the centre of mass, in the body's axes [m], (loads, 3)


class ForceSystem:
    """Loads on bodies, which are rows of arrays as in `JointSystem`.

    Parameters
    ----------
    loads:
        Applied forces and torques, forces of users' functions, drag.
    index_of:
        From a body's id to its row; raises `InputError` for unknown ones.
    position, orientation:
        Of the bodies now: points where forces act are fixed in the bodies as they stand.
    """

    def __init__(
        self,
        loads: Sequence[Load],
        index_of: Any,
        position: ArrayLike,
        orientation: ArrayLike,
    ) -> None:
        self.loads: list[Load] = []
        self._arms: list[Floats] = []
        self.update(loads, index_of, position, orientation)

    def update(
        self,
        loads: Sequence[Load],
        index_of: Any,
        position: ArrayLike,
        orientation: ArrayLike,
    ) -> None:
        """Have these loads from now on; those that were there before keep their points."""
        place, turn = np.asarray(position, dtype=float), np.asarray(orientation, dtype=float)
        known = {id(load): arm for load, arm in zip(self.loads, self._arms, strict=True)}
        rows, arms = [], []
        for load in loads:
            if not isinstance(load, Load):
                raise InputError(f"a load such as amontons.AppliedForce was expected, got {load!r}")
            try:
                rows.append([index_of(body) for body in load.ids or ()])
            except (InputError, LookupError) as reason:
                raise InputError(f"{load.title} acts on an unknown body: {reason}") from reason
            arm = known.get(id(load))
            arms.append(_arm(load, rows[-1], place, turn) if arm is None else arm)
        self.loads, self._arms = list(loads), arms
        self._rows = [np.array(row, dtype=np.int64) for row in rows]
        self._arrange()

    def _arrange(self) -> None:
        applied = [i for i, load in enumerate(self.loads) if _signal(load) is not None]
        self._applied = _Applied(
            body=np.array([self._rows[i][0] for i in applied], dtype=np.int64),
            vector=np.zeros((len(applied), 6)),
            turning=np.array(
                [getattr(self.loads[i], "frame", "") == "body" for i in applied], bool
            ),
            arm=np.array([self._arms[i] for i in applied]).reshape(-1, 3),
        )
        self._functions = []
        for k, i in enumerate(applied):
            load, signal = self.loads[i], _signal(self.loads[i])
            columns = slice(0, 3) if isinstance(load, AppliedForce) else slice(3, 6)
            if callable(signal):
                self._functions.append((k, columns, load.title, signal))
            else:
                self._applied.vector[k, columns] = signal
        self._collect_drag()

    def _collect_drag(self) -> None:
        drags = [(d, r) for d, r in zip(self.loads, self._rows, strict=True) if isinstance(d, Drag)]
        everywhere = [load.coefficients for load, _ in drags if load.ids is None]
        self._drag_of_all = np.array(everywhere).reshape(-1, 4).sum(axis=0)
        each = [(row, load.coefficients) for load, rows in drags for row in rows]
        self._drag_rows = np.array([row for row, _ in each], dtype=np.int64)
        self._drag_there = np.array([given for _, given in each]).reshape(-1, 4)

    # -- one step ---------------------------------------------------------------------------------

    def add(
        self, position: Floats, orientation: Floats, twist: Floats, time: float, wrench: Floats
    ) -> None:
        """Wrench += forces and torques at the centres of mass [N, N m], shape (bodies, 6).

        If a function raises, or gives what is no force, nothing is added.
        """
        more = [(self._applied.body, self._applied_wrenches(orientation, time))]
        for load, rows, state in self._states(position, orientation, twist, time):
            given = finite_array(f"the force of {load.title} at {time:g} s", load.function(state))
            if given.shape != (len(state.position), 6):
                raise InputError(
                    f"the function of {load.title} must give an array of shape "
                    f"({len(state.position)}, 6), got {given.shape}"
                )
            more.append((rows, given))
        for rows, given in more:
            np.add.at(wrench, rows, given)

    def _applied_wrenches(self, orientation: Floats, time: float) -> Floats:
        applied = self._applied
        for k, columns, title, function in self._functions:
            name = f"the function of {title}, at {time:g} s,"
            applied.vector[k, columns] = finite_vector(name, function(time))
        R = rotation_matrices(orientation[applied.body])
        turned = np.einsum("nij,nkj->nki", R, applied.vector.reshape(-1, 2, 3)).reshape(-1, 6)
        wrench = np.where(applied.turning[:, None], turned, applied.vector)
        arm = np.einsum("nij,nj->ni", R, applied.arm)
        wrench[:, 3:] += np.cross(arm, wrench[:, :3])
        return wrench

    def _states(
        self, position: Floats, orientation: Floats, twist: Floats, time: float
    ) -> Iterator[tuple[Force, Rows, ForceState]]:
        """Every user's force, the rows of its bodies, and what it may depend on."""
        for load, rows in zip(self.loads, self._rows, strict=True):
            if not isinstance(load, Force):
                continue
            if load.ids is None:
                rows = np.arange(len(position))
            turning = twist[rows]
            yield (
                load,
                rows,
                ForceState(time, position[rows], orientation[rows], turning[:, :3], turning[:, 3:]),
            )

    def damp(
        self, velocity: Floats, inverse_mass: Floats, inverse_inertia: Floats, step: float
    ) -> None:
        """Velocity ← what drag leaves of it after a step [s], shape (bodies, 6).

        To be called last on the free velocity. The drag is that of the end of the step,
        m(v⁺ − v) = −h(c₁ + c₂|v⁺|) v⁺, so no step is too long: energy only falls, and the terminal
        speed of a falling body is exact. Inverse masses [1/kg] have shape (bodies,), inverse
        inertias in world axes [1/(kg m²)] shape (bodies, 3, 3).
        """
        if not self.drags:
            return
        drag = np.tile(self._drag_of_all, (len(velocity), 1))
        np.add.at(drag, self._drag_rows, self._drag_there)
        c1, c2, d1, d2 = step * drag.T
        linear = 1.0 + c1 * inverse_mass
        speed = np.linalg.norm(velocity[:, :3], axis=1)
        root = np.sqrt(linear**2 + 4.0 * c2 * inverse_mass * speed)
        velocity[:, :3] *= (2.0 / (linear + root))[:, None]
        rate = d1 + d2 * np.linalg.norm(velocity[:, 3:], axis=1)
        turning = np.flatnonzero(rate > 0.0)
        matrix = np.eye(3) + rate[turning, None, None] * inverse_inertia[turning]
        velocity[turning, 3:] = np.linalg.solve(matrix, velocity[turning, 3:, None])[..., 0]

    @property
    def drags(self) -> bool:
        """Whether there is any drag."""
        return bool(self._drag_of_all.any() or self._drag_rows.size)

    def potential_energy(
        self, position: Floats, orientation: Floats, twist: Floats, time: float
    ) -> float:
        """Sum of the potentials that users' forces tell of [J]."""
        total = 0.0
        for load, _, state in self._states(position, orientation, twist, time):
            if load.potential is not None:
                total += finite(f"the potential of {load.title}", load.potential(state))
        return total

    # -- state ------------------------------------------------------------------------------------

    def state(self) -> dict[str, Floats]:
        """Points where forces act in their bodies [m], shape (loads, 3)."""
        return {"arms": np.array(self._arms).reshape(-1, 3)}

    def restore(self, state: Mapping[str, Floats]) -> None:
        """Go back to what :meth:`state` gave, of a system with the same loads."""
        arms = state.get("arms")
        if arms is None or arms.shape != (len(self.loads), 3):
            raise InputError(f"this is not a state of these {len(self.loads)} loads")
        self._arms = list(np.array(arms, dtype=np.float64))
        self._arrange()

    def __repr__(self) -> str:
        return f"<ForceSystem: {len(self.loads)} forces>"


def _signal(load: Load) -> VectorSignal | None:
    """The force or torque that is applied, if it is an applied one."""
    if isinstance(load, AppliedForce):
        return load.force
    return load.torque if isinstance(load, AppliedTorque) else None


def _arm(load: Load, rows: list[int], position: Floats, orientation: Floats) -> Floats:
    """Where a force acts, from the centre of mass in the body's axes [m], shape (3,)."""
    point = getattr(load, "point", None)
    if point is None:
        return np.zeros(3)
    R = rotation_matrices(orientation[rows])[0]
    return np.asarray(R.T @ (np.array(point) - position[rows[0]]))
