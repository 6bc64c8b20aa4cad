"""Benchmarks are scripts: what they share is imported from their folder."""

import sys

from helpers.paths import ROOT

sys.path.append(str(ROOT / "benchmarks"))
