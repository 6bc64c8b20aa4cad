"""Contact laws: from materials, gaps and speeds to friction, offset b and compliance E."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import kernel, prange
from amontons.collision.contacts import ContactSet
from amontons.model.materials import PairTable
from amontons.problem.units import NO_YARDSTICK, Yardstick

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ContactRules:
    """Lengths and speeds that decide how contacts behave.

    Parameters
    ----------
    near:
        Contacts with a smaller gap [m] are always in the problem; others only if they could close.
    recovery_speed:
        Bodies that overlap separate at this speed at most [m/s].
    bounce_speed:
        Impacts slower than this [m/s] give nothing back.
    lift_speed:
        The convex relaxation lifts a sliding contact at this speed at most [m/s]; infinite where
        friction is exact, and so lifts nothing.
    slip_speed:
        Contacts that slide slower than this [m/s] stick: static friction holds them.
    cohesion_range:
        Contacts with a smaller gap [m] pull.
    yardstick:
        What errors of impulses are measured with.
    """

    near: float
    recovery_speed: float
    bounce_speed: float
    lift_speed: float
    slip_speed: float
    cohesion_range: float
    yardstick: Yardstick = NO_YARDSTICK


@dataclass
class ContactTerms:
    """The terms of each contact in the problem."""

    contacts: ContactSet
    kept: NDArray[np.int64] | None  # which of the detected contacts they are; None: all
    bouncing: NDArray[np.bool_]  # impacts that give something back, (contacts,)
    friction: Floats  # (contacts,)
    offset: Floats  # b along the normal [m/s], (contacts,)
    rolling: Floats | None = None  # [m], (contacts,)
    spinning: Floats | None = None  # [m], (contacts,)
    compliance: Floats | None = None  # of the normal row [m/(N s)/s], (contacts,)
    cohesion: Floats | None = None  # largest pull as an impulse [N s], (contacts,)
    parting: Floats | None = None  # share of b that only parts bodies [m/s], ≤ 0, (contacts,)
    has_static_friction: bool = False  # more than of sliding contacts
    slides: Floats | None = None  # of surfaces that run over their bodies [m/s], (contacts, 3)

    def __len__(self) -> int:
        return len(self.contacts)

    @property
    def width(self) -> int:
        """Rows of a contact: three, or six where any resists rolling or spinning."""
        return 3 if self.rolling is None else 6

    def of_kept(self, values: Floats) -> Floats:
        """Values of these contacts, from those of all that were detected."""
        return values if self.kept is None else values.take(self.kept, axis=0)


class ContactPlaces(NamedTuple):
    """Where contacts are, for kernels."""

    bodies: NDArray[np.int32]  # (contacts, 2)
    normals: Floats  # unit vectors from A to B, (contacts, 3)
    arms_a: Floats  # from the position of A [m], (contacts, 3)
    arms_b: Floats  # from the position of B [m], (contacts, 3)
    gaps: Floats  # [m], (contacts,)

    @classmethod
    def of(cls, contacts: ContactSet) -> ContactPlaces:
        """Those of a set of contacts."""
        return cls(
            contacts.bodies, contacts.normals, contacts.arms_a, contacts.arms_b, contacts.gaps
        )

    def part(self, some: slice) -> ContactPlaces:
        """Those of some contacts that follow each other."""
        return ContactPlaces(
            self.bodies[some], self.normals[some], self.arms_a[some], self.arms_b[some],
            self.gaps[some],
        )  # fmt: skip


class Laws(NamedTuple):
    """Properties of contacts between two materials, each of shape (materials, materials)."""

    friction: Floats
    restitution: Floats
    compliance: Floats  # [m/N]
    damping: Floats  # [s]


class Limits(NamedTuple):
    """Those of the `ContactRules` that decide whether and how contacts act."""

    near: float  # [m]
    recovery: float  # [m/s]
    bounce: float  # [m/s]
    lift: float  # [m/s]


class BodiesAtStart(NamedTuple):
    """What contact laws ask of bodies."""

    before: Floats  # velocities v before the step [m/s, rad/s], (bodies, 6)
    free: Floats  # v*, (bodies, 6)
    mobile: NDArray[np.bool_]  # that impulses can move, (bodies,)
    material: NDArray[np.int32]  # (bodies,)


@kernel
def contact_kernel(
    where, at_start, laws, limits, step, hit, keep, mu, offset, yielding, bounces
):  # fmt: skip
    """Which contacts may act in this step, and friction, b and E of each.

    A contact acts if it is near, if it would close within two such steps, or if the convex
    relaxation would lift it that far: by h μ‖u_t‖ (paper 3, §2.3). Or if it was found to be `hit`:
    other impacts of this very step drive its bodies together. It stops them at its gap; what it
    gives back it gives back in the next step.

    b is Φ/h, so that a gap may close and no more (paper 3, eq. 9), at least −recovery where bodies
    overlap; Φ/(h + τ) of a compliant contact with E = C/(h (h + τ)), an implicit spring and
    dashpot; and e u⁻ of an impact.

    The relaxed law wants a contact that slides at a gap of h μ‖u_t‖. From a smaller gap it would
    get there in one step, with a speed that throws the body on into the air. So b is raised, and
    the speed with it lowered, to the `lift` of one step's gravity; an impact is left alone.
    """
    bodies, normals, arms_a, arms_b, gaps = where
    before, free, mobile, material = at_start
    friction, restitution, compliance, damping = laws
    near, recovery, bounce, lift = limits
    for c in prange(gaps.size):
        a, b = bodies[c, 0], bodies[c, 1]
        n0, n1, n2 = normals[c, 0], normals[c, 1], normals[c, 2]
        r0, r1, r2 = arms_a[c, 0], arms_a[c, 1], arms_a[c, 2]
        s0, s1, s2 = arms_b[c, 0], arms_b[c, 1], arms_b[c, 2]
        # r × n and s × n: u_n = n·(v_B − v_A) + ω_B·(s × n) − ω_A·(r × n)
        x0, x1, x2 = r1 * n2 - r2 * n1, r2 * n0 - r0 * n2, r0 * n1 - r1 * n0
        y0, y1, y2 = s1 * n2 - s2 * n1, s2 * n0 - s0 * n2, s0 * n1 - s1 * n0
        d0, d1, d2 = free[b, 0] - free[a, 0], free[b, 1] - free[a, 1], free[b, 2] - free[a, 2]
        u = n0 * d0 + n1 * d1 + n2 * d2
        u += y0 * free[b, 3] + y1 * free[b, 4] + y2 * free[b, 5]
        u -= x0 * free[a, 3] + x1 * free[a, 4] + x2 * free[a, 5]
        i, j = material[a], material[b]
        mu[c] = friction[i, j]
        gap = gaps[c]
        speed = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        reach = near + 2.0 * step * max(-u, mu[c] * speed)
        keep[c] = (mobile[a] or mobile[b]) and (gap <= reach or hit[c])
        soft, relax = compliance[i, j], damping[i, j]
        if gap > 0.0:
            relax = 0.0  # a dashpot that is not touched yet brakes nobody
        yielding[c] = soft / (step * (step + relax))
        if soft > 0.0:
            offset[c] = gap / (step + relax)
        else:
            offset[c] = max(gap / step, -recovery)
        bounces[c] = False
        if not keep[c]:
            continue
        # relative velocity u⁻ before the step: v_B + ω_B × s − v_A − ω_A × r
        e0 = before[b, 0] + before[b, 4] * s2 - before[b, 5] * s1
        e1 = before[b, 1] + before[b, 5] * s0 - before[b, 3] * s2
        e2 = before[b, 2] + before[b, 3] * s1 - before[b, 4] * s0
        e0 -= before[a, 0] + before[a, 4] * r2 - before[a, 5] * r1
        e1 -= before[a, 1] + before[a, 5] * r0 - before[a, 3] * r2
        e2 -= before[a, 2] + before[a, 3] * r1 - before[a, 4] * r0
        w = n0 * e0 + n1 * e1 + n2 * e2
        if w >= -bounce:
            slip = np.sqrt(max(e0 * e0 + e1 * e1 + e2 * e2 - w * w, 0.0))
            sliding = mu[c] * slip - lift
            if sliding > 0.0:
                offset[c] = max(offset[c], min(offset[c], 0.0) + sliding)
        elif restitution[i, j] > 0.0 and gap + step * u <= 0.0:
            offset[c] = restitution[i, j] * w
            bounces[c] = True


def contact_terms(
    contacts: ContactSet,
    *,
    before: Floats,
    free: Floats,
    mobile: NDArray[np.bool_],
    material: NDArray[np.int32],
    pairs: PairTable,
    step: float,
    rules: ContactRules,
    sticking: NDArray[np.bool_] | None = None,
    hit: NDArray[np.bool_] | None = None,
    bouncing: float = 1.0,
    parting: NDArray[np.bool_] | None = None,
) -> ContactTerms:
    """The terms of all contacts that may act in this step.

    Parameters
    ----------
    before, free:
        Velocities v before the step and v* [m/s, rad/s], shape (bodies, 6).
    mobile:
        Bodies that impulses can move; contacts between others are left out; shape (bodies,).
    sticking:
        Which contacts stuck in the last step: static friction holds those; shape (contacts,).
    hit:
        Contacts that other impacts of this step close; shape (contacts,).
    bouncing:
        Share of the restitution that impacts have: 0 where they give nothing back.
    parting:
        Which contacts overlap so much that they are parted by a motion that does not last;
        shape (contacts,).
    """
    count = len(contacts)
    if not count:
        return _no_terms(contacts, pairs, parting is not None)
    keep, bounces = np.empty((2, count), dtype=bool)
    mu, offset, yielding = np.empty((3, count))
    restitution = bouncing * pairs.restitution
    contact_kernel.sized(count)(
        ContactPlaces.of(contacts), BodiesAtStart(before, free, mobile, material),
        Laws(pairs.friction, restitution, pairs.compliance, pairs.damping),
        Limits(rules.near, rules.recovery_speed, rules.bounce_speed, rules.lift_speed), step,
        np.zeros(count, dtype=bool) if hit is None else hit, keep, mu, offset, yielding, bounces,
    )  # fmt: skip

    def of(table: Floats) -> Floats:
        return np.asarray(table[tuple(material[contacts.bodies].T)])

    if pairs.sticks and sticking is not None:
        mu = np.where(sticking, of(pairs.static_friction), mu)
    terms = ContactTerms(contacts, None, bounces, mu, offset)
    terms.has_static_friction = pairs.sticks
    if parting is not None:
        part = np.clip(contacts.gaps / step, -rules.recovery_speed, 0.0)
        terms.parting = np.where(parting & ~bounces, part, 0.0)
    if pairs.resists_turning:
        terms.rolling, terms.spinning = of(pairs.rolling_friction), of(pairs.spinning_friction)
    if pairs.yields:
        terms.compliance = yielding
    return terms if keep.all() else _kept(terms, np.flatnonzero(keep))


def _no_terms(contacts: ContactSet, pairs: PairTable, parting: bool) -> ContactTerms:
    """The terms of no contacts."""
    none = contacts.gaps
    return ContactTerms(
        contacts,
        None,
        np.zeros(0, dtype=bool),
        none,
        none,
        rolling=none if pairs.resists_turning else None,
        spinning=none if pairs.resists_turning else None,
        compliance=none if pairs.yields else None,
        parting=none if parting else None,
        has_static_friction=pairs.sticks,
    )


@kernel
def late_hits(where, velocity, step, slack, inside, hit):
    """hit ← True for contacts that are not `inside` the problem and that these velocities close.

    An overlap up to the `slack` [m] is none. Returns how many there are.
    """
    bodies, normals, arms_a, arms_b, gaps = where
    found = 0
    for c in prange(gaps.size):
        if inside[c]:
            continue
        a, b = bodies[c, 0], bodies[c, 1]
        u = 0.0
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            v = (
                velocity[b, k]
                + velocity[b, 3 + i] * arms_b[c, j]
                - velocity[b, 3 + j] * arms_b[c, i]
            )
            v -= (
                velocity[a, k]
                + velocity[a, 3 + i] * arms_a[c, j]
                - velocity[a, 3 + j] * arms_a[c, i]
            )
            u += v * normals[c, k]
        if gaps[c] + step * u < -slack:
            hit[c] = True
            found += 1
    return found


def _kept(terms: ContactTerms, kept: NDArray[np.int64]) -> ContactTerms:
    def of(values: Floats | None) -> Floats | None:
        return None if values is None else values[kept]

    return ContactTerms(
        contacts=terms.contacts.take(kept),
        kept=kept,
        friction=terms.friction[kept],
        offset=terms.offset[kept],
        rolling=of(terms.rolling),
        spinning=of(terms.spinning),
        compliance=of(terms.compliance),
        parting=of(terms.parting),
        bouncing=terms.bouncing[kept],
        has_static_friction=terms.has_static_friction,
    )
