"""Colours of blocks: none that go at once share a body or an entry, and every block goes once."""

import itertools

import numpy as np
import pytest

import amontons as am
from amontons.algebra.cones import ROWS_OF_KIND
from amontons.solvers.gauss_seidel.colouring import COLOURS, by_colour, colour_pairs, colour_rows
from amontons.solvers.gauss_seidel.sweeps import where_blocks
from helpers.kernel_samples import Sample

pytestmark = pytest.mark.usefixtures("one_thread")


def colour_of_pairs(body, mobile, packet):
    out = np.empty(len(body), dtype=np.int32)
    body = np.ascontiguousarray(body, dtype=np.int32)
    colour_pairs(body, np.asarray(mobile), len(mobile), packet, COLOURS, out)
    return out


def check_pairs(body, mobile, colour, packet):
    """No two packets of one colour share a mobile body."""
    for shade in range(COLOURS):
        touched = []
        for first in range(0, len(body), packet):
            mine = body[first : first + packet][colour[first : first + packet] == shade].ravel()
            mine = mine[mine >= 0]
            touched.append(np.unique(mine[np.asarray(mobile)[mine]]))
        touched = np.concatenate(touched)
        assert np.unique(touched).size == touched.size


def check_order(colour, packet=1):
    """Every block once; a packet has one colour and stays in order; the overflow is one packet."""
    order = by_colour(colour, packet)
    assert np.sort(order.block).tolist() == list(range(colour.size))
    assert (order.packet[0], order.packet[-1]) == (0, colour.size)
    assert (order.start[0], order.start[-1]) == (0, order.packet.size - 1)
    assert (np.diff(order.packet) > 0).all()
    shades = []
    for c in range(order.start.size - 1):
        for p in range(order.start[c], order.start[c + 1]):
            blocks = order.block[order.packet[p] : order.packet[p + 1]]
            assert (np.diff(blocks) > 0).all()
            assert np.unique(colour[blocks]).size == 1
            if colour[blocks[0]] < COLOURS:
                assert np.unique(blocks // packet).size == 1
            else:
                assert order.start[c + 1] - order.start[c] == 1
        shades.append(colour[blocks[0]])
    assert shades == sorted(set(colour.tolist()))
    return order


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("packet", [1, 5, 16])
def test_colouring_of_random_pairs(seed, packet):
    rng = np.random.default_rng(seed)
    bodies = 300
    near = rng.integers(1, 6, 400)
    first = np.sort(rng.integers(-1, bodies - 6, 400))
    body = np.stack([first, first + near], axis=1)
    mobile = rng.random(bodies) < 0.9
    colour = colour_of_pairs(body, mobile, packet)
    check_pairs(body, mobile, colour, packet)
    check_order(colour, packet)
    assert colour.max() < COLOURS


@pytest.mark.parametrize("packet", [1, 16])
def test_colouring_overflows_at_a_hub(packet):
    """A body that touches 500 others: its contacts go one by one, the rest keep their colours."""
    body = np.array([(0, i) for i in range(1, 501)] + [(i, i + 1) for i in range(1, 500)])
    if packet > 1:
        body = body[np.random.default_rng(0).permutation(len(body))]
    mobile = np.ones(501, dtype=bool)
    colour = colour_of_pairs(body, mobile, packet)
    check_pairs(body, mobile, colour, packet)
    order = check_order(colour, packet)
    assert (colour[(body == 0).any(axis=1)] == COLOURS).all()
    assert order.packet[-1] - order.packet[-2] == (colour == COLOURS).sum() == 500


def test_packets_that_find_no_colour_overflow():
    """Every packet touches all of twenty bodies: no two may go at once, so most overflow."""
    body = np.array([(2 * i, 2 * i + 1) for _ in range(100) for i in range(10)])
    colour = colour_of_pairs(body, np.ones(20, dtype=bool), 10)
    assert (colour == COLOURS).all()  # each body is shared by 100 packets: all are hubs
    few = colour_of_pairs(body[:200], np.ones(20, dtype=bool), 10)
    assert few.reshape(20, 10).tolist() == [[p] * 10 for p in range(20)]


def test_immovable_bodies_do_not_count():
    body = np.array([(0, i) for i in range(1, 301)] + [(-1, i) for i in range(1, 301)])
    mobile = np.ones(301, dtype=bool)
    mobile[0] = False
    colour = colour_of_pairs(body, mobile, 10)
    check_pairs(body, mobile, colour, 10)
    assert set(colour) == {0, 1}


def test_colouring_of_a_matrix():
    sample = Sample("a-few", seed=10)
    rng = sample.rng
    count = len(sample.blocks)
    coupled = rng.random((count, count)) < 0.1
    coupled |= coupled.T | np.eye(count, dtype=bool)
    coupled[0] = coupled[:, 0] = True
    W = np.zeros((sample.rows, sample.rows))
    for a, b in itertools.product(range(count), repeat=2):
        if coupled[a, b]:
            W[sample.blocks[a].rows, sample.blocks[b].rows] = 1.0
    made = am.ConeProblem.from_matrix(
        W + sample.rows * np.eye(sample.rows), sample.vector(), sets=sample.runs
    )
    where = where_blocks(made.sets)
    block_of_row = np.empty(sample.rows, dtype=np.int32)
    for number, block in zip(sample.product.block_order, sample.blocks, strict=True):
        block_of_row[sample.product.row_order[block.rows]] = number
    size = ROWS_OF_KIND[where.kind].astype(np.int32)
    colour = np.empty(count, dtype=np.int32)
    matrix = made.operator.arrays
    colour_rows(
        matrix.indptr, matrix.indices, block_of_row, where.first_row, where.stride, size,
        COLOURS, colour,
    )  # fmt: skip
    mine = colour[sample.product.block_order]
    for a, b in itertools.combinations(range(count), 2):
        assert not (coupled[a, b] and mine[a] == mine[b] < COLOURS)
    check_order(colour)
