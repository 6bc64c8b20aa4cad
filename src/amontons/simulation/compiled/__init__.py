"""Small worlds in compiled calls: one step, many steps, many worlds."""
