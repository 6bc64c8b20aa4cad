"""Images of bodies in cells that repeat themselves, and contacts with them."""
