"""Kernels called by their addresses."""

from typing import NamedTuple

import numba
import numpy as np
import pytest

from amontons.small_worlds.crew import in_parts
from amontons.small_worlds.pointers import (
    Held,
    NotCompiledError,
    address_of,
    call_for_nothing,
    call_for_number,
    caller_of,
    lent,
    value_in,
)


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


class Several(NamedTuple):
    pair: Pair
    scale: float
    yes: bool
    grids: tuple
    counts: np.ndarray


@numba.njit
def use_held(place, low, high):
    of = value_in(place)
    for i in range(low, high):
        of.counts[i] += 1
        of.pair.other[i] += of.scale * of.pair.one[i] + (of.grids[1].one[0] if of.yes else 0.0)
    if high > 3:
        raise ValueError("too many")
    return high - low


def several(scale):
    pair = Pair(np.arange(4.0), np.zeros(4))
    return Several(pair, scale, True, (pair, Pair(np.full(1, 7.0), np.ones(0))), np.zeros(4, int))


def test_held_arguments_stay_for_many_calls():
    value = several(2.0)
    held = Held(value)
    call = caller_of(use_held, held.kind)
    call(held.address, 0, 2)
    call(held.address, 1, 3)
    assert value.counts.tolist() == [1, 2, 1, 0]
    assert value.pair.other.tolist() == [7.0, 18.0, 11.0, 0.0]
    other = several(1.0)
    held.put(other)
    call(held.address, 0, 3)
    assert other.pair.other.tolist() == [7.0, 8.0, 9.0, 0.0]
    assert value.counts.tolist() == [1, 2, 1, 0]


def test_a_kernel_that_raises_is_not_passed_over():
    held = Held(several(2.0))
    with pytest.raises(MemoryError, match="use_held"):
        caller_of(use_held, held.kind)(held.address, 0, 4)


def test_who_does_not_wait_is_told_that_there_is_no_code():
    def fresh(x):
        return x + 1

    kernel = numba.njit(fresh)
    with pytest.raises(NotCompiledError):
        address_of(kernel, 1.0, wait=False)
    assert not kernel.overloads
    assert address_of(kernel, 1.0) == address_of(kernel, 1.0, wait=False)
