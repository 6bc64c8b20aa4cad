"""From a caller's matrix, mass matrix or bodies in contact to an operator, r and sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from amontons.checks import as_finite
from amontons.errors import InputError
from amontons.problem.kernels import add_offsets
from amontons.problem.matrices import (
    checked_mass,
    finite_matrix,
    halves,
    reordered,
    symmetric_part,
    warn_if_indefinite,
    warn_of_mass,
)
from amontons.problem.operators import (
    BodyOperator,
    CellOperator,
    FactoredOperator,
    MatrixOperator,
    Operator,
)
from amontons.problem.operators.factored import MassInverse
from amontons.problem.recognise import recognise_bodies
from amontons.problem.sets import CoulombCone, NonNegative, Product, RollingCone, Run, SpinningCone

Floats = NDArray[np.float64]

CONDENSE_BELOW = 3000
"""Rows up to which a global problem is condensed to the matrix HᵀM⁻¹H: its product is faster."""


NOTHING = np.empty(0)
"""Offsets of no rows."""


class Parts(NamedTuple):
    """The ingredients of a problem; r is in the caller's order."""

    operator: Operator
    linear: ArrayLike
    sets: Product


class GivenSets(NamedTuple):
    """Sets as a caller describes them: contacts of one kind by their coefficients, or any runs."""

    friction: ArrayLike | None
    rolling: ArrayLike | None
    spinning: ArrayLike | None
    runs: Sequence[Run] | None = None

    def of_rows(self, rows: int) -> Product:
        """The product of sets of so many rows, in contact coordinates unless runs say otherwise."""
        if self.runs is not None:
            if not (self.friction is None and self.rolling is None and self.spinning is None):
                raise InputError("give either `sets` or friction coefficients, not both")
            return Product(list(self.runs))
        if self.friction is None:
            if self.rolling is not None or self.spinning is not None:
                raise InputError("rolling and spinning friction need `friction` too")
            return Product([NonNegative(rows)])
        dimension = 6 if self.spinning is not None else 5 if self.rolling is not None else 3
        if rows % dimension:
            raise InputError(
                f"{rows} rows are not a whole number of contacts with {dimension} rows each"
            )
        contacts = rows // dimension
        mu = as_finite("friction", self.friction)
        mu = np.full(contacts, float(mu)) if mu.ndim == 0 else mu
        if mu.shape != (contacts,):
            raise InputError(f"friction has {mu.size} entries for {contacts} contacts")
        rho = 0.0 if self.rolling is None else self.rolling
        if self.spinning is not None:
            return Product([SpinningCone(mu, rho, self.spinning)])
        return Product([CoulombCone(mu) if self.rolling is None else RollingCone(mu, rho)])

    def of_normals(self, normals: Floats, contacts: int) -> Product:
        """The cones of contacts in world coordinates."""
        mu = one_per_contact("friction", 0.0 if self.friction is None else self.friction, contacts)
        if self.rolling is None and self.spinning is None:
            return Product([CoulombCone(mu, normals)])
        rho = 0.0 if self.rolling is None else self.rolling
        sigma = 0.0 if self.spinning is None else self.spinning
        return Product([SpinningCone(mu, rho, sigma, normals)])


def of_matrix(W: Any, q: ArrayLike, given: GivenSets) -> Parts:
    """The "local" problem u = W γ + q."""
    matrix = finite_matrix("W", W)
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"W must be square, got {matrix.shape[0]} × {matrix.shape[1]}")
    sets = given.of_rows(matrix.shape[0])
    if sets.rows != matrix.shape[0]:
        raise InputError(f"the sets have {sets.rows} rows, but W has {matrix.shape[0]}")
    symmetric, skew = symmetric_part(reordered(matrix, sets))
    warn_if_indefinite(symmetric)
    return Parts(MatrixOperator(symmetric, skew), q, sets)


def of_mass_matrix(
    M: Any, H: Any, f: ArrayLike, w: ArrayLike | None, given: GivenSets, form: str
) -> tuple[Parts, Floats | None]:
    """The "global" problem M v = f + H γ, u = Hᵀ v + w, with N kept in the requested form.

    "matrix" is condensed, "factored" never formed, "bodies" matrix-free; "auto" chooses. Also
    returns t1 of the contact frames if bodies are recognised.
    """
    mass, jacobian = finite_matrix("M", M).tocsc(), finite_matrix("H", H).tocsc()
    if mass.shape[0] != jacobian.shape[0]:
        raise InputError(
            f"M is {mass.shape[0]} × {mass.shape[1]} but H has {jacobian.shape[0]} rows"
        )
    force = as_finite("f", f)
    if force.shape != (mass.shape[0],):
        raise InputError(f"f must have {mass.shape[0]} entries, got shape {force.shape}")
    if form not in ("auto", "matrix", "factored", "bodies"):
        raise InputError(f"unknown form {form!r}; choose 'auto', 'matrix', 'factored' or 'bodies'")
    rows = jacobian.shape[1]
    offset = np.zeros(rows) if w is None else as_finite("w", w)
    if offset.shape != (rows,):
        raise InputError(f"w must have {rows} entries, got shape {offset.shape}")
    sets = given.of_rows(rows)
    if sets.rows != rows:
        raise InputError(f"the sets have {sets.rows} rows, but H has {rows} columns")
    condensed = form == "matrix" or (form == "auto" and rows <= CONDENSE_BELOW)
    whole, symmetric, asymmetry = checked_mass(mass)
    warn_of_mass(asymmetry, condensed=condensed)
    inverse = MassInverse(whole if condensed else symmetric)
    q = jacobian.T @ inverse(force) + offset
    inner = jacobian[:, np.argsort(sets.row_order)]
    if condensed:
        W = FactoredOperator(inverse, inner).whole_matrix()
        matrix, skew = halves(W) if asymmetry else (sp.csr_array((W + W.T) / 2), None)
        return Parts(MatrixOperator(matrix, skew), q, sets), None
    if form in ("auto", "bodies"):
        found = recognise_bodies(symmetric.tocsr(), jacobian, list(sets.runs))
        if found is not None:
            return Parts(found.operator, q, Product(found.runs)), found.tangents
        if form == "bodies":
            raise InputError(
                "M and H are not those of rigid bodies (six unknowns each, Coulomb contacts "
                "between two of them); use form='auto'"
            )
    return Parts(FactoredOperator(inverse, inner), q, sets), None


# -- rigid bodies ---------------------------------------------------------------------------------


class GivenBodies(NamedTuple):
    """Rigid bodies as :class:`~amontons.problem.operators.BodyOperator` describes them."""

    inverse_mass: ArrayLike  # [1/kg], shape (bodies,)
    inverse_inertia: ArrayLike  # in world axes [1/(kg m²)], shape (bodies, 3, 3)
    free_velocity: ArrayLike  # v*, linear then angular [m/s, rad/s], shape (bodies, 6)


class GivenContacts(NamedTuple):
    """Contacts between them; normals point from A to B."""

    bodies_a: ArrayLike  # shape (contacts,), −1 is the world
    bodies_b: ArrayLike
    normals: ArrayLike  # unit vectors, shape (contacts, 3)
    arms_a: ArrayLike  # from centres of mass to the contact point [m], shape (contacts, 3)
    arms_b: ArrayLike
    offset: ArrayLike | None  # b along the normals [m/s], shape (contacts,)


class BodyMotion(NamedTuple):
    """The terms of r = Dᵀv* + b over bodies: contacts, then scalar rows."""

    free: Floats  # v*, shape (bodies, 6)
    normals: Floats  # shape (contacts, 3)
    offset: Floats | None  # b along the normals [m/s], shape (contacts,)
    scalar_offset: Floats | None = None  # b of scalar rows [m/s], shape (scalar rows,)
    drift: Floats | None = None  # velocity of B's point beyond its body's [m/s], (contacts, 3)

    def linear(self, operator: BodyOperator | CellOperator) -> Floats:
        """r in internal order, shape (rows,) [m/s]."""
        linear = np.empty(operator.rows)
        operator.from_velocities(self.free, linear)
        offset = (
            np.zeros(len(self.normals))
            if self.offset is None
            else np.ascontiguousarray(self.offset)
        )
        scalars = NOTHING if self.scalar_offset is None else self.scalar_offset
        add_offsets(linear, self.normals, offset, scalars)
        if self.drift is not None:
            contacts = len(self.normals)
            linear[: 3 * contacts].reshape(3, contacts)[:] += self.drift.T
        return linear


def of_contacts(
    bodies: GivenBodies, contacts: GivenContacts, given: GivenSets
) -> tuple[BodyOperator, Product, BodyMotion]:
    """Rigid bodies in contact, in world coordinates."""
    count = np.atleast_2d(np.asarray(contacts.arms_a)).shape[0]
    normals = as_finite("normals", contacts.normals)
    sets = given.of_normals(normals, count)
    operator = BodyOperator(
        inverse_mass=bodies.inverse_mass,
        inverse_inertia=bodies.inverse_inertia,
        bodies_a=contacts.bodies_a,
        bodies_b=contacts.bodies_b,
        arms_a=contacts.arms_a,
        arms_b=contacts.arms_b,
        wrenches=count if sets.has_torque else 0,
    )
    free = as_finite("free_velocity", bodies.free_velocity)
    if free.shape != (operator.bodies, 6):
        raise InputError(f"free_velocity must have shape ({operator.bodies}, 6), got {free.shape}")
    offset = None
    if contacts.offset is not None:
        offset = one_per_contact("offset", contacts.offset, count)
    return operator, sets, BodyMotion(free, normals, offset)


def one_per_contact(name: str, value: ArrayLike, contacts: int) -> Floats:
    """A finite number for each contact, from one for all or one each."""
    array = as_finite(name, value)
    if array.ndim and array.shape != (contacts,):
        raise InputError(f"{name} has shape {array.shape} for {contacts} contacts")
    return np.broadcast_to(array, (contacts,))
