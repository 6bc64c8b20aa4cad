"""N = Dᵀ M⁻¹ D over rigid bodies, matrix-free: two gathers, no tangent frames, no atomics.

A contact's impulse f is one world-frame vector, so its Jacobian is (−I, [r_A]×) on body A and
(I, −[r_B]×) on body B: only two arms and two body numbers have to be stored. N x is a pass over
bodies, each summing the impulses of its own constraints and multiplying by its inverse mass, and a
pass over constraints, each reading two body velocities. Every index writes its own slot. Impulses
are stored component by component, as everywhere in a problem: row k of contact c is
k·count + c.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from amontons._jit import CHUNK
from amontons.algebra.cones import CONES, COULOMB, SPINNING, SetArrays, SetKind
from amontons.array_types import Floats
from amontons.checks import as_finite
from amontons.errors import InputError
from amontons.problem.operators.base import Operator, block_offsets
from amontons.problem.operators.body_kernels import (
    BodyArrays,
    body_curvatures,
    body_product,
    body_quadratic,
    body_velocities,
    velocity_product,
)
from amontons.problem.operators.body_layout import invert_masses, list_incidences, pack_bodies

Ints = NDArray[np.int32]

WORLD = -1
"""Body number of the immovable world."""


class BodyOperator(Operator):
    """N over rigid bodies with world-frame impulses.

    Parameters
    ----------
    inverse_mass:
        1/m of each body [1/kg], zero for an immovable one, shape (bodies,).
    inverse_inertia:
        I⁻¹ of each body about its centre of mass, in the world frame, shape (bodies, 3, 3).
    bodies_a, bodies_b:
        The two bodies of each contact, then of each scalar row; −1 is the world. Contact normals
        point from A to B.
    arms_a, arms_b:
        From each body's centre of mass to the contact point, in the world frame [m],
        shape (contacts, 3).
    wrenches:
        How many of the contacts, the last ones, carry a torque too (rolling and spinning friction).
    jacobian:
        Rows of bilateral and other scalar constraints: derivative with respect to A's linear and
        angular velocity, then B's, shape (scalar rows, 12); bilateral ones first, then one-sided,
        then bounded ones.
    """

    form: ClassVar[str] = "bodies"

    def __init__(
        self,
        *,
        inverse_mass: ArrayLike,
        inverse_inertia: ArrayLike,
        bodies_a: ArrayLike,
        bodies_b: ArrayLike,
        arms_a: ArrayLike | None = None,
        arms_b: ArrayLike | None = None,
        wrenches: int = 0,
        jacobian: ArrayLike | None = None,
    ) -> None:
        mass = np.atleast_1d(as_finite("inverse_mass", inverse_mass))
        inertia = as_finite("inverse_inertia", inverse_inertia)
        count = mass.size
        if mass.ndim != 1 or inertia.shape != (count, 3, 3):
            raise InputError(
                f"inverse_mass must have shape (bodies,) and inverse_inertia (bodies, 3, 3); "
                f"got {mass.shape} and {inertia.shape}"
            )
        if (mass < 0).any():
            worst = int(np.argmax(mass < 0))
            raise InputError(f"inverse_mass[{worst}] is {mass[worst]}; it must not be negative")
        scale = np.abs(inertia).max(initial=0.0)
        skew = np.abs(inertia - inertia.transpose(0, 2, 1)).max(initial=0.0)
        if skew > 1e-9 * scale:
            raise InputError("inverse_inertia must be symmetric for every body")
        points_a = np.empty((0, 3)) if arms_a is None else as_finite("arms_a", arms_a)
        points_b = np.empty((0, 3)) if arms_b is None else as_finite("arms_b", arms_b)
        rows = np.empty((0, 12)) if jacobian is None else as_finite("jacobian", jacobian)
        if points_a.ndim != 2 or points_a.shape[1] != 3 or points_a.shape != points_b.shape:
            raise InputError(
                f"arms_a and arms_b must both have shape (contacts, 3), "
                f"got {points_a.shape} and {points_b.shape}"
            )
        if rows.ndim != 2 or rows.shape[1] != 12:
            raise InputError(f"jacobian must have shape (scalar rows, 12), got {rows.shape}")
        contacts = points_a.shape[0]
        if not 0 <= wrenches <= contacts:
            raise InputError(f"wrenches must be between 0 and {contacts}, got {wrenches}")
        body = _body_pairs(bodies_a, bodies_b, contacts + rows.shape[0], count)
        self._hold(mass, inertia, body, points_a, points_b, wrenches, rows)

    @classmethod
    def trusted(
        cls,
        *,
        inverse_mass: Floats,
        inverse_inertia: Floats,
        bodies: Ints,
        arms_a: Floats,
        arms_b: Floats,
        wrenches: int,
        jacobian: Floats,
    ) -> Self:
        """As the constructor, without its checks, for contiguous arrays made by a time step.

        `bodies` has both bodies of all constraints, shape (constraints, 2).
        """
        operator = cls.__new__(cls)
        operator._hold(inverse_mass, inverse_inertia, bodies, arms_a, arms_b, wrenches, jacobian)
        return operator

    def _hold(
        self,
        mass: Floats,
        inertia: Floats,
        body: Ints,
        arms_a: Floats,
        arms_b: Floats,
        wrenches: int,
        jacobian: Floats,
    ) -> None:
        count, contacts, most = mass.size, len(arms_a), 2 * len(body)
        packed, pointer = np.empty((count, 6)), np.empty(count + 1, dtype=np.int64)
        self._turning, self.mobile = np.empty((2, count), dtype=bool)
        pack_bodies(mass, inertia, packed, self._turning, self.mobile)
        arms, levers = np.empty((2 * contacts, 3)), np.empty((most, 3))
        incidence = np.empty(most, dtype=np.int32)
        used = list_incidences(
            body, self._summing(), arms_a, arms_b, arms, pointer, incidence, levers
        )  # fmt: skip
        self.arrays = BodyArrays(
            forces=contacts - wrenches,
            wrenches=wrenches,
            body=body,
            arms=arms,
            lengths=np.ones(wrenches),
            jacobian=jacobian,
            inverse_mass=mass,
            inverse_inertia=packed,
            pointer=pointer,
            incidence=incidence[:used],
            levers=levers[:used],
        )
        self.bodies = count
        self.rows = 3 * (contacts - wrenches) + 6 * wrenches + len(jacobian)
        self._product = body_product.sized(body.shape[0])

    def _summing(self) -> NDArray[np.bool_]:
        """Bodies over whose constraints this operator sums, shape (bodies,)."""
        return self.mobile

    def check(self, sets: SetArrays) -> None:
        """Contacts must be Coulomb cones, those with torque spinning ones, the rest scalar sets."""
        have = {kind: count for kind, _, count, _ in sets.groups.tolist()}
        want = dict.fromkeys(CONES, 0)
        want |= {COULOMB: self.arrays.forces, SPINNING: self.arrays.wrenches}
        for kind, count in want.items():
            if have.get(kind, 0) != count:
                raise InputError(
                    f"the bodies' constraints have {count} blocks of kind "
                    f"{SetKind(kind).name.lower()}, but the sets have {have.get(kind, 0)}"
                )

    def scaled(self, factors: Floats) -> Self:
        torque = 3 * (self.arrays.forces + self.arrays.wrenches)
        scalars = factors[torque + 3 * self.arrays.wrenches :]
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.arrays = self.arrays._replace(
            lengths=self.arrays.lengths * factors[torque : torque + self.arrays.wrenches],
            jacobian=self.arrays.jacobian * scalars[:, None],
        )
        return other

    @property
    def over_bodies(self) -> Self:
        return self

    def inverse_mass_form(self) -> tuple[sp.csr_array, sp.csr_array]:
        return self.inverse_mass_matrix(), self.jacobian_matrix().T.tocsr()

    def scratch(self) -> Floats:
        return np.empty((self.bodies, 6))

    def apply(self, x: Floats, out: Floats, scratch: Floats) -> float:
        return float(self._product(self.arrays, x, scratch, out))

    def from_velocities(self, velocity: Floats, out: Floats) -> None:
        """out ← Dᵀ v: the second half of a product, where the bodies' velocities are known."""
        velocity_product.sized(self.arrays.body.shape[0])(self.arrays, velocity, out)

    def quadratic(self, new: Floats, old: Floats, older: Floats, beta: float) -> float:
        """As the base class says: a sum over bodies, three to five times shorter than over rows."""
        partial = np.empty((-(-self.bodies // CHUNK), 1))
        form = body_quadratic.sized(self.arrays.body.shape[0])
        return float(form(self.masses, new, old, older, beta, partial))

    @cached_property
    def masses(self) -> Floats:
        """Inertia [kg m²] of each body, packed as the inverse is, and its mass [kg], (bodies, 7).

        Zero where the inverse is: for directions in which a body cannot move.
        """
        masses = np.empty((self.bodies, 7))
        regular = np.empty(self.bodies, dtype=bool)
        invert = invert_masses.sized(self.bodies)
        invert(self.arrays.inverse_mass, self.arrays.inverse_inertia, masses, regular)
        odd = np.flatnonzero(self._turning & ~regular)
        if odd.size:  # bodies that cannot turn about some axis
            inverse = np.linalg.pinv(self.inverse_inertia()[odd], hermitian=True)
            masses[odd, :6] = inverse[:, (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)]
        return masses

    def velocities(self, x: Floats) -> Floats:
        """Changes of the bodies' velocities by impulses x, shape (rows,); shape (bodies, 6)."""
        out = self.scratch()
        body_velocities.sized(self.arrays.body.shape[0])(self.arrays, x, out)
        return out

    def curvatures(self, sets: SetArrays) -> Floats:
        out = np.zeros((self.arrays.body.shape[0], 3))
        body_curvatures.sized(out.shape[0])(self.arrays, sets.normal, out)
        return out

    def diagonal_blocks(self, sets: SetArrays) -> tuple[Floats, NDArray[np.int64]]:
        """As the base class says; a side adds (1/m) I + [r]× I⁻¹ [r]×ᵀ to a force block."""
        forces, contacts = self.arrays.forces, self.arrays.forces + self.arrays.wrenches
        full = np.zeros((self.arrays.body.shape[0], 6, 6))
        for side in range(2):
            body = self.arrays.body[:, side]
            mobile = (body != WORLD).astype(np.float64)
            mass = mobile * self.arrays.inverse_mass[body]
            inertia = mobile[:, None, None] * self.inverse_inertia()[body]
            X = cross_matrix(self.arrays.arms[side::2])
            turned = inertia[:contacts] @ X
            full[:contacts, :3, :3] += mass[:contacts, None, None] * np.eye(3)
            full[:contacts, :3, :3] += X.transpose(0, 2, 1) @ turned
            full[:contacts, 3:, :3] += turned
            full[:contacts, :3, 3:] += turned.transpose(0, 2, 1)
            full[:contacts, 3:, 3:] += inertia[:contacts]
            J = self.arrays.jacobian[:, 6 * side : 6 * side + 6]
            full[contacts:, 0, 0] += mass[contacts:] * (J[:, :3] ** 2).sum(axis=1)
            full[contacts:, 0, 0] += np.einsum(
                "ci,cij,cj->c", J[:, 3:], inertia[contacts:], J[:, 3:]
            )
        full[forces:contacts, 3:] *= self.arrays.lengths[:, None, None]
        full[forces:contacts, :, 3:] *= self.arrays.lengths[:, None, None]
        flat = [full[:forces, :3, :3].ravel(), full[forces:contacts].ravel(), full[contacts:, 0, 0]]
        return np.concatenate(flat), block_offsets(sets)

    def inverse_inertia(self) -> Floats:
        """I⁻¹ of each body in world axes [1/(kg m²)], shape (bodies, 3, 3)."""
        return self.arrays.inverse_inertia[:, (0, 1, 2, 1, 3, 4, 2, 4, 5)].reshape(-1, 3, 3)

    def jacobian_matrix(self) -> sp.csr_array:
        """Dᵀ as a sparse matrix, shape (rows, 6 bodies)."""
        forces, wrenches = self.arrays.forces, self.arrays.wrenches
        contacts = forces + wrenches
        arms = self.arrays.arms.reshape(-1, 2, 3)
        scalars = self.arrays.jacobian.reshape(-1, 2, 1, 6)
        torque_row = np.concatenate([np.zeros((3, 3)), np.eye(3)], axis=1)
        first = 3 * forces
        values, rows, columns = [], [], []
        for side, sign in ((0, -1.0), (1, 1.0)):
            identity = np.broadcast_to(sign * np.eye(3), (contacts, 3, 3))
            force = np.concatenate([identity, -sign * cross_matrix(arms[:, side])], axis=2)
            torque = sign * self.arrays.lengths[:, None, None] * torque_row
            body = self.arrays.body[:, side].astype(np.int64)
            f, w, s = np.arange(forces), np.arange(wrenches), np.arange(scalars.shape[0])
            for which, start, stride, block in (
                (slice(0, forces), f, forces, force[:forces]),
                (slice(forces, contacts), first + w, wrenches, force[forces:]),
                (slice(forces, contacts), first + 3 * wrenches + w, wrenches, torque),
                (slice(contacts, None), first + 6 * wrenches + s, 1, scalars[:, side]),
            ):
                mobile = body[which] >= 0
                shape = (int(mobile.sum()), block.shape[1], 6)
                row = start[mobile][:, None, None] + stride * np.arange(block.shape[1])[:, None]
                column = 6 * body[which][mobile][:, None, None] + np.arange(6)
                values.append(block[mobile].ravel())
                rows.append(np.broadcast_to(row, shape).ravel())
                columns.append(np.broadcast_to(column, shape).ravel())
        triplets = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        D = sp.csr_array(triplets, shape=(self.rows, 6 * self.bodies))
        D.eliminate_zeros()
        return D

    def inverse_mass_matrix(self) -> sp.csr_array:
        """M⁻¹ as a sparse matrix, shape (6 bodies, 6 bodies)."""
        blocks = np.zeros((self.bodies, 6, 6))
        blocks[:, range(3), range(3)] = self.arrays.inverse_mass[:, None]
        blocks[:, 3:, 3:] = self.inverse_inertia()
        pointer = np.arange(self.bodies + 1)
        matrix = sp.bsr_array((blocks, np.arange(self.bodies), pointer)).tocsr()
        matrix.eliminate_zeros()
        return sp.csr_array(matrix)

    def as_matrix(self) -> sp.csr_array:
        D = self.jacobian_matrix()
        product = D @ self.inverse_mass_matrix() @ D.T
        return sp.csr_array((product + product.T) / 2)

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays if isinstance(array, np.ndarray))


def cross_matrix(r: Floats) -> Floats:
    """[r]×, the matrix with [r]× v = r × v; r of shape (..., 3)."""
    zero = np.zeros_like(r[..., 0])
    x, y, z = r[..., 0], r[..., 1], r[..., 2]
    rows = [zero, -z, y, z, zero, -x, -y, x, zero]
    return np.stack(rows, axis=-1).reshape(*r.shape[:-1], 3, 3)


def _body_pairs(a: ArrayLike, b: ArrayLike, constraints: int, bodies: int) -> Ints:
    first, second = np.atleast_1d(np.asarray(a)), np.atleast_1d(np.asarray(b))
    if first.ndim != 1 or first.shape != second.shape:
        raise InputError("bodies_a and bodies_b must be two flat arrays of the same length")
    pair = np.empty((first.size, 2), np.result_type(first, second))
    pair[:, 0], pair[:, 1] = first, second
    if pair.size == 0:
        pair = pair.reshape(0, 2).astype(np.int32)
    if not np.issubdtype(pair.dtype, np.integer):
        raise InputError(f"body numbers must be integers, got {pair.dtype}")
    if pair.shape != (constraints, 2):
        raise InputError(
            f"bodies_a and bodies_b must name the bodies of all {constraints} constraints, "
            f"got {pair.shape[0]}"
        )
    unknown = (pair < WORLD) | (pair >= bodies)
    if unknown.any():
        c, side = np.argwhere(unknown)[0]
        raise InputError(
            f"constraint {c} names body {pair[c, side]}, but there are {bodies} bodies "
            f"(0 to {bodies - 1}, or −1 for the world)"
        )
    same = pair[:, 0] == pair[:, 1]
    if same.any():
        c = int(np.argmax(same))
        raise InputError(f"constraint {c} joins body {pair[c, 0]} to itself")
    return np.ascontiguousarray(pair, dtype=np.int32)
