"""Kernels in the wheel: used where they fit, on any processor; compiled, with a word, elsewhere."""

import dataclasses
import json

import pytest

from amontons import _processor, _shipped_kernels
from amontons._shipped_kernels import RECORD, MadeFor, look_at
from helpers.package_copy import PackageCopy

MADE = MadeFor("0.68.1", "cpython 3.11", "x86_64-linux", "x86-64-v3", "+avx2,+fma,-avx512f")
HAS = {"avx2": True, "fma": True, "avx512f": True}


def test_kernels_fit_a_processor_that_has_more_than_the_baseline(monkeypatch):
    monkeypatch.setattr(_processor, "host_features", lambda: HAS)
    here = dataclasses.replace(MADE, processor="znver4", features="+avx2,+fma,+avx512f")
    assert MADE.misfit(here) is None


@pytest.mark.parametrize(
    ("here", "has", "said"),
    [
        ({"numba": "0.67.0"}, HAS, "made for Numba 0.68.1, and this is 0.67.0"),
        ({"python": "cpython 3.12"}, HAS, "made for Python cpython 3.11, and this is cpython 3.12"),
        ({"triple": "arm64-macos"}, HAS, "made for a system x86_64-linux, and this is arm64-macos"),
        ({}, {"avx2": True, "fma": False}, "made for x86-64-v3, and this processor lacks fma"),
        ({}, {}, "made for x86-64-v3, and this processor lacks avx2, fma"),
    ],
)
def test_kernels_that_do_not_fit_say_why(here, has, said, monkeypatch):
    monkeypatch.setattr(_processor, "host_features", lambda: has)
    assert MADE.misfit(dataclasses.replace(MADE, **here)) == said


def test_a_clone_ships_nothing(tmp_path):
    found = look_at(tmp_path / "nowhere")
    assert (found.usable, found.misfit) == (False, None)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"numba": "0.68.1"}', "\x00"])
def test_a_record_that_cannot_be_read_is_no_record(tmp_path, text):
    (tmp_path / RECORD).write_text(text)
    found = look_at(tmp_path)
    assert not found.usable
    assert RECORD in found.misfit


def test_a_record_of_this_process_fits_it(tmp_path, monkeypatch):
    monkeypatch.delenv("AMONTONS_NATIVE", raising=False)
    _shipped_kernels.sign(tmp_path)
    assert look_at(tmp_path).usable
    monkeypatch.setenv("AMONTONS_NATIVE", "1")
    found = look_at(tmp_path)
    assert not found.usable
    assert "AMONTONS_NATIVE" in found.misfit


def test_the_baseline_is_built_on_such_a_processor_alone(monkeypatch):
    monkeypatch.setattr(_processor, "host_features", lambda: {"sse2": True})
    monkeypatch.setattr(_processor.platform, "machine", lambda: "AMD64")
    with pytest.raises(RuntimeError, match=r"x86-64-v3 must be built on .* lacks 64bit, avx, avx2"):
        _shipped_kernels.require_baseline()
    monkeypatch.setattr(_processor.platform, "machine", lambda: "riscv64")
    with pytest.raises(RuntimeError, match="no baseline is known for a riscv64"):
        _shipped_kernels.require_baseline()


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A package with kernels in it, as a wheel is that was built with AMONTONS_BUILD_KERNELS=1."""
    made = PackageCopy(tmp_path_factory.mktemp("wheel"))
    script = made.folder / "script.py"
    body = script.read_text()
    sign = "\nfrom amontons._shipped_kernels import sign\nsign(_kernel_cache.cache_root())\n"
    script.write_text(body + sign)
    place = {"cache": made.package / "_compiled", "AMONTONS_BASELINE": "1"}
    assert made.run(**place)[:2] == (4.0, 1)
    assert made.run("parallel", **place)[0] == 4.0
    script.write_text(body)
    return made


@pytest.mark.slow
def test_shipped_kernels_are_used_whatever_processor_is_named(copy, tmp_path):
    for name in ("haswell", "znver2"):
        for form in ("serial", "parallel"):
            cold = tmp_path / name
            answer, compiled, errors = copy.run(form, cache=cold, NUMBA_CPU_NAME=name)
            assert (answer, compiled, errors) == (4.0, 0, "")
            assert not list(cold.rglob("*.nbc"))


@pytest.mark.slow
def test_shipped_kernels_need_no_folder_to_write_to(copy, tmp_path):
    (tmp_path / "file").write_text("")
    assert copy.run(cache=tmp_path / "file" / "cache") == (4.0, 0, "")


@pytest.mark.slow
def test_kernels_for_another_numba_are_compiled_with_one_line_that_says_so(copy, tmp_path):
    record = copy.package / "_compiled" / RECORD
    kept = record.read_text()
    record.write_text(json.dumps(json.loads(kept) | {"numba": "0.1"}))
    try:
        answer, compiled, errors = copy.run(cache=tmp_path)
    finally:
        record.write_text(kept)
    assert (answer, compiled) == (4.0, 1)
    assert len(errors.splitlines()) == 1
    assert "the kernels of this wheel are made for Numba 0.1, and this is" in errors


@pytest.mark.slow
def test_a_damaged_kernel_of_the_wheel_is_compiled_anew(copy, tmp_path):
    (path,) = (copy.package / "_compiled").glob("kernels-*/serial/*scaled_sum*.nbc")
    sound = path.read_bytes()
    path.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
    try:
        assert copy.run(cache=tmp_path)[:2] == (4.0, 1)
    finally:
        path.write_bytes(sound)
