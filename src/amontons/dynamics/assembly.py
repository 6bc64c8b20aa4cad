"""The cone complementarity problem of a time step: contacts, then rows of joints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.sums import ALONE, Ranks
from amontons.collision.images.image_contacts import PeriodicContacts
from amontons.dynamics.contact_laws import ContactTerms
from amontons.dynamics.joints.law import JointRows
from amontons.problem.forms import BodyMotion
from amontons.problem.operators import BodyOperator, CellOperator
from amontons.problem.problem import ConeProblem
from amontons.problem.sets import (
    CoulombCone,
    Free,
    Interval,
    NonNegative,
    Product,
    Run,
    SpinningCone,
    unit_normals,
)
from amontons.problem.terms import Terms
from amontons.problem.units import NO_YARDSTICK, Yardstick

Floats = NDArray[np.float64]

WORLD = np.full(1, np.inf)
"""Radius of gyration of the world."""

NO_TURNING = {"rolling": np.empty(0), "spinning": np.empty(0)}


def assemble(
    terms: ContactTerms,
    rows: JointRows,
    *,
    inverse_mass: Floats,
    inverse_inertia: Floats,
    gyration: Floats,
    free: Floats,
    flexibility: Floats | None = None,
    yardstick: Yardstick = NO_YARDSTICK,
    name: str = "",
    ranks: Ranks = ALONE,
    operator: Callable[..., BodyOperator] = BodyOperator.trusted,
) -> ConeProblem:
    """The problem r = Dᵀv* + b over contacts and joint rows (paper 3, eq. 12).

    Impulses of contacts come first, three world-frame components each, or six (force and torque)
    where any contact resists rolling or spinning; then one for each row of the joints. Rows that
    turn are compared with others by the radius of gyration of the smaller body [m], shape
    (bodies,). Bodies are in the problem in the order in which contacts are listed. A cell that
    forces can move has a `flexibility`, see :class:`CellOperator`. Where processes share the
    problem, this is the part of one: `ranks` are all of them, and `operator` makes N.
    """
    contacts, torque, order = terms.contacts, terms.rolling is not None, terms.contacts.order
    bodies = np.concatenate([contacts.bodies, rows.bodies])
    if order is not None:
        bodies, inverse_mass = order.place[bodies], inverse_mass[order.body]
        inverse_inertia, free = inverse_inertia[order.body], free[order.body]
    over_bodies: BodyOperator | CellOperator = operator(
        inverse_mass=inverse_mass,
        inverse_inertia=inverse_inertia,
        bodies=bodies,
        arms_a=contacts.arms_a,
        arms_b=contacts.arms_b,
        wrenches=len(contacts) if torque else 0,
        jacobian=rows.jacobian,
    )
    motion = BodyMotion(free, contacts.normals, terms.offset, rows.offset)
    if isinstance(contacts, PeriodicContacts):
        motion = motion._replace(drift=contacts.drifts)
        if flexibility is not None and isinstance(over_bodies, BodyOperator):
            over_bodies = CellOperator(over_bodies, contacts.branches, flexibility)
    if terms.slides is not None:
        drift = terms.slides if motion.drift is None else motion.drift + terms.slides
        motion = motion._replace(drift=drift)
    return ConeProblem.over_bodies(
        over_bodies,
        ranks.arranged(_sets(terms, rows)),
        motion,
        Terms(
            _compliance(terms, rows, 6 if torque else 3, ranks),
            _cohesion(terms, len(rows.offset), ranks),
            _lengths(terms, rows, gyration),
        ),
        yardstick=yardstick,
        name=name,
        ranks=ranks,
    )


def _sets(terms: ContactTerms, rows: JointRows) -> Product:
    normals, turning = terms.contacts.normals, {}
    if len(terms):
        normals = unit_normals(normals, len(terms))
    if terms.rolling is not None and terms.spinning is not None:
        turning = {"rolling": terms.rolling, "spinning": terms.spinning}
    cone: type[Run] = SpinningCone if turning else CoulombCone
    return Product.trusted(
        [
            cone.trusted(friction=terms.friction, normals=normals, **turning),
            Free.trusted(count=rows.free),
            NonNegative.trusted(count=rows.one_sided),
            Interval.trusted(lower=rows.lower, upper=rows.upper),
        ],
        normal=np.ascontiguousarray(normals.T),
        friction=terms.friction,
        lower=rows.lower,
        upper=rows.upper,
        **(turning or NO_TURNING),
    )


def _compliance(terms: ContactTerms, rows: JointRows, width: int, ranks: Ranks) -> Floats | None:
    """Of all rows, component by component; contacts give way along their normals alone."""
    if not ranks.any(terms.compliance is not None or bool(rows.compliance.any())):
        return None
    of_contacts = np.zeros((width, len(terms)))
    if terms.compliance is not None:
        of_contacts[0] = terms.compliance
    return np.concatenate([of_contacts.ravel(), rows.compliance])


def _cohesion(terms: ContactTerms, rows: int, ranks: Ranks) -> Floats | None:
    if terms.cohesion is None or not ranks.any(bool(terms.cohesion.any())):
        return None
    return np.concatenate([terms.cohesion, np.zeros(rows)])


def _lengths(terms: ContactTerms, rows: JointRows, gyration: Floats) -> Floats | None:
    """Lengths of rows that turn; contacts have their own, and what is a speed has none."""
    if not rows.angular.any():
        return None
    gyration = np.concatenate([gyration, WORLD])  # −1
    smaller = np.minimum(gyration[rows.bodies[:, 0]], gyration[rows.bodies[:, 1]])
    own = np.full(len(terms), np.nan)
    return np.concatenate([own, np.where(rows.angular, smaller, 1.0)])
