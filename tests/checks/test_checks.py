"""Checks of arguments: what they return, and that a refusal names the argument and the entry."""

import math
from fractions import Fraction

import numpy as np
import pytest

import amontons as am
from amontons import checks

NO_NUMBERS = ["1", None, True, np.bool_(True), [1.0], 1j]


@pytest.mark.parametrize(
    "value", [3, 3.0, np.float32(3.0), np.int8(3), np.array(3.0), Fraction(3)], ids=repr
)
@pytest.mark.parametrize("check", [checks.positive, checks.finite, checks.not_negative])
def test_real_numbers_of_any_type_become_floats(check, value):
    found = check("size", value)
    assert type(found) is float
    assert found == 3.0


@pytest.mark.parametrize("value", [*NO_NUMBERS, math.nan, math.inf, -math.inf, 1e31], ids=repr)
@pytest.mark.parametrize("check", [checks.positive, checks.finite, checks.not_negative])
def test_what_is_not_a_finite_number_is_refused(check, value):
    with pytest.raises(am.InputError, match=r"^size "):
        check("size", value)


def test_signs():
    assert checks.finite("size", -2) == -2.0
    assert checks.not_negative("size", 0) == 0.0
    with pytest.raises(am.InputError, match="size is -2; it must not be negative"):
        checks.not_negative("size", -2)
    for value in (0.0, -1.0, 1e-31):
        with pytest.raises(am.InputError, match="must be positive, from 1e-30 to 1e\\+30"):
            checks.positive("size", value)


def test_infinity_may_stand_for_no_bound():
    assert checks.positive_or_infinite("limit", math.inf) == math.inf
    assert checks.positive_or_infinite("limit", 2) == 2.0
    for value in (-math.inf, math.nan, 0.0):
        with pytest.raises(am.InputError, match=r"^limit is "):
            checks.positive_or_infinite("limit", value)


def test_whole_numbers():
    assert checks.whole("count", np.int64(4), least=1, most=4) == 4
    for value in (4.0, "4", True, 5, 0):
        with pytest.raises(am.InputError, match="count must be a whole number from 1 to 4, got"):
            checks.whole("count", value, least=1, most=4)
    with pytest.raises(am.InputError, match="≥ 0, got -1"):
        checks.whole("count", -1)


def test_floors_and_what_must_be_above():
    checks.at_least("tolerance", 0.0, floor=0.0)
    with pytest.raises(am.InputError, match="tolerance is -1; it must be at least 0"):
        checks.at_least("tolerance", -1, floor=0.0)
    with pytest.raises(am.InputError, match="step is 0; it must be larger than 0"):
        checks.at_least("step", 0, above=0.0)
    for value in (math.nan, math.inf, True, "1"):
        with pytest.raises(am.InputError, match="step must be a finite number"):
            checks.at_least("step", value, floor=0.0)


# -- arrays ---------------------------------------------------------------------------------------


def test_arrays_are_copies_or_themselves():
    given = np.arange(6.0).reshape(2, 3)
    assert checks.as_numbers("v", given) is given
    assert checks.as_finite("v", given) is given
    copied = checks.finite_array("v", given)
    assert not np.shares_memory(copied, given)
    np.testing.assert_array_equal(copied, given)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("check", [checks.as_finite, checks.finite_array])
def test_the_first_bad_entry_is_named(check, bad):
    array = np.ones((3, 2))
    array[1, 1] = array[2, 0] = bad
    with pytest.raises(am.InputError, match=rf"v\[1, 1\] is {bad}; every entry must be a finite"):
        check("v", array)


def test_infinities_are_left_to_others_where_only_numbers_are_asked_for():
    assert checks.as_numbers("v", [1, math.inf]).tolist() == [1.0, math.inf]
    for value in ("word", [[1], [1, 2]], [object()]):
        with pytest.raises(am.InputError, match="v must be an array of numbers"):
            checks.as_numbers("v", value)


def test_rows():
    assert checks.rows_array("v", []).shape == (0, 3)
    assert checks.rows_array("v", [[1, 2]], width=2).tolist() == [[1.0, 2.0]]
    with pytest.raises(am.InputError, match=r"v must have shape \(n, 3\), got \(3,\)"):
        checks.rows_array("v", [1, 2, 3])


def test_points_are_read_only_and_have_no_negative_zero():
    points = checks.points_array("p", [[-0.0, 1.0, 2.0]])
    assert not points.flags.writeable
    assert not np.signbit(points).any()


def test_directions_are_made_unit_length():
    rows = checks.unit_rows([[3.0, 4.0, 0.0], [1e-30, 0.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(rows, [[0.6, 0.8, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert checks.unit_vector("axis", [0, 0, 2]) == (0.0, 0.0, 1.0)
    assert checks.unit_quaternion("turn", [0, 0, 0, -2]) == (0.0, 0.0, 0.0, -1.0)
    with pytest.raises(am.InputError, match=r"axis is .*: its length must not be zero"):
        checks.unit_vector("axis", [0, 0, 0])


def test_a_unit_vector_that_comes_again_keeps_its_bits():
    rng = np.random.default_rng(0)
    for row in rng.standard_normal((100, 3)):
        once = checks.unit_vector("axis", row)
        assert checks.unit_vector("axis", once) == once


def test_vectors():
    assert checks.positive_vector("size", (1, 2, 3)) == (1.0, 2.0, 3.0)
    with pytest.raises(am.InputError, match="size along y is 0; it must be positive"):
        checks.positive_vector("size", (1, 0, 3))
    with pytest.raises(am.InputError, match=r"place must be 3 numbers, got an array of shape \(2,"):
        checks.finite_vector("place", (1, 2))
