"""Open systems: sources, sinks and meters between steps."""
