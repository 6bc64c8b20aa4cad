"""Help texts of scene files come from docstrings, however Python keeps these."""

import inspect
import subprocess
import sys

import pytest

from amontons.interchange.records import parameter_texts
from amontons.interchange.run_fields import setting_value
from amontons.interchange.values import Number
from amontons.model.bonds import BeamBond


@pytest.mark.parametrize("kept", [str, inspect.cleandoc], ids=["indented", "from 3.13 on"])
def test_parameters_are_found_whether_docstrings_are_indented(kept):
    kind = type(
        "Sample",
        (),
        {
            "__doc__": kept("""What it is.

    Parameters
    ----------
    young, shear:
        Moduli [Pa],
        both of them.
    radius:
        Of the beam [m].
    """)
        },
    )
    texts = parameter_texts(kind)
    assert texts == {
        "young": "Moduli [Pa], both of them.",
        "shear": "Moduli [Pa], both of them.",
        "radius": "Of the beam [m].",
    }


def test_a_class_of_ours_has_a_text_for_each_parameter():
    assert set(parameter_texts(BeamBond)) >= {"young", "shear", "radius", "tensile", "damping"}


def test_without_docstrings_there_is_a_schema_all_the_same():
    script = "from amontons.interchange.scene_fields import json_schema as s; print(len(s()))"
    done = subprocess.run(
        [sys.executable, "-OO", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("annotation", [float, "float", float | None, "float | None"])
def test_settings_of_solvers_are_known_by_types_and_by_their_names(annotation):
    """A solver's file may do without `from __future__ import annotations`."""
    assert isinstance(setting_value(annotation), Number)


def test_a_setting_of_unknown_type_is_told():
    with pytest.raises(TypeError, match="no solver's setting of type complex"):
        setting_value(complex)
