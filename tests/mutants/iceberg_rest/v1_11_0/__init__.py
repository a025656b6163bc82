"""Faults of what version 1.11.0 has beyond 1.10.0."""
