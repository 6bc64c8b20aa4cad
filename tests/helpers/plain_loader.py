"""Problems of contacts read and judged in plain numpy and scipy, without a line of the package.

Files are those of version 1 (:mod:`amontons.problem.npz`). The shared problems come with a loader
of the same four functions, which others wrote.
"""

import itertools

import numpy as np
import scipy.sparse as sp


def load(path):
    """A dict with the scalars and vectors of the file, and W, or M and H, as sparse matrices."""
    with np.load(path, allow_pickle=False) as file:
        entries = dict(file)
    given = {
        key: value.item() if value.ndim == 0 else value
        for key, value in entries.items()
        if key.partition("_")[0] not in ("W", "M", "H")
    }
    for key, layout in (("W", sp.csr_array), ("M", sp.csc_array), ("H", sp.csc_array)):
        if f"{key}_data" in entries:
            parts = tuple(entries[f"{key}_{part}"] for part in ("data", "indices", "indptr"))
            given[key] = layout(parts, shape=tuple(entries[f"{key}_shape"]))
    return given


def delassus(given):
    """W and q of u = W r + q: as they are, or HᵀM⁻¹H and w + HᵀM⁻¹f."""
    if given["kind"] == "local":
        return given["W"], given["q"]
    M, H = given["M"].toarray(), given["H"].toarray()
    W = H.T @ np.linalg.solve(M, H)
    return sp.csr_array(W), given["w"] + H.T @ np.linalg.solve(M, given["f"])


def project(x, mu, rolling=None):
    """Nearest points of {‖t‖ ≤ μn, ‖m‖ ≤ ρn}, contact by contact.

    Whichever of the two bounds are active, the height n follows from a linear equation; of the four
    guesses, the nearest point is taken.
    """
    X = np.asarray(x, dtype=float).reshape(len(mu), -1)
    limits = [mu] if rolling is None else [mu, rolling]
    lengths = [np.linalg.norm(X[:, 1 + 2 * i : 3 + 2 * i], axis=1) for i in range(len(limits))]
    best, height = np.full(len(mu), np.inf), np.zeros(len(mu))
    for active in itertools.product((0.0, 1.0), repeat=len(limits)):
        terms = list(zip(active, limits, lengths, strict=True))
        top = X[:, 0] + sum(a * limit * length for a, limit, length in terms)
        n = np.maximum(top / (1.0 + sum(a * limit**2 for a, limit, _ in terms)), 0.0)
        away = (n - X[:, 0]) ** 2
        away += sum(np.maximum(length - limit * n, 0.0) ** 2 for _, limit, length in terms)
        height = np.where(away < best, n, height)
        best = np.minimum(away, best)
    Y = X.copy()
    Y[:, 0] = height
    for i, (limit, length) in enumerate(zip(limits, lengths, strict=True)):
        share = np.minimum(1.0, limit * height / np.maximum(length, 1e-300))
        Y[:, 1 + 2 * i : 3 + 2 * i] *= share[:, None]
    return Y.ravel()


def residual(given, r, exact, W, q):
    """‖(r − P(r − ρu))/ρ‖ / ‖q‖ with ρ = d / trace(W_cc), the normal u lifted if `exact`."""
    d, mu, rolling = given["dimension"], given["mu"], given.get("mu_rolling")
    u = (W @ r + q).reshape(-1, d)
    if exact:
        u[:, 0] += mu * np.hypot(u[:, 1], u[:, 2])
        if rolling is not None:
            u[:, 0] += rolling * np.hypot(u[:, 3], u[:, 4])
    rho = np.repeat(d / W.diagonal().reshape(-1, d).sum(axis=1), d)
    natural = (r - project(r - rho * u.ravel(), mu, rolling)) / rho
    return np.linalg.norm(natural) / np.linalg.norm(q)
