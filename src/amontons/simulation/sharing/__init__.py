"""One simulation on several processes: what a step asks of them, and whether all agree."""
