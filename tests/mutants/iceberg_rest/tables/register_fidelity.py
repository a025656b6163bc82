"""Wrong ways of registering a metadata file: what follows from nothing else in it is reckoned or
forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.reference_server.faults import Install, fault, wrap_rule
from lakepact.reference_server.iceberg_rest.documents import Document

RETENTION = frozenset({"min-snapshots-to-keep", "max-snapshot-age-ms", "max-ref-age-ms"})


def _taken_over(change: Callable[[Document], Document]) -> Install:
    """Register other metadata than those that were read; these are copied as far as they are
    changed.
    """

    def wrapped(read: Callable[..., Document]) -> Callable[..., Document]:
        return lambda *arguments: change(read(*arguments))

    return wrap_rule("read_metadata", wrapped)


def _with(member: str, value: Callable[[Document], Any]) -> Install:
    """Give a member another value, where the file has it."""
    return _taken_over(
        lambda metadata: {**metadata, member: value(metadata)} if member in metadata else metadata
    )


_WHOLE = ("IRC-TBL-LOAD-001",)


@fault(*_WHOLE, by=partial(_with, "last-sequence-number"))
def registered_snapshots_are_counted(metadata: Document) -> int:
    return max(
        (snapshot.get("sequence-number", 0) for snapshot in metadata["snapshots"]), default=0
    )


@fault(*_WHOLE, by=partial(_with, "refs"))
def registered_refs_are_kept_for_ever(metadata: Document) -> Document:
    return {
        name: {member: value for member, value in ref.items() if member not in RETENTION}
        for name, ref in metadata["refs"].items()
    }


@fault(*_WHOLE, by=partial(_with, "schemas"))
def registered_rows_are_not_identified(metadata: Document) -> list[Document]:
    return [
        {member: value for member, value in schema.items() if member != "identifier-field-ids"}
        for schema in metadata["schemas"]
    ]


FAULTS = {
    f"registered-columns-are-counted {' '.join(_WHOLE)}": _with(
        "last-column-id",
        lambda metadata: max(
            int(field["id"]) for schema in metadata["schemas"] for field in schema["fields"]
        ),
    ),
    f"registered-rows-are-counted {' '.join(_WHOLE)}": _with(
        "next-row-id",
        lambda metadata: sum(snapshot.get("added-rows", 0) for snapshot in metadata["snapshots"]),
    ),
    f"registered-tables-have-no-keys {' '.join(_WHOLE)}": _with("encryption-keys", lambda _: []),
    f"registered-tables-have-no-settings {' '.join(_WHOLE)}": _with(
        "properties",
        lambda metadata: {
            name: value
            for name, value in metadata["properties"].items()
            if not name.startswith("write.")
        },
    ),
}
