"""The suite of clients of version 1.11.0: all of 1.10.0, and what came with it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lakepact.conformance.clients.iceberg_rest.lab import TASKS, CatalogClientLab
from lakepact.conformance.clients.lab import everything
from lakepact.conformance.home import Home
from lakepact.conformance.suite import Suite
from lakepact.generated.contract import Contract

if TYPE_CHECKING:
    from pathlib import Path

VERSION = "1.11.0"


class NewerCatalogClientLab(CatalogClientLab):
    """The bench of one check of clients of this version."""

    tasks = TASKS | {"set-properties-twice": "namespace, table, first, second: commit the first properties, then the second"}


def at_home(_: Path) -> Home:
    """Serving this version."""
    return Home(settings={"contract_version": VERSION})


suite = Suite(
    "iceberg_rest",
    version=VERSION,
    lab=NewerCatalogClientLab,
    discover=partial(everything, Contract("iceberg_rest", VERSION)),
    at_home=at_home,
)
check = suite.check
law = suite.law
