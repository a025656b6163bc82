"""Lines in delta format that no log can be made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from lakepact.reference_server.faults import fault, on_lines, wrap_rule
from mutants.delta_sharing.operators.lines import QUERY, on_files, on_metadata
from mutants.delta_sharing.operators.requests import on_query, without


@fault("DS-DWP-02", by=partial(on_lines, QUERY))
def reader_features_are_lost(lines: list[Any]) -> None:
    protocol = lines[0]["protocol"].get("deltaProtocol")
    if protocol:
        protocol.pop("readerFeatures", None)


@fault("DS-DFL-07", "DS-DWP-02", "DS-QRY-09", by=partial(on_files, QUERY))
def deletion_vectors_stay_behind(file: dict[str, Any]) -> None:
    vector = file.get("deletionVector")
    if vector and vector["storageType"] == "p":
        vector |= {"storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^"}


@fault("DS-DFL-07", "DS-DWP-02", "DS-QRY-09", by=partial(on_files, QUERY))
def deletion_vectors_at_one_place(file: dict[str, Any]) -> None:
    vector = file.get("deletionVector")
    if vector and vector["storageType"] == "p":
        vector["offset"] = 1


@fault("DS-DFL-07", "DS-QRY-09", by=partial(on_files, QUERY))
def inline_vectors_in_small_letters(file: dict[str, Any]) -> None:
    vector = file.get("deletionVector")
    if vector and vector["storageType"] == "i":
        vector["pathOrInlineDv"] = vector["pathOrInlineDv"].lower()


@fault("DS-EST-06", by=partial(wrap_rule, "query_of_token"))
def refreshes_forget_hints(agreed: Callable[..., Any]) -> Callable[..., Any]:
    def recalled(
        asked: Mapping[str, Any], held: Mapping[str, Any], *, member: str, whole: bool
    ) -> dict[str, Any]:
        said = agreed(asked, held, member=member, whole=whole)
        return {
            name: value
            for name, value in said.items()
            if member != "refreshToken" or "Hint" not in name
        }

    return recalled


FAULTS = {
    # The names in partitionValues are then not those of the columns.
    "column-mapping-is-lost DS-DWP-02 DS-QRY-09 @/*/file/deltaSingleAction/add/partitionValues": on_metadata(
        QUERY, lambda metadata: metadata.update(configuration={})
    ),
    "refreshes-are-new-queries DS-EST-06": on_query(without("refreshToken")),
}
