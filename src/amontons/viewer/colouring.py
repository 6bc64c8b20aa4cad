"""Colours of bodies by number, speed or contact force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.results import BodyList, Frame
from amontons.simulation.reports.contacts import Contacts
from amontons.viewer.extent import Recording

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

COLOURS = ("body", "speed", "force")

SAMPLE = 20
"""Number of frames from which scales are taken."""


def rows_of(bodies: BodyList, ids: Ints) -> Ints:
    """Rows of the bodies with these ids, in the same shape."""
    order = np.argsort(bodies.id)
    return np.asarray(order[np.searchsorted(bodies.id, ids, sorter=order)])


def loads(bodies: BodyList, contacts: Contacts | None) -> Floats:
    """Sum of the magnitudes of the contact forces on each body [N], shape (bodies,)."""
    if contacts is None or not len(contacts):
        return np.zeros(len(bodies))
    rows = rows_of(bodies, contacts.bodies)
    size = np.linalg.norm(contacts.force, axis=1)
    total = np.bincount(rows.ravel(), np.repeat(size, 2), minlength=len(bodies))
    return np.asarray(total, dtype=np.float64)


@dataclass(frozen=True)
class Scales:
    """Tops of the colour scales: 99th percentiles of the values that are not zero, or zero."""

    speed: float
    """[m/s]"""
    load: float
    """Of a body [N]."""
    force: float
    """Of a contact [N]."""

    @classmethod
    def of(cls, run: Recording, among: Sequence[int] | None = None) -> Scales:
        """The scales of a run, or of some of its frames, from a sample of them."""
        among = range(run.frames) if among is None else among
        stride = max(1, len(among) // SAMPLE)
        frames = [run[number] for number in among[::-stride]]  # the last is one of them
        dynamic = run.bodies.dynamic
        touching = [frame.contacts for frame in frames if frame.contacts is not None]
        return cls(
            _high([frame.whole().speed[dynamic] for frame in frames]),
            _high([loads(run.bodies, each)[dynamic] for each in touching]),
            _high([np.linalg.norm(each.force, axis=1) for each in touching]),
        )

    def shares(self, bodies: BodyList, frame: Frame, colour: str) -> Floats:
        """From 0 to 1 by speed or force, shape (bodies,); the frame is a whole one."""
        if colour == "speed":
            return np.asarray(np.clip(frame.speed / (self.speed or 1.0), 0.0, 1.0))
        return np.asarray(np.clip(loads(bodies, frame.contacts) / (self.load or 1.0), 0.0, 1.0))


def _high(parts: list[Floats]) -> float:
    values = np.concatenate([np.empty(0), *parts])
    values = values[values > 0.0]
    return float(np.percentile(values, 99.0)) if values.size else 0.0
