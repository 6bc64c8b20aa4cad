"""Cells that repeat themselves, in steps."""
