"""One table of readings: report, arrays, file, totals and units say the same; and older files."""

import ast
import gzip
import inspect
import re
import shutil
from itertools import pairwise
from pathlib import Path

import h5py
import numpy as np
import pytest

import amontons as am
from amontons.results import READINGS, STAGES, Recorder, Results
from amontons.results.exports import write_csv
from amontons.results.layout import RUN_FILE, VERSION
from amontons.simulation.reports import report as report_module
from amontons.simulation.reports.readings import Reading, declared_readings, reading

OLD = Path(__file__).parent / "data" / "run-version-1.h5.gz"


def rolling_ball():
    """The simulation that the release before wrote `OLD` with."""
    world = am.World()
    rolls = am.Material(friction=0.5, rolling_friction=1e-3)
    world.add_body(am.Plane(), fixed=True, material=rolls, name="floor")
    world.add_body(
        am.Sphere(0.1), mass=1.0, position=(0.0, 0.0, 0.1), velocity=(1.0, 0.0, 0.0),
        material=rolls, name="ball",
    )  # fmt: skip
    return am.Simulation(world, step=5e-3)


@pytest.fixture
def old(tmp_path):
    """A folder with the run that the release before wrote."""
    (tmp_path / RUN_FILE).write_bytes(gzip.decompress(OLD.read_bytes()))
    return tmp_path


def test_every_number_of_a_report_is_an_array_and_a_column(tmp_path):
    sim = rolling_ball()
    with Recorder(sim, tmp_path) as recorder:
        sim.run(0.05, on_step=recorder)
    with Results(tmp_path) as results:
        assert results.columns == list(READINGS)
        for name, each in READINGS.items():
            steps = [each.of(report) for report in sim.readings.reports]
            np.testing.assert_array_equal(results.readings(name), steps, err_msg=name)
            if each.component is None:
                np.testing.assert_array_equal(getattr(sim.readings, name), steps, err_msg=name)
        np.testing.assert_array_equal(
            results.readings("momentum_x"), [report.momentum[0] for report in sim.readings.reports]
        )
        *units, _ = results.file["steps"].attrs["units"].decode().split(",")
        assert dict(zip(results.columns, units, strict=True))["angular_momentum_z"] == "kg m²/s"


def test_units_are_those_of_the_documentation():
    """Each field of a report is followed by its text, and its unit is there in brackets."""
    (body,) = [
        node.body
        for node in ast.parse(inspect.getsource(report_module)).body
        if isinstance(node, ast.ClassDef) and node.name == "StepReport"
    ]
    texts = {
        field.target.id: ast.literal_eval(text.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
    }
    for each in READINGS.values():
        field = "status" if each.attribute == "converged" else each.attribute
        (unit,) = re.findall(r"\[(.*?)\]", texts[field]) or [""]
        assert unit == each.unit, field


def test_a_run_is_summed_up_as_each_reading_says(tmp_path):
    sim = rolling_ball()
    with Recorder(sim, tmp_path) as recorder:
        with Results(tmp_path) as results:
            assert set(results.totals().values()) == {0.0}
        sim.run(0.05, on_step=recorder)
    with Results(tmp_path) as results:
        totals = results.totals()
        assert totals["kinetic_energy"] == sim.readings[-1].kinetic_energy
        assert totals["penetration"] == sim.readings.penetration.max()
        assert totals["iterations"] == sim.readings.iterations.mean()
        assert totals["converged"] == results.steps == 10
        stages = [totals[name] for name in STAGES]
        np.testing.assert_allclose(stages, sim.readings.seconds.sum(axis=0))


def test_a_new_reading_is_one_line():
    import dataclasses

    @dataclasses.dataclass(kw_only=True)
    class Report:
        spin: float = reading("rad/s", total="mean")
        force: tuple = reading("N", columns=("push", "pull"))
        label: str = ""

    declared = list(declared_readings(Report))
    assert declared == [
        Reading("spin", "rad/s", "mean", "spin"),
        Reading("push", "N", "last", "force", 0),
        Reading("pull", "N", "last", "force", 1),
    ]
    made = Report(spin=2.0, force=(3.0, 4.0))
    assert [each.of(made) for each in declared] == [2.0, 3.0, 4.0]


def test_contact_torques_are_recorded(tmp_path):
    sim, seen = rolling_ball(), []
    with Recorder(sim, tmp_path, contacts=True, rate=200.0) as recorder:

        def on_step(report):
            recorder(report)
            seen.append(sim.contacts.torque)

        sim.run(0.05, on_step=on_step)
    assert max(np.abs(torque).max(initial=0.0) for torque in seen) > 1e-3
    with Results(tmp_path) as results:
        for number, torque in enumerate(seen, start=1):
            np.testing.assert_array_equal(results.contacts(number).torque, torque)
        write_csv(results, tmp_path, range(results.frames))
    table = np.genfromtxt(tmp_path / "contacts.csv", delimiter=",", names=True)
    np.testing.assert_array_equal(table["ty"][-1:], seen[-1][:, 1])


def test_a_file_of_version_1_is_read(old):
    with Results(old) as results:
        assert results.file.attrs["version"] == 1
        assert (results.steps, results.frames) == (10, 6)
        assert set(results.columns) < set(READINGS)
        assert results.bodies.names == ["floor", "ball"]
        np.testing.assert_allclose(results[-1].position[1], [0.0430533, 0.0, 0.10040465], rtol=1e-6)
        found = results.contacts(results.frames - 1)
        np.testing.assert_allclose(found.force, [[-3.96625717, 0.0, 7.93251434]], rtol=1e-6)
        assert np.isnan(found.torque).all()  # nobody wrote them down
        assert results.totals()["contacts"] == 1.0
        assert sum(results.work.values())[-1] == pytest.approx(
            results.totals()["kinetic_energy"] + results.totals()["potential_energy"]
        )


def test_a_run_that_goes_on_in_a_file_of_version_1_keeps_to_it(old, tmp_path):
    """Its columns and arrays are those of its version, and old and new steps agree."""
    before = shutil.copy(old / RUN_FILE, old / "before.h5")
    sim = rolling_ball()
    with Recorder(sim, old, resume=True) as recorder:  # no checkpoint: from the start
        sim.run(0.1, on_step=recorder)
    with Results(old) as results, Results(before) as first:
        assert results.file.attrs["version"] == VERSION  # it has checksums now
        assert results.columns == first.columns
        assert "torque" not in results.file["contacts"]
        assert (results.steps, results.frames) == (20, 11)
        np.testing.assert_allclose(results.position[:6], first.position[:], atol=1e-12)


def test_a_version_of_the_future_is_refused(tmp_path):
    with Recorder(rolling_ball(), tmp_path):
        pass
    with h5py.File(tmp_path / RUN_FILE, "r+") as file:
        file.attrs["version"] = VERSION + 1
    with pytest.raises(am.FileFormatError, match="not a run of version 4 or older: its version is"):
        Results(tmp_path)
