"""Faults of file id hashes, of historical protocols, and of metadata as of a version."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing.answers import refusal
from lakepact.reference_server.faults import (
    Install,
    accept,
    fault,
    on_call,
    on_lines,
    on_reply,
    replace_rule,
)
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope
from mutants.delta_sharing.operators.lines import QUERY
from mutants.delta_sharing.operators.requests import on_query
from mutants.delta_sharing.operators.wrapped import CHANGES, DELTA, on_wrapped, rewrite

METADATA = op.get_table_metadata
HASHED = (op.query_table, op.query_table_changes)


@fault("DS-FIH-01", by=partial(on_call, HASHED))
def hashes_are_in_small_letters(handler: Handler, arguments: Arguments) -> Reply:
    sent = arguments.get("fileidhash")
    if sent is not None and sent != sent.lower():
        raise refusal(400, "fileidhash must be in lower case")
    return handler(**arguments)


@fault("DS-FIH-02", by=partial(on_reply, CHANGES))
def hashes_of_changes_are_not_repeated(reply: Reply, scope: Scope) -> Reply:
    del scope
    return replace(reply, headers=tuple(h for h in reply.headers if h[0] != b"fileidhash"))


@fault("DS-HPR-02", by=partial(on_lines, QUERY))
def protocols_are_undated(lines: list[Any]) -> None:
    for line in lines:
        if "protocol" in line:
            line["protocol"].pop("version", None)


@fault("DS-HPR-02", by=partial(on_lines, op.query_table_changes))
def protocols_of_changes_are_undated(lines: list[Any]) -> None:
    for line in lines:
        if "protocol" in line:
            line["protocol"].pop("version", None)


def _without(name: str) -> Install:
    """Ignore a parameter of requests for metadata."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        return handler(**{key: value for key, value in arguments.items() if key != name})

    return on_call(METADATA, act)


@fault("DS-MTT-03", by=partial(on_call, METADATA))
def metadata_prefers_the_version(handler: Handler, arguments: Arguments) -> Reply:
    given = arguments.get("version") is not None
    return handler(**(arguments | {"timestamp": None} if given else arguments))


FAULTS = {
    "any-hash-is-accepted DS-FIH-01": replace_rule(
        "file_id_hash", lambda sent: sent and sent.lower()
    ),
    "hashes-depend-on-the-format DS-FIH-03": on_wrapped(
        "file", rewrite("id", lambda known: f"delta-{known}"), form=DELTA
    ),
    "later-protocols-are-left-out DS-HPR-01": on_lines(
        QUERY, lambda lines: lines[:1] + [line for line in lines[1:] if "protocol" not in line]
    ),
    "later-protocols-are-always-sent DS-HPR-03": on_query(
        lambda body: (
            body | {"includeHistoricalProtocol": True} if "startingVersion" in body else body
        )
    ),
    "metadata-is-of-today-whatever-the-version DS-MTT-01": _without("version"),
    "metadata-is-of-today-whatever-the-time DS-MTT-02": _without("timestamp"),
    "metadata-shows-history-that-is-not-shared DS-MTT-04": replace_rule(
        "history_is_shared", accept
    ),
}
