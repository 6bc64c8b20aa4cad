"""Cone problems in plain, slow numpy, block by block from the formulas: the oracle of the tests.

Nothing here calls the package's kernels. A problem is a dense matrix, a vector and a list of
:class:`Block`, all in the caller's coordinates and order.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from amontons.algebra.cones import ROWS_OF_KIND, SetKind
from amontons.array_types import Floats
from amontons.problem.sets import Run

SMALL_STEP = 1e-6
"""The step of papers 1 and 3 at which their residuals are taken."""


@dataclass(frozen=True, eq=False)
class Block:
    """One set of a product: its rows and its coefficients."""

    kind: SetKind
    first: int
    normal: Floats
    friction: float = 0.0
    rolling: float = 0.0
    spinning: float = 0.0
    lower: float = -math.inf
    upper: float = math.inf
    cohesion: float = 0.0

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(ROWS_OF_KIND[self.kind])

    @property
    def rows(self) -> slice:
        """Its slice of all rows."""
        return slice(self.first, self.first + self.size)

    @property
    def cone(self) -> bool:
        """Whether it is a friction cone."""
        return self.kind >= SetKind.COULOMB

    def split(self, x: Floats) -> tuple[float, list[Floats], list[float]]:
        """Normal part, then tangential, rolling and spinning part, each with its coefficient."""
        v = float(x[:3] @ self.normal)
        parts, limits = [x[:3] - v * self.normal], [self.friction]
        if self.kind is SetKind.ROLLING:
            parts.append(x[3:5])
            limits.append(self.rolling)
        elif self.kind is SetKind.SPINNING:
            s = float(x[3:6] @ self.normal)
            parts += [x[3:6] - s * self.normal, s * self.normal]
            limits += [self.rolling, self.spinning]
        return v, parts, limits

    def join(self, v: float, parts: Sequence[Floats]) -> Floats:
        """The inverse of :meth:`split`."""
        force = v * self.normal + parts[0]
        if self.kind is SetKind.ROLLING:
            return np.concatenate([force, parts[1]])
        if self.kind is SetKind.SPINNING:
            return np.concatenate([force, parts[1] + parts[2]])
        return force


def blocks_of(runs: Sequence[Run], cohesion: Floats | None = None) -> list[Block]:
    """The blocks of runs, one by one in the caller's order."""
    blocks: list[Block] = []
    first = 0
    for run in runs:
        columns = run.columns()
        normals = columns.pop("normal", None)
        for j in range(run.blocks):
            normal = np.array([1.0, 0.0, 0.0]) if normals is None else normals[j]
            values = {name: float(column[j]) for name, column in columns.items()}
            pull = 0.0 if cohesion is None else float(cohesion[len(blocks)])
            blocks.append(Block(run.kind, first, normal, cohesion=pull, **values))
            first += blocks[-1].size
    return blocks


def height(v: float, lengths: Sequence[float], limits: Sequence[float]) -> float:
    """Root a ≥ 0 of v − a + Σ μ(t − μa)₊, found on the piece between breakpoints t/μ it lies on."""
    corners = sorted(t / mu for t, mu in zip(lengths, limits, strict=True) if mu > 0.0 and t > 0.0)
    low = 0.0
    for high in [*corners, math.inf]:
        outside = [(t, m) for t, m in zip(lengths, limits, strict=True) if m > 0 and t / m >= high]
        top = v + sum(mu * t for t, mu in outside)
        a = top / (1.0 + sum(mu * mu for _, mu in outside))
        if a <= high:
            return max(a, low)
        low = high
    return low


def project_block(block: Block, x: Floats) -> Floats:
    """Nearest point of one plain set (without its cohesion)."""
    if block.kind is SetKind.FREE:
        return x.copy()
    if block.kind is SetKind.NONNEGATIVE:
        return np.maximum(x, 0.0)
    if block.kind is SetKind.INTERVAL:
        return np.clip(x, block.lower, block.upper)
    v, parts, limits = block.split(x)
    lengths = [float(np.linalg.norm(part)) for part in parts]
    a = height(v, lengths, limits)
    kept = [
        part if t <= mu * a else part * (mu * a / t)
        for part, t, mu in zip(parts, lengths, limits, strict=True)
    ]
    return block.join(a, kept)


def project(blocks: Sequence[Block], x: Floats) -> Floats:
    """Nearest point of a product of plain sets."""
    out = np.empty_like(x)
    for block in blocks:
        out[block.rows] = project_block(block, x[block.rows])
    return out


def shift(blocks: Sequence[Block], rows: int) -> Floats:
    """c n in each cohesive block: the shift that makes its set a plain one."""
    out = np.zeros(rows)
    for block in blocks:
        if block.cone:
            out[block.first : block.first + 3] = block.cohesion * block.normal
        else:
            out[block.first] = block.cohesion
    return out


def compliance_matrix(blocks: Sequence[Block], compliance: Floats) -> Floats:
    """E as a dense matrix: diagonal about each block's normal."""
    E = np.diag(compliance)
    for block in blocks:
        if block.kind in (SetKind.COULOMB, SetKind.SPINNING):
            along = np.outer(block.normal, block.normal)
            for part in range(block.first, block.first + block.size, 3):
                en, et = compliance[part], compliance[part + 1]
                E[part : part + 3, part : part + 3] = et * np.eye(3) + (en - et) * along
    return E


def de_saxce(blocks: Sequence[Block], u: Floats) -> Floats:
    """(μ‖u_t‖ + ρ‖ω_roll‖ + σ|ω_spin|) n in each cone, zero elsewhere."""
    out = np.zeros_like(u)
    for block in blocks:
        if block.cone:
            _, parts, limits = block.split(u[block.rows])
            slip = sum(mu * np.linalg.norm(p) for p, mu in zip(parts, limits, strict=True))
            out[block.first : block.first + 3] = slip * block.normal
    return out


def violation(blocks: Sequence[Block], impulses: Floats) -> float:
    """Largest distance of a block's impulses from its set, cohesion included."""
    x = impulses + shift(blocks, impulses.size)
    away = x - project(blocks, x)
    return max((float(np.linalg.norm(away[block.rows])) for block in blocks), default=0.0)


def steps(matrix: Floats, blocks: Sequence[Block]) -> Floats:
    """ρ = d / trace(W_bb) for each row."""
    rho = np.empty(matrix.shape[0])
    for block in blocks:
        rho[block.rows] = block.size / np.trace(matrix[block.rows, block.rows])
    return rho


def lengths(matrix: Floats, blocks: Sequence[Block]) -> Floats:
    """Factors that make every row a speed: 1, or √(mean W_ff / mean W_mm) for torques."""
    out = np.ones(matrix.shape[0])
    diagonal = np.diag(matrix)
    for block in blocks:
        if block.size > 3:
            force, torque = diagonal[block.rows][:3].mean(), diagonal[block.rows][3:].mean()
            out[block.rows][3:] = math.sqrt(force / torque)
    return out


def even(
    matrix: Floats, linear: Floats, blocks: Sequence[Block], impulses: Floats
) -> tuple[Floats, Floats, list[Block], Floats]:
    """The same problem and impulses with every row a speed: S W S, S q, coefficients without unit.

    Scalar rows count as speeds.
    """
    S = lengths(matrix, blocks)
    scaled = [
        dataclasses.replace(
            block,
            rolling=block.rolling / S[block.first + block.size - 1],
            spinning=block.spinning / S[block.first + block.size - 1],
        )
        for block in blocks
    ]
    return S[:, None] * matrix * S, S * linear, scaled, impulses / S


def natural_map(
    matrix: Floats,
    linear: Floats,
    blocks: Sequence[Block],
    impulses: Floats,
    rho: Floats,
    exact: bool,
) -> Floats:
    """(x − Π(x − ρu))/ρ, of the convex problem or of exact Coulomb friction."""
    if exact:
        u = matrix @ impulses + linear
        u = u + de_saxce(blocks, u)
    else:
        u = (matrix + matrix.T) / 2 @ impulses + linear
    x = impulses + shift(blocks, impulses.size)
    return np.asarray((x - project(blocks, x - rho * u)) / rho)


def error(
    matrix: Floats,
    linear: Floats,
    blocks: Sequence[Block],
    impulses: Floats,
    *,
    exact: bool = False,
    measure: str = "scaled",
) -> float:
    """One of the three measures of `amontons.Measure`."""
    matrix, linear, blocks, impulses = even(matrix, linear, blocks, impulses)
    rho = steps(matrix, blocks) if measure == "scaled" else np.full(linear.size, SMALL_STEP)
    size = float(np.linalg.norm(natural_map(matrix, linear, blocks, impulses, rho, exact)))
    if measure == "scaled":
        return size / (float(np.linalg.norm(linear)) or 1.0)
    return size if measure == "paper1" else size / max(linear.size, 1)


def noise(
    matrix: Floats,
    linear: Floats,
    blocks: Sequence[Block],
    impulses: Floats,
    measure: str = "scaled",
) -> float:
    """How far rounding alone may carry two evaluations of :func:`error` apart."""
    matrix, linear, blocks, impulses = even(matrix, linear, blocks, impulses)
    rho = steps(matrix, blocks) if measure == "scaled" else np.full(linear.size, SMALL_STEP)
    size = np.abs(matrix) @ np.abs(impulses) + np.abs(linear)
    size = size + (np.abs(impulses) + np.abs(shift(blocks, impulses.size))) / rho
    total = 200.0 * np.finfo(float).eps * float(np.linalg.norm(size))
    if measure == "scaled":
        return total / (float(np.linalg.norm(linear)) or 1.0)
    return total


def objective(matrix: Floats, linear: Floats, impulses: Floats) -> float:
    """½γᵀWγ + qᵀγ."""
    return float(0.5 * impulses @ (matrix @ impulses) + linear @ impulses)
