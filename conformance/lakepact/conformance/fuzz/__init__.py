"""Fuzzing: requests that nobody would write, made from the contract, judged by the same requirements as everything else.

Three kinds of bodies: *valid* by the contract's schema, *near* to a valid one (a member gone, another type, a wild value), and *wild*.
They are sent in short sequences, each in a corner of the target of its own, so that what one request makes the next one finds.
What breaks a requirement is shrunk to the shortest sequence that still does.
"""

from lakepact.conformance.fuzz.sequences import Fuzz, fuzzed
from lakepact.conformance.fuzz.world import World

__all__ = ["Fuzz", "World", "fuzzed"]
