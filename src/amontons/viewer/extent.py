"""The extent of a run: what a camera must see."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.results import BodyList, Results, SingleFrame, Surface

Recording = Results | SingleFrame
"""What can be shown: a recorded run, or the current state of a simulation."""


def extent(run: Recording) -> tuple[NDArray[np.float64], float]:
    """Centre and size [m] of the region of moving bodies in the first and the last frame."""
    dynamic = run.bodies.dynamic
    if not dynamic.any():
        return np.zeros(3), 1.0
    places = np.concatenate([run.position[0][dynamic], run.position[-1][dynamic]])
    places = places[~np.isnan(places[:, 0])]  # some may not exist yet, or no longer
    if not len(places):
        return np.zeros(3), 1.0
    low, high = np.percentile(places, [2.0, 98.0], axis=0)
    half = np.array([shape.half for shape in run.shapes])[run.bodies.shape[dynamic]]
    reach = float(np.linalg.norm(half, axis=1).max())
    return 0.5 * (low + high), float(np.linalg.norm(high - low)) + 2.0 * reach


def is_glass(bodies: BodyList, row: int, shape: Surface) -> bool:
    """Whether a body is a container, drawn transparent so that its content is seen."""
    held = bool(bodies.fixed[row] or bodies.kinematic[row])
    return held and shape.kind in ("Compound", "TriangleMesh")
