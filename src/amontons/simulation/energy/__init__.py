"""The books of energy, and the watch that stops runs which make some from nowhere."""
