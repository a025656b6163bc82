"""Credentials that are given to whom or for what they should not be, or are not whole."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing.answers import refused
from lakepact.reference_server.faults import Install, accept, fault, on_answer, on_call, on_reply, on_request, replace_rule
from mutants.delta_sharing.listings.tables import each_table
from mutants.delta_sharing.operators.wrapped import DELTA, METADATA, PARQUET, leave_out, on_wrapped, rewrite, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.delta_sharing.shares import SharedTable
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler, Scope

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


@fault("DS-GEN-15", by=partial(on_reply, OPERATION))
def credentials_fail_over_what_is_no_json(reply: Reply, _: Scope) -> Reply:
    """A request for credentials whose body is no JSON is a failure."""
    return replace(reply, status=500) if reply.status == 400 and b"JSON" in reply.body else reply


@fault("DS-TMP-01", by=partial(on_call, OPERATION))
def credentials_need_a_body(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Credentials that are asked for without a body are refused."""
    if arguments.get("body") is None:
        raise refused(400, "a body is needed")
    return handler(**arguments)


@fault("DS-TMP-01", by=partial(on_request, OPERATION))
def credentials_need_a_content_type(scope: Scope) -> None:
    """Credentials that are asked for without a Content-Type are refused."""
    if not any(name == b"content-type" for name, _ in scope["headers"]):
        raise refused(415, "a Content-Type is needed")


@fault("DS-TMP-01", "DS-TMP-02", "DS-TMP-05", by=partial(replace_rule, "location_of_table"))
def credentials_need_a_location(table: SharedTable, asked: str | None) -> str:
    """Credentials that are asked for without a location are refused."""
    if asked is None:
        raise refused(400, "location is required")
    return _any_location(table, asked)


@fault("DS-TMP-02", "DS-TMP-03")
def credentials_are_for_the_log() -> Install:
    """Credentials are for the log of a table."""
    return _on_credentials(rewrite("location", _slashed))


@fault("DS-TMP-04")
def credentials_are_for_any_location() -> Install:
    """Credentials are given for whatever location is asked for."""
    return replace_rule("location_of_table", _any_location)


@fault("DS-TMP-04", by=partial(replace_rule, "location_of_table"))
def credentials_are_for_what_begins_so(table: SharedTable, asked: str | None) -> str:
    """Credentials are given for what begins like the table."""
    if asked is not None and not asked.startswith(table.location):
        raise refused(403, "that is not the table's")
    return asked or table.location


@fault("DS-TMP-05")
def credentials_without_an_envelope() -> Install:
    """Credentials are not under `credentials`."""
    return on_answer(OPERATION, lambda document: document["credentials"])


@fault("DS-TMP-06")
def credentials_of_two_kinds() -> Install:
    """Credentials are of two kinds."""
    return _on_credentials(write(gcpOauthToken={"oauthToken": "none"}))


@fault("DS-TMP-06")
def credentials_of_no_kind() -> Install:
    """Credentials are of no kind."""
    return _on_credentials(leave_out("awsTempCredentials"))


@fault("DS-TMP-07")
def credentials_without_location() -> Install:
    """Credentials have no location."""
    return _on_credentials(leave_out("location"))


@fault("DS-TMP-08")
def credentials_do_not_say_when_they_end() -> Install:
    """Credentials have no expirationTime."""
    return _on_credentials(leave_out("expirationTime"))


@fault("DS-TMP-08", by=lambda act: _on_credentials(rewrite("expirationTime", act)))
def credentials_end_in_seconds(milliseconds: int) -> int:
    """The time of credentials is in seconds."""
    return milliseconds // 1000


@fault("DS-TMP-08")
def credentials_have_ended() -> Install:
    """Credentials have an expirationTime in the past."""
    return _on_credentials(write(expirationTime=1_700_000_000_000))


@fault("DS-TMP-09")
def keys_without_session() -> Install:
    """Keys of AWS have no session token."""
    return _on_credentials(lambda c: leave_out("sessionToken")(c["awsTempCredentials"]))


@fault("DS-TMP-10")
def signatures_without_token() -> Install:
    """Credentials for Azure have no sasToken."""
    return _kind("azureUserDelegationSas", {"token": "none"})


@fault("DS-TMP-11")
def tokens_without_token() -> Install:
    """Credentials for Google have no oauthToken."""
    return _kind("gcpOauthToken", {"token": "none"})


@fault("DS-TMP-16")
def credentials_for_every_table() -> Install:
    """Credentials are given for tables that are read by URLs alone."""
    return replace_rule("table_is_read_by_directory", accept)


@fault("DS-ACC-05")
def directories_are_queried() -> Install:
    """Tables that are read by their directories alone are queried all the same."""
    return replace_rule("table_is_read_by_url", accept)


@fault("DS-ACC-04")
def metadata_has_other_access_modes() -> Install:
    """Metadata of a table that is read by its directory says url alone."""
    return on_wrapped("metaData", _of_directories(write(accessModes=["url"])))


@fault("DS-ACC-04")
def listings_have_other_access_modes() -> Install:
    """Listings say of a table that is read by both that it is read by url."""
    return each_table(LISTS, lambda t: t.update(accessModes=["url"]) if t.get("accessModes") == ["url", "dir"] else None)


@fault("DS-MDT-03")
def metadata_of_directories_without_location() -> Install:
    """Metadata of a table that is read by its directory has no location."""
    return on_wrapped("metaData", _of_directories(leave_out("location")), form=PARQUET, of=METADATA)


@fault("DS-MDT-03", "DS-DMD-05")
def metadata_of_directories_leads_to_the_log() -> Install:
    """The location in metadata is that of the log."""
    return on_wrapped("metaData", rewrite("location", _slashed), of=METADATA)


@fault("DS-DMD-05")
def delta_metadata_of_directories_without_location() -> Install:
    """Metadata in delta format has no location."""
    return on_wrapped("metaData", leave_out("location"), form=DELTA, of=METADATA)
