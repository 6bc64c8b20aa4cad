"""Worlds from and to files: scene files in YAML and TOML, robots in URDF and MJCF."""
