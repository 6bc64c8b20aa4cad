"""The narrow phase: contacts of pairs of parts, one file per family of pairs."""
