"""Problems of spheres in a box under gravity: dense beds, with friction or smooth."""

from __future__ import annotations

import numpy as np

from amontons.array_types import Floats
from amontons.checks import at_least, whole
from amontons.errors import InputError
from amontons.generators.bed import (
    LID,
    WALL,
    Bed,
    BedContacts,
    find_contacts,
    just_touching,
    make_bed,
    nearest,
)
from amontons.generators.checks import count_of
from amontons.problem.operators import BodyOperator
from amontons.problem.problem import ConeProblem
from amontons.problem.sets import NonNegative

GRAVITY = 9.81
"""Downwards, along −z [m/s²]."""

CONTACTS_A_SPHERE = 3.25
"""Contacts per sphere of a settled bed, floor and walls included; Slab4000 has 3.27."""

REACH, WIDE_REACH = 0.05, 0.1
"""Largest gap of a contact, over the distance of touching centres: of a packing, and of a bed of
which a number of contacts is asked for."""

RECOVERY_SPEED = 0.1
"""Of overlapping spheres [m/s]."""


def packing(
    spheres: int = 10_000,
    *,
    friction: float = 0.5,
    wall_friction: float = 0.0,
    radius: float = 0.15,
    mass: float = 1.0,
    polydispersity: float = 0.0,
    step: float = 1e-3,
    rolling: float | None = None,
    spinning: float | None = None,
    slab_mass: float | None = None,
    gaps: str = "zero",
    recovery_speed: float = RECOVERY_SPEED,
    seed: int = 0,
) -> ConeProblem:
    """One time step of a random, jammed bed of spheres at rest in an open cubic box.

    A bed has 3.25 contacts per sphere, the nearest ones. Its weight is the free velocity −g·step of
    all bodies, and the floor carries it. Spheres are numbered along a Morton curve and contacts
    sorted by their bodies; A is a sphere, B another sphere, the slab (the last body) or the world.

    Parameters
    ----------
    spheres:
        How many; a million take about 22 s and 1.6 GB.
    friction, wall_friction:
        Coefficients of all contacts, and of those with the four walls. By default walls are smooth,
        so that they carry no weight.
    radius, polydispersity:
        Mean radius [m]; radii are uniform within ± `polydispersity` of it (0.2 means 20 %).
    mass:
        Of a sphere of mean radius [kg]; others have the same density.
    step:
        Time step [s].
    rolling, spinning:
        Coefficients of rolling and spinning friction [m]; either gives every contact six rows.
    slab_mass:
        Of a plate [kg] that lies on the bed and touches the upper layer only; None for no plate.
    gaps:
        "zero": contacts touch, so that the bed carries its weight from the first step, as in
        Slab4000. "geometric": they have the bed's own gaps, three in ten of them overlaps, and the
        offset is gap/step.
    recovery_speed:
        The largest speed at which an overlap is pushed apart [m/s].
    seed:
        Of all random numbers: the same seed makes the same problem, bit by bit.
    """
    count_of("spheres", spheres)
    at_least("radius", radius, above=0.0)
    at_least("mass", mass, above=0.0)
    at_least("step", step, above=0.0)
    at_least("recovery_speed", recovery_speed, floor=0.0)
    for name, value in (("friction", friction), ("wall_friction", wall_friction)):
        at_least(name, value, floor=0.0)
    for name, given in (("rolling", rolling), ("spinning", spinning)):
        if given is not None:
            at_least(name, given, floor=0.0)
    if slab_mass is not None:
        at_least("slab_mass", slab_mass, above=0.0)
    _check_polydispersity(polydispersity)
    _check_gaps(gaps)

    lid = slab_mass is not None
    count = max(1, round(CONTACTS_A_SPHERE * spheres))
    bed = make_bed(spheres, count, polydispersity, lid, np.random.default_rng(whole("seed", seed)))
    bed, contacts = just_touching(bed, nearest(find_contacts(bed, REACH, lid), count))
    inverse_mass, inverse_inertia = _spheres(bed, radius, mass)
    if slab_mass is not None:
        of_slab = _plate(slab_mass, radius * bed.box[0], 2.0 * radius)
        inverse_mass = np.append(inverse_mass, 1.0 / slab_mass)
        inverse_inertia = np.concatenate([inverse_inertia, of_slab[None]])
    arms_a, arms_b = _arms(bed, contacts, radius)
    level = np.abs(contacts.normal[:, 2]) < 0.5
    return ConeProblem.from_contacts(
        inverse_mass=inverse_mass,
        inverse_inertia=inverse_inertia,
        bodies_a=contacts.a,
        bodies_b=np.where(contacts.b == LID, spheres, contacts.b),
        normals=contacts.normal,
        arms_a=arms_a,
        arms_b=arms_b,
        free_velocity=_falling(inverse_mass.size, step),
        offset=_offset(bed, contacts, gaps, radius, step, recovery_speed),
        friction=np.where((contacts.b == WALL) & level, wall_friction, friction),
        rolling=rolling,
        spinning=spinning,
        name=f"packing of {spheres} spheres",
    )


def frictionless_spheres(
    spheres: int = 1000,
    contacts: int = 3525,
    *,
    radius: float = 0.15,
    mass: float = 1.0,
    step: float = 1e-3,
    gaps: str = "zero",
    seed: int = 0,
) -> ConeProblem:
    """Benchmark B2 of paper 1: contacts between smooth spheres of equal mass, in a box.

    A jammed bed at rest in an open box under gravity, over one step; each contact is one row
    n·(v_B − v_A) ≥ 0 and has no arm, since r × n = 0 for spheres. With the default's 3525 rows for
    3000 translations the matrix is singular: impulses are not unique, velocities are.

    Parameters
    ----------
    spheres, contacts:
        How many; the nearest contacts are taken, those with the box among them. An error says so
        if the bed has not enough of them within 10 % of the spheres' diameter.
    radius, mass, step, gaps, seed:
        As :func:`packing` describes them [m, kg, s].
    """
    count_of("spheres", spheres)
    count_of("contacts", contacts)
    at_least("radius", radius, above=0.0)
    at_least("mass", mass, above=0.0)
    at_least("step", step, above=0.0)
    _check_gaps(gaps)
    rng = np.random.default_rng(whole("seed", seed))
    usual = round(float(np.clip(contacts, 3.0 * spheres, 3.6 * spheres)))
    bed = make_bed(spheres, usual, 0.0, False, rng)
    found = find_contacts(bed, WIDE_REACH, lid=False)
    if found.gap.size < contacts:
        raise InputError(
            f"{spheres} spheres in a box cannot have {contacts} contacts: a dense bed of them has "
            f"{found.gap.size} within {WIDE_REACH:.0%} of touching"
        )
    bed, chosen = just_touching(bed, nearest(found, contacts))
    inverse_mass, inverse_inertia = _spheres(bed, radius, mass)
    jacobian = np.zeros((contacts, 12))
    jacobian[:, 0:3], jacobian[:, 6:9] = -chosen.normal, chosen.normal
    operator = BodyOperator(
        inverse_mass=inverse_mass,
        inverse_inertia=inverse_inertia,
        bodies_a=chosen.a,
        bodies_b=chosen.b,
        jacobian=jacobian,
    )
    linear = np.empty(contacts)
    operator.from_velocities(_falling(spheres, step), linear)
    offset = _offset(bed, chosen, gaps, radius, step, RECOVERY_SPEED)
    name = f"{contacts} smooth contacts of {spheres} spheres"
    return ConeProblem(operator, linear + offset, [NonNegative(contacts)], name=name)


def _spheres(bed: Bed, radius: float, mass: float) -> tuple[Floats, Floats]:
    """1/m [1/kg] and I⁻¹ of spheres of one density, I = 2/5 m r²."""
    inverse_mass = 1.0 / (mass * bed.radius**3)
    turning = 2.5 * inverse_mass / (radius * bed.radius) ** 2
    return inverse_mass, turning[:, None, None] * np.eye(3)


def _plate(mass: float, side: float, thickness: float) -> Floats:
    """I⁻¹ of a square plate, shape (3, 3)."""
    tilting = mass * (side**2 + thickness**2) / 12.0
    return np.diag([1.0 / tilting, 1.0 / tilting, 6.0 / (mass * side**2)])


def _arms(bed: Bed, contacts: BedContacts, radius: float) -> tuple[Floats, Floats]:
    """From the centres of A and B to the contact [m]; zero on the world's side.

    The plate's centre is one mean radius above its lower face, the lid of the box.
    """
    radii = np.append(bed.radius, (0.0, 0.0))  # the last two are those of LID and WALL
    arms_a = radius * bed.radius[contacts.a, None] * contacts.normal
    arms_b = -radius * radii[contacts.b, None] * contacts.normal
    lid = np.flatnonzero(contacts.b == LID)
    centre = bed.box * (0.5, 0.5, 1.0)
    arms_b[lid] = radius * (bed.position[contacts.a[lid]] - centre)
    arms_b[lid, 2] = -radius
    return arms_a, arms_b


def _offset(
    bed: Bed, contacts: BedContacts, gaps: str, radius: float, step: float, recovery: float
) -> Floats:
    """Gap over step, at least −`recovery` [m/s]; or zeros."""
    if gaps == "zero":
        return np.zeros(contacts.gap.size)
    radii = np.append(bed.radius, (0.0, 0.0))
    touching = radius * (bed.radius[contacts.a] + radii[contacts.b])
    offset: Floats = np.maximum(touching * contacts.gap / step, -recovery)
    return offset


def _falling(bodies: int, step: float) -> Floats:
    """Velocities after one step of free fall from rest, shape (bodies, 6) [m/s, rad/s]."""
    velocity = np.zeros((bodies, 6))
    velocity[:, 2] = -GRAVITY * step
    return velocity


def _check_gaps(gaps: str) -> None:
    if gaps not in ("zero", "geometric"):
        raise InputError(f"unknown gaps {gaps!r}; choose 'zero' or 'geometric'")


def _check_polydispersity(polydispersity: float) -> None:
    at_least("polydispersity", polydispersity, floor=0.0)
    if polydispersity > 0.5:
        raise InputError(
            f"polydispersity is {polydispersity}; it must not be above 0.5 (radii within ± 50 %)"
        )
