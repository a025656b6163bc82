"""Credentials that are given to whom or for what they should not be, or are not whole."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.answers import refused
from lakepact.reference_server.faults import Fault, Install, accept, instead, on_answer, on_call, on_reply, on_request

from .tables import each_table
from .ways.wrapped import DELTA, METADATA, PARQUET, leave_out, on_wrapped, rewrite, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.delta_sharing.shares import SharedTable
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Scope

OPERATION = "generateTemporaryTableCredentials"
LISTS = ("listTables", "listAllTables")


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


def _body_is_needed(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if arguments.get("body") is None:
        raise refused(400, "a body is needed")
    return handler(**arguments)


def _content_type_is_needed(scope: Scope) -> None:
    if not any(name == b"content-type" for name, _ in scope["headers"]):
        raise refused(415, "a Content-Type is needed")


def _any_location(table: SharedTable, asked: str | None) -> str:
    return table.location if asked is None else asked


def _beginning_counts(table: SharedTable, asked: str | None) -> str:
    """Take for a table's what begins like it."""
    if asked is not None and not asked.startswith(table.location):
        raise refused(403, "that is not the table's")
    return asked or table.location


def _location_is_needed(table: SharedTable, asked: str | None) -> str:
    if asked is None:
        raise refused(400, "location is required")
    return _any_location(table, asked)


def _of_directories(edit: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], object]:
    return lambda metadata: edit(metadata) if "dir" in metadata.get("accessModes", []) else None


def _in_seconds(milliseconds: int) -> int:
    return milliseconds // 1000


def _slashed(text: str) -> str:
    return f"{text}/_delta_log"


def _no_json_is_a_failure(reply: Reply, _: Scope) -> Reply:
    return replace(reply, status=500) if reply.status == 400 and b"JSON" in reply.body else reply


FAULTS = (
    Fault(
        "credentials-fail-over-what-is-no-json",
        "A request for credentials whose body is no JSON is a failure.",
        ("DS-GEN-15",),
        on_reply(OPERATION, _no_json_is_a_failure),
    ),
    Fault(
        "credentials-need-a-body",
        "Credentials that are asked for without a body are refused.",
        ("DS-TMP-01",),
        on_call(OPERATION, _body_is_needed),
    ),
    Fault(
        "credentials-need-a-content-type",
        "Credentials that are asked for without a Content-Type are refused.",
        ("DS-TMP-01",),
        on_request(OPERATION, _content_type_is_needed),
    ),
    Fault(
        "credentials-need-a-location",
        "Credentials that are asked for without a location are refused.",
        ("DS-TMP-01", "DS-TMP-02", "DS-TMP-05"),
        instead("rules", "location-of-table", _location_is_needed),
    ),
    Fault(
        "credentials-are-for-the-log",
        "Credentials are for the log of a table.",
        ("DS-TMP-02", "DS-TMP-03"),
        _on_credentials(rewrite("location", _slashed)),
    ),
    Fault(
        "credentials-are-for-any-location",
        "Credentials are given for whatever location is asked for.",
        ("DS-TMP-04",),
        instead("rules", "location-of-table", _any_location),
    ),
    Fault(
        "credentials-are-for-what-begins-so",
        "Credentials are given for what begins like the table.",
        ("DS-TMP-04",),
        instead("rules", "location-of-table", _beginning_counts),
    ),
    Fault(
        "credentials-without-an-envelope",
        "Credentials are not under `credentials`.",
        ("DS-TMP-05",),
        on_answer(OPERATION, lambda document: document["credentials"]),
    ),
    Fault(
        "credentials-of-two-kinds",
        "Credentials are of two kinds.",
        ("DS-TMP-06",),
        _on_credentials(write(gcpOauthToken={"oauthToken": "none"})),
    ),
    Fault("credentials-of-no-kind", "Credentials are of no kind.", ("DS-TMP-06",), _on_credentials(leave_out("awsTempCredentials"))),
    Fault(
        "credentials-without-location", "Credentials do not say what they can read.", ("DS-TMP-07",), _on_credentials(leave_out("location"))
    ),
    Fault(
        "credentials-do-not-say-when-they-end",
        "Credentials do not say when they expire.",
        ("DS-TMP-08",),
        _on_credentials(leave_out("expirationTime")),
    ),
    Fault(
        "credentials-end-in-seconds",
        "The time of credentials is in seconds.",
        ("DS-TMP-08",),
        _on_credentials(rewrite("expirationTime", _in_seconds)),
    ),
    Fault(
        "credentials-have-ended",
        "Credentials have expired when they are given.",
        ("DS-TMP-08",),
        _on_credentials(write(expirationTime=1_700_000_000_000)),
    ),
    Fault(
        "keys-without-session",
        "Keys of AWS have no session token.",
        ("DS-TMP-09",),
        _on_credentials(lambda c: leave_out("sessionToken")(c["awsTempCredentials"])),
    ),
    Fault(
        "signatures-without-token",
        "Credentials for Azure have no sasToken.",
        ("DS-TMP-10",),
        _kind("azureUserDelegationSas", {"token": "none"}),
    ),
    Fault("tokens-without-token", "Credentials for Google have no oauthToken.", ("DS-TMP-11",), _kind("gcpOauthToken", {"token": "none"})),
    Fault(
        "credentials-for-every-table",
        "Credentials are given for tables that are read by URLs alone.",
        ("DS-TMP-16",),
        instead("rules", "table-is-read-by-directory", accept),
    ),
    Fault(
        "directories-are-queried",
        "Tables that are read by their directories alone are queried all the same.",
        ("DS-ACC-05",),
        instead("rules", "table-is-read-by-url", accept),
    ),
    Fault(
        "metadata-has-other-access-modes",
        "Metadata of a table that is read by its directory says url alone.",
        ("DS-ACC-04",),
        on_wrapped("metaData", _of_directories(write(accessModes=["url"]))),
    ),
    Fault(
        "listings-have-other-access-modes",
        "Listings say of a table that is read by both that it is read by url.",
        ("DS-ACC-04",),
        each_table(LISTS, lambda t: t.update(accessModes=["url"]) if t.get("accessModes") == ["url", "dir"] else None),
    ),
    Fault(
        "metadata-of-directories-without-location",
        "Metadata of a table that is read by its directory has no location.",
        ("DS-MDT-03",),
        on_wrapped("metaData", _of_directories(leave_out("location")), form=PARQUET, of=METADATA),
    ),
    Fault(
        "metadata-of-directories-leads-to-the-log",
        "The location in metadata is that of the log.",
        ("DS-MDT-03", "DS-DMD-05"),
        on_wrapped("metaData", rewrite("location", _slashed), of=METADATA),
    ),
    Fault(
        "delta-metadata-of-directories-without-location",
        "Metadata in delta format has no location.",
        ("DS-DMD-05",),
        on_wrapped("metaData", leave_out("location"), form=DELTA, of=METADATA),
    ),
)
