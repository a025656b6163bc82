"""Operators from which faults of this contract are made, by what they act on."""
