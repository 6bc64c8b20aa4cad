"""Coulomb's law as an equation, after Alart and Curnier, with its derivative.

At a solution of exact Coulomb friction x = G(x − ρu) with the plain velocity u, no De Saxcé term:
G keeps the normal part of a contact if it is positive, and cuts the others, each by itself, to what
the normal part allows,

    a = max(n·f, 0),    G(f) = a n + cut(f_t, μa),    G(m) = cut(m_t, ρa) + cut(m_n, σa).

Scalar rows are projected. G is no projection onto the cone, but x − G(x − ρu) has the same zeros as
the natural map, and is nearer to linear. (Comput. Methods Appl. Mech. Eng. 92, 1991.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from amontons.algebra.cones import (
    COULOMB,
    FREE,
    INTERVAL,
    ROLLING,
    ROWS_OF_KIND,
    SPINNING,
    SetArrays,
)
from amontons.problem.sets import Product

Floats = NDArray[np.float64]

PARTS_OF_KIND = {COULOMB: [0, 1, 2], ROLLING: [0, 1, 2, 4, 5], SPINNING: [0, 1, 2, 3, 4, 5]}
"""Which of force (0 to 2) and torque (3 to 5) a block's rows are."""


class _Cut(NamedTuple):
    """Vectors cut to a length, for all contacts of a group."""

    value: Floats  # shape (contacts, 3)
    by_vector: Floats  # derivative by the vector, shape (contacts, 3, 3)
    by_length: Floats  # derivative by the length, shape (contacts, 3)


class AlartCurnier:
    """G for one product of sets."""

    def __init__(self, sets: Product) -> None:
        self.arrays: SetArrays = sets.arrays
        self.rows = sets.rows
        starts, columns = [np.zeros(1, dtype=np.int64)], []
        for kind, _, count, row in self.arrays.groups:
            width = int(ROWS_OF_KIND[kind])
            block, entry = np.arange(count), np.arange(width)
            one = row + entry[None, :] * count + block[:, None]  # rows of each block
            columns.append(np.tile(one, (width, 1)).ravel())
            starts.append(np.full(width * count, width))
        self._starts = np.cumsum(np.concatenate(starts))
        self._columns = np.concatenate([np.empty(0, dtype=np.int64), *columns])

    def value(self, p: Floats) -> Floats:
        """G(p), shape (rows,)."""
        out = np.empty_like(p)
        for kind, first, count, row in self.arrays.groups:
            rows = slice(row, row + int(ROWS_OF_KIND[kind]) * count)
            if kind < COULOMB:
                out[rows] = np.clip(p[rows], *self._ends(kind))
                continue
            value, _ = self._contacts(kind, first, count, p[rows])
            out[rows] = value[:, PARTS_OF_KIND[kind]].T.ravel()
        return out

    def derivative(self, p: Floats) -> sp.csr_array:
        """G′(p), block diagonal; at a kink the derivative from one of its sides."""
        data = [np.empty(0)]
        for kind, first, count, row in self.arrays.groups:
            rows = slice(row, row + int(ROWS_OF_KIND[kind]) * count)
            if kind < COULOMB:
                lower, upper = self._ends(kind)
                data.append(((p[rows] > lower) & (p[rows] < upper)).astype(np.float64))
                continue
            parts = PARTS_OF_KIND[kind]
            _, blocks = self._contacts(kind, first, count, p[rows])
            data.append(blocks[:, parts][:, :, parts].transpose(1, 0, 2).ravel())
        shape = (self.rows, self.rows)
        return sp.csr_array((np.concatenate(data), self._columns, self._starts), shape=shape)

    def _ends(self, kind: int) -> tuple[Floats | float, Floats | float]:
        if kind == INTERVAL:
            return self.arrays.lower, self.arrays.upper
        return (-np.inf if kind == FREE else 0.0), np.inf

    def on_boundary(self, p: Floats, x: Floats) -> Floats:
        """x, with what slides at p scaled to what the normal part of x allows.

        A step along a tangent leaves the circle that friction moves on while a contact slides.
        """
        out = x.copy()
        for kind, first, count, row in self.arrays.groups:
            if kind < COULOMB:
                continue
            rows = slice(row, row + int(ROWS_OF_KIND[kind]) * count)
            then, now = _as_contacts(kind, count, p[rows]), _as_contacts(kind, count, x[rows])
            n = self.arrays.normal[:, first : first + count].T
            before, after = _along(n, then), _along(n, now)
            for coefficient, onto, columns in self._parts(kind, first, count):
                size = _length(np.einsum("cij,cj->ci", onto, then[:, columns]))
                slides = (before > 0.0) & (size > coefficient * before)
                part = np.einsum("cij,cj->ci", onto, now[:, columns])
                wanted = coefficient * np.maximum(after, 0.0) / _nonzero(_length(part))
                now[:, columns] += np.where(slides, wanted - 1.0, 0.0)[:, None] * part
            out[rows] = now[:, PARTS_OF_KIND[kind]].T.ravel()
        return out

    def _parts(self, kind: int, first: int, count: int) -> list[tuple[Floats, Floats, slice]]:
        """Of each part that friction bounds: coefficient, projector, and force or torque."""
        block, arrays = slice(first, first + count), self.arrays
        n = arrays.normal[:, block].T
        normal = n[:, :, None] * n[:, None, :]
        plane = np.eye(3) - normal
        force, torque = slice(0, 3), slice(3, 6)
        parts = [(arrays.friction[block], plane, force)]
        if kind >= ROLLING:
            parts.append((arrays.rolling[block], plane, torque))
        if kind == SPINNING:
            parts.append((arrays.spinning[block], normal, torque))
        return parts

    def _contacts(self, kind: int, first: int, count: int, p: Floats) -> tuple[Floats, Floats]:
        """G, shape (contacts, 6), and its derivative, shape (contacts, 6, 6)."""
        given = _as_contacts(kind, count, p)
        n = self.arrays.normal[:, first : first + count].T
        closed = _along(n, given) > 0.0
        along = np.where(closed, _along(n, given), 0.0)
        value, D = np.zeros((count, 6)), np.zeros((count, 6, 6))
        value[:, :3] = along[:, None] * n
        D[:, :3, :3] = closed[:, None, None] * n[:, :, None] * n[:, None, :]
        for coefficient, onto, columns in self._parts(kind, first, count):
            cut = _cut(onto, given[:, columns], coefficient * along, closed)
            value[:, columns] += cut.value
            D[:, columns, columns] += cut.by_vector
            D[:, columns, :3] += (coefficient[:, None] * cut.by_length)[:, :, None] * n[:, None, :]
        return value, D


def _as_contacts(kind: int, count: int, rows: Floats) -> Floats:
    """Rows of a group as forces and torques, shape (contacts, 6)."""
    out = np.zeros((count, 6))
    out[:, PARTS_OF_KIND[kind]] = rows.reshape(-1, count).T
    return out


def _along(n: Floats, contacts: Floats) -> Floats:
    """Normal parts of forces."""
    out: Floats = np.einsum("ci,ci->c", n, contacts[:, :3])
    return out


def _length(v: Floats) -> Floats:
    out: Floats = np.sqrt(np.einsum("ci,ci->c", v, v))
    return out


def _nonzero(v: Floats) -> Floats:
    return np.where(v > 0.0, v, 1.0)


def _cut(onto: Floats, vector: Floats, length: Floats, closed: NDArray[np.bool_]) -> _Cut:
    """What `onto` projects of the vectors, cut to a length; nothing where a contact is open."""
    part = np.einsum("cij,cj->ci", onto, vector)
    size = _length(part)
    slides = (size > length) & closed
    share = np.where(slides, length / _nonzero(size), closed)
    unit = np.where(slides, 1.0 / _nonzero(size), 0.0)[:, None] * part
    across = onto - unit[:, :, None] * unit[:, None, :]
    return _Cut(share[:, None] * part, share[:, None, None] * across, unit)
