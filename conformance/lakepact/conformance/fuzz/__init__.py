"""Fuzzing: requests that nobody would write, made from the contract, judged by the same requirements as everything else.

| module      | holds                                                                                                  |
|-------------|--------------------------------------------------------------------------------------------------------|
| `steps`     | one request, in which everything that the target chose is named rather than spelled out                |
| `world`     | what a contract says of the corner of the target that a sequence has to itself                         |
| `bodies`    | bodies and queries that schemathesis makes, by the schema (*valid*) and against it (*wild*)            |
| `near`      | bodies *near* to an example that the target should accept                                              |
| `judging`   | what counts as broken                                                                                  |
| `drawing`   | what comes next in a fuzzed sequence                                                                   |
| `sequences` | sequences drawn from a seed, sent, judged after each request                                           |
| `shrinking` | the shortest sequence, with the smallest bodies, that still shows it                                   |
| `verdicts`  | a whole run                                                                                            |
"""

from lakepact.conformance.fuzz.judging import Fuzz
from lakepact.conformance.fuzz.verdicts import Progress, fuzzed, modelled
from lakepact.conformance.fuzz.world import World

__all__ = ["Fuzz", "Progress", "World", "fuzzed", "modelled"]
