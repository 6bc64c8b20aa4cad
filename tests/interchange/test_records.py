"""Help texts of scene files come from docstrings, however Python keeps these."""

import inspect
import subprocess
import sys

import pytest

from amontons.interchange.records import parameter_texts
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
