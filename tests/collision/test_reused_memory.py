"""Memory that is used again: never while somebody still holds an array in it."""

import copy
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import amontons as am
from amontons.collision.reused_memory import SPARE, ReusedMemory


def address(array):
    return array.__array_interface__["data"][0]


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5), st.booleans()), max_size=40),
    st.integers(1, 7),
)
def test_what_is_held_keeps_its_numbers(steps, stride):
    """Arrays are taken, some of them kept for a while through a view of a view alone."""
    memory, held = ReusedMemory(), []
    for number, (size, life, small) in enumerate(steps):
        held = [(view, value, left - 1) for view, value, left in held if left > 0]
        room = memory.lend(size)
        assert room.shape == (size,)
        room[:] = number
        held.append((room[size // 2 :][::stride] if small else room, number, life))
        del room
        for view, value, _ in held:
            assert (view == value).all()


def test_free_memory_is_used_again():
    memory = ReusedMemory()
    first = memory.lend(1000)
    place = address(first)
    second = memory.lend(1000)
    assert address(second) != place
    del first
    assert address(memory.lend(950)) == place


def test_a_view_of_a_view_holds_the_memory():
    memory = ReusedMemory()
    place = address(memory.lend(1000))
    view = memory.lend(1000).view(np.uint64)[10:].reshape(-1, 2)[::2]
    assert address(view) == place + 80  # it was free
    assert address(memory.lend(1000)) != place
    del view
    assert address(memory.lend(1000)) == place


def free(memory):
    return sum(block.size for block in memory._free)


def test_far_too_large_and_too_small_blocks_are_given_up():
    memory = ReusedMemory()
    memory.lend(1000)
    memory.lend(100)
    assert free(memory) < 200
    memory.lend(1000)
    assert 1000 <= free(memory) < 1200


def test_only_some_free_blocks_are_kept():
    memory = ReusedMemory()
    held = [memory.lend(10) for _ in range(10)]
    assert not memory._free
    del held
    assert len(memory._free) == SPARE


def test_memory_may_go_before_what_it_lent():
    memory = ReusedMemory()
    lent = memory.lend(10)
    lent[:] = 3.0
    del memory
    assert (lent == 3.0).all()


def test_copies_start_with_no_memory():
    memory = ReusedMemory()
    memory.lend(10)
    assert memory._free
    assert not copy.deepcopy(memory)._free


@pytest.fixture(params=["spheres", "boxes"])
def detector(request):
    if request.param == "spheres":
        return am.CollisionDetector.of_spheres(np.full(200, 0.1), margin=0.02)
    return am.CollisionDetector([am.Box((0.2, 0.2, 0.2))] * 200, margin=0.02)


def contacts_as_bytes(contacts):
    held = {name: value for name, value in vars(contacts).items() if value is not None}
    return {name: value.tobytes() for name, value in held.items()}


def test_contacts_that_are_held_stay_as_they_are(detector):
    rng = np.random.default_rng(0)
    places = [rng.uniform(0.0, 1.0, (200, 3)) for _ in range(6)]
    held = [detector.detect(place) for place in places]
    before = [contacts_as_bytes(contacts) for contacts in held]
    for place in places:
        detector.detect(place)
    assert [contacts_as_bytes(contacts) for contacts in held] == before
    fresh = [contacts_as_bytes(detector.detect(place)) for place in places]
    assert fresh == before


def test_contacts_that_are_gone_make_room(detector):
    place = np.random.default_rng(1).uniform(0.0, 1.0, (200, 3))
    where = address(detector.detect(place).normals)
    assert address(detector.detect(place).normals) == where


def test_threads_share_a_detector():
    """Each gets the contacts of its own bodies, though all search at once."""
    detector = am.CollisionDetector.of_spheres(np.full(200, 0.1), margin=0.02)
    rng = np.random.default_rng(2)
    places = [rng.uniform(0.0, 1.0, (200, 3)) for _ in range(4)]
    expected = [contacts_as_bytes(detector.detect(place)) for place in places]
    wrong = []

    def search(which):
        for _ in range(50):
            if contacts_as_bytes(detector.detect(places[which])) != expected[which]:
                wrong.append(which)

    threads = [threading.Thread(target=search, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
