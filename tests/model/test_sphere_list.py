"""Many sizes of spheres: the same as one by one, and cheap."""

import numpy as np
import pytest

import amontons as am


def places(count):
    return np.random.default_rng(0).uniform(0, 9, (count, 3))


def test_spheres_of_many_sizes_are_those_that_one_adds_one_by_one():
    radius = np.array([0.3, 0.1, 0.2, 0.1, 0.3])
    at_once, one_by_one = am.World(), am.World()
    ids = at_once.add_spheres(radius, position=places(5), density=[1.0, 2.0, 3.0, 4.0, 5.0])
    for r, place, density in zip(radius, places(5), range(1, 6), strict=True):
        one_by_one.add_body(am.Sphere(r), position=place, density=float(density))
    assert ids.tolist() == [0, 1, 2, 3, 4]
    assert len(at_once.shapes) == 3  # the same size is the same shape
    a, b = at_once.bodies, one_by_one.bodies
    np.testing.assert_allclose(a.mass, b.mass, rtol=1e-14)
    np.testing.assert_allclose(a.inertia, b.inertia, rtol=1e-14)
    for i in ids.tolist():
        assert at_once.body(i).shape == one_by_one.body(i).shape


def test_sizes_that_were_there_before_are_not_added_again():
    world = am.World()
    world.add_body(am.Sphere(0.1), mass=1.0)
    world.add_spheres([0.1, 0.2], position=places(2), mass=2.0)
    assert world.bodies.shape.tolist() == [0, 0, 1]
    assert world.bodies.inertia[1, 0, 0] == pytest.approx(0.4 * 2.0 * 0.01)


def test_one_radius_is_for_all_and_fixed_spheres_need_no_mass():
    world = am.World()
    world.add_spheres(0.1, position=places(4), fixed=True)
    assert world.bodies.fixed.all()
    assert len(world.shapes) == 1
    assert not world.bodies.inertia.any()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"radius": [0.1, 0.2]}, "shape \\(2,\\) for 3"),
        ({"radius": [0.1, -0.2, 0.1]}, r"radius\[1\] is -0.2"),
        ({"radius": [0.1, np.nan, 0.1]}, r"radius\[1\]"),
        ({"radius": 0.1, "mass": None}, "mass or a density"),
        ({"radius": 0.1, "centre": (0, 0, 0.1)}, "no centre"),
    ],
)
def test_bad_radii_say_what_is_wrong(arguments, says):
    world = am.World()
    with pytest.raises(am.InputError, match=says):
        world.add_spheres(**({"position": places(3), "mass": 1.0} | arguments))
    assert not len(world.bodies)


def test_a_thousand_sizes_take_few_bytes_of_a_file(tmp_path):
    sizes = {}
    for name, radius in (("one", 0.1), ("many", np.linspace(0.1, 0.2, 2000))):
        world = am.World()
        world.add_spheres(radius, position=places(2000), density=1.0)
        with am.Recorder(am.Simulation(world, step=1e-3), tmp_path / name):
            pass
        sizes[name] = (tmp_path / name / "run.h5").stat().st_size
    assert (sizes["many"] - sizes["one"]) / 2000 < 60  # bytes a radius
    with am.Results(tmp_path / "many") as results:
        last = results.shapes[-1]
        assert last.kind == "Sphere"
        assert last.half[0] == pytest.approx(0.2)
        reach = np.linalg.norm(last.vertices, axis=1)
        np.testing.assert_allclose(reach, 0.2, rtol=1e-6)
        assert len(last.triangles) == len(am.Sphere(1.0).surface_mesh(24)[1])
