"""Problems as NumPy archives (`.npz`), loss-free and without pickles.

Every file has `format_version` (integer), `name` (text) and `kind` (text). Impulses are in N s,
velocities (`q`, `w`, `linear`) in m/s, lengths in m, masses in kg.

**Version 1**, shared with other programs: contacts of one kind, blocks (normal, t1, t2) with
`dimension` 3, or (normal, t1, t2, roll1, roll2) with `dimension` 5. Keys `family` (text),
`n_contacts`, `mu` (contacts,), with dimension 5 `mu_rolling` (contacts,) [m], and

* `kind` "local": W as CSR (`W_data`, `W_indices`, `W_indptr`, `W_shape`) and `q` (rows,);
* `kind` "global": `M_*` and `H_*` as CSC, `f` (unknowns,), `w` (rows,):
  M v = f + H r, u = Hᵀ v + w.

**Version 2**, for all other problems. Υ is stored run by run: `set_kind` (runs,) has the names
free, nonnegative, interval, coulomb, rolling, spinning; `set_blocks` (runs,) how many blocks;
`set_world` (runs,) is 1 where a run has normals. The columns `friction`, `rolling` [m], `spinning`
[m], `lower`, `upper` and `normal` (·, 3) have one entry for each block of the runs that need them,
in order. Optional: `compliance` (rows,), `cohesion` (blocks,) [N s], `frames` (contacts, 3, 3) with
columns n, t1, t2. `linear` (rows,) is r for the unknowns x = Rγ + s
(:class:`~amontons.problem.problem.ConeProblem`), that is r itself without frames and cohesion;
`linear_norm` is the norm of r as it was given, rows that turn times their lengths; optional are
`lengths` (blocks,) [m], NaN where a block has its own (:mod:`amontons.problem.units`), and
`yardstick` (3,) [m/s], the least, the most and the usual. `objective_offset` [J] is what the
shift s adds.
Rows are in the order of the runs, a block's rows together. The operator is one of

* `kind` "matrix": `W_*` CSR, the symmetric part, and optionally `skew_*` CSR, the rest;
* `kind` "bodies": `inverse_mass` (bodies,), `inverse_inertia` (bodies, 6) as xx, xy, xz, yy, yz,
  zz, `body` (constraints, 2), `arms` (contacts, 2, 3), `jacobian` (scalar rows, 12), `wrenches`;
  constraints come by kind: coulomb, spinning (`wrenches` of them), free, nonnegative, interval;
* `kind` "factored": `H_*` and `M_*`, both CSC; M is factorised again.

What is read is what was written, bit for bit; only `M_*`, which is put together from its
factors, is exact to rounding.
"""

from amontons.problem.npz.reading import read
from amontons.problem.npz.writing import arrays_of

__all__ = ["arrays_of", "read"]
