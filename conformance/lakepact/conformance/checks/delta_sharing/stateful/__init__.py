"""Random sequences of requests."""
