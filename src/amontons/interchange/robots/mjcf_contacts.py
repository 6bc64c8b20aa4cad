"""Friction and collision filters of MJCF's geoms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.interchange.robots.left_out import LeftOut
from amontons.interchange.robots.mechanism import Mechanism
from amontons.model.materials import Material

BITS = 32
"""Number of collision groups."""


def material_of(
    mujoco: Any, model: Any, body: int, name: str, left_out: LeftOut
) -> Material | None:
    """The friction of a body's geoms; the largest if they differ."""
    geoms = _colliding(model, body)
    if not len(geoms):
        return None
    condim = model.geom_condim[geoms]
    rough = model.geom_friction[geoms].copy()
    for column, least in enumerate((3, 4, 6)):  # sliding, spinning, rolling
        rough[condim < least, column] = 0.0
    if (rough != rough[0]).any():
        left_out.add("friction that differs within a body: the largest is used", name)
    sliding, spinning, rolling = rough.max(axis=0).tolist()
    return Material(friction=sliding, spinning_friction=spinning, rolling_friction=rolling)


def _colliding(model: Any, body: int) -> NDArray[np.int64]:
    first, number = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    geoms = np.arange(first, first + number)
    bits = model.geom_contype[geoms] | model.geom_conaffinity[geoms] if number else geoms
    return np.asarray(geoms[bits != 0])


def give_groups(mujoco: Any, model: Any, mechanism: Mechanism, left_out: LeftOut) -> None:
    """Groups and masks that let the same links meet as contype and conaffinity do.

    Two geoms meet there if one's contype shares a bit with the other's conaffinity; here each
    must be in a group that the other meets. So links with equal bits become a group of their own.
    """
    filters = []
    for body, link in enumerate(mechanism.links):
        geoms = _colliding(model, body)
        pairs = sorted(
            set(zip(model.geom_contype[geoms].tolist(), model.geom_conaffinity[geoms].tolist(),
                    strict=True))
        )  # fmt: skip
        if len(pairs) > 1:
            left_out.add("contype and conaffinity that differ within a body", link.name)
        filters.append(tuple(pairs))
    kinds = sorted(set(filters) - {()})
    if len(kinds) > BITS:
        left_out.add(f"collision filters: there are {len(kinds)} kinds, and only {BITS} groups")
        return
    for link, own in zip(mechanism.links, filters, strict=True):
        if own:
            link.group = 1 << kinds.index(own)
            link.mask = sum(1 << i for i, other in enumerate(kinds) if _meet(own, other))


def _meet(one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]) -> bool:
    return any(a & d or c & b for a, b in one for c, d in other)
