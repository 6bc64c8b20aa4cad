"""What is simulated, as users describe it: shapes, bodies, materials, joints and forces."""
