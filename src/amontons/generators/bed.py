"""Geometry of a jammed bed of spheres in a box, in units of the mean radius.

Spheres thrown at random into the box push each other and the walls away, as soft springs would,
while the box shrinks or grows until it holds the wanted number of contacts. What comes out is a
random packing at the edge of jamming. A large bed is cut out of copies of a periodic tile made in
the same way, shaken a little so that no two copies are alike, and relaxed against the walls.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from amontons.array_types import Floats, Longs

WALL, LID = -1, -2
"""Body numbers that stand for the box and its lid as a contact's second body."""

DIRECT, TILE = 6000, 4000
"""Largest bed [spheres] that is relaxed as a whole, and spheres per tile of a larger one."""

FILLING = 0.62  # share of the volume at which relaxation starts; about random close packing
SKIN = 0.5  # distance up to which spheres count as neighbours while relaxing [mean radii]
PUSH, MOMENTUM = 0.25, 0.85  # momentum of the relaxation (heavy ball)
SWEEPS = 8  # sweeps between two searches for neighbours
SINKING = 2e-3  # downward push on spheres that hardly touch others, so that none floats
LIGHT = 8e-3  # sum of a sphere's overlaps below which it sinks
SHAKE = 0.005  # random displacement of a tile's copies [mean radii]
SHELL = 6.0  # depth to which walls disturb a bed that was cut out of tiles [mean radii]
WALL_DEPTH = 0.3  # from a wall to the outermost centres before relaxation [mean radii]
TOUCHING = 0.3  # share of the contacts that overlap in a finished bed; the others have a small gap


class Bed(NamedTuple):
    """Spheres in a box from the origin to `box`; lengths in mean radii."""

    position: Floats  # centres, shape (spheres, 3)
    radius: Floats  # shape (spheres,)
    box: Floats  # lengths of the box's sides, shape (3,)


class BedContacts(NamedTuple):
    """Contacts of a bed, sorted by their bodies."""

    a: Longs  # a sphere
    b: Longs  # another sphere, with a larger number; or WALL; or LID
    normal: Floats  # unit vector from A to B, shape (contacts, 3)
    gap: Floats  # distance over its value at touching, minus 1


def make_bed(
    spheres: int, contacts: int, polydispersity: float, lid: bool, rng: np.random.Generator
) -> Bed:
    """A bed in a cube with about `contacts` contacts, including those with the lid if `lid`.

    Radii are uniform between 1 − `polydispersity` and 1 + `polydispersity`. Spheres are numbered
    along a Morton curve.
    """
    if spheres <= DIRECT:
        bed = _random(spheres, polydispersity, WALL_DEPTH, rng)
        bed = _relax(bed, contacts, periods=45, lid=lid)
    else:
        tile = _random(TILE, polydispersity, 0.0, rng)
        tile = _relax(tile, contacts * TILE // spheres, periods=30, periodic=True)
        bed = _cut(tile, spheres, rng)
        bed = _relax_shell(bed, periods=12)
    bed.position[:, 2] -= max(float((bed.position[:, 2] - bed.radius).min()), 0.0)
    return _in_order(bed)


def find_contacts(bed: Bed, reach: float, lid: bool) -> BedContacts:
    """All contacts whose gap is at most `reach` times the distance between touching centres."""
    i, j = _pairs(bed, 2.0 * reach * float(bed.radius.max()), periodic=False)
    across, distance = _apart(bed, i, j, periodic=False)
    near = distance <= (1.0 + reach) * _reaches(bed, i, j)
    i, j, across, distance = i[near], j[near], across[near], distance[near]
    parts = [BedContacts(i, j, across / distance[:, None], distance / _reaches(bed, i, j) - 1.0)]
    for axis in range(3):
        for high in (False, True):
            name = LID if axis == 2 and high else WALL
            if name == WALL or lid:
                parts.append(_plane_contacts(bed, axis, high, name, reach))
    every = BedContacts(*map(np.concatenate, zip(*parts, strict=True)))
    return _chosen(every, np.argsort(every.a * (bed.radius.size + 2) + every.b, kind="stable"))


def nearest(contacts: BedContacts, count: int) -> BedContacts:
    """The `count` contacts of smallest gap, or all if there are fewer, in the order they had."""
    if count >= contacts.gap.size:
        return contacts
    return _chosen(contacts, np.sort(np.argsort(contacts.gap, kind="stable")[:count]))


def just_touching(bed: Bed, contacts: BedContacts) -> tuple[Bed, BedContacts]:
    """The bed expanded, its spheres unchanged, until few contacts overlap.

    Were all of them to overlap, contacts that push apart by geometric gaps would jam between the
    walls and the problem could have no solution.
    """
    factor = 1.0 / (1.0 + float(np.quantile(contacts.gap, TOUCHING)))
    grown = Bed(factor * bed.position, bed.radius, factor * bed.box)
    return grown, contacts._replace(gap=factor * (1.0 + contacts.gap) - 1.0)


def _chosen(contacts: BedContacts, rows: Longs) -> BedContacts:
    a, b, normal, gap = contacts
    return BedContacts(a[rows], b[rows], normal[rows], gap[rows])


def _random(spheres: int, polydispersity: float, depth: float, rng: np.random.Generator) -> Bed:
    """Spheres at random places in a cube, `depth` off its walls."""
    radius = 1.0 + polydispersity * rng.uniform(-1.0, 1.0, spheres)
    inner = float(np.cbrt((4.0 / 3.0 * np.pi * radius**3).sum() / FILLING))
    position = depth + inner * rng.random((spheres, 3))
    return Bed(position, radius, np.full(3, inner + 2.0 * depth))


def _cut(tile: Bed, spheres: int, rng: np.random.Generator) -> Bed:
    """`spheres` spheres in a cube, out of shaken copies of a periodic tile."""
    density = tile.radius.size / float(tile.box.prod())
    inner = np.cbrt(spheres / density)
    copies = math.ceil(1.02 * inner / tile.box[0])
    corner = np.stack(np.meshgrid(*[np.arange(copies)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    position = (corner[:, None, :] * tile.box + tile.position % tile.box).reshape(-1, 3)
    radius = np.tile(tile.radius, corner.shape[0])
    chosen = np.argsort(position.max(axis=1), kind="stable")[:spheres]
    side = position[chosen[-1]].max() + 2.0 * WALL_DEPTH
    shaken = position[chosen] + SHAKE * rng.uniform(-1.0, 1.0, (spheres, 3)) + WALL_DEPTH
    return _in_order(Bed(shaken, radius[chosen], np.full(3, side)))


def _relax(
    bed: Bed, contacts: int, *, periods: int, periodic: bool = False, lid: bool = False
) -> Bed:
    """Push overlapping spheres apart, in periods of a few sweeps with one list of neighbours.

    After each period but the last the box is scaled so that `contacts` contacts just overlap.
    """
    step = np.zeros_like(bed.position)
    for period in range(periods):
        bed = _sweep(bed, step, periodic=periodic)
        if period < periods - 1:
            factor = 1.0 + 0.5 * _slack(bed, contacts, periodic, lid)
            bed = Bed(bed.position / factor, bed.radius, bed.box / factor)
    return bed


def _relax_shell(bed: Bed, periods: int) -> Bed:
    """Push apart the spheres near the walls of a bed that is relaxed everywhere else."""
    depth = np.minimum(bed.position, bed.box - bed.position).min(axis=1)
    near = np.flatnonzero(depth < SHELL + 3.0)
    shell = Bed(bed.position[near], bed.radius[near], bed.box)
    mobile = (depth[near, None] < SHELL).astype(np.float64)
    step = np.zeros_like(shell.position)
    for _ in range(periods):
        shell = _sweep(shell, step, mobile)
    bed.position[near] = shell.position
    return bed


def _sweep(bed: Bed, step: Floats, mobile: float | Floats = 1.0, periodic: bool = False) -> Bed:
    """Some sweeps of relaxation; `step` holds and keeps the spheres' last displacements.

    `mobile` is 1 for spheres that may move and 0 for the others, shape (spheres, 1).
    """
    i, j = _pairs(bed, SKIN, periodic)
    across, touching = _incidence(bed.radius.size, i, j), _reaches(bed, i, j)
    back = across.T.tocsr()
    around = abs(back)
    position, radius = bed.position.copy(), bed.radius[:, None]
    for _ in range(SWEEPS):
        apart = across @ position
        if periodic:
            apart -= bed.box * np.rint(apart / bed.box)
        distance = np.maximum(np.sqrt(np.einsum("ck,ck->c", apart, apart)), 1e-9)
        overlap = np.maximum(touching / distance - 1.0, 0.0)
        apart *= 0.5 * overlap[:, None]
        push = back @ apart
        push[:, 2] -= SINKING * (around @ overlap < LIGHT)
        if not periodic:
            push += np.maximum(radius - position, 0.0)
            push -= np.maximum(position + radius - bed.box, 0.0)
        step *= MOMENTUM
        step += PUSH * mobile * push
        position += step
    return Bed(position, bed.radius, bed.box)


def _slack(bed: Bed, contacts: int, periodic: bool, lid: bool) -> float:
    """The gap of the contact of rank `contacts`, negative if more of them overlap."""
    i, j = _pairs(bed, 0.2, periodic)
    gaps = [_apart(bed, i, j, periodic)[1] / _reaches(bed, i, j) - 1.0]
    if not periodic:
        radius = bed.radius[:, None]
        gaps.append((bed.position / radius - 1.0).ravel())
        above = (bed.box - bed.position) / radius - 1.0
        gaps.append(above[:, : 3 if lid else 2].ravel())
    every = np.concatenate(gaps)
    rank = min(contacts, every.size) - 1
    return float(np.clip(np.partition(every, rank)[rank], -0.1, 0.1))


def _plane_contacts(bed: Bed, axis: int, high: bool, name: int, reach: float) -> BedContacts:
    place = bed.position[:, axis]
    gap = (bed.box[axis] - place if high else place) / bed.radius - 1.0
    near = np.flatnonzero(gap <= reach)
    normal = np.zeros((near.size, 3))
    normal[:, axis] = 1.0 if high else -1.0
    return BedContacts(near, np.full(near.size, name), normal, gap[near])


def _pairs(bed: Bed, reach: float, periodic: bool) -> tuple[Longs, Longs]:
    """Pairs i < j of spheres whose surfaces are at most `reach` apart."""
    position, box = bed.position, None
    if periodic:
        box = bed.box
        position = position % box
        position[position >= box] = 0.0  # a remainder that was rounded up
    tree = cKDTree(position, boxsize=box, balanced_tree=False, compact_nodes=False)
    found = tree.query_pairs(2.0 * float(bed.radius.max()) + reach, output_type="ndarray")
    return found[:, 0].astype(np.int64), found[:, 1].astype(np.int64)


def _apart(bed: Bed, i: Longs, j: Longs, periodic: bool) -> tuple[Floats, Floats]:
    """Vectors from centres i to centres j, and their lengths."""
    apart = bed.position.take(j, axis=0) - bed.position.take(i, axis=0)
    if periodic:
        apart -= bed.box * np.rint(apart / bed.box)
    return apart, np.sqrt(np.einsum("ck,ck->c", apart, apart))


def _reaches(bed: Bed, i: Longs, j: Longs) -> Floats:
    """Distance between the centres of touching spheres."""
    return bed.radius[i] + bed.radius[j]


def _incidence(spheres: int, i: Longs, j: Longs) -> sp.csr_array:
    """The matrix that maps positions to differences x_j − x_i, shape (pairs, spheres)."""
    pairs = i.size
    pointer = np.arange(0, 2 * pairs + 1, 2, dtype=np.int32)
    columns = np.stack([i, j], axis=1).astype(np.int32).ravel()
    return sp.csr_array((np.tile((-1.0, 1.0), pairs), columns, pointer), shape=(pairs, spheres))


def _in_order(bed: Bed) -> Bed:
    order = morton_order(bed.position, 2.0)
    return Bed(bed.position[order], bed.radius[order], bed.box)


def morton_order(position: Floats, cell: float) -> Longs:
    """Order of points along a Morton curve through cells of size `cell`."""
    grid = ((position - position.min(axis=0)) / cell).astype(np.uint64)
    code = np.zeros(position.shape[0], dtype=np.uint64)
    for axis in range(3):
        code |= _spread(grid[:, axis]) << np.uint64(axis)
    return np.argsort(code, kind="stable")


def _spread(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The lowest 21 bits with two zeros inserted after each."""
    steps = (
        (32, 0x1F00000000FFFF),
        (16, 0x1F0000FF0000FF),
        (8, 0x100F00F00F00F00F),
        (4, 0x10C30C30C30C30C3),
        (2, 0x1249249249249249),
    )
    x = x & np.uint64(0x1FFFFF)
    for shift, mask in steps:
        x = (x | (x << np.uint64(shift))) & np.uint64(mask)
    return x
