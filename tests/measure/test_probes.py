"""Probes and regions between walls: what they read is what the measures say, and closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import amontons as am
from amontons.measure.probes import BODY_MEASURES, REGION_MEASURES
from amontons.measure.sample import sample_of
from amontons.model.probes import OF_BODY, OF_REGION
from helpers.granular import lattice, pressed

WALLS = am.Between(("left", "front", "floor"), ("right", "back", "lid"))


def boxed(lid_height=0.5):
    """Two balls between walls, of which the lid moves freely and is heavy."""
    world = am.World(gravity=(0, 0, 0))
    for name, normal, offset in (
        ("floor", (0, 0, 1), 0.0), ("left", (1, 0, 0), -0.2), ("right", (-1, 0, 0), -0.3),
        ("front", (0, 1, 0), -0.2), ("back", (0, -1, 0), -0.2),
    ):  # fmt: skip
        world.add_body(am.Plane(normal, offset), fixed=True, name=name)
    world.add_spheres([0.1, 0.05], position=[(0, 0, 0.1), (0.1, 0.1, 0.3)], density=1000.0)
    world.add_body(
        am.Box((0.4, 0.4, 0.1)), mass=50.0, position=(0, 0, lid_height + 0.05), name="lid"
    )
    return world


def test_every_name_has_a_measure():
    assert set(OF_REGION) == set(REGION_MEASURES)
    assert set(OF_BODY) == set(BODY_MEASURES)
    assert not set(OF_REGION) & set(OF_BODY)


def test_a_region_between_walls_goes_from_face_to_face_and_has_no_wall_in_it():
    world = boxed()
    low, high = sample_of(world).borders(WALLS)
    np.testing.assert_allclose(low, [-0.2, -0.2, 0.0], atol=1e-7)
    np.testing.assert_allclose(high, [0.3, 0.2, 0.5], atol=1e-7)
    volume = 4.0 / 3.0 * np.pi * (0.1**3 + 0.05**3)
    found = am.measure.solid_fraction(world, WALLS)
    assert found == pytest.approx(volume / (0.5 * 0.4 * 0.5), rel=1e-6)
    world.body("lid").position = (0.0, 0.0, 0.65)
    assert am.measure.solid_fraction(world, WALLS) == pytest.approx(found * 0.5 / 0.6, rel=1e-6)


@given(angle=st.floats(-3.0, 3.0), radius=st.floats(0.01, 0.3))
def test_the_face_of_a_turned_body_is_its_farthest_point(angle, radius):
    world = am.World(gravity=(0, 0, 0))
    turn = (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0)
    world.add_body(
        am.Box((0.2, 0.4, 0.1)), fixed=True, position=(0, 0, -1), orientation=turn, name="floor"
    )
    world.add_body(am.Sphere(radius), fixed=True, position=(0, 0, 1), name="roof")
    world.add_body(am.Sphere(0.01), mass=1.0, name="ball")
    low, high = sample_of(world).borders(am.Between((-1, -1, "floor"), (1, 1, "roof")))
    up = 0.1 * abs(np.sin(angle)) + 0.05 * abs(np.cos(angle))  # half edges on the way up
    assert low[2] == pytest.approx(up - 1.0, abs=1e-9)
    assert high[2] == pytest.approx(1.0 - radius, abs=1e-9)


def test_stress_between_walls_is_that_of_the_forces_on_them():
    """V σ = Σ f ⊗ x of the walls, though the piston moves freely and overlaps are deep or not."""
    sim, piston, _ = pressed()
    walls = am.Between(("left", "front", "floor"), ("right", "back", piston))
    contacts, bodies = sim.contacts, sim.bodies
    walled = [*bodies.id[bodies.fixed].tolist(), piston.id]
    outer = np.isin(contacts.bodies, walled)
    on_grains = contacts.force * (outer[:, :1] * 1.0 - outer[:, 1:] * 1.0)
    wanted = -np.einsum("ci,cj->ij", on_grains, contacts.points)
    low, high = sample_of(sim).borders(walls)
    found = (high - low).prod() * am.measure.stress(sim, walls)
    np.testing.assert_allclose(found, wanted, atol=1e-7 * np.abs(wanted).max())


def test_a_probe_reads_what_the_measures_say():
    sim, piston, _ = pressed()
    region = ((-0.2, -0.2, 0.0), (0.2, 0.2, 0.4))
    names = ("size", "stress", "porosity", "void_ratio", "solid_fraction", "coordination", "fabric",
             "temperature", "bodies")  # fmt: skip
    read = am.measure.read(sim, am.Probe("sample", names, region=region))
    stress = am.measure.stress(sim, region, part="total")
    solid = am.measure.solid_fraction(sim, region)
    assert [read[f"size_{axis}"] for axis in "xyz"] == pytest.approx([0.4, 0.4, 0.4])
    assert read["stress_zz"] == pytest.approx(stress[2, 2])
    assert read["stress_xz"] == pytest.approx(0.5 * (stress[0, 2] + stress[2, 0]))
    assert read["pressure"] == pytest.approx(np.trace(stress) / 3)
    half = 0.5 * (stress + stress.T)
    rest = half - np.trace(half) / 3 * np.eye(3)
    assert read["deviator"] == pytest.approx(np.sqrt(1.5 * (rest**2).sum()))
    assert read["porosity"] == pytest.approx(1 - solid)
    assert read["void_ratio"] == pytest.approx(1 / solid - 1)
    assert read["coordination"] == am.measure.coordination(sim, region).mean
    assert read["fabric_zz"] == pytest.approx(am.measure.fabric(sim, region)[2, 2])
    assert read["bodies"] == 8
    on_piston = am.measure.read(
        sim, am.Probe("piston", ("position", "velocity", "force", "torque", "traction"),
                      body=piston, area=0.16)
    )  # fmt: skip
    assert [on_piston[axis] for axis in "xyz"] == pytest.approx(piston.position.tolist())
    np.testing.assert_allclose(
        [on_piston[f"traction_{axis}"] for axis in "xyz"],
        sim.contacts.on(piston).force / 0.16, rtol=1e-12,
    )  # fmt: skip


def test_deviator_of_a_triaxial_stress_is_the_difference():
    """By hand: a stack of two balls between plates carries σ_zz alone, so q = σ_zz."""
    world = am.World(gravity=(0, 0, 0))
    world.add_body(am.Plane(), fixed=True, name="floor")
    world.add_spheres(0.1, position=[(0, 0, 0.1), (0, 0, 0.3)], density=1000.0)
    top = world.add_body(am.Box((1, 1, 0.1)), mass=5.0, position=(0, 0, 0.45), name="top")
    top.force = (0.0, 0.0, -30.0)
    sim = am.Simulation(world, step=1e-3, solver=am.Direct(tolerance=1e-12))
    sim.step()
    region = am.Between((-0.5, -0.5, "floor"), (0.5, 0.5, "top"))
    read = am.measure.read(sim, am.Probe("stack", ["stress"], region=region))
    assert read["stress_zz"] == pytest.approx(30.0, rel=1e-3)
    assert read["deviator"] == pytest.approx(read["stress_zz"], rel=1e-3)


def test_measures_of_nobody():
    world = am.World()
    world.add_body(am.Sphere(0.1), mass=1.0)
    sim = am.Simulation(world, step=1e-3)
    sim.step()
    far = ((5, 5, 5), (6, 6, 6))
    names = ["stress", "porosity", "void_ratio", "temperature", "fabric", "bodies", "repose_angle"]
    read = am.measure.read(sim, am.Probe("far", names, region=far))
    assert read["porosity"] == 1.0
    assert read["void_ratio"] == np.inf
    assert read["pressure"] == read["bodies"] == 0.0
    assert np.isnan([read["temperature"], read["fabric_xx"], read["repose_angle"]]).all()


def test_a_probe_of_ones_own():
    def height(sim):
        return sim.bodies.position[:, 2].max()

    world = lattice()
    probe = world.add_probe(am.Probe("top", [height, "bodies"]))
    sim = am.Simulation(world, step=1e-3)
    read = am.measure.read(sim, probe)
    assert read["height"] == world.bodies.position[:, 2].max()
    with pytest.raises(am.InputError, match=r"the measure words of the probe 'x' must give a numb"):
        am.measure.read(sim, am.Probe("x", words))


def words(sim):
    return "many"


# -- repose angle ---------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [12.0, 25.0, 38.0])
def test_repose_angle_of_a_made_up_cone(angle):
    """Balls on a fine lattice below a cone, and stragglers around it."""
    steep, radius, d = np.tan(np.radians(angle)), 1.0, 0.05
    axis = np.arange(-24, 25) * d
    x, y, z = (each.ravel() for each in np.meshgrid(axis, axis, np.arange(40) * d, indexing="ij"))
    inside = z <= steep * (radius - np.hypot(x, y))
    place = np.stack([x, y, z], axis=1)[inside]
    place = np.concatenate([place, [(1.6, 0.3, 0.0), (-1.5, 0.9, 0.0)]])
    place += np.array([3.0, -2.0, 0.7])
    world = am.World()
    world.add_spheres(0.5 * d, position=place, density=1000.0)
    assert am.measure.repose_angle(world) == pytest.approx(angle, abs=1.5)
    assert am.measure.repose_angle(world, ((1, -4, 0.6), (5, 0, 3))) == pytest.approx(angle, abs=2)


def test_a_flat_layer_has_no_angle():
    world = am.World()
    place = np.stack(np.meshgrid(*[np.arange(8) * 0.1] * 2, [0.0]), -1).reshape(-1, 3)
    world.add_spheres(0.05, position=place, density=1000.0)
    found = am.measure.repose_angle(world)
    assert np.isnan(found) or abs(found) < 1e-9
    with pytest.raises(am.InputError, match="no body in the region"):
        am.measure.repose_angle(world, ((5, 5, 5), (6, 6, 6)))


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"name": "a b", "measures": "stress"}, "needs a name of letters"),
        ({"name": "steps", "measures": "stress"}, "every run has such a table"),
        ({"name": "a", "measures": []}, "has no measures"),
        ({"name": "a", "measures": ["stres"]}, "no measure 'stres' of a region: choose size"),
        ({"name": "a", "measures": ["force"]}, "of a region.*give the probe a body"),
        ({"name": "a", "measures": ["stress"], "body": 0}, "of a body.*leave out the body"),
        ({"name": "a", "measures": ["stress", "stress"]}, "names a measure twice"),
        ({"name": "a", "measures": ["stress"], "every": 0.0}, "every"),
        ({"name": "a", "measures": ["stress"], "since": -1.0}, "since"),
        ({"name": "a", "measures": ["force"], "body": 0, "region": am.Box.cube(1)}, "not of both"),
        ({"name": "a", "measures": ["traction"], "body": 0}, "needs an area"),
        ({"name": "a", "measures": ["force"], "body": 0, "area": 1.0}, "needs an area"),
        ({"name": "a", "measures": ["size"], "region": am.Sphere(1.0)}, "the size of a Sphere"),
        ({"name": "a", "measures": ["stress"], "region": am.Cone(1.0, 1.0)}, "of a Cone"),
    ],
)
def test_probes_that_cannot_be(how, told):
    with pytest.raises(am.InputError, match=told):
        am.Probe(**how)


def test_probes_that_do_not_go_with_the_world():
    world = boxed()
    with pytest.raises(am.InputError, match="no body called 'roof'"):
        world.add_probe(am.Probe("a", "stress", region=am.Between((0, 0, 0), (1, 1, "roof"))))
    with pytest.raises(am.InputError, match="this world has none"):
        world.add_probe(am.Probe("a", "shear"))
    with pytest.raises(am.InputError, match=r"an amontons\.Probe was expected"):
        world.add_probe("stress")
    world.add_probe(am.Probe("a", "stress", region=WALLS))
    with pytest.raises(am.InputError, match="already a probe"):
        world.add_probe(am.Probe("a", "stress"))
    world.add_probe(am.Probe("b", "force", body=world.body("lid")))
    world.add_probe(am.Probe("c", "stress"))
    world.remove_bodies("lid")
    assert [each.name for each in world.probes] == ["c"]


def test_regions_between_that_cannot_be():
    for low, high in (((0, 0), (1, 1, 1)), ("abc", (1, 1, 1)), ((0, 0, np.nan), (1, 1, 1))):
        with pytest.raises(am.InputError, match=r"border|Between"):
            am.Between(low, high)
    world = boxed()
    upside_down = am.Between((-0.2, -0.2, "lid"), (0.2, 0.2, "floor"))
    with pytest.raises(am.InputError, match=r"no volume.*along z"):
        am.measure.solid_fraction(world, upside_down)
    with pytest.raises(am.InputError, match="must lie across that axis"):
        am.measure.solid_fraction(world, am.Between(("floor", -1, -1), (1, 1, 1)))


@pytest.mark.parametrize("angle", [0.0, 25.0])
def test_a_half_full_drum_leans_as_its_surface_does(angle):
    """Balls on a lattice below a plane through the axis."""
    axis = np.arange(-1.0, 1.01, 0.1)
    x, y, z = (each.ravel() for each in np.meshgrid(axis, axis[::5], axis, indexing="ij"))
    full = (np.hypot(x, z) < 0.96) & (z < 1e-9)
    turn, place = np.radians(angle), np.stack([x, y, z], axis=1)[full]
    place = place @ np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0],
                              [-np.sin(turn), 0, np.cos(turn)]])  # fmt: skip
    middle = np.array([5.0, -2.0, 3.0])
    world = am.World()
    world.add_spheres(0.04, position=place + middle, density=1.0)
    drum = (tuple(middle - 1.1), tuple(middle + 1.1))
    assert am.measure.lean_angle(world, drum) == pytest.approx(angle, abs=1e-6)
    with pytest.raises(am.InputError, match="needs the region of a drum"):
        am.measure.lean_angle(world, None)
    with pytest.raises(am.InputError, match="nothing that leans"):
        am.measure.lean_angle(world, ((0, 0, 0), (1, 1, 1)))
