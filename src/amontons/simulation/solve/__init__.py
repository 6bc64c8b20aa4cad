"""The problem of a step and its solution: impulses, overlaps, and what a failed solve leaves."""
