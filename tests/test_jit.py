"""Compiled code: nothing stale, nothing at import, and one line that says what takes so long."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import amontons as am
from amontons import _jit, _kernel_cache
from helpers.package_copy import SCRIPT, PackageCopy


@pytest.fixture
def copy(tmp_path):
    return PackageCopy(tmp_path)


@pytest.mark.slow
def test_changed_helper_is_never_answered_from_an_old_cache(copy):
    answer, compiled, _ = copy.run()
    assert answer == 4.0
    assert compiled > 0
    answer, compiled, errors = copy.run()
    assert answer == 4.0
    assert compiled == 0  # the second run compiles nothing
    assert errors == ""
    copy.set_factor(5)
    answer, compiled, _ = copy.run()
    assert answer == 10.0
    assert compiled > 0
    copy.set_factor(2)  # back again: the old code is still there, and right
    assert copy.run()[:2] == (4.0, 0)


@pytest.mark.slow
def test_serial_and_parallel_forms_do_not_share_a_cache(copy):
    assert copy.run("serial")[0] == 4.0
    answer, compiled, _ = copy.run("parallel")
    assert answer == 4.0
    assert compiled > 0  # not answered with the serial code
    assert copy.run("parallel")[1] == 0
    assert copy.run("serial")[1] == 0
    (kernels,) = copy.cache.iterdir()
    for form in ("serial", "parallel"):
        stored = [path.name for path in (kernels / form).rglob("*.nbc")]
        assert any("scaled_sum" in name for name in stored)


@pytest.mark.slow
def test_processes_that_start_at_once_compile_once(copy):
    with ThreadPoolExecutor(3) as pool:
        runs = [future.result() for future in [pool.submit(copy.run) for _ in range(3)]]
    assert [answer for answer, *_ in runs] == [4.0] * 3
    first, *others = sorted((compiled for _, compiled, _ in runs), reverse=True)
    assert first > 0
    assert others == [0, 0]


@pytest.mark.slow
def test_two_signatures_compiled_at_once_are_not_mixed_up(copy):
    """Numba's own index would give both the same number; the later one would get wrong code."""
    (copy.folder / "script.py").write_text(
        SCRIPT.replace("np.ones(3), np.zeros(3)", "np.ones(3, sys.argv[2]), np.zeros(3)")
    )
    kinds = ("float64", "float32", "int64", "int32")
    for expected in (True, False):
        with ThreadPoolExecutor(4) as pool:
            futures = [pool.submit(copy.run, "serial", kind) for kind in kinds]
            runs = [future.result() for future in futures]
        assert [answer for answer, *_ in runs] == [4.0] * 4
        assert all((compiled > 0) == expected for _, compiled, _ in runs)


OWN_CALLEES = """
import numpy as np
from llvmlite import binding as llvm
import amontons as am
from amontons.problem.kernels import project

problem = am.ConeProblem.from_matrix(np.eye(3), np.ones(3), friction=0.3)
problem.sets.project(np.ones(3))
(result,) = project.serial.overloads.values()
functions = [f for f in result.library._final_module.functions if not f.is_declaration]
ours = [f for f in functions if f.name.startswith("_ZN8amontons")]
print(sum(f.linkage == llvm.Linkage.internal for f in ours),
      sum(f.linkage == llvm.Linkage.linkonce_odr for f in ours))
"""


@pytest.mark.slow
def test_kernels_hold_their_own_callees(copy):
    """Weak copies would be replaced by whatever else the process has compiled, or has not."""
    (copy.folder / "script.py").write_text(OWN_CALLEES)
    own, weak, _ = copy.run()
    assert own > 0
    assert weak == 0


FIELDS = """
from amontons._jit import serial_kernel

@serial_kernel
def first(table):
    return table.first
"""

FIELDS_SCRIPT = """
import numpy as np
from amontons import _jit
from amontons.simulation.tables import Table
from amontons.algebra.tiny_fields import first

print(first(Table(*[np.float64(i) for i in range(2)])), len(_jit.announcer.compiled))
"""


@pytest.mark.slow
def test_reordered_fields_of_an_argument_are_never_answered_from_an_old_cache(copy):
    """The class of a named tuple may come from a room that is not in the kernel's stamp."""
    (copy.package / "algebra" / "tiny_fields.py").write_text(FIELDS)
    (copy.folder / "script.py").write_text(FIELDS_SCRIPT)
    table = copy.package / "simulation" / "tables.py"
    for fields, answer in (("first second", 0.0), ("second first", 1.0)):
        table.write_text(
            f"from collections import namedtuple\nTable = namedtuple('Table', '{fields}')\n"
        )
        assert copy.run()[:2] == (answer, 1)
        assert copy.run()[:2] == (answer, 0)


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ("codegen.CPUCodeLibrary = object", "_finalize_final_module"),
        ("del codegen.CPUCodeLibrary", "CPUCodeLibrary"),
        ("del caching._CacheLocator", "_CacheLocator"),
        ("del caching.IndexDataCacheFile", "IndexDataCacheFile"),
    ],
)
def test_numba_without_a_private_name_keeps_nothing_and_warns(copy, change, missing):
    begin = "import warnings\nfrom numba.core import caching, codegen\n"
    begin += f"{change}\nwarnings.simplefilter('default')\n"
    (copy.folder / "script.py").write_text(begin + SCRIPT)
    answer, compiled, errors = copy.run()
    assert answer == 4.0
    assert compiled > 0
    assert "RuntimeWarning: compiled code cannot be kept on disk with Numba" in errors
    assert missing in errors
    assert not copy.cache.exists()


@pytest.mark.slow
def test_unwritable_cache_directory_still_works(copy):
    blocker = copy.folder / "a-file"
    blocker.write_text("not a folder")
    for _ in range(2):
        answer, compiled, _ = copy.run(cache=blocker / "below")
        assert answer == 4.0
        assert compiled > 0
    assert blocker.read_text() == "not a folder"


@pytest.mark.slow
def test_compilation_is_announced_once_on_standard_error(copy):
    (copy.folder / "script.py").write_text(SCRIPT + "scaled_sum.parallel(x, out)\n")
    _, _, errors = copy.run()
    assert errors.count("compiling") == 1
    assert len(errors.strip().splitlines()) == 1
    _, compiled, errors = copy.run()
    assert (compiled, errors) == (0, "")


def test_stamp_sees_kernels_and_nothing_else(copy):
    stamp = _kernel_cache.source_stamp(package=copy.package)
    assert stamp == _kernel_cache.source_stamp(package=copy.package)
    for name in _kernel_cache.KERNEL_FREE:
        (copy.package / name).mkdir(exist_ok=True)
        (copy.package / name / "anything.py").write_text("x = 1\n")
    assert _kernel_cache.source_stamp(package=copy.package) == stamp
    with (copy.package / "algebra" / "cones.py").open("a") as file:
        file.write("# another byte\n")
    changed = _kernel_cache.source_stamp(package=copy.package)
    assert changed != stamp
    (copy.package / "algebra" / "cones.py").rename(copy.package / "algebra" / "other.py")
    assert _kernel_cache.source_stamp(package=copy.package) not in (stamp, changed)


@pytest.mark.slow
def test_stamp_of_a_room_sees_what_is_below_it(copy):
    def stamps():
        return {
            room: _kernel_cache.source_stamp(room, copy.package)
            for room in ("", *_kernel_cache.BELOW)
        }

    rooms = [folder.name for folder in copy.package.iterdir() if folder.is_dir()]
    outer = {room for room in _kernel_cache.BELOW if "/" not in room}
    assert set(rooms) - set(_kernel_cache.KERNEL_FREE) - {"__pycache__"} == outer
    for changed in _kernel_cache.BELOW:
        before = stamps()
        (copy.package / changed / "more.py").write_text(f"# in {changed}\n")
        after = stamps()
        for room in ("", *_kernel_cache.BELOW):
            uses = room == "" or changed in (room, *_kernel_cache.BELOW[room])
            assert (before[room] != after[room]) == uses
    before = stamps()
    (copy.package / "_jit.py").write_text("# shapes all compiled code\n")
    assert all(before[room] != stamp for room, stamp in stamps().items())
    before = stamps()
    (copy.package / "errors.py").write_text("# shapes none\n")
    changed = [room for room, stamp in stamps().items() if before[room] != stamp]
    assert changed == [""]  # the top of the package may use everything


def test_prune_keeps_the_present_code_and_what_others_use(tmp_path, monkeypatch):
    monkeypatch.setenv("AMONTONS_CACHE_DIR", str(tmp_path))
    mine = tmp_path / f"kernels-{_kernel_cache.present_stamp('')}"
    now = time.time()
    for name, days in {mine.name: 99, "kernels-old": 15, "kernels-recent": 13, "other": 99}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "code").write_text("x")
        os.utime(tmp_path / name, (now - days * 86_400,) * 2)
    assert _kernel_cache.prune_cache() == 1
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {mine.name, "kernels-recent", "other"}


def test_code_that_is_loaded_counts_as_used(tmp_path):
    """Also where nothing is compiled, so that no file changes."""
    environment = os.environ | {"AMONTONS_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", "import amontons.problem.kernels"]
    subprocess.run(command, env=environment, check=True)
    folders = list(tmp_path.glob("kernels-*"))
    assert folders
    for folder in folders:
        os.utime(folder, (0, 0))
    subprocess.run(command, env=environment, check=True)
    assert all(time.time() - folder.stat().st_mtime < 3600.0 for folder in folders)


IMPORT = """
import time
begin = time.perf_counter()
import amontons
spent = time.perf_counter() - begin
import sys
dir(amontons)
heavy = [m for m in ("numba", "scipy", "numpy", "h5py", "matplotlib", "rich") if m in sys.modules]
print(spent, ",".join(heavy))
"""


def test_import_is_instant_and_light():
    best = np.inf
    for _ in range(5):
        begin = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True, timeout=60
        )
        best = min(best, float(done.stdout.split()[0]))
        assert time.perf_counter() - begin < 60
        assert done.stdout.split()[1:] == []  # none of the heavy ones
        if best < 0.05:
            break
    assert best < 0.3


@pytest.mark.slow
def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        am.no_such_name  # noqa: B018
    shown = subprocess.run(
        [sys.executable, "-c", "import amontons as am; am.Simulaton"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "Did you mean: 'Simulation'?" in shown.stderr
    assert "APGD" in dir(am)
    assert all(hasattr(am, name) for name in am.__all__)


def test_threads_are_checked():
    before = am.get_threads()
    assert 1 <= before <= am.max_threads()
    for wrong in (0, -1, am.max_threads() + 1):
        with pytest.raises(am.InputError, match="threads must be between 1 and"):
            am.set_threads(wrong)
        assert am.get_threads() == before
    am.set_threads(1)
    assert am.get_threads() == 1
    am.set_threads(before)


def test_form_depends_on_the_size_alone(monkeypatch):
    kernel = _jit.Kernel.registry[0]
    assert kernel.sized(_jit.PARALLEL_ABOVE - 1) is kernel.serial
    assert kernel.sized(_jit.PARALLEL_ABOVE) is kernel.parallel
    monkeypatch.setattr(_jit, "PARALLEL_ABOVE", 0)
    assert kernel.sized(0) is kernel.parallel
    assert kernel.serial is not kernel.parallel
