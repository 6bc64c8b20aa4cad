"""Sums that do not depend on addresses: the same bits wherever in memory arrays lie."""

import numpy as np
import pytest

from amontons._jit import TILE
from amontons.judge.blocks import COLUMNS, judge_blocks
from amontons.solvers import spectral_gradient
from amontons.solvers.apgd.propose import Origin, propose
from amontons.solvers.gauge import natural_map
from helpers.kernel_samples import FORMS, SIZES, Sample, metric_of

pytestmark = pytest.mark.usefixtures("one_thread")


def scattered(rng, *vectors):
    """Copies of vectors at arbitrary places in memory, some of them next to one another."""
    apart = [np.empty(v.size + 64) for v in vectors]
    offsets = rng.integers(0, 64, len(vectors))
    if rng.random() < 0.5:
        whole = np.empty(sum(v.size + 64 for v in vectors))
        ends = np.cumsum([v.size + 64 for v in vectors])
        apart = [whole[end - v.size - 64 : end] for v, end in zip(vectors, ends, strict=True)]
    out = [
        room[offset : offset + v.size]
        for room, offset, v in zip(apart, offsets, vectors, strict=True)
    ]
    for place, v in zip(out, vectors, strict=True):
        place[:] = v
    return out


ONE_KIND = {
    "coulomb": (3 * TILE + 5, 0, 0, 0, 0, 0),
    "spinning": (0, TILE + 5, 0, 0, 0, 0),
    "rolling": (0, 0, TILE + 5, 0, 0, 0),
    "free": (0, 0, 0, 3 * TILE + 5, 0, 0),
    "nonnegative": (0, 0, 0, 0, 3 * TILE + 5, 0),
    "interval": (0, 0, 0, 0, 0, 3 * TILE + 5),
}


NAMES = ("natural_map", "judge_blocks", "propose", "advance", "stretch_of")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ONE_KIND)
@pytest.mark.parametrize(
    "name", ["natural_map", "judge_blocks", "propose", "advance", "stretch_of"]
)
def test_sums_do_not_depend_on_where_arrays_lie(name, kind, form, monkeypatch):
    """Loops that add up while they write have two compiled forms, one where arrays might overlap.

    Runs repeat bit for bit only if both add in the same order.
    """
    monkeypatch.setitem(SIZES, kind, ONE_KIND[kind])
    sample = Sample(kind, seed=11)
    rng = sample.rng
    _, rho = sample.by_block(0.3, 3.0)
    _, metric = metric_of(sample)
    v = [sample.vector() for _ in range(7)]
    seen, keep = set(), []
    for _ in range(60):
        keep.append(np.empty(rng.integers(1, 20_000)))  # so that memory is cut up
        x, y, z, w, r, out, more = scattered(rng, *v)
        if name == "natural_map":
            arguments = (rho, x, y, r, sample.partial(3))
            kernel = natural_map
        elif name == "judge_blocks":
            arguments = (rho, 1e-6, x, y, r, z, True, sample.partial(COLUMNS))
            kernel = judge_blocks
        elif name == "propose":
            origin = Origin(np.empty(0), r)
            arguments = (metric, rho, x, y, z, w, origin, 0.6, 0.7, out, sample.partial(5))
            kernel = propose
        elif name == "advance":
            arguments = (metric, rho, x, y, z, more, 0.4, 0.8, out, sample.partial(3))
            kernel = spectral_gradient.advance
        else:
            arguments = (metric, x, sample.partial(1))
            kernel = spectral_gradient.stretch_of
        seen.add(getattr(kernel, form)(sample.sets, *arguments))
    assert len(seen) == 1
