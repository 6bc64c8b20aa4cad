"""Bonds in bulk: elastic beams between the centres of bodies, as arrays, not as joints."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.checks import LARGEST, SMALLEST, as_numbers
from amontons.errors import InputError
from amontons.model.bodies import Bodies
from amontons.model.columns import Columns

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Rows = NDArray[np.intp]

UNBOUNDED = ("tensile", "shear_strength")
"""Properties of bonds that may be infinite."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BeamBond:
    """A round elastic beam that glues two bodies together; each value one for all or one per bond.

    Parameters
    ----------
    young, shear:
        Moduli of elasticity E and G [Pa].
    radius:
        Of the beam [m].
    tensile, shear_strength:
        Stresses [Pa] at which it breaks: σ = F/A + M r/I in tension and τ = V/A + T r/J in shear;
        infinite by default.
    damping:
        Time [s] in which a dashpot relaxes the beam: c/k.
    """

    young: ArrayLike
    shear: ArrayLike
    radius: ArrayLike
    tensile: ArrayLike = np.inf
    shear_strength: ArrayLike = np.inf
    damping: ArrayLike = 0.0

    def __post_init__(self) -> None:
        for name in BOND_PROPERTIES:
            object.__setattr__(self, name, _property(name, getattr(self, name)))

    def each(self, count: int) -> dict[str, Floats]:
        """All properties of so many bonds, each of shape (count,)."""
        found = {}
        for name in BOND_PROPERTIES:
            values = np.asarray(getattr(self, name))
            if values.ndim and values.size != count:
                raise InputError(f"there are {values.size} values of {name} for {count} bonds")
            found[name] = np.array(np.broadcast_to(values, (count,)))
        return found


BOND_PROPERTIES = tuple(field.name for field in dataclasses.fields(BeamBond))


def _property(name: str, value: ArrayLike) -> Floats:
    """One number or one per bond, read-only."""
    array = np.array(as_numbers(name, value))
    if array.ndim > 1:
        raise InputError(f"{name} must be one number or one per bond, got shape {array.shape}")
    sound = (array >= SMALLEST) & (array <= LARGEST)
    if name in UNBOUNDED:
        sound |= array == np.inf
    if name == "damping":
        sound |= array == 0.0
    if not sound.all():
        wanted = "zero or positive" if name == "damping" else "positive"
        raise InputError(f"{name} is {array[~sound].ravel()[0]:g}; it must be {wanted}")
    array.flags.writeable = False
    return array


BOND_KINDS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "id": (np.int64, ()),
    "bodies": (np.int64, (2,)),
    **dict.fromkeys(BOND_PROPERTIES, (np.float64, ())),
    "length": (np.float64, ()),
    "point_a": (np.float64, (3,)),
    "point_b": (np.float64, (3,)),
    "frame_a": (np.float64, (4,)),
    "frame_b": (np.float64, (4,)),
}


class Bonds:
    """All bonds of a world as arrays, which are read-only; one row per bond.

    `id` counts bonds as they were added, `bodies` are the ids of A and B, and `length` is that of
    the unloaded beam [m]. Its middle is at `point_a` in A's frame and at `point_b` in B's [m], and
    its axes are turned by the quaternions `frame_a` and `frame_b` there: x leads from A to B.
    """

    def __init__(self) -> None:
        self.columns = Columns(BOND_KINDS)
        self.next_id = 0
        """Id of the next bond."""

    def __len__(self) -> int:
        return len(self.columns)

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name not in BOND_KINDS:
            raise AttributeError(f"bonds have no {name!r}; there are {', '.join(BOND_KINDS)}")
        return self.columns.part(name, read_only=True)

    def add(self, bodies: Ids, bond: BeamBond, geometry: dict[str, Floats]) -> Ids:
        """Add bonds between bodies of these ids, shape (bonds, 2); returns the bonds' ids."""
        count = len(bodies)
        new = np.arange(self.next_id, self.next_id + count)
        values = {"id": new, "bodies": bodies, **bond.each(count), **geometry}
        self.columns.append(count, values)
        self.next_id += count
        return new

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All columns by name."""
        return {name: self.columns.part(name, read_only=True) for name in self.columns.names}

    def without_bodies(self, gone: Ids) -> None:
        """Drop the bonds of bodies that are gone."""
        if len(self):
            self.columns.keep(np.asarray(~np.isin(self.bodies, gone).any(axis=1)))

    def rows_of(self, ids: ArrayLike) -> Rows:
        """Rows of bonds with these ids."""
        wanted = np.atleast_1d(np.asarray(ids))
        if wanted.dtype.kind not in "iu" or wanted.ndim != 1:
            raise InputError(f"bonds are named by their ids, whole numbers, not by {ids!r}")
        rows = np.searchsorted(self.id, wanted)
        known = np.append(self.id, -1)[rows] == wanted
        if not known.all():
            raise InputError(f"there is no bond {wanted[~known][0]} (any more)")
        return rows


class BondRegister:
    """What of a world adds bonds to it and takes them out."""

    bodies: Bodies
    version: int

    def __init__(self) -> None:
        super().__init__()
        self.bonds = Bonds()
        """Elastic beams that glue bodies together: see :meth:`add_bonds`."""

    def id_of(self, body: Any) -> int:
        """Id of a body that is in this world, or an error that says it is not."""
        raise NotImplementedError

    def add_bonds(self, pairs: ArrayLike | Sequence[Sequence[Any]], bond: BeamBond) -> Ids:
        """Glue pairs of bodies together by elastic beams; return the ids of the bonds.

        Each beam runs from the centre of mass of A to that of B as they stand now, and is free of
        stress there. Bodies do not collide while a bond between them holds.

        Parameters
        ----------
        pairs:
            Bodies A and B of each bond, by their ids, shape (n, 2), or by their names or handles.
        bond:
            A `BeamBond`, with one value of each property for all, or one per bond.
        """
        if not isinstance(bond, BeamBond):
            raise InputError(f"bond must be an amontons.BeamBond, got {bond!r}")
        ids = self._pairs(pairs)
        bond.each(len(ids))  # before anything changes
        rows = np.searchsorted(self.bodies.id, ids)
        self._check_pairs(ids, rows)
        made = self.bonds.add(ids, bond, bond_geometry(self.bodies, rows))
        self.version += 1
        return made

    def remove_bonds(self, ids: ArrayLike | Iterable[int]) -> None:
        """Take bonds out, by their ids; their bodies collide again."""
        gone = np.zeros(len(self.bonds), dtype=bool)
        gone[self.bonds.rows_of(ids)] = True  # type: ignore[arg-type]
        if gone.any():
            self.bonds.columns.keep(~gone)
            self.version += 1

    def _pairs(self, pairs: ArrayLike | Sequence[Sequence[Any]]) -> Ids:
        """Ids of the bodies of each bond, shape (bonds, 2)."""
        if not isinstance(pairs, np.ndarray):
            try:
                listed = [[self.id_of(body) for body in pair] for pair in pairs]  # type: ignore[union-attr]
            except TypeError:
                raise InputError(f"pairs must be pairs of bodies, got {pairs!r}") from None
            odd = next((pair for pair in listed if len(pair) != 2), None)
            if odd is not None:
                raise InputError(f"a bond holds two bodies, but a pair names {len(odd)}")
            return np.array(listed, dtype=np.int64).reshape(-1, 2)
        if pairs.dtype.kind not in "iu" or pairs.ndim != 2 or pairs.shape[1] != 2:
            raise InputError(
                f"pairs must be ids of bodies of shape (n, 2), got {pairs.dtype} of shape "
                f"{pairs.shape}"
            )
        known = np.isin(pairs, self.bodies.id)
        if not known.all():
            self.id_of(int(pairs[~known][0]))  # says that there is none
        return pairs.astype(np.int64)

    def _check_pairs(self, ids: Ids, rows: Rows) -> None:
        """Raise unless these bodies, by id and by row, can be bonded; shape (bonds, 2)."""
        same = np.flatnonzero(ids[:, 0] == ids[:, 1])
        if same.size:
            raise InputError(
                f"pairs[{same[0]}] bonds body {ids[same[0], 0]} to itself; a bond holds two bodies"
            )
        free = self.bodies.dynamic[rows].any(axis=1)
        if not free.all():
            i = int(np.argmin(free))
            raise InputError(f"pairs[{i}]: neither of the two bodies can move freely")
        both = np.sort(np.concatenate([self.bonds.bodies, ids]), axis=1)
        order = np.lexsort(both.T)
        again = (np.diff(both[order], axis=0) == 0).all(axis=1)
        if again.any():
            a, b = both[order[1:][again][0]].tolist()
            raise InputError(f"bodies {a} and {b} are bonded twice; one bond is enough")
        place = self.bodies.position[rows]
        apart = (place[:, 0] != place[:, 1]).any(axis=1)
        if not apart.all():
            i = int(np.argmin(apart))
            raise InputError(
                f"pairs[{i}]: the two bodies have the same centre; a bond needs a length"
            )


def bond_geometry(bodies: Bodies, rows: Rows) -> dict[str, Floats]:
    """Lengths, middles and axes of beams between bodies as they stand; rows of shape (bonds, 2)."""
    place, turn = bodies.position[rows], bodies.orientation[rows]
    way = place[:, 1] - place[:, 0]
    length = np.sqrt(np.einsum("ni,ni->n", way, way))
    axes = _from_x(way / length[:, None])
    middle = 0.5 * (place[:, 0] + place[:, 1])
    found = {"length": length}
    for side, name in enumerate("ab"):
        out = rotation_matrices(turn[:, side])
        found[f"point_{name}"] = np.einsum("nji,nj->ni", out, middle - place[:, side])
        found[f"frame_{name}"] = quaternion_product(turn[:, side] * (1.0, -1.0, -1.0, -1.0), axes)
    return found


def _from_x(direction: Floats) -> Floats:
    """Quaternions that turn the x axis into unit vectors, shape (n, 4)."""
    x, y, z = direction.T
    none, back = np.zeros_like(x), x < 0.0
    forth = np.stack([1.0 + np.abs(x), none, np.where(back, z, -z), np.where(back, -y, y)], axis=1)
    forth /= np.linalg.norm(forth, axis=1, keepdims=True)
    # from −x it is nearer: half a turn about z goes there first
    return np.where(back[:, None], quaternion_product(forth, np.array([0.0, 0.0, 0.0, 1.0])), forth)
