"""Fits of power laws, y = K x₁^a x₂^b ..., by least squares of logarithms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from amontons.errors import InputError


@dataclass(frozen=True)
class PowerLaw:
    """y = constant · Π xᵢ^exponents[i]."""

    constant: float
    exponents: dict[str, float]
    spread: float
    """Root mean square of what the fit leaves, as a share of y."""


def fit_power_law(values: ArrayLike, **factors: ArrayLike) -> PowerLaw:
    """The power law in all `factors` that is nearest to `values`, all positive, shape (n,) each."""
    columns = {name: np.asarray(each, dtype=np.float64) for name, each in factors.items()}
    y = np.asarray(values, dtype=np.float64)
    for name, each in {"values": y, **columns}.items():
        if each.shape != y.shape or each.ndim != 1:
            raise InputError(f"{name} has shape {each.shape}; one number a measurement is needed")
        if not (np.isfinite(each).all() and (each > 0.0).all()):
            raise InputError(f"{name} must be positive for a power law")
    matrix = np.column_stack([np.ones(y.size), *(np.log(each) for each in columns.values())])
    solution, _, rank, _ = np.linalg.lstsq(matrix, np.log(y), rcond=None)
    if rank < matrix.shape[1]:
        raise InputError("the measurements do not tell the factors apart; vary each by itself")
    left = np.log(y) - matrix @ solution
    return PowerLaw(
        constant=float(np.exp(solution[0])),
        exponents=dict(zip(columns, map(float, solution[1:]), strict=True)),
        spread=float(np.sqrt(np.mean(left**2))),
    )
