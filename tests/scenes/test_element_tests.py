"""Element tests of a laboratory: what they hold is held, and what they measure is plausible."""

import csv

import numpy as np
import pytest

import amontons as am
from amontons.measure.sample import sample_of
from amontons.scenes import DirectShear, Drum, Heap, Oedometer, Silo, TriaxialCell
from helpers.command_line import run as command


def ran(scene, until, each=None):
    """The scene's simulation at a time [s], run as advised."""
    sim = am.Simulation(scene.build(), step=scene.advice.step, solver=scene.advice.make_solver())
    sim.run(until, on_step=each)
    return sim


def read(sim, name="sample"):
    (probe,) = (each for each in sim.world.probes if each.name == name)
    return am.measure.read(sim, probe)


@pytest.mark.slow
def test_the_oedometers_stress_is_that_of_the_forces_on_its_walls():
    """V σ = Σ f ⊗ x over the walls, and on the lid it is what the lid is loaded with."""
    sim = ran(Oedometer(60), 0.02)
    sim.solver = am.APGD(tolerance=1e-8, max_iterations=5000)
    sim.run(2e-3)
    world, contacts = sim.world, sim.contacts
    (probe,) = world.probes
    low, high = sample_of(sim).borders(probe.region)
    walls = [world.body(name).id for name in ("floor", "left", "right", "front", "back", "lid")]
    outer = np.isin(contacts.bodies, walls)
    on_grains = contacts.force * (outer[:, :1] * 1.0 - outer[:, 1:] * 1.0)
    from_walls = -np.einsum("ci,cj->ij", on_grains, contacts.points) / (high - low).prod()
    found = am.measure.stress(sim, probe.region)
    # the grains are nearly at rest: what their acceleration takes is within a per cent
    np.testing.assert_allclose(found, from_walls, atol=1e-2 * found[2, 2])
    load = 0.1 * 1e5 * (1.0 + 9.0 * (sim.time - 0.02) / 0.03)
    assert read(sim)["stress_zz"] == pytest.approx(load, rel=0.05)
    assert 0.2 < found[0, 0] / found[2, 2] < 1.0


@pytest.mark.slow
def test_a_triaxial_cell_holds_its_stress_while_it_shortens():
    scene = TriaxialCell(60)
    rows = []
    sim = ran(scene, 0.02)
    start = sim.cell.lengths[2]
    sim.run(0.02, on_step=lambda _: rows.append(read(sim)) and None)
    mean = {name: np.mean([row[name] for row in rows[50:]]) for name in rows[0]}
    assert mean["stress_xx"] == pytest.approx(scene.stress, rel=0.05)
    assert mean["stress_yy"] == pytest.approx(scene.stress, rel=0.05)
    assert mean["stress_zz"] > 1.3 * scene.stress
    assert np.log(start / sim.cell.lengths[2]) == pytest.approx(scene.rate * 0.02, rel=1e-2)


@pytest.mark.slow
def test_a_shear_box_resists():
    scene = DirectShear(60)
    rows = []
    sim = ran(scene, 0.02)
    sim.run(0.01, on_step=lambda _: rows.append((read(sim, "upper"), read(sim, "lid"))) and None)
    shear = -np.mean([upper["traction_x"] for upper, _ in rows])
    normal = np.mean([lid["traction_z"] for _, lid in rows])
    assert normal == pytest.approx(scene.stress, rel=0.2)
    assert 0.1 < shear / normal < 1.5
    assert rows[-1][0]["x"] > rows[0][0]["x"]


@pytest.mark.slow
def test_a_heap_is_steeper_with_more_friction():
    angles = {}
    for friction in (0.05, 0.6):
        sim = ran(Heap(600, plate=6.0, friction=friction, lifting=0.1), 0.8)
        angles[friction] = read(sim, "heap")["bodies"], read(sim, "heap")["repose_angle"]
    (few, low), (many, high) = angles[0.05], angles[0.6]
    assert many > few
    assert high > (0.0 if np.isnan(low) else low) + 5.0
    assert 10.0 < high < 45.0


@pytest.mark.slow
def test_what_leaves_a_silo_passed_its_hole():
    scene = Silo(200, width=8.0, orifice=5.0)
    total = int(scene.build().bodies.dynamic.sum())
    sim = ran(scene, 0.3)
    meter, sink = sim.meters["hole"], sim.meters["below"]
    height = sim.bodies.position[sim.bodies.dynamic, 2]
    assert meter.count > 20
    assert len(height) + sink.count == total
    assert (height < -scene.diameter).sum() + sink.count == meter.count
    assert read(sim, "silo")["bodies"] == (height > 0.0).sum()


@pytest.mark.slow
def test_the_command_leaves_a_table_and_a_plot(tmp_path):
    folder = tmp_path / "run"
    result = command("run", "oedometer", "--bodies", 60, "--time", 0.022, "-o", folder)
    assert result.exit_code == 0, result.output
    assert "sample.csv" in result.output
    with (folder / "sample.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["time"]) for row in rows] == pytest.approx(
        [0.02, 0.0205, 0.021, 0.0215, 0.022]
    )
    wanted = {"strain_z", "stress_zz", "porosity", "void_ratio", "coordination"}
    assert wanted < set(rows[0])
    assert command("plot", folder).exit_code == 0
    assert (folder / "sample.png").stat().st_size > 10_000


@pytest.mark.slow
def test_a_drum_leans_more_with_more_friction():
    angle = {}
    for friction in (0.05, 0.5):
        scene = Drum(80, width=0.4, turns=10.0, lifters=0, friction=friction)
        sim = ran(scene, 1.5)
        found = [read(sim, "drum")["lean_angle"]]
        for _ in range(10):
            sim.run(0.05)
            found.append(read(sim, "drum")["lean_angle"])
        angle[friction] = np.mean(found)
    assert 0.0 < angle[0.05] < 15.0
    assert angle[0.05] + 5.0 < angle[0.5] < 60.0
