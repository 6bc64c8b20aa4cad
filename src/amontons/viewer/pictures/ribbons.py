"""Contact forces as flat ribbons that face the camera: arrows, or chains from body to body."""

from __future__ import annotations

import numpy as np

from amontons.array_types import Floats
from amontons.results import BodyList, Frame
from amontons.viewer.colouring import rows_of
from amontons.viewer.pictures.facets import Facets
from amontons.viewer.pictures.view import Camera

WEAK, STRONG = np.array([0.95, 0.6, 0.3]), np.array([0.7, 0.0, 0.1])

LONGEST = 0.12
"""Length of the arrow of a strong force, in sizes of the scene."""

THICKEST = 0.012
"""Thickness of the chain of a strong force, in sizes of the scene."""


def ribbons(
    frame: Frame, bodies: BodyList, camera: Camera, kind: str, strong: float, size: float
) -> tuple[Facets, Floats]:
    """Triangles that show the forces of a frame, and their colours (triangles, 3)."""
    contacts = frame.contacts
    assert contacts is not None
    share = np.clip(np.linalg.norm(contacts.force, axis=1) / strong, 0.0, 1.0)
    some = np.flatnonzero(share > 1e-3)
    share, points, force = share[some], contacts.points[some], contacts.force[some]
    if kind == "arrows":
        tip = points + LONGEST * size * force / strong
        corners = _arrows(camera, points, tip, 0.25 * THICKEST * size * np.sqrt(share))
    else:
        rows = rows_of(bodies, contacts.bodies[some])
        ends = np.where(bodies.dynamic[rows][..., None], frame.position[rows], points[:, None])
        thick = 0.5 * THICKEST * size * share
        corners = np.concatenate([_bands(camera, points, ends[:, i], thick) for i in (0, 1)], 1)
    colour = WEAK + share[:, None] * (STRONG - WEAK)
    count = corners.shape[1]
    flat = corners.reshape(-1, 3, 3)
    facets = Facets(camera, flat, np.zeros_like(flat), np.zeros(len(flat), dtype=bool))
    return facets, np.repeat(colour, count, axis=0)


def _aside(camera: Camera, start: Floats, end: Floats) -> Floats:
    """Unit vectors across ribbons, at right angles to the line of sight."""
    across = np.cross(end - start, camera.eye - start)
    return np.asarray(across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-30))


def _bands(camera: Camera, start: Floats, end: Floats, half: Floats) -> Floats:
    """Two triangles from start to end, shape (ribbons, 2, 3, 3)."""
    by = half[:, None] * _aside(camera, start, end)
    one = np.stack([start - by, start + by, end + by], axis=1)
    two = np.stack([start - by, end + by, end - by], axis=1)
    return np.stack([one, two], axis=1)


def _arrows(camera: Camera, start: Floats, tip: Floats, half: Floats) -> Floats:
    """A band and a head, shape (arrows, 3, 3, 3)."""
    neck = start + 0.7 * (tip - start)
    by = 3.0 * half[:, None] * _aside(camera, start, tip)
    head = np.stack([neck - by, neck + by, tip], axis=1)
    return np.concatenate([_bands(camera, start, neck, half), head[:, None]], axis=1)
