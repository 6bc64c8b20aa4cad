"""Images of bodies in periodic cells, and contacts with them."""
