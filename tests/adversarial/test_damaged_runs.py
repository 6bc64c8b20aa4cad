"""Run files that were damaged on the way: refused or the same, never a wait and never other data.

AMONTONS_DAMAGED=2000 pytest -s tests/adversarial/test_damaged_runs.py   # a long campaign
"""

import collections
import os
import shutil

import numpy as np
import pytest

import amontons as am
from amontons.results import Recorder
from amontons.results.layout import RUN_FILE
from helpers.damage import SOUND, Fate, damaged, everything, fate_of
from helpers.recordings import downgraded

FILES = int(os.environ.get("AMONTONS_DAMAGED", "8"))
"""Of each kind."""

SEED = int(os.environ.get("AMONTONS_SEED", "20261118"))

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs processes by fork")


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Files of one run by kind: closed, as its killed writer would have left it, and an older."""
    folder = tmp_path_factory.mktemp("sound")
    world = am.World()
    world.add_body(am.Plane(), fixed=True, name="floor")
    for i in range(5):
        world.add_body(am.Sphere(0.1), mass=1.0, position=(0.25 * i, 0, 0.11 + 0.02 * i))
    world.add_body(am.Box((0.2, 0.2, 0.2)), mass=2.0, position=(0, 0, 5), velocity=(90, 0, 0))
    sim = am.Simulation(world, step=5e-3)
    with Recorder(sim, folder / "run", rate=100.0, contacts=True, about={"why": "x"}) as recorder:
        sim.run(0.1, on_step=recorder)
        recorder.checkpoint()
        shutil.copy(folder / "run" / RUN_FILE, folder / "killed.h5")
    shutil.copy(folder / "run" / RUN_FILE, folder / "closed.h5")
    shutil.copy(folder / "run" / RUN_FILE, folder / "older.h5")
    downgraded(folder / "older.h5")
    files = {name: folder / f"{name}.h5" for name in ("closed", "killed", "older")}
    assert None not in everything(files["closed"]).values()
    assert everything(files["closed"]) == everything(files["killed"])
    assert len(sim.readings.notes) > 3
    return files


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["closed", "killed", "older"])
def test_no_damage_makes_a_reader_wait_fall_or_lie(sound, tmp_path, kind):
    """Files of version 2 have no checksums: of them no more is asked than a clear word."""
    rng = np.random.default_rng([SEED, *kind.encode()])
    content, truth = sound[kind].read_bytes(), everything(sound[kind])
    fates, bad = collections.Counter(), []
    for number in range(FILES):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / RUN_FILE
        damage, how = damaged(content, rng) if number else (content[: len(content) // 2], "half")
        path.write_bytes(damage)
        fate, words = fate_of(path, truth, checked=kind != "older", show=number % 10 == 0)
        fates[fate] += 1
        if fate in SOUND:
            shutil.rmtree(folder)
        else:
            bad.append((fate.value, how, number, words))
    print(f"\n{FILES} {kind}: " + ", ".join(f"{n} {fate.value}" for fate, n in fates.items()))
    assert not bad, "\n".join(map(str, bad[:20]))
    assert fates[Fate.REFUSED]  # of half a file at least
