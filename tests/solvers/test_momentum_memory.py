"""How many iterates APGD's momentum remembers where friction is exact."""

import math

import pytest

from amontons._jit import routine
from amontons.solvers.apgd.accept import (
    BOUNDED,
    FADE,
    GROWTH,
    LEAST_MEMORY,
    SLOW,
    UNBOUNDED,
    WINDOW,
    Memory,
    Pace,
    accept,
    recalled,
)


def after(memory: Memory, errors: list[float]) -> Memory:
    for error in errors:
        memory = recalled(memory, error)
    return memory


def test_memory_stays_while_errors_fall_fast():
    falling = [math.exp(-2.0 * SLOW * k / WINDOW) for k in range(5 * WINDOW)]
    assert after(BOUNDED, falling).iterates == BOUNDED.iterates


def test_memory_grows_while_errors_fall_slowly():
    falling = [math.exp(-0.5 * SLOW * k / WINDOW) for k in range(4 * WINDOW)]
    assert after(BOUNDED, falling).iterates == pytest.approx(GROWTH**3 * BOUNDED.iterates)


def test_memory_fades_after_each_window_without_a_gain_and_never_grows_again():
    memory = after(BOUNDED, [1.0] * WINDOW)
    assert memory.iterates == BOUNDED.iterates  # nothing to compare with yet
    memory = after(memory, [1.0] * WINDOW)
    assert memory.iterates == pytest.approx(FADE * BOUNDED.iterates)
    falling = [0.9 * math.exp(-0.5 * SLOW * k / WINDOW) for k in range(3 * WINDOW)]
    assert after(memory, falling).iterates == memory.iterates
    assert after(memory, [1.0] * 20 * WINDOW).iterates == LEAST_MEMORY


def test_memory_does_not_depend_on_the_unit_of_errors():
    errors = [1.0 + math.sin(0.05 * k) ** 2 for k in range(7 * WINDOW)]
    scaled = [2.0**40 * error for error in errors]
    assert after(BOUNDED, errors).iterates == after(BOUNDED, scaled).iterates


def test_convex_problems_remember_everything():
    assert after(UNBOUNDED, [1.0] * 3 * WINDOW) == UNBOUNDED


@pytest.mark.parametrize("memory", [BOUNDED, Memory(5.0), UNBOUNDED])
def test_momentum_is_bounded_by_its_memory(memory):
    pace, free = Pace(1.0, 1.0, 0.0), Pace(1.0, 1.0, 0.0)
    for _ in range(500):
        _, pace = accept(pace, 0.5, 1.0, -1.0, 1.0, True, memory)
        _, free = accept(free, 0.5, 1.0, -1.0, 1.0, True, UNBOUNDED)
        assert pace.beta == min(free.beta, 1.0 - 1.0 / memory.iterates)
    assert free.beta > 0.99


def test_compiled_memory_is_the_same():
    compiled = routine(recalled)
    slow = fast = BOUNDED
    seen = set()
    for k in range(6 * WINDOW):  # slow gains at first, then none
        error = math.exp(-0.5 * SLOW * min(k, 3 * WINDOW) / WINDOW)
        slow, fast = recalled(slow, error), compiled(fast, error)
        assert tuple(fast) == tuple(slow)
        seen.add(slow.iterates > BOUNDED.iterates)
    assert seen == {True, False}
    assert slow.growth == 1.0
