"""Files of every kind: written all or nothing, and read with clear errors."""
