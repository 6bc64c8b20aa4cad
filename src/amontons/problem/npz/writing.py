"""Problems as entries of an archive."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from amontons.algebra.sums import norm
from amontons.problem.npz.layout import inward, outward
from amontons.problem.operators import MatrixOperator
from amontons.problem.problem import ConeProblem
from amontons.problem.sets import COEFFICIENTS, CoulombCone, Product, RollingCone
from amontons.problem.units import NO_YARDSTICK

Arrays = dict[str, Any]


def arrays_of(problem: ConeProblem) -> Arrays:
    """The entries of the file that holds `problem`: version 1 where that loses nothing, else 2."""
    entries = _arrays_1(problem) or _arrays_2(problem)
    entries["name"] = np.array(problem.name)
    return entries


def _arrays_1(problem: ConeProblem) -> Arrays | None:
    """Entries of version 1, or None if that cannot hold the problem exactly."""
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
    W = outward(whole, problem.sets)
    W.sum_duplicates()
    if not _splits_into(inward(W, problem.sets), operator):
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
    """Whether reading W restores the same symmetric and skew parts."""
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
    for key, empty in (*((key, np.empty(0)) for key in COEFFICIENTS), ("normal", np.empty((0, 3)))):
        parts = [column[key] for column in columns if key in column]
        entries[key] = np.concatenate([empty, *parts])
    return entries


def _operator_entries(problem: ConeProblem) -> Arrays:
    operator, sets = problem.operator, problem.sets
    bodies = operator.over_bodies
    if bodies is not None:
        arrays = bodies.arrays
        return {
            "kind": np.array(operator.form),
            "inverse_mass": arrays.inverse_mass,
            "inverse_inertia": arrays.inverse_inertia,
            "body": arrays.body,
            "arms": arrays.arms.reshape(-1, 2, 3),
            "jacobian": arrays.jacobian,
            "wrenches": np.array(arrays.wrenches),
        }
    factors = operator.mass_form
    if factors is not None:
        H = factors.H.tocsc()[:, sets.row_order]
        entries = {"kind": np.array(operator.form)} | _sparse_entries("H", H)
        return entries | _sparse_entries("M", factors.M)
    entries = {"kind": np.array("matrix")} | _sparse_entries(
        "W", outward(operator.as_matrix(), sets)
    )
    if operator.skew is not None:
        entries |= _sparse_entries("skew", outward(operator.skew, sets))
    return entries


def _sparse_entries(key: str, matrix: Any) -> Arrays:
    return {
        f"{key}_data": matrix.data,
        f"{key}_indices": matrix.indices,
        f"{key}_indptr": matrix.indptr,
        f"{key}_shape": np.array(matrix.shape, dtype=np.int64),
    }
