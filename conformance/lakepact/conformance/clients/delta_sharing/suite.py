"""The suite of Delta Sharing clients; the server behind the scripted server shares the fixture
pack, whose rows are known.
"""

from __future__ import annotations

from functools import partial

from lakepact.conformance.checks.delta_sharing.embedded import launch_settings
from lakepact.conformance.clients.delta_sharing.lab import SharingClientLab
from lakepact.conformance.clients.lab import everything
from lakepact.conformance.evidence.extras import DELTA
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract

suite = Suite(
    "delta_sharing",
    lab=SharingClientLab,
    discover=partial(everything, SharingClientLab, Contract("delta_sharing")),
    launch_settings=launch_settings,
    libraries=DELTA,
)
check = suite.check
invariant = suite.invariant
