"""The time loop: a world in motion, with its readings and its checkpoints."""
