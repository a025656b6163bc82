"""Credentials that are given to whom or for what they should not be, or are not whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing.answers import refusal
from lakepact.reference_server.delta_sharing.shares import SharedTable
from lakepact.reference_server.faults import (
    Install,
    accept,
    fault,
    on_answer,
    on_reply,
    replace_rule,
)
from mutants.delta_sharing.listings.tables import each_table
from mutants.delta_sharing.operators.wrapped import (
    DELTA,
    METADATA,
    PARQUET,
    leave_out,
    on_wrapped,
    rewrite,
    write,
)
from mutants.operators import refuse_calls, refuse_requests

OPERATION = op.generate_temporary_table_credentials
LISTS = (op.list_tables, op.list_all_tables)


def _on_credentials(edit: Callable[[dict[str, Any]], object]) -> Install:
    """Edit in place what is given."""

    def change(document: dict[str, Any]) -> None:
        edit(document["credentials"])

    return on_answer(OPERATION, change)


def _kind(name: str, keys: dict[str, str]) -> Install:
    """Give credentials of another kind."""

    def change(credentials: dict[str, Any]) -> None:
        del credentials["awsTempCredentials"]
        credentials[name] = keys

    return _on_credentials(change)


def _any_location(table: SharedTable, asked: str | None) -> str:
    return table.location if asked is None else asked


def _of_directories(edit: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], object]:
    return lambda metadata: edit(metadata) if "dir" in metadata.get("accessModes", []) else None


def _slashed(text: str) -> str:
    return f"{text}/_delta_log"


@fault("DS-TMP-01", "DS-TMP-02", "DS-TMP-05", by=partial(replace_rule, "location_of_table"))
def credentials_need_a_location(table: SharedTable, asked: str | None) -> str:
    if asked is None:
        raise refusal(400, "location is required")
    return _any_location(table, asked)


@fault("DS-TMP-04", by=partial(replace_rule, "location_of_table"))
def credentials_are_for_what_begins_so(table: SharedTable, asked: str | None) -> str:
    if asked is not None and not asked.startswith(table.location):
        raise refusal(403, "that is not the table's")
    return asked or table.location


FAULTS = {
    "credentials-need-a-body DS-TMP-01": refuse_calls(
        OPERATION, lambda arguments: arguments.get("body") is None, refusal(400, "a body is needed")
    ),
    "credentials-need-a-content-type DS-TMP-01": refuse_requests(
        OPERATION,
        lambda scope: not any(name == b"content-type" for name, _ in scope["headers"]),
        refusal(415, "a Content-Type is needed"),
    ),
    "credentials-fail-over-what-is-no-json DS-GEN-15": on_reply(
        OPERATION,
        lambda reply, _: (
            replace(reply, status=500) if reply.status == 400 and b"JSON" in reply.body else reply
        ),
    ),
    "credentials-are-for-the-log DS-TMP-02 DS-TMP-03": _on_credentials(
        rewrite("location", _slashed)
    ),
    "credentials-are-for-any-location DS-TMP-04": replace_rule("location_of_table", _any_location),
    "credentials-without-an-envelope DS-TMP-05": on_answer(
        OPERATION, lambda document: document["credentials"]
    ),
    "credentials-of-two-kinds DS-TMP-06": _on_credentials(
        write(gcpOauthToken={"oauthToken": "none"})
    ),
    "credentials-of-no-kind DS-TMP-06": _on_credentials(leave_out("awsTempCredentials")),
    "credentials-without-location DS-TMP-07": _on_credentials(leave_out("location")),
    "credentials-do-not-say-when-they-end DS-TMP-08": _on_credentials(leave_out("expirationTime")),
    "credentials-end-in-seconds DS-TMP-08": _on_credentials(
        rewrite("expirationTime", lambda milliseconds: milliseconds // 1000)
    ),
    "credentials-have-ended DS-TMP-08": _on_credentials(write(expirationTime=1_700_000_000_000)),
    "keys-without-session DS-TMP-09": _on_credentials(
        lambda c: leave_out("sessionToken")(c["awsTempCredentials"])
    ),
    "signatures-without-token DS-TMP-10": _kind("azureUserDelegationSas", {"token": "none"}),
    "tokens-without-token DS-TMP-11": _kind("gcpOauthToken", {"token": "none"}),
    "credentials-for-every-table DS-TMP-16": replace_rule("table_is_read_by_directory", accept),
    "directories-are-queried DS-ACC-05": replace_rule("table_is_read_by_url", accept),
    "metadata-has-other-access-modes DS-ACC-04": on_wrapped(
        "metaData", _of_directories(write(accessModes=["url"]))
    ),
    # Listing and metadata differ; the finding shows the metadata.
    "listings-have-other-access-modes DS-ACC-04 @/*/metaData/accessModes": each_table(
        LISTS,
        lambda t: t.update(accessModes=["url"]) if t.get("accessModes") == ["url", "dir"] else None,
    ),
    "metadata-of-directories-without-location DS-MDT-03": on_wrapped(
        "metaData", _of_directories(leave_out("location")), form=PARQUET, of=METADATA
    ),
    "metadata-of-directories-leads-to-the-log DS-MDT-03 DS-DMD-05": on_wrapped(
        "metaData", rewrite("location", _slashed), of=METADATA
    ),
    "delta-metadata-of-directories-without-location DS-DMD-05": on_wrapped(
        "metaData", leave_out("location"), form=DELTA, of=METADATA
    ),
}
