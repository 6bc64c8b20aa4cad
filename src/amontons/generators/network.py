"""Networks of rigid parts held together by joints: linear problems, benchmark B1 of paper 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import cKDTree

from amontons.array_types import Flags, Floats, Longs
from amontons.checks import at_least, whole
from amontons.errors import InputError
from amontons.generators.bed import morton_order
from amontons.generators.checks import count_of
from amontons.problem.operators import BodyOperator
from amontons.problem.problem import ConeProblem
from amontons.problem.sets import Free

WORLD = -1
GRAVITY = 9.81  # along −z [m/s²]
STEEL = 7850.0  # [kg/m³]
SPACING = 0.25  # of the parts [m]
NEIGHBOURS = 14  # of a part, among which its joints are chosen
SPHERICAL = 0.8  # share of the rows that belong to spherical joints


class SteelBlocks(NamedTuple):
    """Steel blocks, numbered along a Morton curve."""

    position: Floats  # centres [m], shape (parts, 3)
    half: Floats  # half lengths of the edges [m], shape (parts, 3)
    frame: Floats  # edges' directions in the columns, shape (parts, 3, 3)


class Joints(NamedTuple):
    """Joints between parts A and B, or A and the world; `spherical` ones have three rows."""

    a: Longs
    b: Longs
    spherical: Flags


def bilateral_network(
    parts: int = 1000,
    constraints: int = 3500,
    seed: int = 0,
    *,
    step: float = 1e-3,
    position_error: float = 1e-5,
) -> ConeProblem:
    """Benchmark B1 of paper 1: a network of bilateral constraints between parts.

    Steel blocks of 2 to 30 kg, oriented at random, are about 0.25 m apart and joined to near
    neighbours. 80 % of the rows belong to spherical joints (three rows each), along a random tree
    of all parts; the others are rods of fixed length (one row each), which close its loops. One
    part in a hundred, among the topmost, hangs from the world. Rows are sorted by their bodies.

    The linear term is r = J v* + Ψ/step with v* the fall of one step under gravity [m/s]. The
    joints' errors Ψ = J δ come from small displacements δ of all parts, so that r is in the range
    of N and the linear system N γ = −r has a solution even if some rows depend on others.

    The default has 933 spherical joints and 701 rods, 3.3 of them a part (1 to 9). Its matrix N is
    regular with condition number 4200 (680 if its diagonal is scaled to ones; up to 12 000 and 5000
    for other seeds) and has 13.5 nonzeros a row.

    Parameters
    ----------
    parts, constraints:
        How many bodies and how many scalar rows.
    step:
        Time step [s].
    position_error:
        Standard deviation of each coordinate of δ [m]; of rotations, this over 0.1 m [rad].
    seed:
        Of all random numbers: the same seed makes the same problem, bit by bit.
    """
    count_of("parts", parts)
    count_of("constraints", constraints)
    at_least("step", step, above=0.0)
    at_least("position_error", position_error, floor=0.0)
    rng = np.random.default_rng(whole("seed", seed))
    blocks = _blocks(parts, rng)
    joints = _joints(blocks, constraints, rng)
    jacobian, a, b = _rows(blocks, joints, rng)
    inverse_mass, inverse_inertia = _inverse_masses(blocks)
    operator = BodyOperator(
        inverse_mass=inverse_mass,
        inverse_inertia=inverse_inertia,
        bodies_a=a,
        bodies_b=b,
        jacobian=jacobian,
    )
    motion = rng.normal(size=(parts, 6)) * (position_error / step)
    motion[:, 3:] /= 0.1
    motion[:, 2] -= GRAVITY * step
    linear = np.empty(constraints)
    operator.from_velocities(motion, linear)
    name = f"network of {constraints} constraints between {parts} parts"
    return ConeProblem(operator, linear, [Free(constraints)], name=name)


def _blocks(parts: int, rng: np.random.Generator) -> SteelBlocks:
    """Blocks at the places of a jittered cubic lattice, filled from below."""
    side = int(np.ceil(np.cbrt(parts)))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    grid = grid[np.argsort(grid[:, 2], kind="stable")][:parts]
    position = SPACING * (grid + rng.uniform(-0.25, 0.25, (parts, 3)))
    position = position[morton_order(position, SPACING)]
    half = np.exp(rng.uniform(np.log(0.03), np.log(0.08), (parts, 3)))
    frame, _ = np.linalg.qr(rng.normal(size=(parts, 3, 3)))
    return SteelBlocks(position, half, frame)


def _inverse_masses(blocks: SteelBlocks) -> tuple[Floats, Floats]:
    """1/m [1/kg], shape (parts,), and I⁻¹ in the world frame, shape (parts, 3, 3)."""
    mass = STEEL * 8.0 * blocks.half.prod(axis=1)
    square = blocks.half**2
    moments = mass[:, None] / 3.0 * (square.sum(axis=1, keepdims=True) - square)
    inverse = np.einsum("pik,pk,pjk->pij", blocks.frame, 1.0 / moments, blocks.frame)
    return 1.0 / mass, 0.5 * (inverse + inverse.transpose(0, 2, 1))


def _joints(blocks: SteelBlocks, constraints: int, rng: np.random.Generator) -> Joints:
    """Joints with exactly `constraints` rows: to the world, along a tree, then between others."""
    parts = blocks.position.shape[0]
    a, b = _candidates(blocks.position, rng)
    anchors = max(1, parts // 100)
    fewest = -(-(constraints - a.size - anchors) // 2)  # spherical joints if all pairs are joined
    spherical = max(int(SPHERICAL * constraints) // 3, fewest)
    if 3 * spherical > constraints:
        raise InputError(
            f"{parts} parts cannot have {constraints} constraints: there are {a.size} pairs of "
            f"neighbouring parts and {anchors} joints to the world, with one row or three each"
        )
    count = constraints - 2 * spherical
    anchors = min(anchors, count)
    top = np.argsort(-blocks.position[:, 2], kind="stable")[: 4 * anchors]
    hung = np.sort(rng.permutation(top)[:anchors])
    a = np.concatenate([hung, a[: count - anchors]])
    b = np.concatenate([np.full(anchors, WORLD), b[: count - anchors]])
    kind = np.arange(count) < spherical
    order = np.lexsort((b, a))
    return Joints(a[order], b[order], kind[order])


def _candidates(position: Floats, rng: np.random.Generator) -> tuple[Longs, Longs]:
    """Pairs of neighbouring parts, each once: those of a random spanning tree first."""
    parts = position.shape[0]
    if parts == 1:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    _, near = cKDTree(position).query(position, k=min(NEIGHBOURS, parts - 1) + 1)
    i, j = np.repeat(np.arange(parts), near.shape[1] - 1), near[:, 1:].ravel()
    code = np.unique(np.minimum(i, j) * parts + np.maximum(i, j))
    i, j = code // parts, code % parts
    length = np.linalg.norm(position[i] - position[j], axis=1) * rng.uniform(1.0, 1.5, i.size)
    tree = minimum_spanning_tree(sp.csr_array((length, (i, j)), shape=(parts, parts))).tocoo()
    first = np.isin(code, tree.row.astype(np.int64) * parts + tree.col)
    order = np.lexsort((rng.random(i.size), ~first))
    return i[order], j[order]


def _rows(
    blocks: SteelBlocks, joints: Joints, rng: np.random.Generator
) -> tuple[Floats, Longs, Longs]:
    """The Jacobian, shape (rows, 12), and the bodies of each row."""
    ends_a, ends_b = _ends(blocks, joints, rng)
    arms_a = ends_a - blocks.position[joints.a]
    inside = (joints.b != WORLD)[:, None]
    arms_b = np.where(inside, ends_b - blocks.position[joints.b], 0.0)
    along = np.zeros((joints.a.size, 3, 3))
    along[joints.spherical] = np.eye(3)
    rod = ~joints.spherical
    reach = (ends_b - ends_a)[rod]
    along[rod, 0] = reach / np.linalg.norm(reach, axis=1, keepdims=True)
    sides = [-along, -np.cross(arms_a[:, None], along), along, np.cross(arms_b[:, None], along)]
    sides[2:] = [np.where(inside[:, None], side, 0.0) for side in sides[2:]]
    used = np.arange(3) < np.where(joints.spherical, 3, 1)[:, None]
    jacobian = np.concatenate(sides, axis=2)[used]
    size = used.sum(axis=1)
    return jacobian, np.repeat(joints.a, size), np.repeat(joints.b, size)


def _ends(blocks: SteelBlocks, joints: Joints, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Where each joint is attached to A and to B [m]; the same point for a spherical one.

    That point is about half way between the centres. A rod goes from inside one block to inside the
    other. Parts that hang from the world are attached above themselves.
    """
    count = joints.a.size
    centre_a = blocks.position[joints.a]
    centre_b = np.where(
        (joints.b == WORLD)[:, None],
        centre_a + np.array([0.0, 0.0, SPACING]),
        blocks.position[joints.b],
    )
    inside = rng.uniform(-1.0, 1.0, (2, count, 3)) * blocks.half[[joints.a, joints.b]]
    ends_a = centre_a + np.einsum("cij,cj->ci", blocks.frame[joints.a], inside[0])
    ends_b = centre_b + np.einsum("cij,cj->ci", blocks.frame[joints.b], inside[1])
    share = rng.uniform(0.4, 0.6, (count, 1))
    middle = centre_a + share * (centre_b - centre_a)
    middle += rng.uniform(-0.03, 0.03, (count, 3))
    one = joints.spherical[:, None]
    return np.where(one, middle, ends_a), np.where(one, middle, ends_b)
