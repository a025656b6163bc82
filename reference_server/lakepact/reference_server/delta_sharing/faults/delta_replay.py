"""Lines in delta format that no log can be made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.faults.ways.asking import on_query, without
from lakepact.reference_server.delta_sharing.faults.ways.lines import QUERY, on_files, on_metadata
from lakepact.reference_server.faults import Fault, around, on_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _settings_lost(metadata: dict[str, Any]) -> None:
    metadata["configuration"] = {}


def _vectors_where_they_were(file: dict[str, Any]) -> None:
    """Give a deletion vector by a path that only the provider can read."""
    vector = file.get("deletionVector")
    if vector and vector["storageType"] == "p":
        vector |= {"storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^"}


def _vectors_at_the_start(file: dict[str, Any]) -> None:
    vector = file.get("deletionVector")
    if vector and vector["storageType"] == "p":
        vector["offset"] = 1


def _vectors_shortened(file: dict[str, Any]) -> None:
    vector = file.get("deletionVector")
    if vector and vector["storageType"] == "i":
        vector["pathOrInlineDv"] = vector["pathOrInlineDv"].lower()


def _features_lost(lines: list[Any]) -> None:
    protocol = lines[0]["protocol"].get("deltaProtocol")
    if protocol:
        protocol.pop("readerFeatures", None)


def _without_hints(agreed: Callable[..., Any]) -> Callable[..., Any]:
    """Recall a query without its hints, where a refresh token tells of it."""

    def recalled(asked: Mapping[str, Any], held: Mapping[str, Any], *, member: str) -> dict[str, Any]:
        said = agreed(asked, held, member=member)
        return {name: value for name, value in said.items() if member != "refreshToken" or "Hint" not in name}

    return recalled


FAULTS = (
    Fault(
        "column-mapping-is-lost",
        "The settings of tables are not forwarded.",
        ("DS-DWP-02", "DS-QRY-09"),
        on_metadata(QUERY, _settings_lost),
    ),
    Fault(
        "reader-features-are-lost",
        "The protocol in delta format names no reader features.",
        ("DS-DWP-02",),
        on_lines(QUERY, _features_lost),
    ),
    Fault(
        "deletion-vectors-stay-behind",
        "Deletion vectors are given by the provider's own paths.",
        ("DS-DFL-07", "DS-DWP-02", "DS-QRY-09"),
        on_files(QUERY, _vectors_where_they_were),
    ),
    Fault(
        "deletion-vectors-at-one-place",
        "Deletion vectors are all said to stand at the start of their file.",
        ("DS-DFL-07", "DS-DWP-02", "DS-QRY-09"),
        on_files(QUERY, _vectors_at_the_start),
    ),
    Fault(
        "inline-vectors-in-small-letters",
        "Deletion vectors within the log are written in small letters.",
        ("DS-DFL-07", "DS-QRY-09"),
        on_files(QUERY, _vectors_shortened),
    ),
    Fault(
        "refreshes-forget-hints",
        "A refresh token leads to all files, whatever the hints were.",
        ("DS-EST-06",),
        around("rules", "agreed", _without_hints),
    ),
    Fault("refreshes-are-new-queries", "A refresh token leads to the current version.", ("DS-EST-06",), on_query(without("refreshToken"))),
)
