"""Files of every kind: written all or nothing, and read with a plain word on what is wrong."""
