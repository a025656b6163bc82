"""Operators from which faults of this contract are made."""
