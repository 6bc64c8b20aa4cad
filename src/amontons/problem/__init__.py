"""The cone complementarity problem: its data, its residuals, its solutions and its files."""
