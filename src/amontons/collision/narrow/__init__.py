"""The narrow phase: contacts of pairs of parts, one file a family of pairs."""
