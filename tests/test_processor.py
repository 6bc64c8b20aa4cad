"""Kernels for the baseline are the same instructions, whatever machine compiles them."""

import pytest
from llvmlite import binding as llvm

from amontons import _processor
from amontons._processor import Processor, baseline, chosen, compiled_for
from helpers.package_copy import PackageCopy

NARROW = Processor("x86_64-unknown-linux-gnu", "x86-64-v3", "+avx,+avx2,+fma")

PLAIN = """
declare double @other(double)

define double @"odd name (x)"(ptr dereferenceable(8) %p) {
  %1 = load double, ptr %p
  ret double %1
}

define linkonce_odr double @quiet(double %x) unnamed_addr {
  ret double %x
}

define double @grouped(double %x) #0 {
  %1 = call double @other(double %x) #1
  ret double %1
}

define internal void @nothing() local_unnamed_addr #0 {
  ret void
}

attributes #0 = { nounwind }
attributes #1 = { cold }
"""


def test_every_function_is_for_the_processor_and_keeps_what_it_had():
    module = llvm.parse_assembly(PLAIN)
    module.name = "mine"
    made = compiled_for(module, NARROW)
    assert made.name == "mine"
    defined = [each for each in made.functions if not each.is_declaration]
    assert [each.name for each in defined] == ["odd name (x)", "quiet", "grouped", "nothing"]
    for function in defined:
        said = {word for text in function.attributes for word in text.split(b" ")}
        assert b'"target-cpu"="x86-64-v3"' in said, function.name
        assert b'"target-features"="+avx,+avx2,+fma"' in said, function.name
        assert (b"nounwind" in said) == (function.name in ("grouped", "nothing"))
    again = compiled_for(made, NARROW)  # as happens to what is linked into something else
    assert [list(each.attributes) for each in again.functions] == [
        list(each.attributes) for each in made.functions
    ]


@pytest.fixture
def fresh():
    """`chosen` is decided once per process: here, anew."""
    chosen.cache_clear()
    yield
    chosen.cache_clear()


@pytest.mark.parametrize("why", ["asked for", "wheel", "nothing", "native wheel"])
def test_the_baseline_is_for_who_asks_and_for_wheels_with_kernels(
    why, fresh, monkeypatch, tmp_path
):
    monkeypatch.setenv("AMONTONS_NATIVE", "1" if "native" in why else "0")
    monkeypatch.setenv("AMONTONS_BASELINE", "1" if why == "asked for" else "0")
    there = tmp_path if "wheel" in why else tmp_path / "nowhere"
    monkeypatch.setattr(_processor, "FOLDER", there)
    monkeypatch.setattr(_processor, "baseline", lambda: NARROW)
    monkeypatch.setattr(_processor, "host_features", lambda: {"avx": 1, "avx2": 1, "fma": 1})
    assert (chosen() == NARROW) == (why in ("asked for", "wheel"))
    assert chosen() in (NARROW, _processor.own())


@pytest.mark.parametrize("lacking", ["avx2", "a baseline"])
def test_a_machine_that_cannot_run_the_baseline_compiles_for_itself(lacking, fresh, monkeypatch):
    monkeypatch.delenv("AMONTONS_NATIVE", raising=False)
    monkeypatch.setenv("AMONTONS_BASELINE", "1")
    has = {"avx": True, "avx2": lacking != "avx2", "fma": True}
    monkeypatch.setattr(_processor, "host_features", lambda: has)
    monkeypatch.setattr(_processor, "baseline", lambda: None if "base" in lacking else NARROW)
    assert chosen() == _processor.own()


def test_machines_without_a_known_baseline(monkeypatch):
    for machine, known in (("AMD64", True), ("x86_64", True), ("arm64", True), ("riscv64", False)):
        monkeypatch.setattr(_processor.platform, "machine", lambda machine=machine: machine)
        assert (baseline() is not None) == known, machine


REDUCTION = """
from amontons._jit import kernel, prange
from amontons.tiny_helper import factor

@kernel
def scaled_sum(x, out):
    for i in prange(out.size):
        total = 0.0
        for j in range(x.size):
            total += factor(x[j]) * x[j] / (1.0 + j)
        out[i] = total
    return out[0]
"""

SCRIPT = """
import sys
import numpy as np
from amontons import _jit, _processor
from amontons.tiny_kernel import scaled_sum

x, out = 1.0 / np.arange(1.0, 1004.0), np.zeros(1)
answer = getattr(scaled_sum, sys.argv[1])(x, out)
print(answer, len(_jit.announcer.compiled))
"""

MACHINES = {
    "nocona": "+sse,+sse2",
    "haswell": "+sse,+sse2,+sse4.2,+avx,+avx2,+bmi,+bmi2,+fma",
    "skylake-avx512": "+sse,+sse2,+avx,+avx2,+fma,+avx512f,+avx512vl,+avx512dq,-prefer-256-bit",
}
"""Names and features of processors that differ in how they sum."""

PCS_ALONE = pytest.mark.skipif(
    (common := baseline()) is None or common.name != "x86-64-v3" or bool(common.missing()),
    reason="names of PC processors are tried on a PC of the baseline",
)


@PCS_ALONE
@pytest.mark.slow
@pytest.mark.parametrize("form", ["serial", "parallel"])
def test_machines_that_differ_compile_to_the_same_bits(form, tmp_path):
    """Each compiles for itself, in a cache of its own; for its own features, sums would differ."""
    made = PackageCopy(tmp_path)
    (made.package / "tiny_kernel.py").write_text(REDUCTION)
    (made.folder / "script.py").write_text(SCRIPT)
    answers = {"AMONTONS_BASELINE": set(), "AMONTONS_NATIVE": set()}
    runnable = [name for name, said in MACHINES.items() if "512" not in said or wide()]
    for name in runnable:
        for wish, found in answers.items():
            settings = {
                "NUMBA_CPU_NAME": name,
                "NUMBA_CPU_FEATURES": MACHINES[name],
                wish: "1",
                "cache": tmp_path / f"{name}-{wish}",
            }
            answer, compiled, _ = made.run(form, **settings)
            assert compiled == 1
            found.add(answer)
    assert len(answers["AMONTONS_BASELINE"]) == 1
    assert len(answers["AMONTONS_NATIVE"]) > 1  # or nothing is shown here


def wide():
    """Whether this machine runs code for the widest of the machines above."""
    has = _processor.host_features()
    return all(has.get(name) for name in ("avx512f", "avx512vl", "avx512dq"))
