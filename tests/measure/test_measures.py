"""Measures against closed forms, balances that hold exactly, and naive oracles."""

import numpy as np
import pytest
from scipy.integrate import quad

import amontons as am
from amontons.measure.fields import along_line, gaussian
from amontons.measure.sample import sample_of
from helpers.granular import falling, frame_of, lattice, pressed, touching

G = 9.81


def test_stress_times_volume_is_that_of_the_forces_on_the_walls():
    sim, piston, force = pressed()
    contacts, bodies = sim.contacts, sim.bodies
    low, high = sample_of(sim).bounds()
    volume = (high - low).prod()
    fixed = np.isin(contacts.bodies, bodies.id[bodies.fixed])
    on_walls = contacts.force * (fixed[:, 1:] * 1.0 - fixed[:, :1] * 1.0)
    from_walls = np.einsum("ci,cj->ij", on_walls, contacts.points)
    from_walls -= np.outer(force, piston.position)  # what presses on the piston
    scale = np.abs(from_walls).max()
    np.testing.assert_allclose(
        volume * am.measure.stress(sim), from_walls, rtol=0, atol=1e-7 * scale
    )
    assert am.measure.stress(sim)[2, 2] > 0  # compression


def weight_above(sim, acceleration, low, high):
    """Mean of Σ m (g + a) over the bodies above z, for z from low to high [N]."""
    free = sim.bodies.dynamic
    h = sim.step_length
    z = (sim.bodies.position - h * sim.bodies.velocity)[free, 2]  # when contacts were found
    held = sim.bodies.mass[free] * (G + acceleration[free, 2])
    return (held * np.clip(z - low, 0.0, high - low)).sum() / (high - low)


@pytest.mark.parametrize(("low", "high"), [(0.1, 0.2), (0.05, 0.33), (0.21, 0.22)])
def test_vertical_stress_carries_what_is_above(low, high):
    sim, acceleration = falling()
    found = am.measure.stress(sim, ((-0.2, -0.2, low), (0.2, 0.2, high)))
    wanted = weight_above(sim, acceleration, low, high)
    assert found[2, 2] * 0.4**2 == pytest.approx(wanted, rel=1e-9)


def test_kinetic_stress_is_the_temperature_times_the_density():
    sim, _ = falling()
    region = ((-0.2, -0.2, 0.0), (0.2, 0.2, 0.5))
    free = sim.bodies.dynamic
    kinetic = am.measure.stress(sim, region, part="kinetic")
    density = sim.bodies.mass[free].sum() / (0.4**2 * 0.5)
    temperature = am.measure.granular_temperature(sim, region)
    assert np.trace(kinetic) == pytest.approx(3 * density * temperature)
    total = am.measure.stress(sim, region, part="total")
    np.testing.assert_allclose(total - kinetic, am.measure.stress(sim, region), atol=1e-9)


def test_temperature_of_two_bodies():
    world = am.World()
    world.add_bodies(
        am.Sphere(0.1), position=[(0, 0, 0), (1, 0, 0)], mass=[1.0, 3.0],
        velocity=[(4.0, 0, 0), (0, 0, 0)],
    )  # fmt: skip
    # mean velocity 1: 1·3² + 3·1² = 12 over 3·4
    assert am.measure.granular_temperature(world) == pytest.approx(1.0)


@pytest.mark.parametrize("corner", [(0.0, 0.0, 0.0), (0.013, -0.071, 0.05), (-0.2, 0.03, -0.11)])
def test_face_centred_balls_fill_their_share_of_any_cells(corner):
    world, cell = lattice(0.1), 0.2 * np.sqrt(2.0)
    low = np.array(corner)
    found = am.measure.solid_fraction(world, (low, low + cell))
    assert found == pytest.approx(np.pi / np.sqrt(18.0), rel=1e-8)
    assert found == pytest.approx(0.7405, abs=5e-5)


def test_solid_fraction_of_shapes_that_are_no_balls():
    world = am.World()
    turned = (np.cos(0.3), 0.0, 0.0, np.sin(0.3))
    world.add_body(am.Box((0.4, 0.3, 0.2)), mass=1.0, position=(0, 0, 0), orientation=turned)
    world.add_body(am.Cylinder(0.2, 0.5), mass=1.0, position=(2.0, 0, 0))
    world.add_body(am.Capsule(0.1, 0.4), mass=1.0, position=(0, 2.0, 0))
    whole = am.measure.solid_fraction(world, ((-1, -1, -1), (3, 3, 1)))
    capsule = np.pi * 0.1**2 * (0.4 + 4 / 3 * 0.1)
    assert whole * 32 == pytest.approx(0.024 + np.pi * 0.04 * 0.5 + capsule, rel=1e-9)
    # cut in the middle, by symmetry a half is left
    half = am.measure.solid_fraction(world, ((-1, -1, 0), (1, 1, 1)))
    assert half * 4 == pytest.approx(0.012, rel=0.01)


def test_fabric_of_a_lattice_is_even_and_has_a_trace_of_one():
    pairs, normals = touching_pairs(lattice(0.1))
    frame = frame_of(lattice(0.1), touching(pairs, 0.0 * normals, normals, normals))
    np.testing.assert_allclose(am.measure.fabric(frame), np.eye(3) / 3, atol=1e-12)


def touching_pairs(world):
    from scipy.spatial import cKDTree

    place = world.bodies.position
    pairs = np.array(sorted(cKDTree(place).query_pairs(0.2 * (1 + 1e-9))))
    along = place[pairs[:, 1]] - place[pairs[:, 0]]
    return pairs, along / np.linalg.norm(along, axis=1, keepdims=True)


def naive_coordination(pairs, bodies, fewest):
    """Contacts of each without rattlers, which are taken away one by one."""
    alive = set(range(bodies))
    while True:
        count = {
            i: sum(i in p and all(j in alive or j >= bodies for j in p) for p in pairs)
            for i in alive
        }
        loose = [i for i in alive if count[i] < fewest]
        if not loose:
            return alive, count
        alive.discard(loose[0])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("fewest", [2, 4])
def test_coordination_and_rattlers_against_a_naive_count(seed, fewest):
    rng = np.random.default_rng(seed)
    world = am.World()
    world.add_bodies(am.Sphere(0.1), position=rng.uniform(0, 5, (20, 3)), mass=1.0)
    wall = world.add_body(am.Plane(), fixed=True)
    pairs = {tuple(sorted(rng.choice(21, 2, replace=False).tolist())) for _ in range(45)}
    pairs = sorted(pair for pair in pairs if pair != (wall.id, wall.id))
    twice = np.array(pairs + pairs[:10])  # some touch at two points
    normals = rng.normal(size=(len(twice), 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    normals[len(pairs) :] = normals[:10]
    found = am.measure.coordination(
        frame_of(world, touching(twice, 0.0 * normals, normals, normals)), fewest=fewest
    )
    alive, count = naive_coordination(pairs, 20, fewest)
    assert set(found.ids[~found.rattler].tolist()) == alive
    assert found.held[~found.rattler].tolist() == [count[i] for i in sorted(alive)]
    assert found.contacts.tolist() == [sum(i in p for p in pairs) for i in range(20)]
    assert found.mean == pytest.approx(found.contacts.mean())
    assert 0 <= found.rattlers <= 1
    assert "rattlers" in repr(found)


def test_slight_contacts_do_not_count():
    world = am.World()
    world.add_bodies(am.Sphere(0.1), position=[(0, 0, 0), (0.2, 0, 0), (0.4, 0, 0)], mass=1.0)
    x = (1.0, 0, 0)
    frame = frame_of(world, touching([(0, 1), (1, 2)], [(0.1, 0, 0), (0.3, 0, 0)], [x, x],
                                     [(1e-9, 0, 0), (5.0, 0, 0)]))  # fmt: skip
    assert am.measure.coordination(frame, fewest=1).contacts.tolist() == [0, 1, 1]
    assert am.measure.force_statistics(frame).normal.tolist() == [5.0]


def test_radial_distribution_of_a_lattice_and_of_chance():
    world = lattice(0.1, half=0.85)
    half = 0.2 * np.sqrt(2.0)
    found = am.measure.radial_distribution(world, 0.22, ((-half,) * 3, (half,) * 3), bins=11)
    assert not found.g[:9].any()
    assert found.g[9:].max() > 5
    rng = np.random.default_rng(3)
    gas = am.World()
    gas.add_bodies(am.Sphere(1e-3), position=rng.uniform(0, 1, (1500, 3)), mass=1.0)
    even = am.measure.radial_distribution(gas, 0.3, ((0, 0, 0), (1, 1, 1)), bins=6)
    np.testing.assert_allclose(even.g[1:], 1.0, atol=0.06)  # a sample of 1500 scatters by 2 %


def test_what_is_not_in_balance_accelerates():
    """Mean of |m a| over bodies by the mean force of a pair; next to nothing at rest."""
    sim, acceleration = falling()
    free = sim.bodies.dynamic
    net = np.linalg.norm(sim.bodies.mass[free, None] * acceleration[free], axis=1).mean()
    push = np.linalg.norm(sim.contacts.force[sim.contacts.normal_force > 0.0], axis=1).mean()
    found = am.measure.unbalanced_force(sim)
    assert found == pytest.approx(net / push, rel=1e-9)
    assert found > 0.1
    still, _, _ = pressed()
    assert am.measure.unbalanced_force(still) < 1e-6  # its piston's load is in `bodies.force`


def test_files_do_not_know_gravity():
    """A ball of 1 kg on a floor that bears 12 N of its 10: a fifth of that is left over."""
    world = am.World()
    floor = world.add_body(am.Plane(), fixed=True).id
    ball = world.add_body(am.Sphere(0.1), position=(0, 0, 0.1), mass=1.0).id
    up = [(0.0, 0.0, 1.0)]
    frame = frame_of(world, touching([(floor, ball)], [(0, 0, 0)], up, [(0.0, 0.0, 12.0)]))
    found = am.measure.unbalanced_force(frame, gravity=(0, 0, -10.0))
    assert found == pytest.approx(2.0 / 12.0)
    with pytest.raises(am.InputError, match="gravity"):
        am.measure.unbalanced_force(frame)
    with pytest.raises(am.InputError, match="no body's centre in the region"):
        am.measure.unbalanced_force(frame, ((1, 1, 1), (2, 2, 2)), gravity=(0, 0, -10.0))
    loose = frame_of(world, touching(np.empty((0, 2)), [], [], []))
    assert am.measure.unbalanced_force(loose, gravity=(0, 0, -10.0)) == np.inf


def test_force_statistics_of_known_forces():
    rng = np.random.default_rng(0)
    count = 4000
    world = am.World()
    world.add_bodies(am.Sphere(0.1), position=rng.uniform(0, 9, (count + 1, 3)), mass=1.0)
    pairs = np.stack([np.arange(count), np.arange(1, count + 1)], axis=1)
    normals = np.tile([0.0, 0.0, 1.0], (count, 1))
    push = rng.exponential(2.0, count)
    force = push[:, None] * np.array([0.3, 0.4, 1.0])
    found = am.measure.force_statistics(frame_of(world, touching(pairs, force, normals, force)))
    assert found.mean == pytest.approx(2.0, rel=0.06)
    assert found.spread == pytest.approx(1.0, rel=0.06)
    assert found.mobilised == pytest.approx(0.5)
    assert found.participation == pytest.approx(0.5, rel=0.06)
    middle, density = found.distribution(bins=30, largest=6.0)
    assert density[5] == pytest.approx(np.exp(-middle[5]), rel=0.15)


def test_a_gaussian_along_a_line_against_numerical_integration():
    rng = np.random.default_rng(4)
    apart, along = rng.normal(size=(2, 30, 3))
    along[:4] *= [[1e-6], [1e-4], [1e-3], [0.0]]
    for dimensions in (1, 2, 3):
        a, b = apart[:, :dimensions], along[:, :dimensions]

        def weight(s, start, way, axes=dimensions):
            return gaussian(((start - s * way) ** 2).sum(), 0.7, axes)

        naive = [
            quad(weight, 0, 1, (start, way), epsabs=1e-12)[0]
            for start, way in zip(a, b, strict=True)
        ]
        np.testing.assert_allclose(along_line(a, b, 0.7), naive, rtol=1e-6, atol=1e-12)


def test_fields_add_up_to_what_there_is():
    pytest.importorskip("xarray")
    sim, _ = falling()
    steps = [np.arange(-0.5, 0.5, 0.05), np.arange(-0.5, 0.5, 0.05), np.arange(-0.3, 0.8, 0.05)]
    data = am.measure.fields(sim, dict(zip("xyz", steps, strict=True)), width=0.05)
    cell, free = 0.05**3, sim.bodies.dynamic
    mass, volume = sim.bodies.mass[free], sample_of(sim).volume
    near = {"rtol": 1e-4}
    np.testing.assert_allclose(float(data.density.sum() * cell), mass.sum(), **near)
    np.testing.assert_allclose(float(data.solid_fraction.sum() * cell), volume.sum(), **near)
    momentum = (data.density * data.velocity).fillna(0).sum(["x", "y", "z"]) * cell
    np.testing.assert_allclose(momentum, mass @ sim.bodies.velocity[free], atol=1e-4 * mass.sum())
    everywhere = ((-9, -9, -9), (9, 9, 9))
    total = am.measure.stress(sim, everywhere) * 18**3
    np.testing.assert_allclose(
        data.stress.sum(["x", "y", "z"]) * cell, total, atol=1e-4 * np.abs(total).max()
    )
    assert data.stress.attrs["units"] == "Pa"
    assert data.attrs["width"] == 0.05


def test_a_profile_balances_weight_and_acceleration():
    pytest.importorskip("xarray")
    sim, acceleration = falling()
    z = np.linspace(0.0, 0.4, 801)
    box = ((-0.2, -0.2, 0.0), (0.2, 0.2, 1.0))
    data = am.measure.fields(sim, {"z": z}, width=0.03, region=box)
    assert data.stress.dims == ("z", "i", "j")
    # dσ_zz/dz = −Σ m (g + a) W, in smooth walls; bodies where they were when they touched
    free, h = sim.bodies.dynamic, sim.step_length
    place = (sim.bodies.position - h * sim.bodies.velocity)[free, 2]
    held = sim.bodies.mass[free] * (G + acceleration[free, 2])
    wanted = -(gaussian((z[:, None] - place) ** 2, 0.03, 1) * held).sum(axis=1) / 0.4**2
    wall = data.stress.sel(i="z", j="z").to_numpy()
    slope = np.gradient(wall, z)
    inner = (z > 0.2) & (z < 0.39)  # the floor's own forces are spread about it
    np.testing.assert_allclose(slope[inner], wanted[inner], atol=2e-3 * np.abs(wanted).max())


def test_a_frame_of_a_file_is_measured_as_the_simulation_is(tmp_path):
    sim, _ = falling()
    with am.Recorder(sim, tmp_path / "run", contacts=True):
        pass  # the first frame is that of now
    with am.Results(tmp_path / "run") as results:
        frame = results[0]
        region = ((-0.2, -0.2, 0.03), (0.2, 0.15, 0.3))
        for name in ("solid_fraction", "granular_temperature", "fabric"):
            measure = getattr(am.measure, name)
            np.testing.assert_allclose(measure(frame, region), measure(sim, region), rtol=1e-5)
        assert am.measure.coordination(frame).mean == am.measure.coordination(sim).mean
        np.testing.assert_allclose(
            am.measure.stress(frame), am.measure.stress(sim), rtol=0.02, atol=1.0
        )


def test_what_cannot_be_measured_says_so(tmp_path):
    world = lattice(0.1, half=0.3)
    with pytest.raises(am.InputError, match=r"results\[-1\]"):
        am.measure.stress("run")
    with pytest.raises(am.InputError, match="no contacts are known"):
        am.measure.stress(world)
    with pytest.raises(am.InputError, match="low corner first"):
        am.measure.solid_fraction(world, ((0, 0, 1), (1, 1, 0)))
    with pytest.raises(am.InputError, match="cannot measure in a Cone"):
        am.measure.solid_fraction(world, am.Cone(1.0, 1.0))
    with pytest.raises(am.InputError, match="two corners"):
        am.measure.solid_fraction(world, (0, 0, 1))
    with pytest.raises(am.InputError, match="no body's centre"):
        am.measure.granular_temperature(world, ((5, 5, 5), (6, 6, 6)))
    with pytest.raises(am.InputError, match="nothing to measure"):
        am.measure.solid_fraction(am.World())
    sim, _ = falling()
    with pytest.raises(am.InputError, match="contact, kinetic, total"):
        am.measure.stress(sim, part="all")
    with pytest.raises(am.InputError, match="fewest"):
        am.measure.coordination(sim, fewest=0)
    with pytest.raises(am.InputError, match="no contact that carries"):
        am.measure.fabric(sim, ((5, 5, 5), (6, 6, 6)))
    with pytest.raises(am.InputError, match="two bodies"):
        am.measure.radial_distribution(world, 1.0, ((5, 5, 5), (6, 6, 6)))
    with pytest.raises(am.InputError, match="axis 'r'"):
        am.measure.fields(sim, {"r": [0.0]}, 0.1)
    with pytest.raises(am.InputError, match="width"):
        am.measure.fields(sim, {"z": [0.0]}, 0.0)
    with pytest.raises(am.InputError, match="beyond the region along x"):
        am.measure.fields(sim, {"z": [0.0]}, 0.1, region=((0, 0, 0), (1, 1, 1)))
