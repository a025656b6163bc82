"""The suite of Delta Sharing servers: what a server shares and offers is found by asking, and checks register here."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from lakepact.conformance.checks.delta_sharing.catalogue import Walk, path
from lakepact.conformance.checks.delta_sharing.lab import SharingLab
from lakepact.conformance.home import Home
from lakepact.conformance.suite import Suite
from lakepact.conformance.target import Offer
from lakepact.generated.contract import Contract

if TYPE_CHECKING:
    from pathlib import Path

    from lakepact.conformance.checks.delta_sharing.catalogue import Catalogue, SharedTable
    from lakepact.conformance.target import Target
    from lakepact.conformance.wire import Reply, Wire

#: What later versions of the protocol added, or an earlier one deprecated: who answers that there is no such thing does not offer it.
OPTIONAL = ("headTableVersion", "queryTableChanges", "generateTemporaryTableCredentials")

NO_SUCH_THING = frozenset({404, 405, 501})  #: of a table that is there


def discover(wire: Wire, target: Target) -> Offer:
    """What a server shares, and which operations it has.

    Raises:
        Blocked: it does not answer at all.
    """
    walk = Walk(wire)
    catalogue = walk.catalogue()
    operations = frozenset(Contract("delta_sharing").operations)
    if catalogue.readable:
        operations -= frozenset(operation for operation in OPTIONAL if not _is_there(walk, catalogue, operation))
    facts = {
        "shares": str(len(catalogue.shares)),
        "tables": f"{len(catalogue.tables)}, {len(catalogue.readable)} of them readable",
        "catalogue": "all of it was seen" if catalogue.whole else "a part of it was seen",
    }
    return Offer(
        operations=operations,
        features=MappingProxyType({"fixtures": "fixtures" in target.parameters}),
        facts=MappingProxyType(facts),
        found=MappingProxyType({"catalogue": catalogue}),
    )


def _is_there(walk: Walk, catalogue: Catalogue, operation: str) -> bool:
    """Whether an operation is answered as one that is there; a table that is to have it is asked first."""
    wanted = {
        "queryTableChanges": lambda table: table.changes,
        "generateTemporaryTableCredentials": lambda table: "dir" in table.access_modes,
    }.get(operation, lambda _: False)
    table = next(filter(wanted, catalogue.readable), None)
    reply = _probed(walk, operation, table or catalogue.readable[0])
    return table is not None or (reply is not None and reply.status not in NO_SUCH_THING)


def _probed(walk: Walk, operation: str, table: SharedTable) -> Reply | None:
    known = Contract("delta_sharing").operations[operation]
    where = path("shares", table.share, "schemas", table.schema, "tables", table.name)
    last = known.path.rpartition("{table}")[2]
    query = "?startingVersion=0" if operation == "queryTableChanges" else ""
    return walk.asked(where + last + query, None, method=known.method)  # no law asks for more than whether it is there


def at_home(folder: Path) -> Home:
    """The fixture pack in `folder`, shared with a recipient who may read all of it."""
    from lakepact.conformance.fixtures.pack import write  # noqa: PLC0415 - deltalake is needed by nobody who judges others

    pack = write(folder)
    return Home(
        settings={"shares": str(folder / "shares.yaml")},
        root="/delta-sharing",
        headers={"Authorization": f"Bearer {pack.tokens['all']}"},
        parameters={"fixtures": str(folder)},
        features={"fixtures": True},
    )


suite = Suite("delta_sharing", lab=SharingLab, discover=discover, at_home=at_home)
check = suite.check
law = suite.law
