"""What is simulated, as people describe it: shapes."""
