"""`ConeProblem`: the one object between physics and solvers."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from amontons._jit import CHUNK
from amontons.algebra.cones import Metric
from amontons.algebra.sums import inner, norm
from amontons.errors import InputError
from amontons.problem import kernels, units
from amontons.problem.arrangement import CONES, SIZES
from amontons.problem.checks import (
    checked_mass,
    finite_matrix,
    halves,
    reordered,
    symmetric_part,
    uniform_runs,
    warn_if_indefinite,
    warn_of_mass,
)
from amontons.problem.cohesion import checked_cohesion, shift_of
from amontons.problem.compliance import add_to_blocks, add_to_curvature, checked_compliance
from amontons.problem.operators import BodyOperator, FactoredOperator, MatrixOperator, Operator
from amontons.problem.operators.factored import MassInverse
from amontons.problem.sets import CoulombCone, Product, Run, SpinningCone, finite_array
from amontons.problem.units import NO_YARDSTICK, Yardstick, checked_lengths, row_factors

Floats = NDArray[np.float64]

CONDENSE_BELOW = 3000
"""Rows up to which a global problem is condensed to the matrix HᵀM⁻¹H: its product is faster."""


class ConeProblem:
    """Find γ ∈ Υ with Nγ + r ∈ Υ*, γ ⟂ Nγ + r; that is, minimise ½γᵀ(N + E)γ + rᵀγ over Υ.

    Make one with :meth:`from_matrix`, :meth:`from_bodies`, :meth:`from_contacts` or :meth:`load`.

    Two sets of coordinates meet here. Callers speak of *impulses* γ, in the coordinates that they
    gave. Solvers speak of *unknowns* x, for which every set is a plain cone and, over bodies, every
    contact impulse is a world-frame vector: x = Rγ + s, with R the contact frames (if any) and
    s = c n the shift of cohesive contacts. A rotation of blocks changes no norm, inner product or
    projection, so every algorithm is the same in either.
    """

    def __init__(
        self,
        operator: Operator,
        linear: ArrayLike,
        sets: Product | Sequence[Run],
        *,
        compliance: ArrayLike | None = None,
        cohesion: ArrayLike | None = None,
        lengths: ArrayLike | None = None,
        yardstick: Yardstick = NO_YARDSTICK,
        tangents: Floats | None = None,
        name: str = "",
    ) -> None:
        self.operator = operator
        self.sets = sets if isinstance(sets, Product) else Product(sets)
        self.tangents = tangents
        self.name = name
        if self.sets.rows != operator.rows:
            raise InputError(
                f"the sets have {self.sets.rows} rows, but the matrix has {operator.rows}"
            )
        operator.check(self.sets.arrays)
        given = finite_array("the linear term r", linear)
        if given.shape != (operator.rows,):
            raise InputError(
                f"the linear term r must have {operator.rows} entries, one a row of the matrix, "
                f"got shape {given.shape}"
            )
        self.compliance = checked_compliance(self.sets, compliance)
        self.cohesion = checked_cohesion(self.sets, cohesion)
        self.linear = self._inward(given)
        self.lengths = checked_lengths(self.sets, lengths)
        self.yardstick = yardstick.checked()
        self.judged_as_given: ConeProblem | None = None
        """Itself if errors count in its own rows, too: torques and forces alike, as in the files
        of other programs, which define an error so. See :meth:`judge_as_given`."""
        self.row_factors = row_factors(self.sets, lambda: self.curvature, self.lengths)
        """What makes a speed of each internal row, shape (rows,); None where all are speeds."""
        speeds = given if self.row_factors is None else given * self.sets.outward(self.row_factors)
        self.linear_norm = norm(speeds)
        """‖r‖, of rows of one unit [m/s]."""
        self.shift: Floats | None = None
        self.objective_offset = 0.0
        if self.cohesion is not None:  # r ← r − N(c n), paper 3, §2.4
            self.shift = shift_of(self.sets, self.cohesion)
            pulled = self.product(self.shift)
            self.objective_offset = 0.5 * inner(self.shift, pulled) - inner(self.linear, self.shift)
            self.linear = self.linear - pulled

    # -- construction -----------------------------------------------------------------------------

    @classmethod
    def from_matrix(
        cls,
        W: Any,
        q: ArrayLike,
        *,
        friction: ArrayLike | None = None,
        rolling: ArrayLike | None = None,
        spinning: ArrayLike | None = None,
        sets: Sequence[Run] | None = None,
        compliance: ArrayLike | None = None,
        cohesion: ArrayLike | None = None,
        lengths: ArrayLike | None = None,
        name: str = "",
    ) -> ConeProblem:
        """The "local" problem u = W γ + q.

        Parameters
        ----------
        W:
            Dense or scipy sparse matrix, (rows, rows). If it is not symmetric a warning says so:
            the convex problem sees its symmetric part, exact Coulomb friction all of it.
        q:
            Linear term [m/s], shape (rows,).
        friction, rolling, spinning:
            Coefficients a contact, or one for all. Blocks are (normal, t1, t2) with friction
            alone, (normal, t1, t2, m1, m2) with rolling friction, and (normal, t1, t2, spin, m1,
            m2) with both. Without any, rows are frictionless contacts.
        sets:
            Any product of sets instead: a list of `Free`, `NonNegative`, `Interval`, ...
        compliance:
            Diagonal of E, one non-negative entry a row.
        cohesion:
            Largest pull c of each contact as an impulse [N s]: γ_n ≥ −c, ‖γ_t‖ ≤ μ(γ_n + c).
        lengths:
            What makes a speed of rows that turn [m], one a block: 1 for scalar rows that are
            speeds, NaN for contacts, which have their own (:mod:`amontons.problem.units`).
        """
        matrix = finite_matrix("W", W)
        if matrix.shape[0] != matrix.shape[1]:
            raise InputError(f"W must be square, got {matrix.shape[0]} × {matrix.shape[1]}")
        product = Product(uniform_runs(matrix.shape[0], friction, rolling, spinning, sets))
        if product.rows != matrix.shape[0]:
            raise InputError(f"the sets have {product.rows} rows, but W has {matrix.shape[0]}")
        symmetric, skew = symmetric_part(reordered(matrix, product))
        warn_if_indefinite(symmetric)
        operator = MatrixOperator(symmetric, skew)
        options: dict[str, Any] = {"compliance": compliance, "cohesion": cohesion}
        return cls(operator, q, product, **options, lengths=lengths, name=name)

    @classmethod
    def from_bodies(
        cls,
        M: Any,
        H: Any,
        f: ArrayLike,
        w: ArrayLike | None = None,
        *,
        friction: ArrayLike | None = None,
        rolling: ArrayLike | None = None,
        spinning: ArrayLike | None = None,
        sets: Sequence[Run] | None = None,
        compliance: ArrayLike | None = None,
        cohesion: ArrayLike | None = None,
        form: str = "auto",
        lengths: ArrayLike | None = None,
        name: str = "",
    ) -> ConeProblem:
        """The "global" problem M v = f + H γ, u = Hᵀ v + w.

        `M` is the mass matrix, (unknowns, unknowns), `H` the Jacobian's transpose, (unknowns,
        rows). `form` says how N = HᵀM⁻¹H is kept: "matrix" (condensed), "factored" (never formed),
        "bodies" (matrix-free, where M and H are those of rigid bodies), or "auto": condensed when
        small, then bodies if they are recognised, else factored. Other arguments are those of
        :meth:`from_matrix`.

        If `M` is slightly off symmetric (up to 1 % of the masses), a warning says so: condensed,
        the problem is that of all of W = HᵀM⁻¹H, as in :meth:`from_matrix`; else of (M + Mᵀ)/2.
        """
        mass, jacobian = finite_matrix("M", M).tocsc(), finite_matrix("H", H).tocsc()
        if mass.shape[0] != jacobian.shape[0]:
            raise InputError(
                f"M is {mass.shape[0]} × {mass.shape[1]} but H has {jacobian.shape[0]} rows"
            )
        force = finite_array("f", f)
        if force.shape != (mass.shape[0],):
            raise InputError(f"f must have {mass.shape[0]} entries, got shape {force.shape}")
        if form not in ("auto", "matrix", "factored", "bodies"):
            raise InputError(
                f"unknown form {form!r}; choose 'auto', 'matrix', 'factored' or 'bodies'"
            )
        rows = jacobian.shape[1]
        offset = np.zeros(rows) if w is None else finite_array("w", w)
        if offset.shape != (rows,):
            raise InputError(f"w must have {rows} entries, got shape {offset.shape}")
        product = Product(uniform_runs(rows, friction, rolling, spinning, sets))
        if product.rows != rows:
            raise InputError(f"the sets have {product.rows} rows, but H has {rows} columns")
        condensed = form == "matrix" or (form == "auto" and rows <= CONDENSE_BELOW)
        given, symmetric, asymmetry = checked_mass(mass)
        warn_of_mass(asymmetry, condensed=condensed)
        inverse = MassInverse(given if condensed else symmetric)
        q = jacobian.T @ inverse(force) + offset
        options: dict[str, Any] = {
            "compliance": compliance,
            "cohesion": cohesion,
            "lengths": lengths,
            "name": name,
        }
        inner = jacobian[:, np.argsort(product.row_order)]
        if condensed:
            W = FactoredOperator(inverse, inner).whole_matrix()
            matrix, skew = halves(W) if asymmetry else (sp.csr_array((W + W.T) / 2), None)
            return cls(MatrixOperator(matrix, skew), q, product, **options)
        if form in ("auto", "bodies"):
            from amontons.problem.recognise import recognise_bodies

            found = recognise_bodies(symmetric.tocsr(), jacobian, list(product.runs))
            if found is not None:
                return cls(found.operator, q, found.runs, tangents=found.tangents, **options)
            if form == "bodies":
                raise InputError(
                    "M and H are not those of rigid bodies (six unknowns each, Coulomb contacts "
                    "between two of them); use form='auto'"
                )
        return cls(FactoredOperator(inverse, inner), q, product, **options)

    @classmethod
    def from_contacts(
        cls,
        *,
        inverse_mass: ArrayLike,
        inverse_inertia: ArrayLike,
        bodies_a: ArrayLike,
        bodies_b: ArrayLike,
        normals: ArrayLike,
        arms_a: ArrayLike,
        arms_b: ArrayLike,
        free_velocity: ArrayLike,
        offset: ArrayLike | None = None,
        friction: ArrayLike = 0.0,
        rolling: ArrayLike | None = None,
        spinning: ArrayLike | None = None,
        compliance: ArrayLike | None = None,
        cohesion: ArrayLike | None = None,
        lengths: ArrayLike | None = None,
        name: str = "",
    ) -> ConeProblem:
        """The problem of rigid bodies in contact, matrix-free, in world coordinates.

        Parameters
        ----------
        inverse_mass, inverse_inertia, bodies_a, bodies_b, arms_a, arms_b:
            As :class:`~amontons.problem.operators.BodyOperator` describes them.
        normals:
            Unit vectors from A to B, shape (contacts, 3).
        free_velocity:
            v* of each body, linear then angular, shape (bodies, 6) [m/s, rad/s].
        offset:
            b of each contact along its normal (gap over step, restitution) [m/s].
        friction, rolling, spinning:
            Coefficients a contact or one for all; with rolling or spinning, every contact has six
            rows: force and torque.
        """
        count = np.atleast_2d(np.asarray(arms_a)).shape[0]
        normals = finite_array("normals", normals)
        mu = _one_a_contact("friction", friction, count)
        run: Run
        torque = rolling is not None or spinning is not None
        if torque:
            run = SpinningCone(
                mu,
                0.0 if rolling is None else rolling,
                0.0 if spinning is None else spinning,
                normals,
            )
        else:
            run = CoulombCone(mu, normals)
        operator = BodyOperator(
            inverse_mass=inverse_mass,
            inverse_inertia=inverse_inertia,
            bodies_a=bodies_a,
            bodies_b=bodies_b,
            arms_a=arms_a,
            arms_b=arms_b,
            wrenches=count if torque else 0,
        )
        free = finite_array("free_velocity", free_velocity)
        if free.shape != (operator.bodies, 6):
            raise InputError(
                f"free_velocity must have shape ({operator.bodies}, 6), got {free.shape}"
            )
        relative = np.empty(operator.rows)
        operator.from_velocities(free, relative)
        linear = relative.reshape(6 if torque else 3, count).T.copy()
        if offset is not None:
            along = _one_a_contact("offset", offset, count)
            linear[:, :3] += along[:, None] * normals
        options: dict[str, Any] = {
            "compliance": compliance,
            "cohesion": cohesion,
            "lengths": lengths,
            "name": name,
        }
        return cls(operator, linear.ravel(), [run], **options)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ConeProblem:
        """Read a problem from a `.npz` file or from FCLIB's HDF5 (`.hdf5`, `.h5`)."""
        from amontons.problem import files

        return files.load(path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the problem as `.npz`, or as FCLIB's HDF5 if the name ends in `.hdf5` or `.h5`."""
        from amontons.problem import files

        files.save(self, path)

    # -- what solvers use -------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.sets.rows

    @property
    def blocks(self) -> int:
        """Number of blocks: contacts and scalar rows."""
        return self.sets.blocks

    def product(self, x: Floats, out: Floats | None = None, scratch: Any = None) -> Floats:
        """(N + E) x."""
        if out is None:
            out = np.empty(self.rows)
        if scratch is None:
            scratch = self.operator.scratch()
        self.operator.apply(x, out, scratch)
        self._comply(x, out)
        return out

    def product_and_square(self, x: Floats, out: Floats, scratch: Any) -> float:
        """out ← (N + E) x; returns xᵀ(N + E)x, over bodies a by-product."""
        square = self.operator.apply(x, out, scratch)
        self._comply(x, out)
        if square is None or self.compliance is not None:
            return self.inner(x, out)
        return self.total((square,))[0]

    def inner(self, x: Floats, y: Floats) -> float:
        """xᵀy of vectors over the rows."""
        return self.total((inner(x, y),))[0]

    def product_of_velocities(self, x: Floats, velocity: Floats, out: Floats) -> None:
        """out ← (N + E) x over bodies whose velocities M⁻¹ D x are known already."""
        assert isinstance(self.operator, BodyOperator)
        self.operator.from_velocities(velocity, out)
        self._comply(x, out)

    def _comply(self, x: Floats, out: Floats) -> None:
        if self.compliance is not None:
            add = kernels.add_compliance.sized(self.blocks)
            add(self.sets.arrays, self.compliance, x, out)

    def diagonal_blocks(self) -> tuple[Floats, NDArray[np.int64]]:
        """The blocks N_bb + E_bb, row by row in one flat array, and where each begins."""
        blocks, offsets = self.operator.diagonal_blocks(self.sets.arrays)
        if self.compliance is not None:
            add_to_blocks(self.sets, self.compliance, blocks, offsets)
        return blocks, offsets

    def quadratic(
        self,
        points: tuple[Floats, Floats, Floats],
        products: tuple[Floats, Floats, Floats],
        scratches: tuple[Any, Any, Any],
        beta: float,
    ) -> float:
        """dᵀ(N + E)d for d = new − old − β(old − older), given those three and their products."""
        short = None
        if self.compliance is None:
            short = self.operator.quadratic(*scratches, beta)
        if short is None:
            square = kernels.blended_square.sized(self.blocks)
            partial = np.empty((-(-self.rows // (4 * CHUNK)), 1))
            short = float(square(*points, *products, beta, partial))
        return self.total((short,))[0]

    def total(self, sums: tuple[float, ...]) -> tuple[float, ...]:
        """Sums over this problem's rows as sums over the whole problem.

        The identity on one machine; a problem spread over several adds their parts here, so a
        solver passes every inner product and norm through this method.
        """
        return sums

    @cached_property
    def curvature(self) -> Floats:
        """Mean diagonal of N + E over normal, tangential and torque rows, shape (blocks, 3)."""
        curvature = self.operator.curvatures(self.sets.arrays)
        if self.compliance is not None:
            add_to_curvature(self.sets, self.compliance, curvature)
        return curvature

    @cached_property
    def mean_steps(self) -> Floats:
        """d / trace(N_bb) of each block: the step of papers 2 to 4, and ρ of the scaled error."""
        c, rows = self.curvature, np.ones(self.blocks)
        trace = c[:, 0].copy()
        for kind, first, count, _ in self.sets.arrays.groups.tolist():
            if kind in CONES:
                cones, size = slice(first, first + count), SIZES[kind]
                trace[cones] += 2.0 * c[cones, 1] + (size - 3.0) * c[cones, 2]
                rows[cones] = size
        return rows / _positive(trace, self._largest_curvature)

    @cached_property
    def _largest_curvature(self) -> float:
        return float(self.curvature.max(initial=0.0)) or 1.0

    def metric(self, scaling: str) -> Metric:
        """Step lengths that precondition a first-order method.

        "none" is the identity; "block" one step a block, d/trace(N_bb), as papers 1 to 4 have it;
        "split" one for the normal, one for the tangential and one for the torque rows. The cone is
        a cone in that metric too, so its projection stays exact and the step fits better.
        """
        empty = np.empty(0)
        torque = self.sets.has_torque
        if scaling == "none":
            one = np.ones(self.blocks)
            return Metric(one, one, one if torque else empty)
        if scaling == "block":
            steps = self.mean_steps
            return Metric(steps, steps, steps if torque else empty)
        if scaling == "split":
            c, top = self.curvature, self._largest_curvature
            return Metric(
                1.0 / _positive(c[:, 0], top),
                1.0 / _positive(c[:, 1], top),
                1.0 / _positive(c[:, 2], top) if torque else empty,
            )
        raise InputError(f"unknown scaling {scaling!r}; choose 'none', 'block' or 'split'")

    # -- units ------------------------------------------------------------------------------------

    @cached_property
    def even(self) -> ConeProblem:
        """The same problem with every row a speed: what solvers and residuals work on.

        See :mod:`amontons.problem.units`; itself where nothing turns.
        """
        return units.even(self)

    def to_even(self, x: Floats) -> Floats:
        """Unknowns of :attr:`even`, from its own."""
        return x if self.row_factors is None else x / self.row_factors

    def from_even(self, x: Floats) -> Floats:
        """Its own unknowns, from those of :attr:`even`."""
        return x if self.row_factors is None else x * self.row_factors

    def judge_as_given(self) -> ConeProblem:
        """Let the scaled error be that of its own rows where that is larger; returns itself.

        Collections of problems define the error in rows as they are stored, whatever their units.
        What is called converged then is so by either definition.
        """
        if self.row_factors is not None:
            self.judged_as_given = self
        return self

    @property
    def judged_by_more(self) -> bool:
        """Whether the scaled error is more than ‖e‖/‖r‖: see `Yardstick` and `judge_as_given`."""
        return math.isfinite(self.yardstick.most) or self.judged_as_given is not None

    @property
    def speed_unit(self) -> float:
        """What the scaled error is relative to: ‖r‖, or what its yardstick calls the least."""
        return max(self.linear_norm, self.yardstick.least * math.sqrt(self.blocks)) or 1.0

    # -- coordinates at the border ----------------------------------------------------------------

    def unknowns(self, impulses: ArrayLike | None) -> Floats:
        """Internal unknowns x of impulses γ, shape (rows,); zeros for None."""
        if impulses is None:
            x = np.zeros(self.rows)
        else:
            x = finite_array("impulses", impulses)
            if x.shape != (self.rows,):
                raise InputError(f"impulses must have {self.rows} entries, got shape {x.shape}")
            x = self._inward(x)
        if self.shift is not None:
            x = x + self.shift
        return x

    def impulses(self, x: Floats) -> Floats:
        """Impulses γ in the caller's coordinates, of internal unknowns x."""
        return self._outward(x if self.shift is None else x - self.shift)

    def velocities(self, x: Floats, product: Floats | None = None) -> Floats:
        """u = (N + E)γ + r in the caller's coordinates, of internal unknowns x [m/s].

        `product` is (N + E) x, if that is known.
        """
        u = (self.product(x) if product is None else product) + self.linear
        if self.operator.skew is not None:
            u += self.operator.skew @ (x if self.shift is None else x - self.shift)
        return self._outward(u)

    @property
    def given_linear(self) -> Floats:
        """r as the caller gave it."""
        if self.shift is None:
            return self._outward(self.linear)
        return self._outward(self.linear + self.product(self.shift))

    def with_linear(self, linear: Floats) -> ConeProblem:
        """The same problem with another internal linear term; everything else is shared.

        So is `linear_norm`, the unit of the scaled error: what differs is a shift of one problem.
        """
        other = object.__new__(ConeProblem)
        other.__dict__.update(self.__dict__)
        other.__dict__.pop("even", None)
        other.linear, other.judged_as_given = linear, None
        return other

    @property
    def frames(self) -> Floats | None:
        """Contact frames in which the caller speaks: columns n, t1 and n × t1, (contacts, 3, 3).

        None where the caller's coordinates are the internal ones. Only t1 is kept.
        """
        if self.tangents is None:
            return None
        normals = self.sets.arrays.normal.T
        return np.stack([normals, self.tangents, np.cross(normals, self.tangents)], axis=2)

    def _inward(self, values: Floats) -> Floats:
        """Values of rows in internal coordinates and order, from the caller's."""
        frames = self.frames
        if frames is not None:
            values = np.einsum("cij,cj->ci", frames, values.reshape(-1, 3)).ravel()
        return self.sets.inward(values)

    def _outward(self, values: Floats) -> Floats:
        """Values of rows in the caller's coordinates and order."""
        values = self.sets.outward(values)
        frames = self.frames
        if frames is not None:
            values = np.einsum("cji,cj->ci", frames, values.reshape(-1, 3)).ravel()
        return values

    @property
    def nbytes(self) -> int:
        """Memory of the whole problem, in bytes."""
        held = self.operator.nbytes + self.linear.nbytes
        held += sum(a.nbytes for a in self.sets.arrays)
        for extra in (self.compliance, self.cohesion, self.shift, self.tangents):
            held += 0 if extra is None else extra.nbytes
        for cached in ("curvature", "mean_steps"):
            held += self.__dict__[cached].nbytes if cached in self.__dict__ else 0
        return held

    def __repr__(self) -> str:
        title = f" {self.name!r}" if self.name else ""
        form = type(self.operator).__name__
        return f"<ConeProblem{title}: {self.rows} rows, {self.sets!r}, {form}>"


def _one_a_contact(name: str, value: ArrayLike, contacts: int) -> Floats:
    array = finite_array(name, value)
    if array.ndim and array.shape != (contacts,):
        raise InputError(f"{name} has shape {array.shape} for {contacts} contacts")
    return np.broadcast_to(array, (contacts,))


def _positive(values: Floats, fallback: float) -> Floats:
    """Values with those that are no usable curvature (between immovable bodies) replaced."""
    return np.where(values > 1e-14 * fallback, values, fallback)
