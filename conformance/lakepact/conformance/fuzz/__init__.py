"""Fuzzing: unusual requests generated from the contract, judged by the same requirements as all
others.

| module                | holds                                                                                  |
|-----------------------|----------------------------------------------------------------------------------------|
| `steps`               | a request in which all values chosen by the target are named rather than spelled out   |
| `world`               | the objects of one sequence on the target                                              |
| `bodies`              | bodies and queries, valid by the schema (*valid*) or with one violation (*wild*)       |
| `schemathesis_bodies` | the same by schemathesis, for `lakepact check --fuzz`                                  |
| `documents`           | documents from JSON schemas                                                            |
| `near`                | bodies close to an acceptable example (*near*)                                         |
| `answers`             | the rules for failures                                                                 |
| `drawing`             | the next step of a sequence                                                            |
| `sequences`           | sequences generated from a seed, sent, judged after each request                       |
| `shrinking`           | the shortest sequence, with the smallest bodies, that still fails                      |
| `verdicts`            | a complete run                                                                         |
"""

from lakepact.conformance.fuzz.answers import Fuzz
from lakepact.conformance.fuzz.verdicts import Progress, run_fuzzer, run_stateful_tests
from lakepact.conformance.fuzz.world import World

__all__ = ["Fuzz", "Progress", "World", "run_fuzzer", "run_stateful_tests"]
