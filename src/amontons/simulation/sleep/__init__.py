"""Bodies that rest: when they fall asleep, and what wakes them."""
