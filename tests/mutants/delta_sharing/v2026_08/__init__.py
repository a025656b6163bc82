"""Faults of what version 2026-08 has beyond 2026-02."""
