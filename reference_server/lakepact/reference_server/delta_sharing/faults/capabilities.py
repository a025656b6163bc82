"""Servers that misread what a client can do, or say something else than what they do."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.answers import refused
from lakepact.reference_server.faults import Fault, Install, around, instead, on_call, on_reply

from .ways.wrapped import CHANGES, DELTA, IN_LINES, PARQUET, QUERY, on_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lakepact.reference_server.delta_sharing.capabilities import Capabilities
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Scope

HEADER = b"delta-sharing-capabilities"


def _read(change: Callable[[str], str]) -> Install:
    """Read another header than the one that is sent."""
    return around("rules", "read-capabilities", lambda original: lambda header: original(header and change(header)))


def _lower_case_alone(header: str) -> str:
    """Pass over what is not in small letters."""
    return ";".join(part for part in header.split(";") if part.partition("=")[0] == part.partition("=")[0].lower())


def _first_alone(header: str) -> str:
    """Pass over all but the first capability."""
    return header.partition(";")[0] + ";readerfeatures=deletionvectors,columnmapping,timestampntz"


def _not_for(*operations: str) -> Install:
    """Read the header of other operations alone."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        return handler(**{name: value for name, value in arguments.items() if name != "delta_sharing_capabilities"})

    return on_call(operations, act)


def _reader_features_mean_delta(original: Callable[..., str]) -> Callable[..., str]:
    """Who names reader features is answered in delta format."""

    def negotiate(capabilities: Capabilities, needed: Iterable[str]) -> str:
        chosen = original(capabilities, needed)
        return DELTA if capabilities.reader_features else chosen

    return negotiate


def _parquet_can_say_everything(original: Callable[..., str]) -> Callable[..., str]:
    """Who wants parquet format has it, whatever the table needs."""

    def negotiate(capabilities: Capabilities, needed: Iterable[str]) -> str:
        return PARQUET if capabilities.formats == (PARQUET,) else original(capabilities, needed)

    return negotiate


def _delta_is_the_default(capabilities: Capabilities) -> Capabilities:
    return replace(capabilities, formats=(DELTA, PARQUET)) if capabilities.formats is None else capabilities


def _first_format_wins(capabilities: Capabilities, _: Iterable[str]) -> str:
    """Answer in the format that is named first."""
    return (capabilities.formats or (PARQUET,))[0]


def _both_is_too_much(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if "," in (arguments.get("delta_sharing_capabilities") or "").partition(";")[0]:
        raise refused(400, "a response format is one of two")
    return handler(**arguments)


def _both_needs_features(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Refuse who names both formats and no reader features."""
    header = (arguments.get("delta_sharing_capabilities") or "").lower()
    if "," in header.partition(";")[0] and "readerfeatures" not in header:
        raise refused(400, "reader features have to be named with delta format")
    return handler(**arguments)


def _whatever_is_listed(original: Callable[..., str]) -> Callable[..., str]:
    """Send what a client cannot read."""

    def negotiate(capabilities: Capabilities, needed: Iterable[str]) -> str:
        features = frozenset(feature.lower() for feature in needed)
        return (
            original(replace(capabilities, reader_features=features), needed)
            if DELTA in (capabilities.formats or ())
            else original(capabilities, needed)
        )

    return negotiate


def _nothing_named_is_a_failure(reply: Reply, scope: Scope) -> Reply:
    """Fail over a table with reader features where both formats and no feature are named."""
    header = next((value.lower() for name, value in scope["headers"] if name == HEADER), b"")
    unread = reply.status == 400 and b"," in header.partition(b";")[0] and b"readerfeatures" not in header
    return replace(reply, status=500) if unread else reply


def _one_file_less(lines: list[Any]) -> list[Any]:
    return lines[:-1] if "file" in lines[-1] else lines


def said(change: Callable[[bytes], bytes | None]) -> Install:
    """Send another capabilities header in answers, or none."""

    def changed(reply: Reply, _: Scope) -> Reply:
        headers = []
        for name, value in reply.headers:
            text = change(value) if name == HEADER else value
            if text is not None:
                headers.append((name, text))
        return replace(reply, headers=tuple(headers))

    return on_reply(IN_LINES, changed)


def _other_format(value: bytes) -> bytes:
    return value.replace(b"=parquet", b"=other").replace(b"=delta", b"=parquet").replace(b"=other", b"=delta")


def _featured_in_parquet(reply: Reply, scope: Scope) -> Reply:
    """Leave statistics out of an answer in parquet format to who names reader features."""
    header = next((value.lower() for name, value in scope["headers"] if name == HEADER), b"")
    if reply.status != 200 or b"readerfeatures" not in header or b"=delta" in header or not reply.has_body:
        return reply
    lines = [json.loads(line) for line in reply.joined().body.splitlines()]
    for line in lines:
        line.get("file", {}).pop("stats", None)
    return replace(reply, chunks=None, body=b"".join(json.dumps(line).encode() + b"\n" for line in lines))


FAULTS = (
    Fault(
        "reader-features-cost-statistics",
        "In parquet format, files have no statistics for who names reader features.",
        ("DS-RDF-01",),
        on_reply(QUERY, _featured_in_parquet),
    ),
    Fault("capabilities-in-small-letters-alone", "Capabilities in capitals are passed over.", ("DS-CAP-01",), _read(_lower_case_alone)),
    Fault("first-capability-alone", "Capabilities after the first one are passed over.", ("DS-CAP-01",), _read(_first_alone)),
    Fault("queries-have-no-capabilities", "Capabilities do not count for queries.", ("DS-CAP-02", "DS-CAP-04"), _not_for(QUERY)),
    Fault(
        "metadata-has-no-capabilities",
        "Capabilities do not count for metadata.",
        ("DS-MET-04",),
        _not_for("getTableMetadata"),
    ),
    Fault(
        "vectors-are-passed-over-in-parquet-format",
        "In parquet format, a table has the rows that deletion vectors delete, and columns by their physical names.",
        ("DS-QRY-09",),
        around("rules", "negotiate", _parquet_can_say_everything),
    ),
    Fault("changes-have-no-capabilities", "Capabilities do not count for changes.", ("DS-CAP-02", "DS-CAP-04"), _not_for(CHANGES)),
    Fault(
        "delta-is-the-default",
        "Who names no format is answered in delta format.",
        ("DS-CAP-03",),
        around("rules", "read-capabilities", lambda original: lambda header: _delta_is_the_default(original(header))),
    ),
    Fault(
        "reader-features-mean-delta",
        "Who names reader features is answered in delta format.",
        ("DS-RDF-01", "DS-CAP-03", "DS-CAP-04"),
        around("rules", "negotiate", _reader_features_mean_delta),
    ),
    Fault("both-formats-are-refused", "A query that names both formats is refused.", ("DS-CAP-05",), on_call(QUERY, _both_is_too_much)),
    Fault(
        "both-formats-need-reader-features",
        "A query that names both formats, and no reader features, is refused.",
        ("DS-CAP-05",),
        on_call(QUERY, _both_needs_features),
    ),
    Fault(
        "delta-format-lacks-a-file",
        "In delta format, the last file of a query is missing.",
        ("DS-CAP-05",),
        on_all(_one_file_less, form=DELTA, of=QUERY),
    ),
    Fault(
        "first-format-wins",
        "The format that is named first is the one.",
        ("DS-CAP-06", "DS-RDF-02"),
        instead("rules", "negotiate", _first_format_wins),
    ),
    Fault(
        "reader-features-are-not-looked-at",
        "Reader features that a client lacks are sent all the same.",
        ("DS-RDF-02",),
        around("rules", "negotiate", _whatever_is_listed),
    ),
    Fault(
        "reader-features-of-nobody-are-a-failure",
        "Who names both formats and no reader feature meets a failure where one is needed.",
        ("DS-RDF-02",),
        on_reply((QUERY, "getTableMetadata"), _nothing_named_is_a_failure),
    ),
    Fault("format-is-not-said", "The format of an answer is not in its header.", ("DS-CAP-10",), said(lambda _: None)),
    Fault("format-is-said-wrongly", "The header of an answer names the other format.", ("DS-CAP-10",), said(_other_format)),
    Fault("format-is-said-in-capitals", "The header of an answer names the format in capitals.", ("DS-DF-04",), said(bytes.upper)),
    Fault(
        "format-is-said-as-it-is-spelled",
        "The header of an answer spells its key in mixed case.",
        ("DS-DF-04",),
        said(lambda v: v.replace(b"responseformat", b"responseFormat")),
    ),
)
