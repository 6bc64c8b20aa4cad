"""Stress in a silo: what level cuts pass down, what the wall takes, and Janssen's law."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import hypot, pi

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import curve_fit

from amontons.simulation.simulation import Simulation

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Stress:
    """Means over the steps that a gauge has read; cuts from the lowest to the highest."""

    weight: Floats
    """Of all that is above a cut, by the area [Pa], shape (cuts,)."""
    vertical: Floats
    """That contacts pass down across a cut, by the area [Pa], shape (cuts,)."""
    radial: Floats
    """On the wall between neighbouring cuts [Pa], shape (cuts − 1,)."""
    shear: Floats
    """By which the wall holds up what is between neighbouring cuts [Pa], shape (cuts − 1,)."""

    @property
    def ratio(self) -> float:
        """Janssen's K: radial over vertical stress."""
        between = 0.5 * (self.vertical[1:] + self.vertical[:-1])
        return float(self.radial.sum() / between.sum())

    @property
    def mobilised(self) -> float:
        """Shear over radial stress at the wall; Coulomb's law allows as much as μ."""
        return float(self.shear.sum() / self.radial.sum())


@dataclass(frozen=True)
class StressGauge:
    """Reads the stress of bodies in an upright cylinder, step by step."""

    cuts: Floats
    """Heights [m], ascending and evenly spaced, shape (cuts,)."""
    radius: float
    """Of the cylinder [m]."""
    wall: str
    """Name of the body that it belongs to."""

    def read(self, simulation: Simulation) -> Stress:
        """The stress in the last step, after which no body must have been removed."""
        bodies, contacts = simulation.bodies, simulation.contacts
        gravity = float(np.linalg.norm(simulation.world.gravity))
        height, own = bodies.position[:, 2], bodies.dynamic
        area, ring = pi * self.radius**2, 2.0 * pi * self.radius * float(np.diff(self.cuts[:2])[0])
        wall = simulation.world.body(self.wall).id
        first = contacts.bodies[:, 0] == wall
        at_wall = first | (contacts.bodies[:, 1] == wall)
        force = np.where(first, 1.0, -1.0)[at_wall, None] * contacts.force[at_wall]  # on the body
        point = contacts.points[at_wall]
        outward = point[:, :2] / np.linalg.norm(point[:, :2], axis=1, keepdims=True)
        push = -np.einsum("ci,ci->c", force[:, :2], outward)
        rows = np.searchsorted(bodies.id, contacts.bodies)
        among = own[rows].all(axis=1)
        a, b = height[rows[among]].T
        below = np.full(np.count_nonzero(own), -np.inf)
        lift = np.where(b > a, 1.0, -1.0) * contacts.force[among, 2]  # of the upper of the two
        return Stress(
            weight=gravity * across(self.cuts, below, height[own], bodies.mass[own]) / area,
            vertical=across(self.cuts, np.minimum(a, b), np.maximum(a, b), lift) / area,
            radial=np.histogram(point[:, 2], self.cuts, weights=push)[0] / ring,
            shear=np.histogram(point[:, 2], self.cuts, weights=force[:, 2])[0] / ring,
        )


def across(cuts: Floats, low: Floats, high: Floats, value: Floats) -> Floats:
    """Sums at each cut z of the values whose span has it, low ≤ z < high; shape (cuts,)."""
    size = cuts.size + 1
    starts = np.bincount(np.searchsorted(cuts, low), weights=value, minlength=size)
    ends = np.bincount(np.searchsorted(cuts, high), weights=value, minlength=size)
    return np.asarray(np.cumsum(starts - ends)[:-1])


def mean_stress(readings: list[Stress]) -> Stress:
    """Mean over the readings of one gauge."""
    names = [each.name for each in fields(Stress)]
    return Stress(*(np.mean([getattr(r, name) for r in readings], axis=0) for name in names))


def active_ratio(friction: float) -> float:
    """Rankine's least ratio of stress across to that down, (1 − sin φ)/(1 + sin φ), tan φ = μ."""
    sine = friction / hypot(1.0, friction)
    return (1.0 - sine) / (1.0 + sine)


def janssen(depth: Floats, weight: float, length: float) -> Floats:
    """Janssen's law: pressure [Pa] that grows like that of the `weight` [Pa/m] at the top.

    It tends to weight·length, where the wall carries all that is added; `length` is in metres.
    """
    return np.asarray(weight * length * (1.0 - np.exp(-depth / length)))


@dataclass(frozen=True)
class JanssenFit:
    """Janssen's law through the stress at all cuts."""

    depth: Floats
    """Below the top of a bed of constant density with the weight that was found [m], (cuts,)."""
    unit_weight: float
    """[Pa/m]."""
    length: float
    """λ [m]."""
    explained: float
    """Share of the vertical stress's variation over the cuts."""

    @classmethod
    def of(cls, stress: Stress, cuts: Floats) -> JanssenFit:
        """The λ that fits best; depth is reckoned from the weight, as the top is no plane."""
        unit = -float(np.polyfit(cuts, stress.weight, 1)[0])
        depth, found = stress.weight / unit, stress.vertical

        def law(depth: Floats, length: float) -> Floats:
            return janssen(depth, unit, length)

        (length,), _ = curve_fit(law, depth, found, p0=float(depth.max()))
        left = np.sum((found - law(depth, length)) ** 2) / np.sum((found - found.mean()) ** 2)
        return cls(depth, unit, float(length), 1.0 - float(left))
