"""Chunks made by hand: HDF5's own filters read them, and zlib agrees."""

import zlib

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from amontons.results.deflate import LONGEST, packed_chunk

KINDS = [np.float64, np.float32, np.int64, np.int16]


def unpacked(chunk, dtype, shape):
    """By zlib, and with the shuffle undone one byte at a time."""
    raw = zlib.decompress(chunk)
    size, count = np.dtype(dtype).itemsize, int(np.prod(shape))
    assert len(raw) == size * count
    back = bytearray(len(raw))
    for byte in range(size):
        back[byte::size] = raw[byte * count : (byte + 1) * count]
    return np.frombuffer(bytes(back), dtype).reshape(shape)


@settings(deadline=None)
@given(
    st.sampled_from(KINDS).flatmap(
        lambda kind: arrays.arrays(kind, arrays.array_shapes(max_dims=3, max_side=40))
    )
)
def test_what_goes_in_comes_out(array):
    found = unpacked(packed_chunk(array), array.dtype, array.shape)
    assert found.tobytes() == array.tobytes()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("content", ["noise", "zeros", "ramp"])
def test_hdf5_reads_it_through_its_filters(tmp_path, kind, content):
    count = LONGEST + 7000  # more than a stored block holds
    rng = np.random.default_rng(3)
    rows = {
        "noise": rng.normal(size=(1, count, 3)) * 1e4,
        "zeros": np.zeros((1, count, 3)),
        "ramp": np.arange(3.0 * count).reshape(1, count, 3) / 7.0,
    }[content].astype(kind)
    with h5py.File(tmp_path / "file.h5", "w") as file:
        dataset = file.create_dataset(
            "rows", rows.shape, kind, chunks=rows.shape, compression="gzip", shuffle=True
        )
        dataset.id.write_direct_chunk((0, 0, 0), packed_chunk(rows))
    with h5py.File(tmp_path / "file.h5") as file:
        np.testing.assert_array_equal(file["rows"][:], rows)


def test_it_is_about_as_small_as_what_hdf5_makes():
    place = np.random.default_rng(1).uniform(-3.0, 3.0, (10_000, 3))
    planes = place.view(np.uint8).reshape(-1, 8).T.tobytes()
    assert len(packed_chunk(place)) < 1.02 * len(zlib.compress(planes, 1))
    assert len(packed_chunk(np.zeros((10_000, 3)))) < 2000
