"""Queries of bodies at one instant: rays, closest points, overlaps, distances."""
