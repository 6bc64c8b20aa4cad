"""Convex sets and their projections, as functions that kernels inline."""
