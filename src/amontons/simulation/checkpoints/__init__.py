"""Checkpoints: the whole state of a simulation in one file."""
