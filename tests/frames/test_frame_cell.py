"""Cells of frames: sizes, corners, and ways to the nearest image."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amontons.frames.cell import FrameCell

EDGES = np.array([[2.0, 0.7, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 5.0]])  # sheared along x


def cell(periodic=(True, True, True), gradient=None):
    return FrameCell(
        edges=EDGES,
        gradient=np.zeros((3, 3)) if gradient is None else gradient,
        origin=np.array([1.0, -1.0, 0.5]),
        periodic=np.array(periodic),
    )


def test_lengths_volume_and_corners():
    found = cell()
    np.testing.assert_array_equal(found.lengths, [2.0, 3.0, 5.0])
    assert found.volume == pytest.approx(30.0)
    assert found.volume == pytest.approx(np.linalg.det(EDGES))
    corners = {tuple(corner) for corner in np.round(found.corners, 12)}
    assert len(corners) == 8
    assert (1.0, -1.0, 0.5) in corners
    assert tuple(np.round([1.0 + 2.7, -1.0 + 3.0, 0.5 + 5.0], 12)) in corners


NUMBERS = st.floats(-20.0, 20.0)


@given(st.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_the_nearest_way_ends_at_an_image_within_half_a_cell(way):
    way = np.array(way)
    (found,) = cell().nearest(way[None])
    cells = np.linalg.solve(EDGES, found - way)
    np.testing.assert_allclose(cells, np.round(cells), atol=1e-9)
    assert (np.abs(found) <= 0.5 * np.diag(EDGES) + 1e-9).all()


def test_axes_that_do_not_repeat_are_left_alone():
    (found,) = cell(periodic=(True, True, False)).nearest(np.array([[0.1, 0.2, 40.0]]))
    np.testing.assert_allclose(found, [0.1, 0.2, 40.0])


def test_before_undoes_what_a_step_did():
    gradient = np.array([[-0.1, 0.4, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.05]])
    step = 1e-2
    after = (np.eye(3) + step * gradient) @ EDGES
    later = FrameCell(after, gradient, np.zeros(3), np.ones(3, dtype=bool))
    np.testing.assert_allclose(later.before(step).edges, EDGES, rtol=1e-13)
