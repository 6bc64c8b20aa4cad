"""Where loose bodies begin: on grids, turned at random."""

from __future__ import annotations

import numpy as np

from amontons.array_types import Floats


def layers(count: int, across: int, pitch: float, bottom: float) -> Floats:
    """Places on square layers about the z axis, one above the other [m], shape (count, 3).

    `across` are the places along a side, `pitch` [m] is their distance, `bottom` [m] the height of
    the lowest layer.
    """
    layer, rest = np.divmod(np.arange(count), across * across)
    row, column = np.divmod(rest, across)
    place = pitch * np.stack([column, row, layer], axis=1).astype(np.float64)
    corner = 0.5 * (1 - across) * pitch
    return np.asarray(place + np.array([corner, corner, bottom]))


def disc_layers(count: int, radius: float, pitch: float, bottom: float) -> Floats:
    """Places on layers within a circle about the z axis [m], shape (count, 3).

    The middle place of a layer is always there, however small the circle.
    """
    reach = int(radius / pitch)
    axis = pitch * np.arange(-reach, reach + 1)
    x, y = (each.ravel() for each in np.meshgrid(axis, axis, indexing="ij"))
    inside = np.hypot(x, y) <= radius
    x, y = x[inside], y[inside]
    layer, place = np.divmod(np.arange(count), x.size)
    return np.stack([x[place], y[place], bottom + pitch * layer], axis=1)


def random_turns(rng: np.random.Generator, count: int) -> Floats:
    """Unit quaternions (w, x, y, z), evenly over all orientations; shape (count, 4)."""
    turns = rng.standard_normal((count, 4))
    return np.asarray(turns / np.linalg.norm(turns, axis=1, keepdims=True))


def turn_about(axis: tuple[float, float, float], angle: float) -> tuple[float, float, float, float]:
    """The unit quaternion (w, x, y, z) of a turn about a unit axis [rad]."""
    x, y, z = (np.sin(0.5 * angle) * np.array(axis)).tolist()
    return float(np.cos(0.5 * angle)), x, y, z


def face_centred(pitch: float, half: tuple[float, float, float]) -> Floats:
    """Places of a face-centred cubic lattice about the origin [m], shape (places, 3).

    Neighbours, twelve each, are `pitch` [m] apart; places lie within ± `half` [m].
    """
    edge = pitch / np.sqrt(2.0)  # sites of the lattice are those with an even sum of indices
    axes = [np.arange(-int(each / edge), int(each / edge) + 1) for each in half]
    index = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return np.asarray(edge * index[index.sum(axis=1) % 2 == 0])
