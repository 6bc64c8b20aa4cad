"""Problems written and read back: .npz of both versions, FCLIB's HDF5, and every bad file."""

import errno
import os
import stat
import warnings
from pathlib import Path
from types import SimpleNamespace

import h5py
import numpy as np
import pytest
import scipy.sparse as sp

import amontons as am
from amontons.problem import fclib, npz
from amontons.problem.operators import BodyOperator, FactoredOperator, MatrixOperator
from helpers.stored_problems import own, reference, shared

STORED = own() + [path for path in shared() if path.stem != "Slab4000"]


# -- problems -------------------------------------------------------------------------------------


def psd(rng, rows):
    G = rng.standard_normal((rows, rows + 2))
    W = G @ G.T / rows
    W[np.abs(W) < 0.1] = 0.0
    W += 2.0 * np.eye(rows)
    return (W + W.T) / 2


def coulomb(rng, contacts=5):
    W = psd(rng, 3 * contacts)
    mu = rng.uniform(0.1, 0.9, contacts)
    return am.ConeProblem.from_matrix(W, rng.standard_normal(3 * contacts), friction=mu, name="c")


def rolling(rng, contacts=4):
    mu, rho = rng.uniform(0.1, 0.9, (2, contacts))
    q = rng.standard_normal(5 * contacts)
    W = psd(rng, 5 * contacts)
    return am.ConeProblem.from_matrix(W, q, friction=mu, rolling=rho, name="r")


def nonsymmetric(rng, size=0.01):
    W = psd(rng, 12) + size * rng.standard_normal((12, 12))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", am.ProblemWarning)
        return am.ConeProblem.from_matrix(W, rng.standard_normal(12), friction=np.full(4, 0.5))


def mixed(rng):
    sets = [
        am.Free(2),
        am.CoulombCone([0.3, 0.4]),
        am.Interval([-1.0, -np.inf], [1.0, 2.0]),
        am.RollingCone([0.5], [0.1]),
        am.NonNegative(2),
        am.SpinningCone([0.6, 0.7], [0.1, 0.2], [0.01, 0.02]),
        am.CoulombCone([0.8]),
    ]
    rows = 2 + 6 + 2 + 5 + 2 + 12 + 3
    # the last two entries of three rows of a cone must be alike
    compliance = rng.uniform(0.0, 0.1, rows)
    for second in (3, 6, 18, 21, 24, 27, 30):
        compliance[second + 1] = compliance[second]
    return am.ConeProblem.from_matrix(
        psd(rng, rows),
        rng.standard_normal(rows),
        sets=sets,
        compliance=compliance,
        cohesion=[0, 0, 0.2, 0.1, 0, 0, 0.3, 0.4, 0, 0.5, 0.6, 0.0],
        name="mixed",
    )


def spinning(rng):
    W, q, half = psd(rng, 18), rng.standard_normal(18), np.full(3, 0.5)
    return am.ConeProblem.from_matrix(W, q, friction=half, rolling=0.1, spinning=0.05)


def bodies(rng, contacts=6, **options):
    count = 4
    inertia = rng.standard_normal((count, 3, 3))
    inertia = inertia @ inertia.transpose(0, 2, 1) + np.eye(3)
    mass = rng.uniform(0.5, 2.0, count)
    mass[3], inertia[3] = 0.0, 0.0  # immovable
    pairs = [(0, 1), (1, 2), (2, -1), (0, 3), (3, 1), (-1, 0)]
    normals = rng.standard_normal((contacts, 3))
    return am.ConeProblem.from_contacts(
        inverse_mass=mass,
        inverse_inertia=inertia,
        bodies_a=[a for a, _ in pairs],
        bodies_b=[b for _, b in pairs],
        normals=normals / np.linalg.norm(normals, axis=1, keepdims=True),
        arms_a=rng.standard_normal((contacts, 3)),
        arms_b=rng.standard_normal((contacts, 3)),
        free_velocity=rng.standard_normal((count, 6)),
        offset=rng.uniform(0.0, 0.1, contacts),
        friction=rng.uniform(0.1, 0.9, contacts),
        name="bodies",
        **options,
    )


def joints(rng, order=("free", "contacts", "motor", "free")):
    """Contacts and scalar rows over bodies, in an order that is not the kernels' own."""
    normals = rng.standard_normal((2, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    runs = {
        "free": am.Free(1),
        "contacts": am.CoulombCone([0.3, 0.6], normals),
        "motor": am.Interval([-1.0], [2.0]),
    }
    scalars = len(order) - 1
    operator = BodyOperator(
        inverse_mass=[1.0, 2.0],
        inverse_inertia=np.array([np.eye(3), np.diag([1.0, 2.0, 3.0])]),
        bodies_a=[0, -1, *[0] * scalars],
        bodies_b=[1, 1, *[1] * scalars],
        arms_a=rng.standard_normal((2, 3)),
        arms_b=rng.standard_normal((2, 3)),
        jacobian=rng.standard_normal((scalars, 12)),
    )
    r = rng.standard_normal(operator.rows)
    return am.ConeProblem(operator, r, [runs[kind] for kind in order], name="joints")


def global_form(rng, contacts=4, dofs_a_body=6):
    """M, H, f, w and friction of three bodies with contact frames."""
    blocks = []
    for _ in range(3):
        block = psd(rng, dofs_a_body)
        blocks.append(block)
    M = sp.csc_array(sp.block_diag([sp.coo_array(block) for block in blocks]))
    H = sp.csc_array(rng.standard_normal((M.shape[0], 3 * contacts)))
    f, w = rng.standard_normal(M.shape[0]), rng.standard_normal(3 * contacts)
    return M, H, f, w, rng.uniform(0.1, 0.9, contacts)


def factored(rng, dofs_a_body=6):
    M, H, f, w, mu = global_form(rng, dofs_a_body=dofs_a_body)
    return am.ConeProblem.from_bodies(M, H, f, w, friction=mu, form="factored", name="factored")


def framed(rng):
    """Rigid bodies that from_bodies recognises: matrix-free with contact frames."""
    R = np.linalg.qr(rng.standard_normal((3, 3, 3)))[0]
    R *= np.linalg.det(R)[:, None, None]
    arms = rng.standard_normal((3, 2, 3))
    H = np.zeros((12, 9))
    for c, (a, b) in enumerate([(0, 1), (1, 0), (0, None)]):
        for side, body, sign in ((0, a, -1.0), (1, b, 1.0)):
            if body is not None:
                cross = np.cross(np.eye(3), arms[c, side]).T
                H[6 * body : 6 * body + 3, 3 * c : 3 * c + 3] = sign * R[c]
                H[6 * body + 3 : 6 * body + 6, 3 * c : 3 * c + 3] = -sign * cross.T @ R[c]
    M = np.diag([2.0, 2, 2, 0.1, 0.2, 0.3, 3.0, 3, 3, 0.4, 0.5, 0.6])
    f, w = rng.standard_normal(12), rng.standard_normal(9)
    mu = np.full(3, 0.4)
    return am.ConeProblem.from_bodies(M, H, f, w, friction=mu, form="bodies", name="framed")


PROBLEMS = {
    "coulomb": coulomb,
    "rolling": rolling,
    "nonsymmetric": nonsymmetric,
    "far from symmetric": lambda rng: nonsymmetric(rng, 5.0),
    "no contacts": lambda rng: coulomb(rng, 0),
    "mixed": mixed,
    "spinning": spinning,
    "frictionless": lambda rng: am.ConeProblem.from_matrix(psd(rng, 7), rng.standard_normal(7)),
    "bodies": bodies,
    "bodies with torque": lambda rng: bodies(rng, rolling=0.1, spinning=0.05),
    "cohesive bodies": lambda rng: bodies(
        rng, cohesion=np.full(6, 0.3), compliance=np.full(18, 1e-3)
    ),
    "bodies with joints": joints,
    "factored": factored,
    "framed": framed,
}


def both_judged(a, b, impulses):
    """Residuals of either; where a file's format defines the error, both are judged by that."""
    if b.judged_as_given is not None:
        a.judge_as_given()
    return judged(a, impulses), judged(b, impulses)


def judged(problem, impulses):
    return [am.residuals(problem, impulses, exact=exact) for exact in (False, True)]


def guessed(problem, impulses):
    """As much of a Solution as a file keeps."""
    velocities = problem.velocities(problem.unknowns(impulses))
    return SimpleNamespace(impulses=impulses, velocities=velocities)


def assert_same_sets(a, b):
    assert [type(run) for run in a.sets.runs] == [type(run) for run in b.sets.runs]
    for one, other in zip(a.sets.runs, b.sets.runs, strict=True):
        assert one.blocks == other.blocks
        assert one.columns().keys() == other.columns().keys()
        for key, column in one.columns().items():
            np.testing.assert_array_equal(column, other.columns()[key])


def assert_same(a, b):
    """The same problem, bit for bit."""
    assert a.name == b.name
    assert type(a.operator) is type(b.operator)
    assert_same_sets(a, b)
    for key in ("linear", "given_linear", "compliance", "cohesion", "frames", "shift"):
        np.testing.assert_array_equal(getattr(a, key), getattr(b, key), err_msg=key)
    assert (a.linear_norm, a.objective_offset) == (b.linear_norm, b.objective_offset)
    x = np.random.default_rng(0).standard_normal(a.rows)
    np.testing.assert_array_equal(a.product(x), b.product(x))
    np.testing.assert_array_equal(a.velocities(x), b.velocities(x))
    one, other = both_judged(a, b, x)
    assert one == other


def assert_close(a, b, tolerance=1e-12):
    """The same problem up to rounding, in the same coordinates of the caller."""
    assert a.rows == b.rows
    impulses = np.random.default_rng(0).standard_normal(a.rows)
    ua, ub = (p.velocities(p.unknowns(impulses)) for p in (a, b))
    np.testing.assert_allclose(ua, ub, atol=tolerance * np.abs(ua).max(initial=1.0), rtol=0)
    for one, other in zip(*both_judged(a, b, impulses), strict=True):
        assert one.scaled == pytest.approx(other.scaled, rel=1e-9)
        assert one.objective == pytest.approx(other.objective, rel=1e-9)


@pytest.fixture
def rng():
    return np.random.default_rng(20)


# -- npz ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", PROBLEMS)
def test_npz_round_trip_is_exact(kind, rng, tmp_path):
    problem = PROBLEMS[kind](rng)
    problem.save(tmp_path / "problem.npz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", am.ProblemWarning)
        again = am.ConeProblem.load(tmp_path / "problem.npz")
    assert_same(problem, again)


@pytest.mark.parametrize(
    ("kind", "version", "stored"),
    [
        ("coulomb", 1, "local"),
        ("rolling", 1, "local"),
        ("mixed", 2, "matrix"),
        ("bodies", 2, "bodies"),
        ("framed", 2, "bodies"),
        ("factored", 2, "factored"),
    ],
)
def test_npz_uses_version_1_where_it_can(kind, version, stored, rng):
    entries = npz.arrays_of(PROBLEMS[kind](rng))
    assert int(entries["format_version"]) == version
    assert str(entries["kind"]) == stored


def test_version_1_is_what_others_read(rng, tmp_path):
    """The keys and the meaning of shared/problems: u = W r + q."""
    problem = rolling(rng)
    problem.save(tmp_path / "p.npz")
    with np.load(tmp_path / "p.npz", allow_pickle=False) as stored:
        assert str(stored["family"])
        assert (int(stored["dimension"]), int(stored["n_contacts"])) == (5, 4)
        W = sp.csr_matrix(
            (stored["W_data"], stored["W_indices"], stored["W_indptr"]), tuple(stored["W_shape"])
        )
        r = rng.standard_normal(20)
        u = problem.velocities(problem.unknowns(r))
        np.testing.assert_allclose(W @ r + stored["q"], u, atol=1e-12)
        np.testing.assert_array_equal(stored["mu_rolling"], problem.sets.runs[0].rolling)


def test_factorised_mass_round_trips_to_rounding(rng, tmp_path):
    """Bodies with many unknowns keep factors, not M, which is put together again."""
    problem = factored(rng, dofs_a_body=15)
    assert problem.operator.mass_inverse.explicit is None
    problem.save(tmp_path / "p.npz")
    again = am.ConeProblem.load(tmp_path / "p.npz")
    assert isinstance(again.operator, FactoredOperator)
    assert_same_sets(problem, again)
    assert_close(problem, again)


def test_changed_linear_term_round_trips_and_is_judged_by_itself(rng, tmp_path):
    """A shifted problem shares the unit of the first; of a file only its data are believed."""
    problem = coulomb(rng)
    changed = problem.with_linear(2.0 * problem.linear)
    changed.save(tmp_path / "p.npz")
    with pytest.warns(am.ProblemWarning, match="linear_norm"):
        read = am.ConeProblem.load(tmp_path / "p.npz")
    assert read.linear_norm == pytest.approx(2.0 * problem.linear_norm, rel=1e-14)
    changed.linear_norm = read.linear_norm
    assert_same(changed, read)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_stored_problems(path, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", am.ProblemWarning)
        problem = am.ConeProblem.load(path)
        problem.save(tmp_path / "again.npz")
        again = am.ConeProblem.load(tmp_path / "again.npz")
    with np.load(path) as given:
        assert problem.name == str(given["name"])
        if given["format_version"] == 1:
            assert problem.blocks == int(given["n_contacts"])
    known = reference(path)
    impulses, shift = known["ccp_r"], float(known["ccp_W_shift"])
    assert am.residuals(again, impulses) == am.residuals(problem, impulses)
    if shift:
        # the reference is of W + shift·I, which is what compliance makes of W
        E = np.full(problem.rows, shift)
        operator, linear = problem.operator, problem.given_linear
        problem = am.ConeProblem(operator, linear, problem.sets, compliance=E)
    found = am.residuals(problem, impulses)
    assert found.scaled < 1e-9
    assert found.objective == pytest.approx(float(known["ccp_objective"]), rel=1e-9, abs=1e-12)


# -- FCLIB: files laid out by hand as the C library does ------------------------------------------


def put_matrix(group, key, matrix, storage):
    """An fclib_matrix group. Storages: csc, csr, triplets of CSparse, triplets of fclib.h."""
    part = group.create_group(key)
    matrix = sp.coo_array(matrix)
    m, n = matrix.shape
    if storage in ("csc", "csr"):
        packed = sp.csc_array(matrix) if storage == "csc" else sp.csr_array(matrix)
        nz, p, i, x = {"csc": -1, "csr": -2}[storage], packed.indptr, packed.indices, packed.data
    else:
        p, i = (matrix.col, matrix.row) if storage == "csparse" else (matrix.row, matrix.col)
        nz, x = matrix.nnz, matrix.data
    # FCLIB allows nzmax to exceed what is used
    x = np.concatenate([x, [99.0]])
    i = np.concatenate([i, [0]])
    for name, value in (("nzmax", x.size), ("m", m), ("n", n), ("nz", nz)):
        part.create_dataset(name, data=np.array([value], dtype=np.int32))
    part.create_dataset("p", data=p.astype(np.int32))
    part.create_dataset("i", data=i.astype(np.int32))
    part.create_dataset("x", data=x)


def put_info(group, title):
    group.create_dataset("info/title", data=np.array(title.encode(), f"S{len(title) + 1}"))


def write_local(path, W, q, mu, *, storage="csr", mu_r=None, spacedim=3, V=None, R=None, s=None):
    with h5py.File(path, "w") as file:
        group = file.create_group("fclib_local" if mu_r is None else "fclib_local_rolling")
        group.create_dataset("spacedim", data=np.array([spacedim], dtype=np.int32))
        put_matrix(group, "W", W, storage)
        vectors = group.create_group("vectors")
        vectors["q"], vectors["mu"] = q, mu
        if mu_r is not None:
            vectors["mu_r"] = mu_r
        if V is not None:
            put_matrix(group, "V", V, storage)
            put_matrix(group, "R", R, storage)
            vectors["s"] = s
        put_info(group, "By hand")


def write_global(path, M, H, f, w, mu, *, storage="csparse", mu_r=None, G=None, b=None):
    with h5py.File(path, "w") as file:
        group = file.create_group("fclib_global" if mu_r is None else "fclib_global_rolling")
        dimension = 3 if mu_r is None else 5
        group.create_dataset("spacedim", data=np.array([dimension], dtype=np.int32))
        put_matrix(group, "M", M, storage)
        put_matrix(group, "H", H, storage)
        vectors = group.create_group("vectors")
        vectors["f"], vectors["w"], vectors["mu"] = f, w, mu
        if mu_r is not None:
            vectors["mu_r"] = mu_r
        if G is not None:
            put_matrix(group, "G", G, storage)
            vectors["b"] = b


STORAGES = ("csc", "csr", "csparse", "header")


@pytest.mark.parametrize("storage", STORAGES)
def test_fclib_local(storage, rng, tmp_path):
    W, q, mu = psd(rng, 12), rng.standard_normal(12), rng.uniform(0.1, 0.9, 4)
    write_local(tmp_path / "p.hdf5", W, q, mu, storage=storage)
    read = am.ConeProblem.load(tmp_path / "p.hdf5")
    assert read.name == "By hand"
    assert_same(am.ConeProblem.from_matrix(W, q, friction=mu, name="By hand"), read)


@pytest.mark.parametrize("storage", ["csc", "csr"])
def test_fclib_local_keeps_what_is_not_symmetric(storage, rng, tmp_path):
    W, q = psd(rng, 6) + 0.1 * rng.standard_normal((6, 6)), rng.standard_normal(6)
    write_local(tmp_path / "p.hdf5", W, q, [0.5, 0.5], storage=storage)
    with pytest.warns(am.ProblemWarning, match="not symmetric"):
        read = am.ConeProblem.load(tmp_path / "p.hdf5")
    r = rng.standard_normal(6)
    np.testing.assert_allclose(read.velocities(read.unknowns(r)), W @ r + q, atol=1e-12)


@pytest.mark.parametrize("storage", STORAGES)
def test_fclib_global(storage, rng, tmp_path):
    M, H, f, w, mu = global_form(rng)
    write_global(tmp_path / "two words.h5", M, H, f, w, mu, storage=storage)
    read = am.ConeProblem.load(tmp_path / "two words.h5")
    assert read.name == "two words"
    assert_close(am.ConeProblem.from_bodies(M, H, f, w, friction=mu), read)


def test_fclib_global_with_a_mass_matrix_of_few_digits(rng, tmp_path):
    M, H, f, w, mu = global_form(rng)
    M, H = M.toarray(), H.toarray()
    M[0, 1] += 3e-6 * np.sqrt(M[0, 0] * M[1, 1])
    write_global(tmp_path / "p.h5", M, H, f, w, mu, storage="csc")
    with pytest.warns(am.ProblemWarning, match="M is not symmetric"):
        read = am.ConeProblem.load(tmp_path / "p.h5")
    r = rng.standard_normal(H.shape[1])
    expected = H.T @ np.linalg.solve(M, f + H @ r) + w
    np.testing.assert_allclose(read.velocities(read.unknowns(r)), expected, atol=1e-11)


@pytest.mark.parametrize("storage", STORAGES)
def test_fclib_local_equalities_become_free_rows(storage, rng, tmp_path):
    N, r = psd(rng, 11), rng.standard_normal(11)
    write_local(
        tmp_path / "p.hdf5",
        N[:9, :9],
        r[:9],
        np.full(3, 0.5),
        storage=storage,
        V=N[:9, 9:],
        R=N[9:, 9:],
        s=r[9:],
    )
    sets = [am.CoulombCone(np.full(3, 0.5)), am.Free(2)]
    expected = am.ConeProblem.from_matrix(N, r, sets=sets, name="By hand")
    assert_same(expected, am.ConeProblem.load(tmp_path / "p.hdf5"))


@pytest.mark.parametrize("storage", STORAGES)
def test_fclib_global_equalities_become_free_rows(storage, rng, tmp_path):
    M, H, f, w, mu = global_form(rng)
    G, b = rng.standard_normal((M.shape[0], 2)), rng.standard_normal(2)
    write_global(tmp_path / "p.hdf5", M, H, f, w, mu, storage=storage, G=G, b=b)
    sets = [am.CoulombCone(mu), am.Free(2)]
    whole = sp.hstack([H, sp.csc_array(G)])
    expected = am.ConeProblem.from_bodies(M, whole, f, np.concatenate([w, b]), sets=sets)
    assert_close(expected, am.ConeProblem.load(tmp_path / "p.hdf5"))


def test_fclib_rolling(rng, tmp_path):
    problem = rolling(rng)
    run = problem.sets.runs[0]
    W = psd(np.random.default_rng(1), 20)
    q, mu, rho = problem.given_linear, run.friction, run.rolling
    write_local(tmp_path / "l.hdf5", W, q, mu, mu_r=rho, spacedim=5)
    expected = am.ConeProblem.from_matrix(W, q, friction=mu, rolling=rho, name="By hand")
    assert_same(expected, am.ConeProblem.load(tmp_path / "l.hdf5"))
    M, H = sp.eye_array(7) * 2.0, rng.standard_normal((7, 20))
    write_global(tmp_path / "g.hdf5", M, H, np.ones(7), q, mu, mu_r=rho)
    expected = am.ConeProblem.from_bodies(M, H, np.ones(7), q, friction=mu, rolling=rho)
    assert_close(expected, am.ConeProblem.load(tmp_path / "g.hdf5"))


# -- FCLIB: what this package writes --------------------------------------------------------------


@pytest.mark.parametrize("kind", ["coulomb", "rolling", "nonsymmetric", "factored", "framed"])
def test_fclib_round_trip(kind, rng, tmp_path):
    problem = PROBLEMS[kind](rng)
    problem.save(tmp_path / "p.hdf5")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", am.ProblemWarning)
        again = am.ConeProblem.load(tmp_path / "p.hdf5")
    assert again.name == (problem.name or "p")
    assert_close(problem, again)


def test_fclib_round_trip_with_free_rows(rng, tmp_path):
    sets = [am.CoulombCone([0.3, 0.4]), am.CoulombCone([0.5]), am.Free(1), am.Free(2)]
    problem = am.ConeProblem.from_matrix(psd(rng, 12), rng.standard_normal(12), sets=sets)
    problem.save(tmp_path / "p.h5")
    again = am.ConeProblem.load(tmp_path / "p.h5")
    assert [run.blocks for run in again.sets.runs] == [3, 3]
    assert_close(problem, again)


def test_fclib_layout(rng, tmp_path):
    """C ints, single numbers of length 1, zero-ended titles, CSparse's triplets."""
    coulomb(rng).save(tmp_path / "l.hdf5")
    factored(rng).save(tmp_path / "g.hdf5")
    with h5py.File(tmp_path / "l.hdf5") as file:
        W = file["fclib_local/W"]
        assert W["nz"].shape == (1,)
        assert W["nz"].dtype == W["p"].dtype == W["i"].dtype == np.int32
        assert (W["nz"][0], W["m"][0], W["n"][0], W["nzmax"][0]) == (-2, 15, 15, W["x"].size)
        assert file["fclib_local/spacedim"][0] == 3
        title = file["fclib_local/info/title"]
        assert title.dtype.itemsize == len("c") + 1
        assert title[()] == b"c"
    with h5py.File(tmp_path / "g.hdf5") as file:
        H = file["fclib_global/H"]
        assert H["nz"][0] == H["nzmax"][0] == H["x"].size == H["p"].size
        assert (H["m"][0], H["n"][0]) == (18, 12)
        assert (H["i"][:].max(), H["p"][:].max()) == (17, 11)


@pytest.mark.parametrize(
    ("make", "unknowns"),
    [(bodies, 18), (lambda rng: joints(rng, ("contacts", "free", "free")), 12)],
    ids=["contacts, one body immovable", "joints"],
)
def test_fclib_turns_world_contacts_into_contact_frames(make, unknowns, rng, tmp_path):
    """The matrix-free problem of bodies: the same numbers about other axes."""
    problem = make(rng)
    problem.save(tmp_path / "p.hdf5")
    again = am.ConeProblem.load(tmp_path / "p.hdf5")
    with h5py.File(tmp_path / "p.hdf5") as file:
        assert file["fclib_global/M/m"][0] == unknowns
    world = rng.standard_normal(problem.rows)
    fclib.write_solution(tmp_path / "p.hdf5", problem, guessed(problem, world))
    stored = fclib.read_solution(tmp_path / "p.hdf5")
    normals = np.asarray(problem.sets.runs[0].normals)
    forces, turned = (x[: normals.size].reshape(-1, 3) for x in (world, stored.guess))
    along = np.einsum("ck,ck->c", forces, normals)
    np.testing.assert_allclose(turned[:, 0], along, atol=1e-14)
    lengths = [np.linalg.norm(x, axis=1) for x in (forces, turned)]
    np.testing.assert_allclose(*lengths, rtol=1e-14)
    for one, other in zip(judged(problem, world), judged(again, stored.guess), strict=True):
        assert one.scaled == pytest.approx(other.scaled, rel=1e-9)
        assert one.objective == pytest.approx(other.objective, rel=1e-9)


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("cohesive bodies", "has cohesion.*npz"),
        ("spinning", "spinning sets.*npz"),
        ("frictionless", "nonnegative sets.*npz"),
        ("bodies with joints", "free rows before"),
    ],
)
def test_fclib_cannot_express(kind, what, rng, tmp_path):
    with pytest.raises(am.InputError, match=what):
        PROBLEMS[kind](rng).save(tmp_path / "p.hdf5")
    assert not list(tmp_path.iterdir())


def test_fclib_cannot_express_compliance_intervals_and_order(rng, tmp_path):
    W, q = psd(rng, 4), np.ones(4)
    for sets, options, what in (
        ([am.CoulombCone([0.5]), am.Free(1)], {"compliance": np.full(4, 0.1)}, "has compliance"),
        ([am.CoulombCone([0.5]), am.Interval([-1.0], [1.0])], {}, "interval and coulomb"),
        ([am.Free(1), am.CoulombCone([0.5])], {}, "free rows before"),
    ):
        problem = am.ConeProblem.from_matrix(W, q, sets=sets, **options)
        with pytest.raises(am.InputError, match=what):
            problem.save(tmp_path / "p.hdf5")


@pytest.mark.parametrize("kind", ["local", "global", "world"])
def test_fclib_solution(kind, rng, tmp_path):
    path = tmp_path / "p.hdf5"
    sets = [am.CoulombCone(np.full(4, 0.5)), am.Free(2)]
    if kind == "local":
        problem = am.ConeProblem.from_matrix(psd(rng, 14), rng.standard_normal(14), sets=sets)
        problem.save(path)
    elif kind == "global":
        M, H, f, w, mu = global_form(rng)
        G, b = rng.standard_normal((18, 2)), rng.standard_normal(2)
        write_global(path, M, H, f, w, mu, G=G, b=b)
        problem = am.ConeProblem.load(path)
    else:
        problem = bodies(rng)
        problem.save(path)
    fclib.write_solution(path, problem, guessed(problem, np.zeros(problem.rows)))
    impulses = rng.standard_normal(problem.rows)
    fclib.write_solution(path, problem, guessed(problem, impulses))  # replaces the first
    stored = fclib.read_solution(path)
    read = am.ConeProblem.load(path)
    assert stored.guess.shape == impulses.shape
    if kind != "world":
        np.testing.assert_array_equal(stored.guess, impulses)
    u = read.velocities(read.unknowns(stored.guess))[: stored.velocities.size]
    np.testing.assert_allclose(stored.velocities, u, atol=1e-9)
    assert (stored.multipliers is None) == (kind == "world")
    assert (stored.body_velocities is None) == (kind == "local")
    if kind == "global":
        r, multipliers, v = stored.impulses, stored.multipliers, stored.body_velocities
        np.testing.assert_allclose(M @ v, H @ r + G @ multipliers + f, atol=1e-9)
        np.testing.assert_allclose(H.T @ v + w, stored.velocities, atol=1e-9)


def test_fclib_solution_of_another_problem(rng, tmp_path):
    coulomb(rng, 4).save(tmp_path / "p.hdf5")
    other = coulomb(rng, 5)
    solution = guessed(other, np.zeros(15))
    with pytest.raises(am.FileFormatError, match=r"p\.hdf5.*12 rows, the solution 15"):
        fclib.write_solution(tmp_path / "p.hdf5", other, solution)
    with pytest.raises(am.FileFormatError, match="no solution"):
        fclib.read_solution(tmp_path / "p.hdf5")
    with pytest.raises(FileNotFoundError, match="no such problem file"):
        fclib.read_solution(tmp_path / "absent.hdf5")


# -- bad files ------------------------------------------------------------------------------------


def test_unknown_suffix(rng, tmp_path):
    problem = coulomb(rng)
    for name in ("p.txt", "p", "p.npz.gz"):
        with pytest.raises(am.InputError, match=r"suffix.*\.npz.*\.hdf5"):
            problem.save(tmp_path / name)
        with pytest.raises(am.InputError, match=r"suffix.*\.npz.*\.hdf5"):
            am.ConeProblem.load(tmp_path / name)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no such problem file.*absent\.npz"):
        am.ConeProblem.load(tmp_path / "absent.npz")
    with pytest.raises(FileNotFoundError, match=r"the folder .*nowhere does not exist"):
        am.ConeProblem.load(tmp_path / "nowhere" / "p.h5")


@pytest.mark.parametrize("suffix", [".npz", ".hdf5"])
def test_not_a_problem_file(suffix, rng, tmp_path):
    path = tmp_path / f"p{suffix}"
    path.write_bytes(b"")
    with pytest.raises(am.FileFormatError, match=r"p\..*expected.*it is empty"):
        am.ConeProblem.load(path)
    path.write_text("name, mass\nball, 1\n")
    with pytest.raises(am.FileFormatError, match=r"p\..*expected.*begins with b'name, ma'"):
        am.ConeProblem.load(path)
    coulomb(rng).save(path)
    whole = path.read_bytes()
    for length in (8, 100, len(whole) // 2, len(whole) - 7):
        path.write_bytes(whole[:length])
        with pytest.raises(am.FileFormatError, match=r"p\..*truncated or damaged"):
            am.ConeProblem.load(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(am.FileFormatError, match="is a folder"):
        am.ConeProblem.load(path)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".npz", ".hdf5"])
def test_flipped_bytes_never_crash(suffix, rng, tmp_path):
    """Damage anywhere is either harmless or an error of ours, never another exception."""
    path = tmp_path / f"p{suffix}"
    coulomb(rng, 2).save(path)
    whole = path.read_bytes()
    refused = []
    for place in np.linspace(0, len(whole) - 1, 150).astype(int):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                am.ConeProblem.load(path)
            except am.FileFormatError as error:
                refused.append(str(error))
    assert refused
    assert all(path.name in message for message in refused)


def test_content_decides_between_known_formats(rng, tmp_path):
    problem = coulomb(rng)
    problem.save(tmp_path / "p.hdf5")
    (tmp_path / "p.hdf5").rename(tmp_path / "p.npz")
    assert_same(problem, am.ConeProblem.load(tmp_path / "p.npz"))


BAD_1 = [
    ({"format_version": np.array(7)}, "format version 7 is newer.*expected version 1 or 2"),
    ({"format_version": np.array(0)}, "'format_version' is 0"),
    ({"format_version": np.array("1")}, "'format_version' holds <U1; expected integers"),
    ({"format_version": None}, "no 'format_version'; expected a cone problem, found only"),
    ({"kind": np.array("remote")}, "'kind' is 'remote'; expected 'local' or 'global'"),
    ({"dimension": np.array(4)}, "'dimension' is 4; expected 3"),
    ({"n_contacts": np.array(-1)}, "'n_contacts' is -1"),
    ({"n_contacts": np.array(6)}, r"'mu' has shape \(5,\); expected \(6\)"),
    ({"mu": None}, "no 'mu'"),
    ({"mu": np.full(5, -0.1)}, "friction.* is -0.1; it must not be negative"),
    ({"mu": np.array(["0.5"] * 5)}, "'mu' holds <U3; expected real numbers"),
    ({"mu": np.array([{}] * 5, dtype=object)}, "'mu' is damaged, or a pickle"),
    ({"q": np.full(15, np.nan)}, r"\[0\] is nan"),
    ({"q": np.ones((15, 1))}, r"'q' has shape \(15, 1\); expected \(15\)"),
    ({"q": np.ones(15) * 1j}, "'q' holds complex128"),
    ({"W_indptr": None}, "no 'W_indptr'"),
    ({"W_indptr": np.arange(4)}, "W has 4 pointers; expected 16"),
    ({"W_indptr": np.arange(16) * 1000}, "pointers of W promise 15000 entries"),
    ({"W_indptr": np.arange(16)[::-1]}, "pointers of W must begin with 0 and never fall"),
    ({"W_indices": lambda old: old + 7}, r"index of W is outside its shape \(15, 15\)"),
    ({"W_indices": lambda old: old - 7}, "index of W is outside"),
    ({"W_indices": lambda old: old.astype(float)}, "'W_indices' holds float64; expected integers"),
    ({"W_shape": np.array([15, 16])}, r"W has shape \(15, 16\); expected \(15, 15\)"),
    ({"W_shape": np.array([-15, 15])}, "must not be negative"),
    ({"W_data": lambda old: old * np.inf}, "'W_data' has an entry that is not a finite"),
]


def refuse(path, entries, changes, what):
    entries = dict(entries)
    for key, value in changes.items():
        if value is None:
            del entries[key]
        else:
            entries[key] = value(entries[key]) if callable(value) else value
    np.savez(path, **entries)
    with (
        np.errstate(invalid="ignore"),
        pytest.raises(am.FileFormatError, match=rf"(?s){path.name}: .*{what}"),
    ):
        am.ConeProblem.load(path)


@pytest.mark.parametrize(("changes", "what"), BAD_1, ids=[what for _, what in BAD_1])
def test_bad_version_1(changes, what, rng, tmp_path):
    with np.errstate(invalid="ignore"):
        refuse(tmp_path / "p.npz", npz.arrays_of(coulomb(rng)), changes, what)


def test_bad_global_version_1(rng, tmp_path):
    M, H, f, w, mu = global_form(rng)
    entries = {
        "format_version": 1,
        "name": "g",
        "kind": "global",
        "dimension": 3,
        "n_contacts": 4,
        "mu": mu,
        "f": f,
        "w": w,
    }
    for key, matrix in (("M", M), ("H", H)):
        parts = {part: getattr(matrix, part) for part in ("data", "indices", "indptr")}
        entries |= {f"{key}_{part}": value for part, value in parts.items()}
        entries[f"{key}_shape"] = np.array(matrix.shape)
    np.savez(tmp_path / "p.npz", **entries)
    expected = am.ConeProblem.from_bodies(M, H, f, w, friction=mu, name="g")
    assert_same(expected, am.ConeProblem.load(tmp_path / "p.npz"))
    for changes, what in (
        ({"f": np.ones(17)}, r"'f' has shape \(17,\); expected \(18\)"),
        ({"M_data": -M.data}, "masses must be positive"),
        ({"n_contacts": 3, "mu": mu[:3]}, r"H has shape \(18, 12\); expected \(18, 9\)"),
    ):
        refuse(tmp_path / "p.npz", entries, changes, what)


BAD_2 = [
    ("mixed", {"kind": np.array("local")}, "'kind' is 'local'; expected one of matrix, bodies"),
    ("mixed", {"set_kind": np.char.upper}, "sets of kind 'FREE'; expected free"),
    ("mixed", {"set_blocks": lambda old: -old}, "-2 sets of kind 'free'"),
    ("mixed", {"set_world": lambda old: old + 1}, "'set_world' gives normals to 'free' sets"),
    ("mixed", {"friction": np.ones(3)}, "too few coefficients for 2 sets of kind 'spinning'"),
    ("mixed", {"lower": np.zeros(5)}, "'lower' has 3 more entries than the sets need"),
    ("mixed", {"lower": np.full(2, 5.0)}, "interval 0 is empty"),
    ("mixed", {"compliance": np.ones(3)}, r"'compliance' has shape \(3,\); expected \(32\)"),
    ("mixed", {"cohesion": lambda old: -old}, "cohesion.*must not be negative"),
    ("mixed", {"linear": np.full(32, np.inf)}, "'linear' has an entry that is not"),
    ("mixed", {"linear_norm": np.array(np.nan)}, "'linear_norm' has an entry that is not"),
    ("mixed", {"objective_offset": None}, "no 'objective_offset'"),
    ("mixed", {"W_data": lambda old: old * np.arange(old.size)}, "W must be symmetric"),
    ("spinning", {"W_data": lambda old: old * np.nan}, "'W_data' has an entry that is not"),
    ("bodies", {"body": lambda old: old + 9}, "names body .*but there are 4 bodies"),
    ("bodies", {"arms": np.ones((6, 3))}, r"'arms' has shape \(6, 3\); expected \(any, 2, 3\)"),
    ("bodies", {"wrenches": np.array(6)}, "sets do not match the constraints"),
    ("bodies", {"inverse_mass": np.ones(3)}, "'inverse_mass' has shape"),
    ("bodies", {"normal": lambda old: 2 * old}, "normals must be unit vectors"),
    ("framed", {"frames": lambda old: 2 * old}, "'frames' must be orthonormal"),
    ("factored", {"M_shape": np.array([3, 3])}, "M has 19 pointers; expected 4"),
    ("factored", {"H_data": lambda old: old * np.inf}, "'H_data' has an entry that is not"),
]


@pytest.mark.parametrize(("kind", "changes", "what"), BAD_2, ids=[what for *_, what in BAD_2])
def test_bad_version_2(kind, changes, what, rng, tmp_path):
    refuse(tmp_path / "p.npz", npz.arrays_of(PROBLEMS[kind](rng)), changes, what)


def test_version_2_rows_must_match(rng, tmp_path):
    entries = npz.arrays_of(spinning(rng))
    changes = {"set_blocks": np.array([2])} | {
        key: np.full(2, 0.5) for key in ("friction", "rolling", "spinning")
    }
    refuse(tmp_path / "p.npz", entries, changes, r"W has shape \(18, 18\); expected \(12, 12\)")


def test_foreign_archives(tmp_path):
    path = tmp_path / "p.npz"
    np.savez(path, weights=np.ones(3))
    with pytest.raises(am.FileFormatError, match=r"no 'format_version'.*found only: weights"):
        am.ConeProblem.load(path)
    with h5py.File(path, "w") as file:
        file["weights"] = np.ones(3)
    with pytest.raises(am.FileFormatError, match=r"expected one of fclib_global, .*found weights"):
        am.ConeProblem.load(path)


def test_pickles_are_never_loaded(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "exploded"),))

    np.savez(tmp_path / "p.npz", format_version=np.array([Bomb()], dtype=object))
    with pytest.raises(am.FileFormatError, match="a pickle, which is never loaded"):
        am.ConeProblem.load(tmp_path / "p.npz")
    assert not (tmp_path / "exploded").exists()


def replace(key, value):
    def change(group):
        del group[key]
        if value is not None:
            group[key] = value

    return change


BAD_FCLIB = [
    (replace("spacedim", np.array([2])), "spacedim is 2; only 3.*two dimensions"),
    (replace("spacedim", np.array([5])), "spacedim is 5; only 3 is supported in /fclib_local"),
    (replace("spacedim", np.array([3, 3])), "spacedim has 2 entries; expected one integer"),
    (replace("spacedim", None), "has no 'spacedim'"),
    (replace("W", None), "has no matrix 'W'"),
    (replace("W/x", None), "W has no 'x'; expected real numbers"),
    (replace("W/x", np.ones(3)), "pointers of W promise"),
    (replace("W/p", np.ones(13)), "W/p is .*expected integers"),
    (replace("W/p", np.arange(5)), "W has 5 pointers; expected 13"),
    (replace("W/i", np.full(200, 50)), "index of W is outside its shape"),
    (replace("W/nz", np.array([-3])), "nz = -3; expected −1"),
    (replace("W/nz", np.array([1000])), "nz = 1000; expected"),
    (replace("W/nz", np.array([5])), r"triplet of W is outside its shape \(12, 12\)"),
    (replace("W/m", np.array([-1])), "expected no negative size"),
    (replace("W/n", np.array([13])), "W is 12 × 13; expected a square matrix"),
    (replace("vectors/q", np.ones(11)), "vectors/q has 11 entries; expected 12"),
    (replace("vectors/q", np.ones((4, 3))), "vectors/q is .*expected 12 real numbers"),
    (replace("vectors/q", np.full(12, np.nan)), "is nan"),
    (replace("vectors/mu", "half"), "vectors/mu is .*expected 4 real numbers"),
    (replace("vectors/mu", np.full(4, -1.0)), "must not be negative"),
    (replace("vectors", None), "has no 'vectors/mu'"),
    (replace("V", None), "only one of V and R"),
    (replace("R/x", np.zeros(5)), "R has a diagonal entry that is not positive.*not supported"),
    (replace("R/m", np.array([3])), "R has 3 pointers"),
    (replace("V/n", np.array([3])), r"V is \(12, 3\) and R is \(2, 2\)"),
]


@pytest.mark.parametrize(("change", "what"), BAD_FCLIB, ids=[what for _, what in BAD_FCLIB])
def test_bad_fclib(change, what, rng, tmp_path):
    path = tmp_path / "p.hdf5"
    N = psd(rng, 14)
    N[:12, 12:] = N[12:, :12].T
    write_local(
        path, N[:12, :12], np.ones(12), np.full(4, 0.5), V=N[:12, 12:], R=N[12:, 12:], s=np.ones(2)
    )
    with h5py.File(path, "r+") as file:
        change(file["fclib_local"])
        if what.startswith("triplet"):
            file["fclib_local/W/p"][:5] = 12
    with pytest.raises(am.FileFormatError, match=rf"(?s)p\.hdf5: .*{what}"):
        am.ConeProblem.load(path)


# -- failing writes -------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".npz", ".hdf5"])
def test_unwritable_places(suffix, rng, tmp_path):
    problem = coulomb(rng)
    with pytest.raises(am.OutputError, match=rf"nowhere/p\{suffix}: the folder .* does not exist"):
        problem.save(tmp_path / "nowhere" / f"p{suffix}")
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    with pytest.raises(am.OutputError, match=rf"folder\{suffix}: it is a folder"):
        problem.save(folder)
    assert list(tmp_path.iterdir()) == [folder]
    assert not list(folder.iterdir())


@pytest.mark.parametrize("suffix", [".npz", ".hdf5"])
def test_full_disk_keeps_the_old_file(suffix, rng, tmp_path):
    """A real short write: the largest file size allowed to this process is reached midway."""
    resource = pytest.importorskip("resource")
    path = tmp_path / f"p{suffix}"
    old, new = coulomb(rng, 2), coulomb(rng, 60)
    old.save(path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(am.OutputError, match=rf"p\{suffix}: File too large") as caught:
            new.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.errno == errno.EFBIG
    assert list(tmp_path.iterdir()) == [path]
    assert_same(old, am.ConeProblem.load(path))


@pytest.mark.parametrize(
    ("call", "reason"), [("fsync", errno.ENOSPC), ("replace", errno.EACCES), ("open", errno.EROFS)]
)
def test_failed_write_leaves_nothing(call, reason, rng, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(reason, os.strerror(reason))

    place = os if call == "fsync" else Path
    monkeypatch.setattr(place, call, fail)
    with pytest.raises(am.OutputError, match=rf"p\.npz: {os.strerror(reason)}"):
        coulomb(rng).save(tmp_path / "p.npz")
    assert not list(tmp_path.iterdir())


def test_interrupted_write_keeps_the_old_file(rng, tmp_path, monkeypatch):
    path = tmp_path / "p.npz"
    old = coulomb(rng)
    old.save(path)

    def interrupt(stream, **_):
        stream.write(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez_compressed", interrupt)
        with pytest.raises(KeyboardInterrupt):
            rolling(rng).save(path)
    assert list(tmp_path.iterdir()) == [path]
    assert_same(old, am.ConeProblem.load(path))


@pytest.mark.skipif(os.name != "posix", reason="links and modes of POSIX")
def test_links_are_followed_and_modes_are_ordinary(rng, tmp_path):
    real, link = tmp_path / "real.npz", tmp_path / "link.npz"
    link.symlink_to(real)
    coulomb(rng).save(link)
    assert link.is_symlink()
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(real.stat().st_mode) == 0o666 & ~mask


def test_operators_stay_what_they_are(rng):
    """The builders above make the operators that their names promise."""
    assert isinstance(coulomb(rng).operator, MatrixOperator)
    assert isinstance(bodies(rng).operator, BodyOperator)
    assert isinstance(factored(rng).operator, FactoredOperator)
    assert isinstance(framed(rng).operator, BodyOperator)
    assert framed(rng).frames is not None
