"""Questions about bodies at one moment: rays, closest points, overlaps, distances."""
