"""Versions of tables that are not the ones that were asked for."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from lakepact.generated.contract import OperationId
from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing.answers import json_answer, refusal
from lakepact.reference_server.delta_sharing.log import Log
from lakepact.reference_server.faults import Install, fault, on_reply, replace_rule, wrap_rule
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Scope

VERSION, HEAD = op.get_table_version, op.head_table_version
HEADER = b"delta-table-version"


def header(
    operations: OperationId | tuple[OperationId, ...], change: Callable[[int], bytes | None]
) -> Install:
    """Send another version in the header of answers, or none."""

    def changed(reply: Reply, _: Scope) -> Reply:
        headers = []
        for name, value in reply.headers:
            said = change(int(value)) if name == HEADER else value
            if said is not None:
                headers.append((name, said))
        return replace(reply, headers=tuple(headers))

    return on_reply(operations, changed)


def _one_less(version: int) -> bytes:
    return b"%d" % max(version - 1, 0)


@fault("DS-VER-01", by=partial(on_reply, VERSION))
def version_stands_in_the_body(reply: Reply, _: Scope) -> Reply:
    if reply.status != 200:
        return reply
    (version,) = (int(value) for name, value in reply.headers if name == HEADER)
    return replace(
        json_answer({"version": version}),
        headers=tuple(h for h in reply.headers if h[0] != b"content-length"),
    )


@fault("DS-VER-05", by=partial(wrap_rule, "version_from"))
def times_before_all_are_refused(original: Callable[..., int]) -> Callable[..., int]:
    def version_from(log: Log, milliseconds: int) -> int:
        if milliseconds < log.timestamp(log.earliest()):
            raise refusal(400, "the time is before the first version")
        return original(log, milliseconds)

    return version_from


@fault("DS-VER-05", by=partial(wrap_rule, "not_before"))
def times_before_1970_are_refused(original: Callable[..., int]) -> Callable[..., int]:
    def not_before(text: str) -> int:
        if (milliseconds := original(text)) < 0:
            raise refusal(400, "the time is before 1970")
        return milliseconds

    return not_before


@fault("DS-VER-06", by=partial(wrap_rule, "version_from"))
def times_after_all_are_now(original: Callable[..., int]) -> Callable[..., int]:
    def version_from(log: Log, milliseconds: int) -> int:
        return (
            log.latest()
            if milliseconds > log.timestamp(log.latest())
            else original(log, milliseconds)
        )

    return version_from


@fault("DS-VER-09")
def replicas_lag_behind() -> Install:
    turns = itertools.count()
    return header(
        (VERSION, op.get_table_metadata, op.query_table),
        lambda version: b"%d" % max(version - next(turns) % 2, 0),
    )


FAULTS = {
    "version-is-not-said DS-VER-01": header(VERSION, lambda _: None),
    "version-is-no-number DS-VER-01": header(VERSION, lambda v: b"v%d" % v),
    "version-is-stale DS-VER-03": header(VERSION, _one_less),
    "metadata-is-of-another-version DS-VER-03": header(op.get_table_metadata, _one_less),
    "head-says-another-version DS-VER-02": header(HEAD, _one_less),
    "times-lead-behind-themselves DS-VER-04": replace_rule(
        "version_from", lambda log, milliseconds: log.at_or_after(milliseconds + 1)
    ),
    "times-lead-before-themselves DS-VER-04 DS-VER-05": replace_rule(
        "version_from", lambda log, milliseconds: log.at_or_before(milliseconds)
    ),
    "times-have-no-milliseconds DS-VER-04": wrap_rule(
        "not_before", lambda original: lambda text: original(text) // 1000 * 1000
    ),
}
