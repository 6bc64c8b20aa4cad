"""Problems as NumPy archives (`.npz`), loss-free and without pickles.

Every file has `format_version` (integer), `name` (text) and `kind` (text). Impulses are in N s,
velocities (`q`, `w`, `linear`) in m/s, lengths in m, masses in kg.

**Version 1**, shared with other programs: contacts of one kind, blocks (normal, t1, t2) with
`dimension` 3, or (normal, t1, t2, roll1, roll2) with `dimension` 5. Keys `family` (text),
`n_contacts`, `mu` (contacts,), with dimension 5 `mu_rolling` (contacts,) [m], and

* `kind` "local": W as CSR (`W_data`, `W_indices`, `W_indptr`, `W_shape`) and `q` (rows,);
* `kind` "global": `M_*` and `H_*` as CSC, `f` (unknowns,), `w` (rows,):
  M v = f + H r, u = Hᵀ v + w.

**Version 2**, for all other problems. Υ is stored run by run: `set_kind` (runs,) has the names
free, nonnegative, interval, coulomb, rolling, spinning; `set_blocks` (runs,) how many blocks;
`set_world` (runs,) is 1 where a run has normals. The columns `friction`, `rolling` [m], `spinning`
[m], `lower`, `upper` and `normal` (·, 3) have one entry for each block of the runs that need them,
in order. Optional: `compliance` (rows,), `cohesion` (blocks,) [N s], `frames` (contacts, 3, 3) with
columns n, t1, t2. `linear` (rows,) is r for the unknowns x = Rγ + s
(:class:`~amontons.problem.problem.ConeProblem`), that is r itself without frames and cohesion;
`linear_norm` is the norm of r as it was given, rows that turn times their lengths; optional are
`lengths` (blocks,) [m], NaN where a block has its own (:mod:`amontons.problem.units`), and
`yardstick` (2,) [m/s], the least and the most. `objective_offset` [J] is what the shift s adds.
Rows are in the order of the runs, a block's rows together. The operator is one of

* `kind` "matrix": `W_*` CSR, the symmetric part, and optionally `skew_*` CSR, the rest;
* `kind` "bodies": `inverse_mass` (bodies,), `inverse_inertia` (bodies, 6) as xx, xy, xz, yy, yz,
  zz, `body` (constraints, 2), `arms` (contacts, 2, 3), `jacobian` (scalar rows, 12), `wrenches`;
  constraints come by kind: coulomb, spinning (`wrenches` of them), free, nonnegative, interval;
* `kind` "factored": `H_*` and `M_*`, both CSC; M is factorised again.

What is read is what was written, bit for bit; only `M_*`, which is put together from its
factors, is exact to rounding.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from amontons.algebra.cones import ROWS_OF_KIND, SetKind
from amontons.algebra.sums import norm
from amontons.errors import FileFormatError
from amontons.problem.checks import checked_mass, warn_of_mass
from amontons.problem.files import DAMAGE, Archive, naming
from amontons.problem.operators import BodyOperator, FactoredOperator, MatrixOperator, Operator
from amontons.problem.operators.factored import MassInverse
from amontons.problem.problem import ConeProblem
from amontons.problem.sets import (
    CoulombCone,
    Free,
    Interval,
    NonNegative,
    Product,
    RollingCone,
    Run,
    SpinningCone,
)
from amontons.problem.units import NO_YARDSTICK, Yardstick

Floats = NDArray[np.float64]
Arrays = dict[str, Any]

NEWEST = 2
"""The newest format version that this release writes and reads."""

RUNS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "free": (Free, ()),
    "nonnegative": (NonNegative, ()),
    "interval": (Interval, ("lower", "upper")),
    "coulomb": (CoulombCone, ("friction",)),
    "rolling": (RollingCone, ("friction", "rolling")),
    "spinning": (SpinningCone, ("friction", "rolling", "spinning")),
}
"""Sets by the name of their kind, with the columns that make them."""

COLUMNS = ("friction", "rolling", "spinning", "lower", "upper")

ROUNDING = 1e-12
"""Relative error up to which stored data may miss an identity: symmetry, orthonormal frames."""


# -- reading --------------------------------------------------------------------------------------


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
        options["yardstick"] = Yardstick(*archive.floats("yardstick", 2).tolist())
    name = str(archive.text("name"))
    built = ConeProblem(operator, np.zeros(sets.rows), sets, name=name, **options)
    problem = built.with_linear(sets.inward(archive.finite("linear", sets.rows)))
    problem.linear_norm = archive.finite("linear_norm").item()
    problem.objective_offset = archive.finite("objective_offset").item()
    return problem


def _read_runs(archive: Archive) -> list[Run]:
    """The sets, run by run, each taking its share of every column that its kind has."""
    kinds = archive.text("set_kind", None)
    counts = archive.integers("set_blocks", kinds.size)
    world = archive.integers("set_world", kinds.size)
    columns = {key: archive.floats(key, None) for key in COLUMNS}
    columns["normal"] = archive.floats("normal", None, 3)
    runs: list[Run] = []
    for kind, count, has_normals in zip(kinds.tolist(), counts.tolist(), world, strict=True):
        if kind not in RUNS or count < 0:
            raise FileFormatError(f"{count} sets of kind {kind!r}; expected {', '.join(RUNS)}")
        if has_normals and kind not in ("coulomb", "spinning"):
            raise FileFormatError(f"'set_world' gives normals to {kind!r} sets, which have none")
        make, keys = RUNS[kind]
        keys = (*keys, "normal") if has_normals else keys
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
        return MatrixOperator(_inward(W, sets))
    skew = archive.sparse("skew")
    _require_shape("skew", skew.shape, W.shape)
    return MatrixOperator(_inward(W, sets), _inward(skew, sets))


def _inward(matrix: Any, sets: Product) -> sp.csr_array:
    """A matrix of the caller's rows and columns in internal order."""
    order = np.argsort(sets.row_order)
    return sp.csr_array(matrix[order][:, order])


def _outward(matrix: Any, sets: Product) -> sp.csr_array:
    """A matrix of internal rows and columns in the caller's order."""
    return sp.csr_array(matrix[sets.row_order][:, sets.row_order])


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


# -- writing --------------------------------------------------------------------------------------


def arrays_of(problem: ConeProblem) -> Arrays:
    """The entries of the file that holds `problem`: version 1 where that loses nothing, else 2."""
    entries = _arrays_1(problem) or _arrays_2(problem)
    entries["name"] = np.array(problem.name)
    return entries


def _arrays_1(problem: ConeProblem) -> Arrays | None:
    """Entries of version 1, or None for a problem that it cannot hold exactly."""
    runs, operator = problem.sets.runs, problem.operator
    more = any(x is not None for x in (problem.frames, problem.compliance, problem.cohesion))
    if len(runs) != 1 or more or not isinstance(operator, MatrixOperator):
        return None
    run = runs[0]
    contact_frame = isinstance(run, RollingCone) or (
        isinstance(run, CoulombCone) and run.normals is None
    )
    q = problem.sets.outward(problem.linear)
    factors = problem.row_factors
    speeds = q if factors is None else q * problem.sets.outward(factors)
    told = problem.lengths is None and problem.yardstick == NO_YARDSTICK
    if not contact_frame or not told or problem.linear_norm != norm(speeds):
        return None
    whole = operator.matrix if operator.skew is None else operator.matrix + operator.skew
    W = _outward(whole, problem.sets)
    W.sum_duplicates()
    if not _splits_into(_inward(W, problem.sets), operator):
        return None
    columns = run.columns()
    entries = {
        "format_version": np.array(1),
        "family": np.array("amontons"),
        "kind": np.array("local"),
        "dimension": np.array(5 if "rolling" in columns else 3),
        "n_contacts": np.array(run.blocks),
        "mu": columns["friction"],
        "q": q,
    }
    if "rolling" in columns:
        entries["mu_rolling"] = columns["rolling"]
    return entries | _sparse_entries("W", W)


def _splits_into(W: sp.csr_array, operator: MatrixOperator) -> bool:
    """Whether reading W gives the very same symmetric and skew parts."""
    symmetric = sp.csr_array((W + W.T) / 2)
    symmetric.sort_indices()
    skew = sp.csr_array(W - symmetric)
    skew.eliminate_zeros()
    if operator.skew is None:
        return _same(symmetric, operator.matrix) and skew.nnz == 0
    return _same(symmetric, operator.matrix) and _same(skew, operator.skew)


def _same(a: sp.csr_array, b: sp.csr_array) -> bool:
    return all(
        np.array_equal(getattr(a, part), getattr(b, part)) for part in ("indptr", "indices", "data")
    )


def _arrays_2(problem: ConeProblem) -> Arrays:
    entries: Arrays = {
        "format_version": np.array(2),
        "linear": problem.sets.outward(problem.linear),
        "linear_norm": np.array(problem.linear_norm),
        "objective_offset": np.array(problem.objective_offset),
    }
    for key in ("cohesion", "frames"):
        if getattr(problem, key) is not None:
            entries[key] = getattr(problem, key)
    if problem.compliance is not None:
        entries["compliance"] = problem.sets.outward(problem.compliance)
    if problem.lengths is not None:
        entries["lengths"] = problem.lengths[problem.sets.block_order]
    if problem.yardstick != NO_YARDSTICK:
        entries["yardstick"] = np.array(problem.yardstick)
    return entries | _set_entries(problem.sets) | _operator_entries(problem)


def _set_entries(sets: Product) -> Arrays:
    columns = [run.columns() for run in sets.runs]
    entries: Arrays = {
        "set_kind": np.array([run.kind.name.lower() for run in sets.runs], dtype="U11"),
        "set_blocks": np.array([run.blocks for run in sets.runs], dtype=np.int64),
        "set_world": np.array(["normal" in column for column in columns], dtype=np.uint8),
    }
    for key, empty in (*((key, np.empty(0)) for key in COLUMNS), ("normal", np.empty((0, 3)))):
        parts = [column[key] for column in columns if key in column]
        entries[key] = np.concatenate([empty, *parts])
    return entries


def _operator_entries(problem: ConeProblem) -> Arrays:
    operator, sets = problem.operator, problem.sets
    if isinstance(operator, BodyOperator):
        arrays = operator.arrays
        return {
            "kind": np.array("bodies"),
            "inverse_mass": arrays.inverse_mass,
            "inverse_inertia": arrays.inverse_inertia,
            "body": arrays.body,
            "arms": arrays.arms.reshape(-1, 2, 3),
            "jacobian": arrays.jacobian,
            "wrenches": np.array(arrays.wrenches),
        }
    if isinstance(operator, FactoredOperator):
        H = operator.H.tocsc()[:, sets.row_order]
        entries = {"kind": np.array("factored")} | _sparse_entries("H", H)
        return entries | _sparse_entries("M", operator.mass_inverse.matrix)
    entries = {"kind": np.array("matrix")} | _sparse_entries(
        "W", _outward(operator.as_matrix(), sets)
    )
    if operator.skew is not None:
        entries |= _sparse_entries("skew", _outward(operator.skew, sets))
    return entries


def _sparse_entries(key: str, matrix: Any) -> Arrays:
    return {
        f"{key}_data": matrix.data,
        f"{key}_indices": matrix.indices,
        f"{key}_indptr": matrix.indptr,
        f"{key}_shape": np.array(matrix.shape, dtype=np.int64),
    }
