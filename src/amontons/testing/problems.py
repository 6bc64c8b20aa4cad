"""Small random problems of every kind, seeded, each with the same problem in plain numpy.

`case("mixed")` is one of :data:`CASES`. A case can be stated in other units: with `mass` and
`speed` as factors, W goes with 1/mass, r with speed, and impulses with mass · speed. Powers of two
change no digit of any result, so a solver free of hidden units walks the same path.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from amontons.problem.problem import ConeProblem
from amontons.problem.sets import Free, NonNegative, Run
from amontons.testing.random import (
    Case,
    Generator,
    Units,
    coulomb,
    every_kind,
    interval,
    of_matrix,
    random_compliance,
    random_matrix,
    random_normals,
    rolling,
    spinning,
)
from amontons.testing.scenes import RigidScene

__all__ = [
    "CASES",
    "HARD",
    "Case",
    "RigidScene",
    "Units",
    "build",
    "case",
    "coulomb",
    "interval",
    "many_bilateral",
    "many_contacts",
    "random_compliance",
    "random_matrix",
    "random_normals",
    "rolling",
    "spinning",
]

Builder = Callable[[Generator, Units], Case]


def _matrix(name: str, runs: Callable[[Generator, Units], list[Run]], **options: Any) -> Builder:
    return lambda rng, units: of_matrix(name, rng, runs(rng, units), units, **options)


def _scene(rng: Generator, units: Units, **options: Any) -> RigidScene:
    return RigidScene(rng, units=units, **options)


CASES: dict[str, Builder] = {
    "free": _matrix("free", lambda rng, units: [Free(9)]),
    "nonnegative": _matrix("nonnegative", lambda rng, units: [NonNegative(9)]),
    "interval": _matrix("interval", lambda rng, units: [interval(rng, 9, units)]),
    "coulomb": _matrix("coulomb", lambda rng, units: [coulomb(rng, 5)]),
    "rolling": _matrix("rolling", lambda rng, units: [rolling(rng, 4)]),
    "spinning": _matrix("spinning", lambda rng, units: [spinning(rng, 4)]),
    "world-frame": _matrix(
        "world-frame", lambda rng, units: [coulomb(rng, 3, True), spinning(rng, 2, True)]
    ),
    "mixed": _matrix("mixed", every_kind),
    "compliance": _matrix("compliance", every_kind, compliant=True),
    "cohesion": _matrix("cohesion", every_kind, cohesive=True),
    "compliance-cohesion": _matrix(
        "compliance-cohesion", every_kind, compliant=True, cohesive=True
    ),
    "bodies": lambda rng, units: _scene(rng, units).of_contacts("bodies"),
    "bodies-torque": lambda rng, units: _scene(rng, units).of_contacts(
        "bodies-torque", torque=True
    ),
    "bodies-free": lambda rng, units: _scene(rng, units, contacts=0, scalars=8).of_operator(
        "bodies-free", "ffffffff"
    ),
    "bodies-mixed": lambda rng, units: _scene(rng, units, contacts=6, scalars=5).of_operator(
        "bodies-mixed", "icfscnicsfc"
    ),
    "bodies-extras": lambda rng, units: _scene(rng, units, contacts=6, scalars=5).of_operator(
        "bodies-extras", "icfscnicsfc", extras=True
    ),
    "condensed": lambda rng, units: _scene(rng, units, immovable=False).of_global(
        "condensed", "matrix"
    ),
    "factored": lambda rng, units: _scene(
        rng, units, immovable=False, contacts=5, scalars=3
    ).of_global("factored", "factored"),
    "factored-free": lambda rng, units: _scene(
        rng, units, immovable=False, contacts=0, scalars=8
    ).of_global("factored-free", "factored"),
    "contact-frame": lambda rng, units: _scene(rng, units, immovable=False).of_global(
        "contact-frame", "bodies"
    ),
}
"""Builders of every case, by name."""

HARD: dict[str, Builder] = {
    "hard-bodies": lambda rng, units: _scene(
        rng, units, bodies=6, contacts=40, spread=6.0
    ).of_contacts("hard-bodies"),
    "hard-torque": lambda rng, units: _scene(
        rng, units, bodies=5, contacts=20, spread=6.0
    ).of_contacts("hard-torque", torque=True),
    "hard-mixed": _matrix("hard-mixed", every_kind, rank=12),
    "hard-free": lambda rng, units: _scene(
        rng, units, bodies=4, contacts=0, scalars=40, spread=6.0
    ).of_operator("hard-free", "f" * 40),
}
"""Rank-deficient and badly scaled ones, for which an honest status is all that is asked."""


def build(name: str, units: Units | None = None) -> Case:
    """A new copy of a case, with the same numbers each time."""
    builder = {**CASES, **HARD}[name]
    return builder(np.random.default_rng(zlib.crc32(name.encode())), units or Units())


@cache
def case(name: str) -> Case:
    """A case of :data:`CASES` or :data:`HARD`, cached."""
    return build(name)


def many_contacts(contacts: int = 5000) -> ConeProblem:
    """Enough contacts between bodies for several chunks of parallel work."""
    rng = np.random.default_rng(7)
    bodies = contacts // 2
    a = rng.integers(-1, bodies, contacts)
    b = (a + rng.integers(1, 9, contacts)) % bodies
    clash = a == b
    b[clash] = (a[clash] + 1) % bodies
    return ConeProblem.from_contacts(
        inverse_mass=rng.uniform(0.5, 2.0, bodies),
        inverse_inertia=rng.uniform(1.0, 3.0, (bodies, 1, 1)) * np.eye(3),
        bodies_a=a,
        bodies_b=b,
        normals=random_normals(rng, contacts),
        arms_a=rng.uniform(-0.5, 0.5, (contacts, 3)),
        arms_b=rng.uniform(-0.5, 0.5, (contacts, 3)),
        free_velocity=rng.standard_normal((bodies, 6)),
        friction=0.3,
    )


def many_bilateral(rows: int = 9000) -> ConeProblem:
    """Enough bilateral rows for several chunks of parallel work."""
    import scipy.sparse as sp

    rng = np.random.default_rng(8)
    side = rng.uniform(-1.0, 1.0, rows - 1)
    W = sp.diags_array([side, np.full(rows, 2.5), side], offsets=[-1, 0, 1]).tocsr()
    return ConeProblem.from_matrix(W, rng.standard_normal(rows), sets=[Free(rows)])
