import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pandas
import pytest

import amontons as am
from amontons.errors import FileFormatError, InputError, OutputError
from amontons.results import begin
from amontons.results.claim import FolderClaim
from amontons.scenes import BouncingBalls
from amontons.sweeps import one_run, plan, sweeping
from amontons.sweeps.outcomes import read_log, read_outcome
from amontons.sweeps.workers import Workforce

SMALL = BouncingBalls(balls=3, height=0.02)
RUN = {"time": 0.02, "step": 2e-3, "progress": False}


def height(results):
    return {"highest": float(results[-1].position[:, 2].max()), "frames": results.frames}


def starts(folder):
    """How often each run of a sweep was begun, by its name."""
    runs = sorted(folder.glob("run-*"))
    return {run.name: sum(x["event"] == "start" for x in read_log(run)) for run in runs}


@pytest.fixture
def run_sweep(cluster, tmp_path):
    def call(scene=SMALL, vary=None, **options):
        vary = {"friction": [0.1, 0.4], "seed": "0:1"} if vary is None else vary
        return am.sweep(scene, vary, tmp_path / "s", dask=cluster, **RUN | options)

    return call


@pytest.mark.slow
def test_a_sweep_and_its_table(run_sweep, tmp_path):
    done = run_sweep(measure=height)
    table = done.table
    assert list(table.friction) == [0.1, 0.1, 0.4, 0.4]
    assert list(table.seed) == [0, 1, 0, 1]
    assert set(table.status) == {"done"}
    assert done.measured == ("highest", "frames")
    for number, row in table.iterrows():
        with done.results(number) as results:  # an ordinary run
            assert results.about["parameters"]["seed"] == row.seed
            assert results.steps == row.steps == 10
            dynamic = results.bodies.dynamic
            mass, z = results.bodies.mass[dynamic], results[-1].position[dynamic, 2]
            assert row.highest == results[-1].position[:, 2].max()
            assert row.kinetic_energy == results.readings("kinetic_energy")[-1]
            assert row.contacts == results.readings("contacts")[-1]
            assert row.overlap == results.readings("penetration").max()
            assert row.converged == results.readings("converged").mean()
            if results.frames and results[-1].step == results.steps:
                assert row.mean_height == pytest.approx(mass @ z / mass.sum(), rel=1e-12)
        assert row.cpu_seconds > 0
        assert row.starts == 1
    for read, name in ((pandas.read_csv, "sweep.csv"), (pandas.read_parquet, "sweep.parquet")):
        stored = read(tmp_path / "s" / name)
        assert list(stored.columns) == list(table.columns)
        assert (stored.mean_height == table.mean_height).all()
    assert "4 of 4 runs done" in repr(am.Sweep(tmp_path / "s"))


def test_a_run_of_a_sweep_is_that_of_a_run_alone(run_sweep, tmp_path):
    done = run_sweep(vary={"seed": [5]})
    settings = SMALL.advice.changed({"time": 0.02, "step": 2e-3})
    alone = begin(BouncingBalls(balls=3, height=0.02, seed=5), tmp_path / "one", settings=settings)
    with alone.recorder:
        alone.simulation.run(until=0.02, on_step=alone.recorder)
    with am.Results(tmp_path / "one") as one, done.results("run-00000") as other:
        assert np.array_equal(one[-1].position, other[-1].position)
        assert np.array_equal(one.readings("kinetic_energy"), other.readings("kinetic_energy"))


def test_called_again_it_does_only_what_is_missing(run_sweep, tmp_path):
    first = run_sweep(vary={"seed": [0, 1]}).table
    again = run_sweep(vary={"seed": [0, 1]}).table
    assert again.equals(first)  # processor times among them
    more = run_sweep(vary={"seed": [1, 2, 3]}, measure=height)
    assert starts(tmp_path / "s") == {f"run-0000{i}": 1 for i in range(4)}
    assert list(more.table.seed) == [0, 1, 2, 3]
    assert list(more.table.highest.isna()) == [True, False, False, False]
    assert more.missing == ()


def test_a_run_whose_worker_died_goes_on_from_its_checkpoint(run_sweep, tmp_path, monkeypatch):
    whole = run_sweep(vary={"seed": [0]})
    with whole.results(0) as results:
        expected = results.readings("kinetic_energy")

    class Died(BaseException):
        """Ends a run as a kill would: nothing is closed."""

    folder = tmp_path / "t"
    task = one_run.Task(folder / "run-00000", "word", SMALL, SMALL.advice.changed(
        {"time": 0.02, "step": 2e-3}), 60.0, False, 1)  # fmt: skip
    folder.mkdir()
    plan.make_plan(
        sweeping.subject_of(SMALL), {"seed": [0]}, {"time": 0.02, "step": 2e-3}, rate=60.0,
        contacts=False,
    ).save(folder)  # fmt: skip
    (folder / one_run.TOKEN_FILE).write_text("word")
    taken = am.Recorder.__call__

    def dying(recorder, report):
        taken(recorder, report)
        if report.number == 4:
            recorder.checkpoint()
        if report.number == 6:
            raise Died

    monkeypatch.setattr(am.Recorder, "__call__", dying)
    with pytest.raises(Died):
        one_run.carry_out(task)
    monkeypatch.undo()
    assert read_outcome(task.folder) is None
    outcome = one_run.carry_out(task)
    assert outcome["status"] == "done"
    assert [x.get("step") for x in read_log(task.folder) if x["event"] == "start"] == [0, 4]
    assert outcome["results"]["starts"] == 2
    with am.Results(task.folder) as results:
        assert np.array_equal(results.readings("kinetic_energy"), expected)
    assert one_run.carry_out(task) == outcome
    assert len(read_log(task.folder)) == 3  # two starts, one end: it was not done again


def test_runs_stop_where_their_sweep_does(tmp_path):
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / plan.PLAN_FILE).write_text("{}")
    task = one_run.Task(folder / "run-00000", "mine", SMALL, SMALL.advice, 60.0, False, 1)
    assert one_run.carry_out(task)["status"] == "stopped"  # nobody wants it
    (folder / one_run.TOKEN_FILE).write_text("of a later sweep")
    assert one_run.carry_out(task)["status"] == "stopped"
    assert not task.folder.exists()
    os.unlink(folder / plan.PLAN_FILE)
    with pytest.raises(OutputError, match="file system that all workers share"):
        one_run.carry_out(task)


def test_a_sweep_that_is_stopped_goes_on(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(one_run, "LOOK", 0.0)
    subject, folder = sweeping.subject_of(SMALL), tmp_path / "s"
    given = {"time": 0.02, "step": 2e-3}
    made = plan.make_plan(subject, {"seed": range(5)}, given, rate=60.0, contacts=False)
    job = sweeping.Job(folder, subject, made, given)
    assert not sweeping.conduct(job, Workforce(dask=cluster), lambda tally: tally.done >= 2)
    stopped = am.Sweep(folder)
    assert 0 < len(stopped.missing) <= 3
    assert set(stopped.table.status) == {"done", "missing"}
    assert (folder / "sweep.csv").exists()
    assert sweeping.conduct(job, Workforce(dask=cluster), lambda tally: False)
    assert am.Sweep(folder).missing == ()
    ends = [x for run in folder.glob("run-*") for x in read_log(run) if x["event"] == "end"]
    assert sum(x["status"] == "done" for x in ends) == 5


def test_failed_runs_are_named_and_the_others_go_on(run_sweep, tmp_path):
    tries = tmp_path / "tries"

    def world(weight, tries=str(tries)):
        if weight == 2:
            with open(tries, "a") as stream:
                stream.write("x")
            raise RuntimeError("two\nlines")
        if weight == 3:
            return None
        made = am.World()
        made.add_body(am.Sphere(0.1), mass=weight, position=(0, 0, 1))
        return made

    def picky(results):
        return 1 / float(results.bodies.mass[0] - 4.0)

    done = run_sweep(world, {"weight": [1.0, 2.0, 3.0, 4.0, 5.0]}, measure=picky, retries=1)
    table = done.table.set_index("weight")
    assert list(table.status) == ["done", "failed", "failed", "failed", "done"]
    assert list(done.failed) == ["run-00001", "run-00002", "run-00003"]
    assert tries.read_text() == "xx"  # once, and once again
    assert table.error[2.0] == "RuntimeError: two lines"
    assert "must return a World" in table.error[3.0]
    assert "picky(): ZeroDivisionError" in table.error[4.0]
    assert table.picky[5.0] == 1.0
    with pytest.raises(InputError, match=r"world\(\) has no argument 'mass'"):
        run_sweep(world, {"mass": [1.0]})


def test_a_run_that_failed_is_tried_again_the_next_time(run_sweep, tmp_path):
    flag = tmp_path / "mended"

    def world(weight, flag=str(flag)):
        if not os.path.exists(flag):
            raise OSError("not yet")
        made = am.World()
        made.add_body(am.Sphere(0.1), mass=weight, position=(0, 0, 1))
        return made

    assert set(run_sweep(world, {"weight": [1, 2]}, retries=0).table.status) == {"failed"}
    flag.touch()
    assert set(run_sweep(world, {"weight": [1, 2]}).table.status) == {"done"}


def test_scene_files_are_swept_by_place(run_sweep, tmp_path):
    path = tmp_path / "block.yaml"
    path.write_text(
        textwrap.dedent("""
        materials: {wood: {friction: 0.3}}
        bodies:
          - {name: floor, shape: {kind: plane}, fixed: true, material: wood}
          - {name: block, shape: {kind: sphere, radius: 0.1}, mass: 1.0, position: [0, 0, 0.1],
             material: wood}
        run: {time: 0.02, step: 0.002}
        """)
    )
    options = {"time": None, "step": None}
    vary = {"materials.wood.friction": "0.1:0.3:3", "bodies.block.mass": [2.0], "step": [1e-3]}
    done = run_sweep(path, vary, **options)
    assert list(done.table["materials.wood.friction"]) == [0.1, 0.2, 0.3]
    assert list(done.table.steps) == [20, 20, 20]
    with done.results(2) as results:
        assert results.bodies.mass[1] == 2.0
    assert am.load_scene(done.folder / "run-00001" / "scene.yaml").world.bodies.mass[1] == 2.0
    for place, words in (
        ("materials.iron.friction", "'iron' is not found; there is wood"),
        ("bodies[7].mass", "'7' is not found; there is floor, block"),
        ("materials.wood.fricton", "fricton"),
        ("materials.wood.friction.x", "nothing below it"),
    ):
        with pytest.raises((InputError, FileFormatError), match=words):
            run_sweep(path, {place: [1.0]}, **options)
    with pytest.raises((InputError, FileFormatError), match="friction"):
        run_sweep(path, {"materials.wood.friction": [-1.0]}, **options)
    path.write_text(path.read_text() + "\n# changed\n")
    with pytest.raises(InputError, match="holds another sweep: its file"):
        run_sweep(path, vary, **options)


def test_another_sweep_in_the_folder(run_sweep, tmp_path):
    run_sweep(vary={"seed": [0]})
    for scene, vary, options, words in (
        (SMALL, {"seed": [0]}, {"time": 0.03}, "its time is 0.02, not 0.03"),
        (SMALL, {"friction": [0.1]}, {}, "holds another sweep"),
        (BouncingBalls(balls=4), {"seed": [0]}, {}, "its fixed is"),
        ("drum", {"seed": [0]}, {}, "holds another sweep"),
        (SMALL, {"seed": [0]}, {"rate": 10.0}, "its rate is 60.0, not 10.0"),
    ):
        with pytest.raises(InputError, match=words):
            run_sweep(scene, vary, **options)
    assert starts(tmp_path / "s") == {"run-00000": 1}


def test_two_sweeps_on_one_folder_are_refused(run_sweep, tmp_path):
    claim = FolderClaim(tmp_path / "s")
    with pytest.raises(InputError, match="is being written by"):
        run_sweep()
    claim.release()
    assert list((tmp_path / "s").iterdir()) == []


def test_folders_of_something_else(run_sweep, tmp_path):
    folder = tmp_path / "s"
    folder.write_text("a file")
    with pytest.raises(InputError, match="is a file"):
        run_sweep()
    folder.unlink()
    folder.mkdir()
    (folder / "thesis.tex").write_text("dear to me")
    with pytest.raises(OutputError, match=r"holds thesis.tex.*folder of a sweep"):
        run_sweep()
    assert [each.name for each in folder.iterdir()] == ["thesis.tex"]
    with pytest.raises(InputError, match="holds no sweep"):
        am.Sweep(folder)
    with pytest.raises(InputError, match="is not a folder"):
        am.Sweep(tmp_path / "nowhere")
    (folder / "sweep.json").write_text("{}")
    with pytest.raises(FileFormatError, match="damaged, or from another program"):
        am.Sweep(folder)
    (folder / "sweep.json").write_text(json.dumps({"amontons_sweep": 99}))
    with pytest.raises(FileFormatError, match="later version"):
        am.Sweep(folder)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"jobs": 2}, "jobs are for this machine"),
        ({"threads": 0}, "threads must be"),
        ({"retries": -1}, "retries must be"),
        ({"rate": 0.0}, "rate"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"solver": "magic"}, "unknown solver 'magic'"),
        ({"balls": 3}, "no setting 'balls'"),
        ({"vary": {"time": [1.0]}}, "time is both varied and set for all runs"),
        ({"vary": {"friction": [-1.0]}}, "friction is -1"),
        ({"vary": {"tolerance": [-1.0]}}, "tolerance"),
    ],
)
def test_bad_options(run_sweep, tmp_path, options, words):
    with pytest.raises(InputError, match=words):
        run_sweep(**options)
    assert not (tmp_path / "s").exists()


class Locked:
    """Cannot be sent to another process, and fails where it arrives."""

    def __init__(self, when):
        self.when = when

    def __call__(self, weight):
        raise AssertionError("never called")

    def __reduce__(self):
        if self.when == "sent":
            raise TypeError("there is a lock in it")
        return int, ("no number",)


def test_functions_that_cannot_travel(run_sweep):
    with pytest.raises(InputError, match="cannot be sent to workers: there is a lock in it"):
        run_sweep(Locked("sent"), {"weight": [1]})
    done = run_sweep(Locked("received"), {"weight": [1, 2]}, retries=0)
    assert set(done.table.status) == {"failed"}
    assert "ValueError: invalid literal" in done.failed["run-00001"]


def test_jobs_and_threads_share_the_cores(monkeypatch):
    system = pytest.importorskip("dask.system")
    monkeypatch.setattr(system, "CPU_COUNT", 8)
    assert Workforce().shared_out(100) == (8, 1)
    assert Workforce().shared_out(3) == (3, 2)
    assert Workforce(jobs=2).shared_out(100) == (2, 4)
    assert Workforce(jobs=20).shared_out(100) == (20, 1)
    assert Workforce(jobs=2, threads=1).shared_out(100) == (2, 1)


def test_without_dask_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"needs distributed: pip install 'amontons\[sweep\]'"):
        am.sweep(SMALL, {"seed": [0]}, tmp_path / "s", **RUN)
    assert not (tmp_path / "s").exists()


SCRIPT = """
import amontons as am

def world(weight):
    made = am.World()
    made.add_body(am.Sphere(0.1), mass=weight, position=(0, 0, 1))
    return made

def threads(results):
    return {"threads": am.get_threads()}

vary = {"weight": [1, 2, 3]}
done = am.sweep(world, vary, "s", time=0.02, step=2e-3, jobs=2, threads=1, measure=threads)
assert list(done.table.status) == ["done"] * 3, done.failed
assert list(done.table.threads) == [1] * 3
"""


@pytest.mark.slow
def test_a_script_without_a_guard_and_workers_in_processes(tmp_path):
    """Functions of the script itself reach the workers, which do not run the script again."""
    (tmp_path / "script.py").write_text(SCRIPT)
    told = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert starts(tmp_path / "s") == {f"run-0000{i}": 1 for i in range(3)}
    assert not (tmp_path / "s" / one_run.TOKEN_FILE).exists()
