"""The suite of Delta Sharing servers, and the detection of their shared objects."""

from __future__ import annotations

from types import MappingProxyType

from lakepact.conformance.checks.delta_sharing.embedded import launch_settings
from lakepact.conformance.checks.delta_sharing.kit.catalog import Walk
from lakepact.conformance.checks.delta_sharing.kit.lab import SharingLab, token_of
from lakepact.conformance.checks.delta_sharing.offers import Offers
from lakepact.conformance.evidence.extras import DELTA
from lakepact.conformance.evidence.target import Detected, Offer, Once, Target
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.judging import expect
from lakepact.conformance.running.suite import Suite
from lakepact.generated.delta_sharing import op


def discover(wire: Wire, target: Target) -> Offer:
    """Return the shared objects and operations of a server.

    Raises:
        Blocked: it does not answer.
    """
    walk = Walk(wire)
    outline = walk.outline()
    offers = Offers(walk, outline)
    pack = {
        "fixtures": lambda: "fixtures" in target.parameters,
        "second-recipient": lambda: bool(token_of("second", target)),
    }
    facts = {
        "shares": str(len(outline.shares)),
        "tables": str(len(outline.tables)),
        "catalogue": "all of it was seen" if outline.whole else "a part of it was seen",
    }
    return Offer(
        operations=offers.operations(),
        features=Detected(offers.features() | pack),
        facts=MappingProxyType(facts),
        results=MappingProxyType(
            {
                "listed": outline,
                "catalogue": Once(offers.catalogue),
                "changes": offers.with_changes,
                "history": offers.with_history,
                "parquet-format": Once(offers.speaks_parquet),
            }
        ),
    )


def health(lab: SharingLab) -> None:
    """Expect the listing of shares.

    Raises:
        Unmet: it is no longer answered with 200.
    """
    expect.status(lab.send(op.list_shares), 200)


#: Requirements that no fault can break here, because no client waits for them.
UNSERVED = {
    "short-lived-urls": (
        "URLs of the embedded server hold for an hour, so that no check stumbles over one that has"
        " expired"
    )
}

#: The settings of a target.
PARAMETERS = {
    "fixtures": (
        "the folder of the fixture pack that the server shares, as `lakepact fixtures delta`"
        " wrote it"
    ),
    "fixtures-writable": (
        "yes, if the server shares the very files of that folder and a commit may be appended to"
        " one of its tables"
    ),
    "second-token-env": "the variable that holds the token of a recipient who may see less",
    "expired-token-env": "the variable that holds the token of a recipient whose time is over",
}

suite = Suite(
    "delta_sharing",
    lab=SharingLab,
    discover=discover,
    launch_settings=launch_settings,
    parameters=PARAMETERS,
    gaps=UNSERVED,
    libraries=DELTA,
    health=health,
)
check = suite.check
invariant = suite.invariant
