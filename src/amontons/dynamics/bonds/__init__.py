"""Bonds in bulk: beams as compliant rows of the problem, the stresses in them, and what breaks."""
