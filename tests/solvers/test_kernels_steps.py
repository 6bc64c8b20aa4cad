"""Steps in a metric: passes of APGD and SpectralGradient against bisection, block by block."""

import numpy as np
import pytest

from amontons.solvers import spectral_gradient
from amontons.solvers.apgd.propose import Origin, propose
from amontons.testing import naive
from helpers.kernel_samples import FORMS, Sample, close, metric_of

pytestmark = pytest.mark.usefixtures("one_thread")


def step_matrix(block, sn, st, sm):
    """S of one block: s_n along the normal, s_t across, s_m on torques."""
    if not block.cone:
        return np.array([[sn]])
    S = sm * np.eye(block.size)
    along = np.outer(block.normal, block.normal)
    S[:3, :3] = st * np.eye(3) + (sn - st) * along
    return S


def metric_projection(block, x, sn, st, sm):
    """Nearest point in the norm of S⁻¹: bisection for the height where the slope vanishes."""
    if not block.cone:
        return naive.project_block(block, x)
    v, parts, limits = block.split(x)
    lengths = [float(np.linalg.norm(p)) for p in parts]
    steps = [st, sm, sm][: len(parts)]

    def slope(a):
        pull = sum(
            m * max(t - m * a, 0) / s for t, m, s in zip(lengths, limits, steps, strict=True)
        )
        return (a - v) / sn - pull

    if slope(0.0) >= 0.0:
        return np.zeros_like(x)
    low, high = 0.0, 1.0
    while slope(high) < 0.0:
        high *= 2.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if slope(middle) < 0.0 else (low, middle)
    a = high
    kept = [
        p if t <= m * a else p * (m * a / t) for p, t, m in zip(parts, lengths, limits, strict=True)
    ]
    return block.join(a, kept)


def naive_step(sample, lengths, y, g, step):
    """Π(y − step·S g) in the metric, and dᵀS⁻¹d."""
    out, square = np.empty_like(y), 0.0
    for block, sn, st, sm in zip(sample.blocks, *lengths, strict=True):
        S = step_matrix(block, sn, st, sm)
        r = block.rows
        out[r] = metric_projection(block, y[r] - step * (S @ g[r]), sn, st, sm)
        d = out[r] - y[r]
        square += d @ np.linalg.solve(S, d)
    return out, square


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", ["one-coulomb", "one-of-each", "a-few", "odd-tiles"])
@pytest.mark.parametrize("exact", [False, True], ids=["convex", "exact"])
def test_propose(size, form, exact):
    sample = Sample(size, seed=2, exact=exact)
    x, x_old, Nx, Nx_old, r = (sample.vector() for _ in range(5))
    rho, inner_rho = sample.by_block(0.2, 3.0)
    lengths, metric = metric_of(sample)
    beta, step = 0.6, 0.7
    out = np.full(sample.rows, np.nan)
    inner = [sample.inward(v) for v in (x, x_old, Nx, Nx_old, r)]
    origin = Origin(np.empty(0), inner[4])
    got = getattr(propose, form)(
        sample.sets, metric, inner_rho, *inner[:4], origin, beta, step, out, sample.partial(5)
    )
    steps = sample.by_row(rho)
    lift = sample.lift(Nx + r) if exact else 0.0
    e = (x - naive.project(sample.blocks, x - steps * (Nx + r + lift))) / steps
    y = x + beta * (x - x_old)
    g = Nx + beta * (Nx - Nx_old) + r + lift
    new, square = naive_step(sample, lengths, y, g, step)
    close(sample.outward(out), new, digits=12)
    expected = [e @ e, x @ Nx, r @ x, g @ (new - x), square]
    close(got, expected, scale=sample.rows, digits=12)
    for given, kept in zip(inner, (x, x_old, Nx, Nx_old, r), strict=True):
        assert (sample.outward(given) == kept).all()


@pytest.mark.parametrize("size", ["one-coulomb", "one-of-each", "a-few", "odd-tiles"])
def test_propose_corrections_of_a_base(size):
    """Float32 in memory, float64 in between: a large base takes no digit from the corrections."""
    sample = Sample(size, seed=5)

    def single(spread):
        return sample.vector(spread).astype(np.float32).astype(np.float64)

    base = single(1e4)
    d, d_old, Nd, Nd_old, u0 = (single(1.0) for _ in range(5))
    rho, inner_rho = sample.by_block(0.2, 3.0)
    lengths, metric = metric_of(sample)
    lengths = [each.astype(np.float32).astype(np.float64) for each in lengths]
    rho = rho.astype(np.float32).astype(np.float64)
    beta, step = 0.6, 0.7
    inner = [sample.inward(v).astype(np.float32) for v in (d, d_old, Nd, Nd_old)]
    origin = Origin(*(sample.inward(v).astype(np.float32) for v in (base, u0)))
    out = np.full(sample.rows, np.nan, dtype=np.float32)
    got = propose.parallel(
        sample.sets, type(metric)(*(part.astype(np.float32) for part in metric)),
        inner_rho.astype(np.float32), *inner, origin, beta, step, out, sample.partial(5),
    )  # fmt: skip
    x, steps = base + d, sample.by_row(rho)
    e = (x - naive.project(sample.blocks, x - steps * (Nd + u0))) / steps
    y = x + beta * (d - d_old)
    g = Nd + beta * (Nd - Nd_old) + u0
    new, square = naive_step(sample, lengths, y, g, step)
    size = np.abs(new - base).max()
    close(sample.outward(out).astype(np.float64), new - base, scale=size, digits=7)
    expected = [e @ e, d @ Nd, u0 @ d, g @ (new - x), square]
    for mine, theirs, unit in zip(
        got, expected, (e @ e, sample.rows, sample.rows, sample.rows * size, square), strict=True
    ):
        assert mine == pytest.approx(theirs, abs=1e-8 * unit)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", ["one-coulomb", "one-of-each", "a-few", "odd-tiles"])
@pytest.mark.parametrize("exact", [False, True], ids=["convex", "exact"])
def test_advance_and_stretch(size, form, exact):
    sample = Sample(size, seed=3, exact=exact)
    x, d, Nd, g = (sample.vector() for _ in range(4))
    rho, inner_rho = sample.by_block(0.2, 3.0)
    lengths, metric = metric_of(sample)
    length, step = 0.4, 0.8
    x_new, d_in, g_in = np.full(sample.rows, np.nan), sample.inward(d), sample.inward(g)
    got = getattr(spectral_gradient.advance, form)(
        sample.sets, metric, inner_rho, sample.inward(x), d_in, sample.inward(Nd), g_in,
        length, step, x_new, sample.partial(3),
    )  # fmt: skip
    moved, g = x + length * d, g + length * Nd
    close(sample.outward(x_new), moved)
    close(sample.outward(g_in), g)  # kept without De Saxcé's term
    g = g + sample.lift(g) if exact else g
    steps = sample.by_row(rho)
    e = (moved - naive.project(sample.blocks, moved - steps * g)) / steps
    new, square = naive_step(sample, lengths, moved, g, step)
    close(sample.outward(d_in), new - moved, digits=12)
    close(got, [e @ e, g @ (new - moved), square], scale=sample.rows, digits=12)

    got = getattr(spectral_gradient.stretch_of, form)(
        sample.sets, metric, sample.inward(Nd), sample.partial(1)
    )
    stretch = sum(
        Nd[block.rows] @ step_matrix(block, sn, st, sm) @ Nd[block.rows]
        for block, sn, st, sm in zip(sample.blocks, *lengths, strict=True)
    )
    close([got], [stretch], scale=sample.rows)
