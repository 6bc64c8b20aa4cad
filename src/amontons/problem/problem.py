"""`ConeProblem`: the one object between physics and solvers."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.algebra.sums import ALONE, Ranks
from amontons.checks import as_finite
from amontons.errors import InputError
from amontons.problem import forms, units
from amontons.problem.cohesion import shift_of
from amontons.problem.forms import BodyMotion, GivenBodies, GivenContacts, GivenSets
from amontons.problem.frames import frames_of, turned
from amontons.problem.internal import InternalProblem
from amontons.problem.operators import BodyOperator, CellOperator, Operator
from amontons.problem.sets import Product, Run
from amontons.problem.terms import Terms
from amontons.problem.units import NO_YARDSTICK, Yardstick, row_factors

Floats = NDArray[np.float64]


class ConeProblem(InternalProblem):
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
        ranks: Ranks = ALONE,
    ) -> None:
        self.sets = sets if isinstance(sets, Product) else Product(sets)
        self.tangents = tangents
        if self.sets.rows != operator.rows:
            raise InputError(
                f"the sets have {self.sets.rows} rows, but the matrix has {operator.rows}"
            )
        operator.check(self.sets.arrays)
        given = as_finite("the linear term r", linear)
        if given.shape != (operator.rows,):
            raise InputError(
                f"the linear term r must have {operator.rows} entries, one per row of the matrix, "
                f"got shape {given.shape}"
            )
        terms = Terms.checked(self.sets, compliance, cohesion, lengths)
        self.ranks, self.name, self.yardstick = ranks, name, yardstick.checked()
        self._hold(operator, self._inward(given), given, terms)

    def _hold(self, operator: Operator, linear: Floats, given: Floats, terms: Terms) -> None:
        """Store checked data in internal order; ‖r‖ is summed over r in the caller's order."""
        self.operator, self.linear = operator, linear
        self.all_rows, self.all_blocks, one_sided = self.ranks.size(
            self.rows, self.blocks, not self.sets.bilateral
        )
        self.bilateral = not one_sided
        self.compliance, self.cohesion, self.lengths = terms
        self.judged_as_given: ConeProblem | None = None
        """Itself if errors also count in its own rows, torques and forces alike, as other
        programs define them in their files. See :meth:`judge_as_given`."""
        self.row_factors = row_factors(self.sets, lambda: self.curvature, self.lengths)
        """Factors that make every internal row a speed, shape (rows,); None if all are speeds."""
        self.linear_norm = self.norm(units.speeds(self, given))
        """‖r‖, of rows of one unit [m/s]."""
        self.closing_norm = units.closing_norm(self, linear)
        self.shift: Floats | None = None
        self.objective_offset = 0.0
        if self.cohesion is not None:  # r ← r − N(c n), paper 3, §2.4
            self.shift = shift_of(self.sets, self.cohesion)
            pulled = self.product(self.shift)
            self.objective_offset = 0.5 * self.inner(self.shift, pulled)
            self.objective_offset -= self.inner(linear, self.shift)
            self.linear = linear - pulled

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
            Coefficients of each contact, or one for all. Blocks are (normal, t1, t2) with friction
            alone, (normal, t1, t2, m1, m2) with rolling friction, and (normal, t1, t2, spin, m1,
            m2) with both. Without any, rows are frictionless contacts.
        sets:
            Any product of sets instead: a list of `Free`, `NonNegative`, `Interval`, ...
        compliance:
            Diagonal of E, one non-negative entry per row.
        cohesion:
            Largest pull c of each contact as an impulse [N s]: γ_n ≥ −c, ‖γ_t‖ ≤ μ(γ_n + c).
        lengths:
            What makes a speed of rows that turn [m], one per block: 1 for scalar rows that are
            speeds, NaN for contacts, which have their own (:mod:`amontons.problem.units`).
        """
        parts = forms.of_matrix(W, q, GivenSets(friction, rolling, spinning, sets))
        return cls(*parts, compliance=compliance, cohesion=cohesion, lengths=lengths, name=name)

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
        given = GivenSets(friction, rolling, spinning, sets)
        parts, tangents = forms.of_mass_matrix(M, H, f, w, given, form)
        more: dict[str, Any] = {"compliance": compliance, "cohesion": cohesion, "name": name}
        return cls(*parts, tangents=tangents, lengths=lengths, **more)

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
            Coefficients of each contact, or one for all; with rolling or spinning, every contact
            has six rows: force and torque.
        """
        operator, product, motion = forms.of_contacts(
            GivenBodies(inverse_mass, inverse_inertia, free_velocity),
            GivenContacts(bodies_a, bodies_b, normals, arms_a, arms_b, offset),
            GivenSets(friction, rolling, spinning),
        )
        terms = Terms.checked(product, compliance, cohesion, lengths)
        return cls.over_bodies(operator, product, motion, terms, name=name)

    @classmethod
    def over_bodies(
        cls,
        operator: BodyOperator | CellOperator,
        sets: Product,
        motion: BodyMotion,
        terms: Terms,
        *,
        yardstick: Yardstick = NO_YARDSTICK,
        name: str = "",
        ranks: Ranks = ALONE,
    ) -> Self:
        """The problem r = Dᵀv* + b from checked data in internal order.

        The only constructor of problems over bodies, for callers and time steps alike. Contacts are
        all of one kind, and come before the scalar rows.
        """
        problem = cls.__new__(cls)
        problem.sets, problem.tangents = sets, None
        problem.ranks, problem.name, problem.yardstick = ranks, name, yardstick
        linear = as_finite("the linear term r", motion.linear(operator))
        problem._hold(operator, linear, sets.outward(linear), terms)
        return problem

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ConeProblem:
        """Read a problem from a `.npz` file or from FCLIB's HDF5 (`.hdf5`, `.h5`)."""
        from amontons.problem import files

        return files.load(path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the problem as `.npz`, or as FCLIB's HDF5 if the name ends in `.hdf5` or `.h5`."""
        from amontons.problem import files

        files.save(self, path)

    # -- units ------------------------------------------------------------------------------------

    @cached_property
    def even(self) -> ConeProblem:
        """The same problem with every row a speed, on which solvers and residuals work.

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
        """Let the scaled error be that of its own rows if that is larger; returns itself.

        Collections of problems define the error in rows as they are stored, whatever their units.
        An answer called converged then meets either definition.
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
        """The unit of the scaled error: ‖r‖ or, by its yardstick, what of it closes contacts."""
        norm = self.closing_norm if self.yardstick.usual > 0.0 else self.linear_norm
        least = max(self.yardstick.least, self.yardstick.usual)
        return max(norm, least * math.sqrt(self.all_blocks)) or 1.0

    # -- callers' coordinates ---------------------------------------------------------------------

    def unknowns(self, impulses: ArrayLike | None) -> Floats:
        """Internal unknowns x of impulses γ, shape (rows,); zeros for None."""
        if impulses is None:
            x = np.zeros(self.rows)
        else:
            x = as_finite("impulses", impulses)
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

    def velocity_change(self, x: Floats, gathered: Floats | None = None) -> Floats | None:
        """M⁻¹ D γ of each body, of internal unknowns x, shape (bodies, 6); None without bodies.

        `gathered` is what the product (N + E) x of :attr:`even` left in its scratch memory, if that
        is known: it serves where the unknowns there are the impulses themselves.
        """
        operator = self.operator.over_bodies
        if operator is None:
            return None
        if gathered is not None and self.shift is None and self.row_factors is None:
            return gathered
        return operator.velocities(x if self.shift is None else x - self.shift)

    @property
    def given_linear(self) -> Floats:
        """r as the caller gave it."""
        if self.shift is None:
            return self._outward(self.linear)
        return self._outward(self.linear + self.product(self.shift))

    def with_linear(self, linear: Floats) -> ConeProblem:
        """The same problem with another internal linear term; everything else is shared.

        So is `linear_norm`, the unit of the scaled error: the two are shifts of one problem.
        """
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.__dict__.pop("even", None)
        other.linear, other.judged_as_given = linear, None
        return other

    def with_exact_friction(self) -> ConeProblem:
        """The same problem for first-order methods, in which velocities get De Saxcé's term.

        A matrix that is not symmetric is then used whole.
        """
        other = self.with_linear(self.linear)
        other.sets = self.sets.with_exact_friction()
        if self.operator.skew is not None:
            other.operator = self.operator.whole()
            if self.shift is not None:
                other.linear = self.linear - self.operator.skew @ self.shift
        return other

    @property
    def frames(self) -> Floats | None:
        """Contact frames in which the caller speaks: columns n, t1 and n × t1, (contacts, 3, 3).

        None where the caller's coordinates are the internal ones. Only t1 is kept.
        """
        return None if self.tangents is None else frames_of(self.sets, self.tangents)

    def _inward(self, values: Floats) -> Floats:
        """Values of rows in internal coordinates and order, from the caller's."""
        return self.sets.inward(turned("cij,cj->ci", self.frames, values))

    def _outward(self, values: Floats) -> Floats:
        """Values of rows in the caller's coordinates and order."""
        return turned("cji,cj->ci", self.frames, self.sets.outward(values))

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
