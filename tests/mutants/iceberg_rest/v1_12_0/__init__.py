"""Faults of what version 1.12.0 has beyond 1.11.0."""
