"""Problems from archives."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.cones import ROWS_OF_KIND, SetKind
from amontons.errors import FileFormatError, ProblemWarning
from amontons.problem.matrices import checked_mass, warn_of_mass
from amontons.problem.npz.layout import KINDS, NEWEST, inward
from amontons.problem.operators import BodyOperator, FactoredOperator, MatrixOperator, Operator
from amontons.problem.operators.factored import MassInverse
from amontons.problem.problem import ConeProblem
from amontons.problem.sets import COEFFICIENTS, Product, Run
from amontons.problem.units import Yardstick, closing_norm
from amontons.storage.archives import Archive
from amontons.storage.reading import DAMAGE, naming

Floats = NDArray[np.float64]

ROUNDING = 1e-12
"""Relative error up to which stored data may violate an identity: symmetry, orthonormal frames."""


def read(path: Path) -> ConeProblem:
    """The problem in a `.npz` file of version 1 or 2."""
    with naming(path), path.open("rb") as stream:
        try:
            archive = np.load(stream, allow_pickle=False)
        except DAMAGE as reason:
            raise FileFormatError(
                f"truncated or damaged, expected a NumPy archive: {reason}"
            ) from reason
        with archive:
            return _problem(Archive(archive))


def _problem(archive: Archive) -> ConeProblem:
    version = archive.integer("format_version", 1)
    if version > NEWEST:
        raise FileFormatError(
            f"format version {version} is newer than this release of amontons, which reads up to "
            f"{NEWEST}; expected version 1 or 2"
        )
    return _problem_1(archive) if version == 1 else _problem_2(archive)


def _problem_1(archive: Archive) -> ConeProblem:
    dimension, contacts = archive.integer("dimension"), archive.integer("n_contacts")
    if dimension not in (3, 5):
        raise FileFormatError(f"'dimension' is {dimension}; expected 3, or 5 with rolling friction")
    rows = dimension * contacts
    options: dict[str, Any] = {
        "friction": archive.floats("mu", contacts),
        "name": str(archive.text("name")),
    }
    if dimension == 5:
        options["rolling"] = archive.floats("mu_rolling", contacts)
    kind = str(archive.text("kind"))
    if kind == "local":
        W = archive.sparse("W")
        _require_shape("W", W.shape, (rows, rows))
        return ConeProblem.from_matrix(W, archive.floats("q", rows), **options).judge_as_given()
    if kind == "global":
        M, H = archive.sparse("M", by_columns=True), archive.sparse("H", by_columns=True)
        _require_shape("M", M.shape, (H.shape[0], H.shape[0]))
        _require_shape("H", H.shape, (M.shape[0], rows))
        f, w = archive.floats("f", M.shape[0]), archive.floats("w", rows)
        return ConeProblem.from_bodies(M, H, f, w, **options).judge_as_given()
    raise FileFormatError(f"'kind' is {kind!r}; expected 'local' or 'global' in version 1")


def _require_shape(key: str, shape: tuple[int, ...], wanted: tuple[int, int]) -> None:
    if shape != wanted:
        raise FileFormatError(f"{key} has shape {shape}; expected {wanted}")


def _problem_2(archive: Archive) -> ConeProblem:
    sets = Product(_read_runs(archive))
    operator = _read_operator(archive, sets)
    sizes = {"compliance": sets.rows, "cohesion": sets.blocks}
    options: dict[str, Any] = {
        key: archive.floats(key, size) for key, size in sizes.items() if key in archive
    }
    if "frames" in archive:
        options["tangents"] = _read_tangents(archive, sets)
    if "lengths" in archive:
        options["lengths"] = archive.floats("lengths", sets.blocks)
    if "yardstick" in archive:
        options["yardstick"] = _read_yardstick(archive)
    name = str(archive.text("name"))
    built = ConeProblem(operator, np.zeros(sets.rows), sets, name=name, **options)
    problem = built.with_linear(sets.inward(archive.finite("linear", sets.rows)))
    return _with_norms(problem, archive)


def _with_norms(problem: ConeProblem, archive: Archive) -> ConeProblem:
    """Take the file's figures of r if they are right up to rounding; else recompute them and warn.

    With a wrong ‖r‖, the unit of the scaled error, any impulses could count as converged.
    """
    given, shift = problem.given_linear, problem.shift
    factors = problem.row_factors
    speeds = given if factors is None else given * problem.sets.outward(factors)
    offset, parts = 0.0, 0.0
    size = problem.norm(speeds)
    if shift is not None:
        pulled = problem.product(shift)
        parts = 0.5 * problem.inner(shift, pulled)
        offset = -parts - problem.inner(problem.linear, shift)
        parts += abs(offset)
        size += problem.norm(pulled if factors is None else pulled * factors)
    computed = {"linear_norm": (problem.norm(speeds), size), "objective_offset": (offset, parts)}
    for key, (value, scale) in computed.items():
        stored = archive.finite(key).item()
        agrees = abs(stored - value) <= math.sqrt(ROUNDING) * scale
        if not agrees:
            warnings.warn(
                f"{key!r} is {stored:.6g} in the file, but its data give {value:.6g}, which is "
                "used; was the file edited?",
                ProblemWarning,
                stacklevel=2,
            )
        setattr(problem, key, stored if agrees else value)
    problem.closing_norm = closing_norm(problem, problem.sets.inward(given))
    return problem


def _read_yardstick(archive: Archive) -> Yardstick:
    """The speeds of a yardstick; files of earlier versions have two of the three."""
    speeds = archive.floats("yardstick", None).tolist()
    if len(speeds) not in (2, 3):
        raise FileFormatError(f"'yardstick' has {len(speeds)} speeds; expected 2 or 3")
    return Yardstick(*speeds)


def _read_runs(archive: Archive) -> list[Run]:
    """The sets, run by run, each taking its share of every column that its kind has."""
    kinds = archive.text("set_kind", None)
    counts = archive.integers("set_blocks", kinds.size)
    world = archive.integers("set_world", kinds.size)
    needed = {name for kind in kinds if kind in KINDS for name in KINDS[kind].coefficients}
    columns = {
        name: archive.floats(name, None)
        for name in COEFFICIENTS
        if name in needed or name in archive
    }
    columns["normal"] = archive.floats("normal", None, 3)
    runs: list[Run] = []
    for kind, count, has_normals in zip(kinds.tolist(), counts.tolist(), world, strict=True):
        if kind not in KINDS or count < 0:
            raise FileFormatError(f"{count} sets of kind {kind!r}; expected {', '.join(KINDS)}")
        make: Any = KINDS[kind]
        if has_normals and not make.world:
            raise FileFormatError(f"'set_world' gives normals to {kind!r} sets, which have none")
        keys = (*make.coefficients, "normal") if has_normals else make.coefficients
        if any(columns[key].shape[0] < count for key in keys):
            raise FileFormatError(f"too few coefficients for {count} sets of kind {kind!r}")
        own = [columns[key][:count] for key in keys]
        columns |= {key: columns[key][count:] for key in keys}
        runs.append(make(*own) if keys else make(count))
    for key, column in columns.items():
        if column.shape[0]:
            raise FileFormatError(f"{key!r} has {column.shape[0]} more entries than the sets need")
    return runs


def _read_tangents(archive: Archive, sets: Product) -> Floats:
    """t1 of each frame (n, t1, t2); t2 must be n × t1, and n the cone's own normal."""
    if not sets.kinds <= {SetKind.COULOMB}:
        raise FileFormatError("'frames' are for problems with Coulomb contacts alone")
    frames = archive.finite("frames", sets.blocks, 3, 3)
    error = np.abs(frames.transpose(0, 2, 1) @ frames - np.eye(3)).max(initial=0.0)
    if error > np.sqrt(ROUNDING):
        raise FileFormatError(f"'frames' must be orthonormal; they are off by {error:.1e}")
    error = np.abs(np.cross(frames[:, :, 0], frames[:, :, 1]) - frames[:, :, 2]).max(initial=0.0)
    if error > ROUNDING:
        raise FileFormatError("'frames' must be right-handed: t2 = n × t1")
    error = np.abs(frames[:, :, 0] - sets.arrays.normal.T).max(initial=0.0)
    if error > ROUNDING:
        raise FileFormatError(
            f"the first columns of 'frames' must be the cones' normals; they are off by {error:.1e}"
        )
    return np.ascontiguousarray(frames[:, :, 1])


def _read_operator(archive: Archive, sets: Product) -> Operator:
    readers = {"matrix": _read_matrix, "bodies": _read_bodies, "factored": _read_factored}
    kind = str(archive.text("kind"))
    if kind not in readers:
        raise FileFormatError(f"'kind' is {kind!r}; expected one of {', '.join(readers)}")
    return readers[kind](archive, sets)


def _read_matrix(archive: Archive, sets: Product) -> MatrixOperator:
    W = archive.sparse("W")
    _require_shape("W", W.shape, (sets.rows, sets.rows))
    off = float(np.abs((W - W.T).data).max(initial=0.0))
    if off > ROUNDING * float(np.abs(W.data).max(initial=0.0)):
        raise FileFormatError(f"W must be symmetric in version 2; it is off by {off:.1e}")
    if "skew_shape" not in archive:
        return MatrixOperator(inward(W, sets))
    skew = archive.sparse("skew")
    _require_shape("skew", skew.shape, W.shape)
    return MatrixOperator(inward(W, sets), inward(skew, sets))


def _read_bodies(archive: Archive, sets: Product) -> BodyOperator:
    inertia = archive.floats("inverse_inertia", None, 6)
    body = archive.integers("body", None, 2)
    arms = archive.floats("arms", None, 2, 3)
    operator = BodyOperator(
        inverse_mass=archive.floats("inverse_mass", inertia.shape[0]),
        inverse_inertia=inertia[:, (0, 1, 2, 1, 3, 4, 2, 4, 5)].reshape(-1, 3, 3),
        bodies_a=body[:, 0],
        bodies_b=body[:, 1],
        arms_a=arms[:, 0],
        arms_b=arms[:, 1],
        wrenches=archive.integer("wrenches"),
        jacobian=archive.floats("jacobian", None, 12),
    )
    counts = (operator.arrays.forces, operator.arrays.wrenches, operator.arrays.jacobian.shape[0])
    found = [sum(r.blocks for r in sets.runs if ROWS_OF_KIND[r.kind] == d) for d in (3, 6, 1, 5)]
    if found != [*counts, 0]:
        raise FileFormatError(
            f"the sets do not match the constraints: expected {counts[0]} blocks of 3 rows, "
            f"{counts[1]} of 6, {counts[2]} of 1 and none of 5, found {found}"
        )
    return operator


def _read_factored(archive: Archive, sets: Product) -> FactoredOperator:
    H = archive.sparse("H", by_columns=True)
    _require_shape("H", H.shape, (H.shape[0], sets.rows))
    H = H[:, np.argsort(sets.row_order)]
    M = archive.sparse("M", by_columns=True)
    _require_shape("M", M.shape, (H.shape[0], H.shape[0]))
    _, symmetric, asymmetry = checked_mass(M)
    warn_of_mass(asymmetry, condensed=False)
    return FactoredOperator(MassInverse(symmetric), H)
