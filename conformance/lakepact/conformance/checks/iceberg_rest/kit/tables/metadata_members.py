"""Members of table and view metadata, read whatever their form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, cast

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab
from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.exchanges import Document, Members, Place
from lakepact.conformance.judging import expect

#: How far the clocks of those who write a table may be apart; times come from clients as well as
#: from the server.
CLOCK_SKEW_MS = 60_000


def members(value: Any) -> Document:
    """Return the members of an object; none where it is something else."""
    return cast("Document", value) if isinstance(value, dict) else {}


def objects(document: Members, member: str) -> list[Document]:
    """Return the objects in a member that is an array; none where it is absent or something
    else.
    """
    value = cast("list[Any] | None", document.get(member))
    return [members(item) for item in value] if isinstance(value, list) else []


def ids(document: Members, member: str, key: str) -> list[Any]:
    """Return the ids of the objects in a member that is an array."""
    return [item[key] for item in objects(document, member) if key in item]


def expect_unique(values: Iterable[Any], what: str, *, at: Place) -> None:
    """Expect different values; `at` is the place that they come from."""
    texts = [*map(repr, values)]
    twice = (
        [text for text, times in Counter(texts).items() if times > 1]
        if len(set(texts)) < len(texts)
        else []
    )
    if twice:
        raise expect.unmet(
            f"{what} that are all different",
            f"more than once: {', '.join(twice)}",
            at=at,
            kind=Kind.SURPLUS,
        )


def expect_times_in_order(metadata: Members, log: str, *, at: Place) -> None:
    """Expect that the times of a log do not decrease by more than clocks differ; `at` is the place
    of the metadata.
    """
    times = [time for time in ids(metadata, log, "timestamp-ms") if isinstance(time, int)]
    for before, after in pairwise(times):
        expect.true(
            after >= before - CLOCK_SKEW_MS,
            f"times in `{log}` that do not decrease",
            f"{before}, then {after}",
            at=at.within(log),
        )


def of_the_contract(lab: CatalogLab, schema: str, metadata: Members, file: Members) -> Document:
    """Return metadata without additional members: those that neither the contract nor the file
    has.
    """
    names = lab.contract.bundle["components"]["schemas"][schema]["properties"].keys() | file.keys()
    return {member: value for member, value in metadata.items() if member in names}
