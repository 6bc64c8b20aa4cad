"""Properties that every projection must have, on numbers that hypothesis thinks up."""

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.problem.sets import Product
from amontons.testing import naive
from helpers.stored_problems import LOADERS

DIMENSION = {"free": 1, "nonnegative": 1, "interval": 1, "coulomb": 3, "rolling": 5, "spinning": 6}
CONES = ["free", "nonnegative", "coulomb", "rolling", "spinning"]
FEW = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)

magnitude = st.one_of(
    st.floats(-10, 10),
    st.floats(-1e150, 1e150, allow_subnormal=True),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1e-150, -1e-150, 1e150, -1e150, 1.0, -1.0]),
)
hundredths = st.integers(-1000, 1000).map(lambda i: i / 100)
coefficient = st.one_of(
    st.floats(0.0, 2.0), st.sampled_from([0.0, 1e-12, 1e-3, 0.5, 1.0, 1e3, 1e8])
)


@st.composite
def blocks(draw, kind, entry=magnitude):
    """A product of one set of this kind, and two points to project."""
    size = DIMENSION[kind]
    points = [np.array(draw(st.lists(entry, min_size=size, max_size=size))) for _ in range(2)]
    normal = None
    if draw(st.booleans()):
        direction = np.array(draw(st.lists(st.floats(-1, 1), min_size=3, max_size=3)))
        length = np.linalg.norm(direction)
        if length > 1e-3:
            normal = (direction / length)[None]
    mu, rho, sigma = draw(st.tuples(coefficient, coefficient, coefficient))
    if kind == "free":
        run = am.Free(1)
    elif kind == "nonnegative":
        run = am.NonNegative(1)
    elif kind == "interval":
        bounds = sorted(draw(st.tuples(entry, entry)))
        run = am.Interval(
            *draw(st.sampled_from([bounds, (-np.inf, bounds[1]), (bounds[0], np.inf)]))
        )
    elif kind == "coulomb":
        run = am.CoulombCone([mu], normal)
    elif kind == "rolling":
        run = am.RollingCone([mu], [rho])
    else:
        run = am.SpinningCone([mu], [rho], [sigma], normal)
    return Product([run]), points


def polar_excess(block, y, scale):
    """How far y is from the polar cone, relative to `scale`; formulas of the dual cone."""
    if block.kind == am.Free.kind:
        return abs(y[0]) / scale
    if block.kind == am.NonNegative.kind:
        return max(y[0], 0.0) / scale
    v, parts, limits = block.split(y / scale)
    return v + sum(mu * np.linalg.norm(part) for part, mu in zip(parts, limits, strict=True))


SUBNORMAL = 1e-300
"""Below this, numbers are close to subnormal and have no relative accuracy to speak of."""


def amount(*points):
    return max(float(np.abs(p).max()) for p in points) or 1.0


@pytest.mark.parametrize("kind", DIMENSION)
def test_projection_is_idempotent(kind):
    @FEW
    @given(blocks(kind))
    def check(data):
        product, (x, _) = data
        once = product.project(x.copy())
        change = np.abs(product.project(once.copy()) - once).max()
        assert change <= 1e-14 * amount(once) + SUBNORMAL

    check()


@pytest.mark.parametrize("kind", DIMENSION)
def test_projection_does_not_expand(kind):
    @FEW
    @given(blocks(kind))
    def check(data):
        product, (x, y) = data
        near, far = product.project(x.copy()) - product.project(y.copy()), x - y
        scale = amount(x, y)
        assert np.linalg.norm(near / scale) <= np.linalg.norm(far / scale) + 1e-13

    check()


@pytest.mark.parametrize("kind", CONES)
def test_moreau_decomposition(kind):
    @FEW
    @given(blocks(kind))
    def check(data):
        product, (x, _) = data
        (block,) = naive.blocks_of(product.runs)
        image = product.project(x.copy())
        rest, scale = x - image, amount(x)
        # x = Π(x) + rest with rest in the polar cone and orthogonal to Π(x)
        top = max(block.friction, block.rolling, block.spinning, 1.0)
        assert polar_excess(block, rest, scale) <= 1e-13 * top
        assert abs((image / scale) @ (rest / scale)) <= 1e-13
        assert naive.violation([block], image) <= 1e-13 * scale

    check()


@pytest.mark.parametrize("kind", CONES)
def test_projection_is_positively_homogeneous(kind):
    @FEW
    @given(blocks(kind, hundredths), st.sampled_from([2.0**-300, 2.0**-20, 2.0**30, 2.0**300]))
    def check(data, factor):
        product, (x, _) = data
        expected = factor * product.project(x.copy())
        assert np.abs(product.project(factor * x) - expected).max() <= 1e-14 * factor * amount(x)

    check()


@pytest.mark.parametrize("kind", DIMENSION)
def test_no_feasible_point_is_nearer(kind):
    @FEW
    @given(blocks(kind, st.floats(-10, 10)), st.integers(0, 2**32 - 1))
    def check(data, seed):
        product, (x, _) = data
        (block,) = naive.blocks_of(product.runs)
        image = product.project(x.copy())
        best = np.linalg.norm(x - image)
        rng = np.random.default_rng(seed)
        for spread in (1e-3, 1.0, 10.0):
            for _ in range(10):
                other = naive.project_block(block, image + spread * rng.standard_normal(x.size))
                assert best <= np.linalg.norm(x - other) + 1e-13 * amount(x)

    check()


@pytest.mark.parametrize("kind", DIMENSION)
def test_projection_agrees_with_naive_numpy(kind):
    @FEW
    @given(blocks(kind))
    def check(data):
        product, (x, _) = data
        expected = naive.project(naive.blocks_of(product.runs), x)
        assert np.abs(product.project(x.copy()) - expected).max() <= 1e-14 * amount(x)

    check()


@FEW
@given(
    st.lists(st.lists(st.floats(-10, 10), min_size=5, max_size=5), min_size=1, max_size=6),
    st.floats(0, 2),
    st.floats(0, 2),
)
def test_agreement_with_plain_loaders(rows, mu, rho):
    X = np.array(rows)
    count = X.shape[0]
    friction, rolling = np.full(count, mu), np.full(count, rho)
    # loaders compare objective values, so they are right to half the digits only
    for name, loader in LOADERS.items():
        x = X[:, :3].ravel()
        got = Product([am.CoulombCone(friction)]).project(x.copy())
        expected = loader.project(x, friction)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-6, err_msg=name)
        x = X.ravel()
        got = Product([am.RollingCone(friction, rolling)]).project(x.copy())
        expected = loader.project(x, friction, rolling)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("kind", ["coulomb", "spinning"])
def test_apex_and_axis(kind):
    rest = [0.0] * (DIMENSION[kind] - 1)
    run = am.CoulombCone([0.5]) if kind == "coulomb" else am.SpinningCone([0.5], [0.1], [0.1])
    product = Product([run])
    assert not product.project([0.0, *rest]).any()
    assert not product.project([-3.0, *rest]).any()
    assert product.project([3.0, *rest]).tolist() == [3.0, *rest]


@pytest.mark.parametrize("normal", [None, [[0.0, 0.6, 0.8]]])
def test_without_friction_nothing_pulls(normal):
    n = np.array([1.0, 0.0, 0.0] if normal is None else normal[0])
    # no tangential part at all: ‖x_t‖ = 0 ≤ 0 · x_n holds, x_n ≥ 0 does not
    plain = Product([am.CoulombCone([0.0], normal)])
    assert np.abs(plain.project(-2.0 * n)).max() <= 1e-15
    torque = Product([am.SpinningCone([0.0], [0.0], [0.0], normal)])
    assert np.abs(torque.project(np.concatenate([-2.0 * n, np.zeros(3)]))).max() <= 1e-15
    rolling = Product([am.RollingCone([0.0], [0.0])])
    assert not rolling.project([-2.0, 0.0, 0.0, 0.0, 0.0]).any()


def test_without_friction_only_the_normal_part_is_left():
    assert Product([am.CoulombCone([0.0])]).project([2.0, 3.0, -1.0]).tolist() == [2.0, 0.0, 0.0]
    both = Product([am.SpinningCone([0.0], [0.0], [0.0])])
    assert both.project([2.0, 1, 1, 1, 1, 1]).tolist() == [2.0, 0, 0, 0, 0, 0]


@given(st.floats(1e9, 1e300), st.floats(0.1, 10.0), st.floats(-10.0, 10.0))
@FEW
@example(1e200, 1.0, -1.0)
def test_huge_friction_keeps_the_tangential_part(mu, t, v):
    # the cone is nearly the half-space x_n ≥ 0; to refuse such a coefficient would be fine too
    try:
        product = Product([am.CoulombCone([mu])])
    except am.InputError:
        return
    got = product.project([v, t, 0.0])
    assert np.abs(got - [max(v, 0.0), t, 0.0]).max() <= 1e-7 * max(abs(v), t)


@pytest.mark.parametrize(
    "run", [am.CoulombCone([0.5]), am.NonNegative(3), am.SpinningCone([0.5, 0.1], 0.1, 0.1)]
)
def test_projection_leaves_its_argument_alone(run):
    product = Product([run])
    x = -np.ones(product.rows)
    image = product.project(x)
    assert (x == -1.0).all()
    assert not np.shares_memory(image, x)


def test_infinities_and_nan_are_refused():
    product = Product([am.CoulombCone([0.5])])
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(am.InputError, match=r"x\[1\] is"):
            product.project([1.0, bad, 0.0])
    with pytest.raises(am.InputError, match="shape"):
        product.project([1.0, 2.0])
