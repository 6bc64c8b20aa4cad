"""Products of sets of many sizes, with their blocks one by one, for tests of kernels."""

import numpy as np

import amontons as am
from amontons._jit import CHUNK, TILE
from amontons.algebra.cones import Metric
from amontons.problem.sets import Product
from amontons.testing import naive, problems

FORMS = ("serial", "parallel")


def runs(rng, counts):
    """Runs of every kind, `counts` blocks of each, cones in both frames."""
    coulomb, spinning, rolling, free, nonnegative, interval = counts
    half = coulomb // 2
    units = problems.Units()
    parts = [
        (interval, lambda n: problems.interval(rng, n, units)),
        (half, lambda n: problems.coulomb(rng, n)),
        (free, am.Free),
        (spinning, lambda n: problems.spinning(rng, n, world=True)),
        (rolling, lambda n: problems.rolling(rng, n)),
        (coulomb - half, lambda n: problems.coulomb(rng, n, world=True)),
        (nonnegative, am.NonNegative),
    ]
    return [make(n) for n, make in parts if n]


SIZES = {
    "one-coulomb": (1, 0, 0, 0, 0, 0),
    "one-of-each": (1, 1, 1, 1, 1, 1),
    "one-interval": (0, 0, 0, 0, 0, 1),
    "a-few": (7, 5, 3, 2, 4, 6),
    "tile": (TILE, 1, 2, TILE + 1, 3, 2),
    "odd-tiles": (TILE + 3, 17, TILE - 1, 5, 2 * TILE + 1, 9),
    "chunks": (CHUNK + TILE + 5, 3, 2, CHUNK + 1, 2, CHUNK),
}


class Sample:
    """A product of sets, its blocks one by one, and ways from one to the other."""

    def __init__(self, size, seed=0, exact=False):
        self.rng = rng = np.random.default_rng(seed)
        self.runs = runs(rng, SIZES[size])
        self.product = Product(self.runs)
        self.blocks = naive.blocks_of(self.runs)
        if exact:
            self.product = self.product.with_exact_friction()
        self.sets = self.product.arrays
        self.rows = self.product.rows

    def vector(self, spread=1.0):
        return spread * self.rng.standard_normal(self.rows)

    def inward(self, values):
        """Independently of Product.inward: row by row."""
        out = np.empty_like(values)
        out[self.product.row_order] = values
        return out

    def outward(self, values):
        return values[self.product.row_order]

    def by_block(self, low, high):
        """A number a block, in the caller's order, and the same in internal order."""
        values = self.rng.uniform(low, high, len(self.blocks))
        inner = np.empty_like(values)
        inner[self.product.block_order] = values
        return values, inner

    def partial(self, columns):
        return np.full((self.sets.chunks.shape[0], columns), np.nan)

    def lift(self, u):
        """De Saxcé's terms of velocities u along their normals, zero for scalar blocks."""
        return naive.de_saxce(self.blocks, u)

    def by_row(self, values):
        return np.repeat(values, [block.size for block in self.blocks])


def metric_of(sample):
    (n, n_in), (t, t_in), (m, m_in) = (sample.by_block(0.3, 3.0) for _ in range(3))
    has_torque = sample.product.has_torque
    return (n, t, m), Metric(n_in, t_in, m_in if has_torque else np.empty(0))


def close(got, expected, scale=None, digits=13):
    scale = np.abs(expected).max(initial=1e-300) if scale is None else scale
    assert np.abs(np.asarray(got) - expected).max(initial=0.0) <= 10.0**-digits * scale
