"""Bonds that break, in run files: when, which, by what; and through a resumed run."""

import numpy as np
import pytest

import amontons as am
from helpers.bonded_bars import bar_on_edge


def recorded(folder, *, until, resume=False):
    """A run to that time [s], on from where its file ends."""
    sim = bar_on_edge()
    with am.Recorder(sim, folder, rate=50.0, resume=resume) as recorder:
        sim.run(until=until, on_step=recorder)
    return sim


@pytest.mark.slow
def test_what_broke_is_in_the_file(tmp_path):
    sim = recorded(tmp_path / "whole", until=0.4)
    bonds, broken = sim.bonds, np.flatnonzero(sim.bonds.broken)
    assert broken.size > 1
    with am.Results(tmp_path / "whole") as results:
        rows, table = results.broken_bonds, results.to_pandas("bonds")
    assert sorted(rows["bond"]) == bonds.ids[broken].tolist()
    for row in rows:
        n = row["bond"]
        assert (row["time"], row["under"]) == (bonds.broken_at[n], bonds.broken_under[n])
        assert row["bodies"].tolist() == bonds.bodies[n].tolist()
        assert row["step"] == round(row["time"] / 2e-3)
        assert row["by"].decode() == bonds.broken_by[n]
    assert table["stress"].tolist() == rows["under"].tolist()
    assert table.attrs["units"]["stress"] == "Pa"
    assert set(table["by"]) <= {"tension", "shear"}
    with (
        pytest.raises(am.InputError, match="bonds are not by frames"),
        am.Results(tmp_path / "whole") as results,
    ):
        results.to_pandas("bonds", frames=[0])


@pytest.mark.slow
def test_a_resumed_run_has_them_all_once(tmp_path):
    whole = recorded(tmp_path / "whole", until=0.4)
    first = float(np.sort(whole.bonds.broken_at)[0])
    recorded(tmp_path / "parts", until=first + 1e-3)
    recorded(tmp_path / "parts", until=0.4, resume=True)
    with am.Results(tmp_path / "whole") as one, am.Results(tmp_path / "parts") as other:
        np.testing.assert_array_equal(one.broken_bonds, other.broken_bonds)
