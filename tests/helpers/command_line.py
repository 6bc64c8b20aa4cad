"""What the tests of the command line share."""

import subprocess
import sys

import numpy as np
import scipy.sparse as sp
from typer.testing import CliRunner

import amontons as am
from amontons.cli import app


def run(*arguments):
    """Run a command in this process."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def python(script, **options):
    """Run a script in a process of its own."""
    command = [sys.executable, "-c", script]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, **options
    )


def said(stderr):
    """Lines on standard error, without the one that says that kernels are being compiled."""
    return [line for line in stderr.splitlines() if not line.startswith("amontons: compiling")]


def contacts(rows=12, seed=1):
    """A small problem of its own."""
    rng = np.random.default_rng(seed)
    G = rng.standard_normal((rows, rows + 3))
    q = rng.standard_normal(rows)
    return am.ConeProblem.from_matrix(G @ G.T, q, friction=0.5, name=f"contacts-{seed}")


def chain(blocks, dimension):
    """A long chain, on which Jacobi's method takes hours and gets better all the time."""
    rows = blocks * dimension
    side = np.full(rows - dimension, -1.0)
    W = sp.diags_array([side, np.full(rows, 2.0), side], offsets=[-dimension, 0, dimension])
    q = np.tile([-1.0, 0.5, 0.0][:dimension], blocks)
    friction = 0.3 if dimension == 3 else None
    return am.ConeProblem.from_matrix(W, q, friction=friction, name="chain")
