"""Who touches whom: broad phase, narrow phase, contacts, queries."""
