"""Kernels called by their addresses."""

from typing import NamedTuple

import numba
import numpy as np
import pytest

from amontons.small_worlds.crew import in_parts
from amontons.small_worlds.pointers import address_of, call_for_nothing, call_for_number, lent


class Pair(NamedTuple):
    one: np.ndarray
    other: np.ndarray


@numba.njit
def add_up(pair, factor, out):
    for i in range(out.size):
        out[i] = factor * (pair.one[i] + pair.other[i])


@numba.njit
def count_above(values, limit):
    if limit < 0.0:
        raise ValueError("below zero")
    found = 0
    for value in values:
        found += value > limit
    return found


@numba.njit
def through(adding, counting, pair, limit, out):
    call_for_nothing(adding, (pair, 2.0, out))
    return call_for_number(counting, (out, limit))


@numba.njit
def doubled(pair, out):
    inner = lent((pair, 2.0))
    for i in range(out.size):
        out[i] = inner[1] * (inner[0].one[i] + inner[0].other[i])
    return inner[0].one[1:].sum()


def test_kernels_are_called_with_tuples_of_arrays():
    pair, out = Pair(np.arange(4.0), np.ones(4)), np.zeros(4)
    adding, counting = address_of(add_up, pair, 2.0, out), address_of(count_above, out, 3.0)
    assert through(adding, counting, pair, 3.0, out) == 3
    assert out.tolist() == [2.0, 4.0, 6.0, 8.0]
    assert address_of(add_up, pair, 2.0, out) == adding


def test_what_a_kernel_raises_is_raised():
    pair, out = Pair(np.arange(4.0), np.ones(4)), np.zeros(4)
    adding, counting = address_of(add_up, pair, 2.0, out), address_of(count_above, out, 3.0)
    with pytest.raises(ValueError, match="below zero"):
        through(adding, counting, pair, -1.0, out)


def test_lent_arrays_are_the_same_arrays():
    pair, out = Pair(np.arange(4.0), np.ones(4)), np.zeros(4)
    for _ in range(3):
        assert doubled(pair, out) == 6.0
        assert out.tolist() == [2.0, 4.0, 6.0, 8.0]


@pytest.mark.parametrize("count", [0, 1, 5, 37, 1000])
def test_parts_cover_all_once(count):
    seen = np.zeros(count, dtype=np.int64)

    def take(low, high):
        assert numba.get_num_threads() == 1
        seen[low:high] += 1

    usual = numba.get_num_threads()
    in_parts(count, take)
    assert (seen == 1).all()
    assert numba.get_num_threads() == usual


def test_what_fails_in_a_part_fails():
    def take(low, high):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        in_parts(100, take)
