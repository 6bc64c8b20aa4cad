"""What is read off flows: exponents and stress ratios whose values are known."""

import numpy as np
import pytest

import beverloo
import shear


def test_the_exponent_of_a_law_without_noise_is_found():
    free = np.array([3.0, 4.0, 6.0, 8.0])
    slope, error = beverloo.exponent(free, 0.7 * free**2.5, np.array([0.1, 0.2, 0.1, 3.0]))
    assert slope == pytest.approx(2.5)
    assert error > 0.0


def test_the_error_of_an_exponent_is_that_of_its_scatter():
    free, truth = np.array([3.0, 4.0, 6.0, 8.0]), 0.7
    rng = np.random.default_rng(0)
    share = np.array([0.05, 0.02, 0.01, 0.01])
    rates = truth * free**2.5 * (1.0 + share * rng.standard_normal((2000, 4)))
    found = np.array([beverloo.exponent(free, rate, share * rate) for rate in rates])
    assert found[:, 0].mean() == pytest.approx(2.5, abs=0.01)
    assert found[:, 0].std() == pytest.approx(found[:, 1].mean(), rel=0.1)


def test_beverloos_factor():
    holes = np.array([4.0, 6.0, 9.0])
    rates = 0.6 * 0.6 * 6.0 / np.pi * (holes - beverloo.K) ** 2.5
    cases = [
        {"orifice": hole, "rate": rate, "rate_error": 0.01 * rate}
        for hole, rate in zip(holes, rates, strict=True)
    ]
    found = beverloo.law(cases)
    assert found["factor"] == pytest.approx(0.6)
    assert found["exponent"] == pytest.approx(2.5)
    assert found["k_at_five_halves"] == pytest.approx(beverloo.K)
    assert found["exponent_by_k"][1.0] > 2.5 > found["exponent_by_k"][1.6]


def test_a_ratio_of_stresses_is_the_shear_stress_by_the_mean_pressure():
    rng = np.random.default_rng(1)
    normal = np.array([1.1, 1.0, 0.9]) + 0.01 * rng.standard_normal((4000, 3))
    ratio = 0.4 + 0.1 * rng.standard_normal(4000)
    samples = np.column_stack([normal, ratio, np.full(4000, 0.58)])
    found = shear.read(samples)
    assert found["stress_ratio"] == pytest.approx(0.4, abs=4.0 * found["stress_ratio_error"])
    assert 0.0005 < found["stress_ratio_error"] < 0.004  # 0.1 / √4000 is 0.0016
    assert found["pressure"] == pytest.approx(1.0, abs=1e-3)
    assert found["ratio_to_yy"] == pytest.approx(found["stress_ratio"], rel=2e-3)
    assert found["solid_fraction"] == pytest.approx(0.58)
