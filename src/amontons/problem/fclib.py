"""FCLIB, the HDF5 exchange format of the field (github.com/FrictionalContactLibrary/fclib).

A file holds one of four groups, with q, w, s, b in m/s and impulses in N s:

* `fclib_local`: u = W r + V λ + q, Vᵀ r + R λ + s = 0; matrices W, optionally V and R; vectors q,
  mu, optionally s;
* `fclib_global`: M v = H r + G λ + f, u = Hᵀ v + w, Gᵀ v + b = 0; matrices M, H, optionally G;
  vectors f, w, mu, optionally b;
* `fclib_local_rolling`, `fclib_global_rolling`: the same with five rows per contact and mu_r.

Each has `spacedim` (rows per contact), `vectors/` and `info/` (title, description, math_info).
Contacts are blocks (normal, t1, t2[, roll1, roll2]); the multipliers λ become `Free` rows after
them. A matrix is a group with m, n, nzmax, nz, p, i, x: nz = −1 is CSC, −2 is CSR, and nz ≥ 0 that
many triplets. Of triplets fclib.h says that p has the rows and i the columns, yet the files of the
collection come from Siconos, which stores CSparse's: p has the columns and i the rows. So the
matrix's shape decides here, and where both fit, CSparse's order. Integers are C `int`, single
numbers are datasets of length 1. `/solution` has r, u and, where the problem has them, v and l.
"""

from __future__ import annotations

import io
import itertools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from amontons.algebra.cones import SetKind
from amontons.errors import FileFormatError, InputError
from amontons.problem.operators.factored import MassInverse, inverse_mass
from amontons.problem.problem import ConeProblem
from amontons.problem.sets import CoulombCone, Free, RollingCone, Run
from amontons.problem.solution import Solution
from amontons.storage.hdf5 import dataset, integer, opened_hdf5, vector
from amontons.storage.matrices import compressed
from amontons.storage.reading import naming, require_file
from amontons.storage.writing import replacing

Floats = NDArray[np.float64]

GROUPS = ("fclib_global", "fclib_local", "fclib_global_rolling", "fclib_local_rolling")
"""The groups that can hold a problem, in the order in which they are looked for."""

CSC, CSR = -1, -2

INVERTED = 1e-9
"""Largest relative error of a mass matrix recovered by inversion that may be written."""


@dataclass(frozen=True, kw_only=True)
class StoredSolution:
    """The content of `/solution` of a file, in the file's contact coordinates."""

    impulses: Floats
    """r of the contacts, shape (contact rows,) [N s]."""
    velocities: Floats
    """u of the contacts, shape (contact rows,) [m/s]."""
    body_velocities: Floats | None
    """v of a global problem, shape (unknowns,) [m/s]."""
    multipliers: Floats | None
    """λ of the equalities, shape (equalities,) [N s]."""

    @property
    def guess(self) -> Floats:
        """Impulses of all rows of the problem that :func:`read` makes of the same file."""
        parts = [self.impulses] if self.multipliers is None else [self.impulses, self.multipliers]
        return np.concatenate(parts)


# -- reading --------------------------------------------------------------------------------------


def read(path: Path) -> ConeProblem:
    """The problem in an FCLIB file; its name is the file's title, or else the file's name."""
    with naming(path):
        with path.open("rb") as stream, opened_hdf5(stream, "r") as file:
            group = _problem_group(file)
            name = _title(group) or path.stem
            local = "_local" in group.name
            *data, cone = _read_local(group) if local else _read_global(group)
        rows = data[-1].size
        runs: list[Run] = [cone] if rows == cone.rows else [cone, Free(rows - cone.rows)]
        make = ConeProblem.from_matrix if local else ConeProblem.from_bodies
        return make(*data, sets=runs, name=name).judge_as_given()


def _problem_group(file: Any) -> Any:
    for name in GROUPS:
        if name in file:
            return file[name]
    found = ", ".join(file) or "nothing"
    raise FileFormatError(
        f"not an FCLIB problem: expected one of {', '.join(GROUPS)}, found {found}"
    )


def _title(group: Any) -> str:
    if "info/title" not in group:
        return ""
    title = group["info/title"][()]
    return title.decode("utf-8", "replace").rstrip("\0") if isinstance(title, bytes) else str(title)


def _read_local(group: Any) -> tuple[Any, ...]:
    """[W V; Vᵀ R], [q; s] and the contacts' cone."""
    W = _matrix(group, "W")
    if W.shape[0] != W.shape[1]:
        raise FileFormatError(f"W is {W.shape[0]} × {W.shape[1]}; expected a square matrix")
    cone, q = _cone(group, W.shape[0]), vector(group, "vectors/q", W.shape[0])
    if ("V" in group) != ("R" in group):
        raise FileFormatError("only one of V and R is there; expected both or neither")
    if "V" in group:
        V, R = _matrix(group, "V"), _matrix(group, "R")
        if V.shape[0] != W.shape[0] or R.shape != (V.shape[1], V.shape[1]):
            raise FileFormatError(
                f"V is {V.shape} and R is {R.shape}; expected V ({W.shape[0]}, p) and R (p, p)"
            )
        if (R.diagonal()[np.diff(V.tocsc().indptr) > 0] <= 0).any():
            raise FileFormatError(
                "R has a diagonal entry that is not positive, so [W V; Vᵀ R] is not a positive "
                "semi-definite matrix; such equalities are not supported"
            )
        q = np.concatenate([q, vector(group, "vectors/s", R.shape[0])])
        W = sp.block_array([[W, V], [V.T, R]], format="csr")
    return W, q, cone


def _read_global(group: Any) -> tuple[Any, ...]:
    """M, [H G], f, [w; b] and the contacts' cone."""
    M, H = _matrix(group, "M"), _matrix(group, "H")
    unknowns = H.shape[0]
    if M.shape != (unknowns, unknowns):
        raise FileFormatError(f"M is {M.shape} and H is {H.shape}; expected M (n, n) and H (n, m)")
    cone, w = _cone(group, H.shape[1]), vector(group, "vectors/w", H.shape[1])
    if "G" in group:
        G = _matrix(group, "G")
        if G.shape[0] != unknowns:
            raise FileFormatError(f"G has {G.shape[0]} rows; expected {unknowns}, as M and H")
        w = np.concatenate([w, vector(group, "vectors/b", G.shape[1])])
        H = sp.hstack([H, G], format="csc")
    return M, H, vector(group, "vectors/f", unknowns), w, cone


def _cone(group: Any, rows: int) -> CoulombCone | RollingCone:
    rolling = group.name.endswith("_rolling")
    expected = 5 if rolling else 3
    dimension = integer(group, "spacedim")
    if dimension != expected:
        raise FileFormatError(
            f"spacedim is {dimension}; only {expected} is supported in {group.name}"
            + (" (friction in two dimensions is not)" if dimension == 2 else "")
        )
    if rows % dimension:
        raise FileFormatError(
            f"{rows} contact rows are not a whole number of {dimension}-row blocks"
        )
    mu = vector(group, "vectors/mu", rows // dimension)
    if not rolling:
        return CoulombCone(mu)
    key = "vectors/mu_r" if "vectors/mu_r" in group else "vectors/mu_rolling"
    return RollingCone(mu, vector(group, key, rows // dimension))


def _matrix(parent: Any, key: str) -> sp.csr_array:
    if key not in parent:
        raise FileFormatError(f"{parent.name} has no matrix {key!r}")
    group = parent[key]
    m, n, nz = (integer(group, name) for name in ("m", "n", "nz"))
    if min(m, n) < 0:
        raise FileFormatError(f"{key} is {m} × {n}; expected no negative size")
    p, i = (dataset(group, name, "iu", "integers") for name in ("p", "i"))
    x = dataset(group, "x", "fiu", "real numbers").astype(np.float64)
    if nz in (CSC, CSR):
        return sp.csr_array(compressed(key, x, i, p, (m, n), by_columns=nz == CSC))
    if not 0 <= nz <= min(p.size, i.size, x.size):
        raise FileFormatError(
            f"{key} has nz = {nz}; expected −1 (CSC), −2 (CSR) or a number of triplets that its "
            f"{p.size} p, {i.size} i and {x.size} x suffice for"
        )
    for rows, columns in ((i[:nz], p[:nz]), (p[:nz], i[:nz])):
        low = min(rows.min(initial=0), columns.min(initial=0))
        if low >= 0 and rows.max(initial=-1) < m and columns.max(initial=-1) < n:
            return sp.csr_array(sp.coo_array((x[:nz], (rows, columns)), shape=(m, n)))
    raise FileFormatError(f"a triplet of {key} is outside its shape ({m}, {n})")


def read_solution(path: str | os.PathLike[str]) -> StoredSolution:
    """The solution in an FCLIB file."""
    place = Path(path)
    require_file(place, "problem")
    with naming(place), place.open("rb") as stream, opened_hdf5(stream, "r") as file:
        if "solution" not in file:
            raise FileFormatError("no solution; expected the group /solution")
        rows, equalities, unknowns = _sizes(_problem_group(file))
        stored = file["solution"]
        return StoredSolution(
            impulses=vector(stored, "r", rows),
            velocities=vector(stored, "u", rows),
            body_velocities=vector(stored, "v", unknowns) if unknowns else None,
            multipliers=vector(stored, "l", equalities) if equalities else None,
        )


def _sizes(group: Any) -> tuple[int, int, int]:
    """Contact rows, equalities, and unknowns of a global problem (0 for a local one)."""
    local = "_local" in group.name
    main, equality = ("W", "R") if local else ("H", "G")
    equalities = integer(group, f"{equality}/n") if equality in group else 0
    return integer(group, f"{main}/n"), equalities, 0 if local else integer(group, "M/n")


# -- writing --------------------------------------------------------------------------------------


def encode(problem: ConeProblem) -> bytes:
    """The whole FCLIB file of a problem: global where bodies are known, local otherwise.

    Contacts in world coordinates are turned into contact frames. Raises InputError for what FCLIB
    cannot express: cohesion, compliance, and sets other than cones followed by free rows.
    """
    import h5py

    cone = _cone_of(problem)
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        factors = _factors(problem)
        name = "fclib_local" if factors is None else "fclib_global"
        group = file.create_group(f"{name}_rolling" if isinstance(cone, RollingCone) else name)
        _write(group, "spacedim", 5 if isinstance(cone, RollingCone) else 3, np.int32)
        rotation = _rotation(problem)
        linear = rotation.T @ problem.sets.outward(problem.linear)
        if factors is None:
            _write_local(group, problem, rotation, linear, cone.rows)
        else:
            M, H = factors
            _write_global(group, M, sp.csc_array(H @ rotation), linear, cone.rows)
        _write(group, "vectors/mu", cone.friction)
        if isinstance(cone, RollingCone):
            _write(group, "vectors/mu_r", cone.rolling)
        for key, text in (("title", problem.name), ("description", "written by amontons")):
            # one byte more than the text: C reads up to the zero
            encoded = text.encode()
            group.create_dataset(f"info/{key}", data=np.array(encoded, f"S{len(encoded) + 1}"))
    return buffer.getvalue()


def _cone_of(problem: ConeProblem) -> CoulombCone | RollingCone:
    """All contacts of the problem as one cone; the rows after them are free."""
    advice = "which FCLIB cannot express; save it as .npz"
    for key in ("cohesion", "compliance"):
        if getattr(problem, key) is not None:
            raise InputError(f"the problem has {key}, {advice}")
    runs = [run for run in problem.sets.runs if run.blocks]
    cones = list(itertools.takewhile(lambda run: not isinstance(run, Free), runs))
    if not all(isinstance(run, Free) for run in runs[len(cones) :]):
        raise InputError(f"the problem has free rows before its contacts, {advice}")
    kinds = {run.kind for run in cones}
    if kinds - {SetKind.COULOMB} and kinds != {SetKind.ROLLING}:
        names = " and ".join(kind.name.lower() for kind in sorted(kinds))
        raise InputError(f"the problem has {names} sets, {advice}")
    mu = np.concatenate([np.empty(0), *(run.columns()["friction"] for run in cones)])
    if kinds <= {SetKind.COULOMB}:
        return CoulombCone(mu)
    return RollingCone(mu, np.concatenate([run.columns()["rolling"] for run in cones]))


def _rotation(problem: ConeProblem) -> sp.csr_array:
    """From the file's contact coordinates to those of the operator, rows in the caller's order."""
    cones = [run for run in problem.sets.runs if not isinstance(run, Free)]
    if problem.frames is not None:
        frames = problem.frames
    elif any("normal" in run.columns() for run in cones):
        plain = np.array([[1.0, 0.0, 0.0]])
        normals = [run.columns().get("normal", plain.repeat(run.blocks, 0)) for run in cones]
        frames = _frames(np.concatenate(normals))
    else:
        return sp.eye_array(problem.rows, format="csr")
    contacts = frames.shape[0]
    blocks = sp.bsr_array((frames, np.arange(contacts), np.arange(contacts + 1)))
    free = sp.eye_array(problem.rows - 3 * contacts)
    return sp.csr_array(sp.block_diag([blocks, free], format="csr"))


def _frames(normals: Floats) -> Floats:
    """Right-handed frames with columns n, t1, t2; n = (1, 0, 0) gives the identity."""
    helper = np.where(np.abs(normals[:, 1:2]) < 0.8, (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    t1 = helper - (helper * normals).sum(axis=1, keepdims=True) * normals
    t1 /= np.linalg.norm(t1, axis=1, keepdims=True)
    return np.stack([normals, t1, np.cross(normals, t1)], axis=-1)


def _factors(problem: ConeProblem) -> tuple[sp.csc_array, sp.csc_array] | None:
    """M of the unknowns that can move and H in the caller's order, where N = Hᵀ M⁻¹ H is known."""
    factors = problem.operator.inverse_mass_form()
    if factors is None:
        return None
    inverse, H = factors
    moving = inverse.diagonal() > 0
    if not moving.any():
        return None
    inverse = inverse[moving][:, moving].tocsc()
    try:
        M = inverse_mass(inverse)
    except InputError:
        return None
    if M is None or np.abs(M @ inverse - sp.eye_array(M.shape[0])).max() > INVERTED:
        return None
    return sp.csc_array((M + M.T) / 2), sp.csc_array(H[moving][:, problem.sets.row_order])


def _write_local(
    group: Any, problem: ConeProblem, rotation: sp.csr_array, linear: Floats, contact_rows: int
) -> None:
    order, c = problem.sets.row_order, contact_rows
    W = problem.operator.as_matrix()[order][:, order]
    if problem.operator.skew is not None:
        skew = problem.operator.skew[order][:, order]
        if skew[:c, c:].nnz or skew[c:, :c].nnz:
            raise InputError(
                "the matrix is not symmetric between contacts and free rows, which FCLIB cannot "
                "express; save it as .npz"
            )
        W = W + skew
    W = sp.csr_array(rotation.T @ W @ rotation)
    _write_matrix(group, "W", W[:c, :c])
    _write(group, "vectors/q", linear[:c])
    if c < problem.rows:
        _write_matrix(group, "V", W[:c, c:])
        _write_matrix(group, "R", W[c:, c:])
        _write(group, "vectors/s", linear[c:])


def _write_global(
    group: Any, M: sp.csc_array, H: sp.csc_array, linear: Floats, contact_rows: int
) -> None:
    """Triplets in CSparse's order: Siconos reads no other form of a global problem safely."""
    c = contact_rows
    _write_matrix(group, "M", M, triplets=True)
    _write_matrix(group, "H", H[:, :c], triplets=True)
    _write(group, "vectors/f", np.zeros(M.shape[0]))
    _write(group, "vectors/w", linear[:c])
    if c < H.shape[1]:
        _write_matrix(group, "G", H[:, c:], triplets=True)
        _write(group, "vectors/b", linear[c:])


def _write_matrix(group: Any, key: str, matrix: Any, *, triplets: bool = False) -> None:
    form = sp.coo_array(matrix) if triplets else sp.csr_array(matrix)
    if max(form.nnz, *form.shape) > np.iinfo(np.int32).max:
        raise InputError(f"{key} is too large for the 32-bit integers of FCLIB; save it as .npz")
    p, i = (form.col, form.row) if triplets else (form.indptr, form.indices)
    (m, n), nz = form.shape, form.nnz if triplets else CSR
    for name, value in {"nzmax": form.nnz, "m": m, "n": n, "nz": nz, "p": p, "i": i}.items():
        _write(group, f"{key}/{name}", value, np.int32)
    _write(group, f"{key}/x", form.data)


def _write(group: Any, key: str, values: Any, dtype: type = np.float64) -> None:
    group.create_dataset(key, data=np.atleast_1d(values).astype(dtype))


def write_solution(path: str | os.PathLike[str], problem: ConeProblem, solution: Solution) -> None:
    """Store a solution in the FCLIB file of its problem, replacing an existing one.

    `problem` is the one saved to the file or loaded from it; velocities of the bodies,
    which FCLIB wants for a global problem, are computed from the file's M, H, G and f.
    """
    place = Path(path)
    require_file(place, "problem")
    inward = _rotation(problem) if problem.frames is None else sp.eye_array(problem.rows)
    r, u = inward.T @ solution.impulses, inward.T @ solution.velocities
    content = io.BytesIO(place.read_bytes())
    with naming(place), opened_hdf5(content, "r+") as file:
        group = _problem_group(file)
        rows, equalities, unknowns = _sizes(group)
        if r.size != rows + equalities:
            raise FileFormatError(f"it has {rows + equalities} rows, the solution {r.size}")
        if "solution" in file:
            del file["solution"]
        stored = file.create_group("solution")
        _write(stored, "r", r[:rows])
        _write(stored, "u", u[:rows])
        if equalities:
            _write(stored, "l", r[rows:])
        if unknowns:
            M, jacobian, force, *_ = _read_global(group)
            _write(stored, "v", MassInverse(M.tocsc())(force + jacobian @ r))
    with replacing(place) as stream:
        stream.write(content.getvalue())
