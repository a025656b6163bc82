"""Servers that misread what a client can do, or say something else than what they do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from lakepact.generated.contract import OperationId
from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing.answers import refusal
from lakepact.reference_server.delta_sharing.queries.capabilities import Capabilities
from lakepact.reference_server.faults import (
    Install,
    fault,
    on_call,
    on_reply,
    replace_rule,
    wrap_rule,
)
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope
from mutants.delta_sharing.operators.wrapped import CHANGES, DELTA, IN_LINES, PARQUET, QUERY, on_all
from mutants.operators import refuse_calls

HEADER = b"delta-sharing-capabilities"


def _rewrite(change: Callable[[str], str]) -> Install:
    """Read another header than the one that is sent."""
    return wrap_rule(
        "read_capabilities", lambda original: lambda header: original(header and change(header))
    )


def _not_for(*operations: OperationId) -> Install:
    """Read the header of other operations alone."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        return handler(
            **{
                name: value
                for name, value in arguments.items()
                if name != "delta_sharing_capabilities"
            }
        )

    return on_call(operations, act)


def _delta_is_the_default(capabilities: Capabilities) -> Capabilities:
    return (
        replace(capabilities, formats=(DELTA, PARQUET))
        if capabilities.formats is None
        else capabilities
    )


def on_capabilities(change: Callable[[bytes], bytes | None]) -> Install:
    """Send another capabilities header in answers, or none."""

    def changed(reply: Reply, _: Scope) -> Reply:
        headers = []
        for name, value in reply.headers:
            text = change(value) if name == HEADER else value
            if text is not None:
                headers.append((name, text))
        return replace(reply, headers=tuple(headers))

    return on_reply(IN_LINES, changed)


@fault("DS-RDF-01", by=partial(on_reply, QUERY))
def reader_features_cost_statistics(reply: Reply, scope: Scope) -> Reply:
    header = next((value.lower() for name, value in scope["headers"] if name == HEADER), b"")
    if (
        reply.status != 200
        or b"readerfeatures" not in header
        or b"=delta" in header
        or not reply.has_body
    ):
        return reply
    lines = [json.loads(line) for line in reply.as_whole().body.splitlines()]
    for line in lines:
        line.get("file", {}).pop("stats", None)
    return replace(
        reply, chunks=None, body=b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    )


@fault("DS-QRY-09", by=partial(wrap_rule, "negotiate"))
def vectors_are_passed_over_in_parquet_format(original: Callable[..., str]) -> Callable[..., str]:
    def negotiate(capabilities: Capabilities, needed: Iterable[str]) -> str:
        return PARQUET if capabilities.formats == (PARQUET,) else original(capabilities, needed)

    return negotiate


@fault("DS-RDF-01", "DS-CAP-03", "DS-CAP-04", by=partial(wrap_rule, "negotiate"))
def reader_features_mean_delta(original: Callable[..., str]) -> Callable[..., str]:
    def negotiate(capabilities: Capabilities, needed: Iterable[str]) -> str:
        chosen = original(capabilities, needed)
        return DELTA if capabilities.reader_features else chosen

    return negotiate


@fault("DS-CAP-05", by=partial(on_call, QUERY))
def both_formats_need_reader_features(handler: Handler, arguments: Arguments) -> Reply:
    header = (arguments.get("delta_sharing_capabilities") or "").lower()
    if "," in header.partition(";")[0] and "readerfeatures" not in header:
        raise refusal(400, "reader features have to be named with delta format")
    return handler(**arguments)


@fault("DS-RDF-02", by=partial(wrap_rule, "negotiate"))
def reader_features_are_not_looked_at(original: Callable[..., str]) -> Callable[..., str]:
    def negotiate(capabilities: Capabilities, needed: Iterable[str]) -> str:
        features = frozenset(feature.lower() for feature in needed)
        return (
            original(replace(capabilities, reader_features=features), needed)
            if DELTA in (capabilities.formats or ())
            else original(capabilities, needed)
        )

    return negotiate


@fault("DS-RDF-02", by=partial(on_reply, (QUERY, op.get_table_metadata)))
def missing_reader_features_are_a_failure(reply: Reply, scope: Scope) -> Reply:
    header = next((value.lower() for name, value in scope["headers"] if name == HEADER), b"")
    unread = (
        reply.status == 400
        and b"," in header.partition(b";")[0]
        and b"readerfeatures" not in header
    )
    return replace(reply, status=500) if unread else reply


FAULTS = {
    "both-formats-are-refused DS-CAP-05": refuse_calls(
        QUERY,
        lambda arguments: (
            "," in (arguments.get("delta_sharing_capabilities") or "").partition(";")[0]
        ),
        refusal(400, "a response format is one of two"),
    ),
    "capabilities-in-small-letters-alone DS-CAP-01": _rewrite(
        lambda header: ";".join(
            part
            for part in header.split(";")
            if part.partition("=")[0] == part.partition("=")[0].lower()
        )
    ),
    "first-capability-alone DS-CAP-01": _rewrite(
        lambda header: (
            header.partition(";")[0] + ";readerfeatures=deletionvectors,columnmapping,timestampntz"
        )
    ),
    "queries-have-no-capabilities DS-CAP-02 DS-CAP-04": _not_for(QUERY),
    "metadata-has-no-capabilities DS-MET-04": _not_for(op.get_table_metadata),
    "changes-have-no-capabilities DS-CAP-02 DS-CAP-04": _not_for(CHANGES),
    "delta-is-the-default DS-CAP-03": wrap_rule(
        "read_capabilities", lambda original: lambda header: _delta_is_the_default(original(header))
    ),
    "delta-format-lacks-a-file DS-CAP-05": on_all(
        lambda lines: lines[:-1] if "file" in lines[-1] else lines, form=DELTA, of=QUERY
    ),
    "first-format-wins DS-CAP-06 DS-RDF-02": replace_rule(
        "negotiate", lambda capabilities, _: (capabilities.formats or (PARQUET,))[0]
    ),
    "format-is-not-said DS-CAP-10": on_capabilities(lambda _: None),
    "format-is-said-wrongly DS-CAP-10": on_capabilities(
        lambda value: (
            value.replace(b"=parquet", b"=other")
            .replace(b"=delta", b"=parquet")
            .replace(b"=other", b"=delta")
        )
    ),
    "format-is-said-in-capitals DS-DF-04": on_capabilities(bytes.upper),
    "format-is-said-as-it-is-spelled DS-DF-04": on_capabilities(
        lambda v: v.replace(b"responseformat", b"responseFormat")
    ),
}
