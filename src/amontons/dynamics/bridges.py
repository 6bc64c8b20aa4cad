"""Liquid bridges: a pull that acts at a distance, once two bodies have touched.

A bridge of the volume V between two equal spheres of radius R, at the distance s, pulls with

    F = 2π R γ cos θ / (1 + 1.05 ŝ + 2.5 ŝ²),   ŝ = s √(R/V),

where γ is the surface tension and θ the contact angle (Willett, Adams, Johnson and Seville,
Langmuir 16, 9396, 2000, for V below R³/1000); unequal ones count as spheres of the harmonic mean
R = 2/(1/R_A + 1/R_B), as Derjaguin has it. It ruptures at s = (1 + θ/2) ∛V (Lian, Thornton and
Adams, J. Colloid Interface Sci. 161, 138, 1993).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amontons.array_types import Flags, Floats, Ints
from amontons.collision.contacts import ContactSet
from amontons.dynamics.adhesion import pair_numbers, reduced_radii, shared
from amontons.model.materials import PairTable

TOUCH = 0.01
"""Distance, by the length √(V/R) over which the pull falls, at which bodies count as touching."""


class Bridges(NamedTuple):
    """Liquid bridges of the contacts of a step."""

    wet: Flags  # contacts that may have one, (contacts,)
    acting: Flags  # those that have one as the step begins, (contacts,)
    pull: Floats  # of each [N], (contacts,)


def bridges_of(
    contacts: ContactSet,
    material: Ints,
    curvature: Floats,
    pairs: PairTable,
    range_of_touch: float,
    before: Flags,
) -> Bridges:
    """The bridges of contacts that touch, or had one `before` and are not too far apart yet.

    Bodies touch up to `TOUCH`, and at most up to the given range [m].

    `material` and `curvature` [1/m] are those of bodies, shape (bodies,). A pair of bodies has one
    bridge; its contact points share it.
    """
    of = tuple(material[contacts.bodies].T)
    radius = 2.0 * reduced_radii(curvature[contacts.bodies])
    volume = pairs.bridge_volume[of] + pairs.bridge_ratio[of] * radius**3
    angle = pairs.contact_angle[of]
    strength = 2.0 * np.pi * radius * pairs.surface_tension[of] * np.cos(angle)
    wet = strength > 0.0
    distance = np.maximum(contacts.gaps, 0.0)
    length = np.sqrt(np.divide(volume, radius, out=np.zeros_like(radius), where=radius > 0.0))
    touching = distance <= np.minimum(range_of_touch, TOUCH * length)
    acting = wet & (touching | (before & (distance <= rupture_distance(volume, angle))))
    force = strength * weakening(distance, length)
    return Bridges(wet, acting, shared(force, pair_numbers(contacts), acting))


def rupture_distance(volume: Floats, angle: Floats) -> Floats:
    """Distance [m] at which bridges of these volumes [m³] rupture: (1 + θ/2) ∛V."""
    return np.asarray((1.0 + 0.5 * angle) * np.cbrt(volume))


def weakening(distance: Floats, length: Floats) -> Floats:
    """Force by that of bodies that touch: 1/(1 + 1.05 ŝ + 2.5 ŝ²), with ŝ by the length √(V/R)."""
    apart = np.divide(distance, length, out=np.zeros_like(distance), where=length > 0.0)
    return np.asarray(1.0 / (1.0 + 1.05 * apart + 2.5 * apart**2))


def longest_reach(curvature: Floats, wet: Flags, mobile: Flags, pairs: PairTable) -> float:
    """A distance [m] at which all bridges of these bodies have ruptured, shape (bodies,) each."""
    each = np.sort(curvature[wet])
    free = np.sort(curvature[wet & mobile])
    round_ones, round_free = each[each > 0.0], free[free > 0.0]
    sums = [0.0]  # of the curvatures of two bodies of which one can move, the least
    if free.size and free[0] == 0.0 and round_ones.size:
        sums.append(float(round_ones[0]))
    if round_free.size and each.size > 1:
        other = each[0] if each[0] < round_free[0] else each[1]
        sums.append(float(round_free[0] + other))
    if len(sums) == 1:
        return 0.0
    radius = 2.0 / min(sums[1:])
    volume = float(pairs.bridge_volume.max() + pairs.bridge_ratio.max() * radius**3)
    return float(rupture_distance(np.array(volume), pairs.contact_angle.max()))
