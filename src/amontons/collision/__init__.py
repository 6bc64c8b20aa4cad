"""Collision detection: broad phase, narrow phase, contacts, queries."""
