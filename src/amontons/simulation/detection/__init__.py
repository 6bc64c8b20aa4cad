"""What a step looks for: how far ahead, and which bodies never meet."""
