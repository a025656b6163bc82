"""Misbehaviours of this contract: each module here lists its own in `FAULTS`."""
