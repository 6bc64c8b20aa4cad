"""Open systems: sources, sinks and meters, and the books that they keep."""

import math
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.interchange import load_scene, save_scene
from amontons.results import Results
from amontons.simulation.flows.flow_state import FlowState, add_exactly

SIZES = am.Sizes.uniform(0.02, 0.04)
ABOVE = ((-0.2, -0.2, 0.8), (0.2, 0.2, 1.0))
BELOW = ((-2.0, -2.0, -1.0), (2.0, 2.0, 0.3))


def rain(*, sizes=SIZES, rate=4.0, seed=3, **source):
    """Grains that fall past a meter into a sink."""
    world = am.World()
    world.add_body(am.Plane(offset=-1.0), fixed=True)
    world.add_source(
        am.Source(ABOVE, sizes, rate=rate, velocity=(0, 0, -1), seed=seed, density=2500.0, **source)
    )
    world.add_sink(am.Sink(BELOW))
    world.add_meter(am.FlowMeter(am.Plane((0, 0, -1), -0.5), name="half way"))
    return am.Simulation(world, step=2e-3)


def unaccounted(sim):
    """Mass in less mass out less what is there [kg], summed exactly."""
    books, bodies = sim.state.flows, sim.bodies
    flows = sim.world.flows
    into = [books.mass[i].ravel() for i, _, _ in flows.of(am.Source)]
    out = [-books.mass[i].ravel() for i, _, _ in flows.of(am.Sink)]
    return math.fsum(np.concatenate([*into, *out, -bodies.mass[bodies.dynamic]]))


def test_mass_in_less_mass_out_is_what_is_there():
    sim = rain()
    for _ in range(300):
        sim.step()
        assert unaccounted(sim) == 0.0
    source, sink, meter = sim.meters.values()
    assert source.count == sink.count + sim.bodies.dynamic.sum()
    assert sink.count > 20
    assert sink.count <= meter.count <= source.count
    # what is due comes when its whole mass is: less than the heaviest grain is missing
    heaviest = 2500.0 * np.pi / 6.0 * SIZES.largest**3
    assert 0.0 <= 4.0 * sim.time - source.mass < heaviest
    # v² = v₀² + 2 g s from where grains come, 0.3 to 0.5 m above the meter
    low, high = (math.sqrt(1.0 + 2.0 * 9.81 * s) for s in (0.3 - 0.02, 0.5 + 0.02))
    assert low < meter.speed < high
    assert meter.net_mass == meter.mass


def test_spheres_have_the_sizes_that_were_asked_for():
    sim = rain(rate=8.0)
    seen = {}
    for _ in range(250):
        sim.step()
        for id, mass in zip(sim.bodies.id.tolist(), sim.bodies.mass.tolist(), strict=True):
            seen[id] = mass
    masses = np.array([mass for mass in seen.values() if np.isfinite(mass)])
    d = np.cbrt(6.0 * masses / (np.pi * 2500.0))
    assert d.min() >= SIZES.smallest
    assert d.max() <= SIZES.largest
    # the mean of an even distribution, within four standard errors
    assert abs(d.mean() - 0.03) < 4.0 * 0.02 / math.sqrt(12.0 * len(d))


def test_same_seed_same_bodies_and_another_seed_others():
    one, two, other = rain(), rain(), rain(seed=4)
    for sim in (one, two, other):
        sim.run(0.3)
    assert one.state.equals(two.state)
    assert not np.array_equal(one.bodies.position, other.bodies.position)


def test_a_source_without_room_waits_says_so_and_goes_on():
    world = am.World(gravity=(0, 0, 0))
    lid = world.add_body(am.Box((1, 1, 0.4)), fixed=True, position=(0, 0, 0.9))
    world.add_source(am.Source(ABOVE, 0.05, rate=10.0, name="hopper"))
    sim = am.Simulation(world, step=0.01)
    notes = [note for _ in range(20) for note in sim.step().notes]
    assert [note.kind for note in notes] == ["waiting source"]  # once, not in every step
    assert "hopper finds no room" in str(notes[0])
    assert notes[0].expected
    assert sim.meters["hopper"].waiting
    assert sim.meters["hopper"].count == 0
    world.remove_bodies(lid)
    sim.step()
    # what was due meanwhile is not made up for: a grain, and what is due in the step
    grain = 1000.0 * np.pi / 6.0 * 0.05**3
    assert sim.meters["hopper"].count == 1 + math.floor(0.1 / grain)
    assert not sim.meters["hopper"].waiting


def test_new_bodies_touch_nobody_and_are_inside():
    world = am.World(gravity=(0, 0, 0))
    world.add_body(am.Sphere(0.1), fixed=True, position=(0, 0, 0.9))
    drum = am.Part(am.Cylinder(0.2, 0.3), (0.0, 0.0, 0.9))
    world.add_source(am.Source(drum, am.Sizes.uniform(0.02, 0.05), rate=20.0))
    sim = am.Simulation(world, step=0.01)
    sim.run(0.2)
    bodies, radius = sim.bodies, np.cbrt(sim.bodies.mass / (4.0 / 3.0 * np.pi * 1000.0))
    radius[0] = 0.1
    apart = np.linalg.norm(bodies.position[:, None] - bodies.position[None], axis=2)
    gaps = apart - radius[:, None] - radius[None]
    assert len(bodies) > 20
    assert gaps[np.triu_indices(len(bodies), 1)].min() > 0.0
    across = np.hypot(*bodies.position[1:, :2].T) + radius[1:]
    assert across.max() <= 0.2 * (1.0 + 1e-5)
    assert (np.abs(bodies.position[1:, 2] - 0.9) + radius[1:]).max() <= 0.15 * (1.0 + 1e-5)


def test_a_limit_and_shapes_of_any_kind_and_materials():
    rough = am.Material(friction=0.9)
    boxes = [am.Box((0.02, 0.03, 0.04)), am.Capsule(0.01, 0.03)]
    sim = rain(sizes=boxes, rate=6.0, limit=0.5, material=rough)
    sim.run(0.5)
    source = sim.meters["source 1"]
    lightest = 2500.0 * min(box.volume for box in boxes)
    heaviest = 2500.0 * max(box.volume for box in boxes)
    assert 0.5 - heaviest < source.mass <= 0.5
    number = sim.world.materials.number(rough)
    assert source.mass_by_material[number] == source.mass
    assert source.count * lightest <= source.mass
    assert unaccounted(sim) == 0.0


def test_a_meter_counts_both_ways_and_only_within():
    world = am.World(gravity=(0, 0, 0))
    places = [(0, 0, 0.1), (0.5, 0, 0.1), (0, 0, -0.1)]
    speeds = [(0, 0, -1), (0, 0, -1), (0, 0, 2)]
    world.add_bodies(am.Sphere(0.02), position=places, velocity=speeds, mass=[1.0, 2.0, 4.0])
    world.bodies.position[2, 0] = 0.2
    world.add_meter(am.FlowMeter(am.Plane((0, 0, 1)), name="all"))
    world.add_meter(am.FlowMeter(am.Plane((0, 0, 1)), within=am.Cylinder(0.3, 1.0), name="middle"))
    sim = am.Simulation(world, step=0.01)
    sim.run(0.3)
    everywhere, middle = sim.meters["all"], sim.meters["middle"]
    assert (everywhere.count, everywhere.mass, everywhere.net_mass) == (1, 4.0, 1.0)
    assert everywhere.back_by_material.sum() == 2
    assert everywhere.speed == pytest.approx(2.0)
    assert (middle.count, middle.net_mass) == (1, 3.0)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(1e-6, 1e6), max_size=40))
def test_sums_in_two_parts_are_exact(masses):
    high, low = add_exactly(np.zeros(2), np.array(masses))
    assert math.fsum([high, low, *(-mass for mass in masses)]) == 0.0


def test_books_keep_what_they_have_when_they_grow():
    books = FlowState.none(2, 1)
    books.number[1, 0], books.mass[1, 0] = 7, (3.0, 1e-20)
    larger = books.sized(3, 2)
    assert larger.number.tolist() == [[0, 0], [7, 0], [0, 0]]
    assert larger.mass[1, 0].tolist() == [3.0, 1e-20]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: am.Source(ABOVE, 0.5, rate=1.0), "does not fit into the region"),
        (lambda: am.Source(ABOVE, SIZES, rate=0.0), "rate"),
        (lambda: am.Source(ABOVE, "sand", rate=1.0), "sizes must be an amontons.Sizes"),
        (lambda: am.Source(ABOVE, am.Plane(), rate=1.0), "shapes that have a volume"),
        (lambda: am.Source(ABOVE, [], rate=1.0), "sizes must be an amontons.Sizes"),
        (lambda: am.Source(am.Plane(), SIZES, rate=1.0), "region must have a volume"),
        (lambda: am.Source(ABOVE, SIZES, rate=1.0, velocity=(1, 2)), "velocity"),
        (lambda: am.Source(ABOVE, SIZES, rate=1.0, limit=-1.0), "limit"),
        (lambda: am.Source(ABOVE, SIZES, rate=1.0, material="steel"), "material must be"),
        (lambda: am.Source(ABOVE[::-1], SIZES, rate=1.0), "region has no volume"),
        (lambda: am.Sink(5.0), "region must be two corners"),
        (lambda: am.FlowMeter((0, 0, 1)), "plane must be an amontons.Plane"),
        (lambda: am.Sink(BELOW, name=3), "name must be text"),
        (lambda: am.World().add_source(am.Sink(BELOW)), "an amontons.Source was expected"),
    ],
)
def test_bad_input_is_refused_where_it_comes_in(make, words):
    with pytest.raises(am.InputError, match=words):
        make()


def test_names_are_there_once():
    world, sink = am.World(), am.Sink(BELOW, name="out")
    world.add_sink(sink)
    with pytest.raises(am.InputError, match="already in this world"):
        world.add_sink(sink)
    with pytest.raises(am.InputError, match="already a source, sink or meter called 'out'"):
        world.add_meter(am.FlowMeter(am.Plane(), name="out"))
    assert world.flows.names == ["out"]


def test_a_scene_file_holds_them(tmp_path):
    world = rain().world
    world.add_source(
        am.Source(
            am.Part(am.Cylinder(0.3, 0.4), (5, 0, 1)), [am.Box((0.02, 0.03, 0.04))], rate=1.0,
            limit=2.0, material=am.Material(friction=0.8), name="boxes",
        )
    )  # fmt: skip
    world.add_meter(am.FlowMeter(am.Plane((0, 0, 1)), within=am.Cylinder(0.3, 1.0)))
    save_scene(world, tmp_path / "open.yaml")
    again = load_scene(tmp_path / "open.yaml").world
    assert sorted(again.flows.names) == sorted(world.flows.names)
    one, two = am.Simulation(world, step=2e-3), am.Simulation(again, step=2e-3)
    for sim in (one, two):
        sim.run(0.2)
    assert one.state.bodies.position.tobytes() == two.state.bodies.position.tobytes()
    assert one.meters["boxes"].count > 0
    for name, reading in one.meters.items():
        assert two.meters[name].mass == reading.mass


def test_a_scene_file_says_what_is_wrong(tmp_path):
    text = "sources: [{region: {low: [0, 0, 0], high: [1, 1, 1]}, rate: 1.0}]\n"
    (tmp_path / "bad.yaml").write_text(text)
    with pytest.raises(am.InputError, match="either sizes of spheres, or shapes"):
        load_scene(tmp_path / "bad.yaml")


SCRIPT = """
import sys
import amontons as am
world = am.World()
world.add_body(am.Plane(offset=-1.0), fixed=True)
sizes = am.Sizes.uniform(0.02, 0.04)
above = ((-0.2, -0.2, 0.8), (0.2, 0.2, 1.0))
world.add_source(
    am.Source(above, sizes, rate=4.0, velocity=(0, 0, -1), seed=3, density=2500.0))
world.add_sink(am.Sink(((-2.0, -2.0, -1.0), (2.0, 2.0, 0.3))))
world.add_meter(am.FlowMeter(am.Plane((0, 0, -1), -0.5), name="half way"))
sim = am.Simulation(world, step=2e-3)
with am.Recorder(sim, sys.argv[1], contacts=True, checkpoint_every=0.05, resume=True) as recorder:
    print("begun", sim.steps, flush=True)
    sim.run(until=0.6, on_step=recorder)
print(sim.state.hash(), flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs kill -9")
def test_books_are_exact_through_kill_and_resume(tmp_path):
    sim = rain()
    with am.Recorder(sim, tmp_path / "whole", contacts=True) as recorder:
        sim.run(until=0.6, on_step=recorder)
    assert unaccounted(sim) == 0.0
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "killed")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline().startswith("begun")
        while not 12 <= frames_of(tmp_path / "killed") < 30:
            assert child.poll() is None, "it ended before it was killed"
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    begun, state = ended.stdout.splitlines()
    assert int(begun.split()[1]) > 0, "the second run began anew"
    assert state == sim.state.hash()
    with Results(tmp_path / "whole") as one, Results(tmp_path / "killed") as other:
        assert np.array_equal(one.position[:], other.position[:], equal_nan=True)
        assert np.array_equal(one.meters, other.meters)
        table = other.to_pandas("meters")
        last = table[table.step == table.step.max()].set_index("name")
        assert last.loc["source 1", "count"] == sim.meters["source 1"].count
        assert last.loc["half way", "speed"] == sim.meters["half way"].speed
        assert len(other.bodies) > one.bodies_in_frames.max()  # most were not there at once


def frames_of(folder):
    try:
        with Results(folder) as results:
            return results.frames
    except am.AmontonsError:
        return 0
