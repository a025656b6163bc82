"""The end of an answer in lines: when it is said, and what is said there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakepact.conformance import expect
from lakepact.conformance.checks.delta_sharing.kit.lines import (
    DELTA,
    END,
    INCLUDE_END,
    PARQUET,
    QUERY,
    TOUR,
    asks_for_end,
    body_of,
    ends_of,
    is_continued,
    is_whole,
    lines_of,
    objects,
    parameters_of,
    told,
)
from lakepact.conformance.checks.delta_sharing.kit.table_sampling import ASKED_FOR, WITH_END, Question, ask, by_url
from lakepact.conformance.checks.delta_sharing.suite import check, invariant
from lakepact.conformance.outcome import NotOffered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from lakepact.conformance.checks.delta_sharing.kit.lab import SharingLab
    from lakepact.conformance.exchanges import Exchange, Reply

TRAFFIC = (*TOUR, "end_stream.end_stream_actions_have_tokens_and_expiry")
MOST_TABLES = 4
EARLIEST = "minUrlExpirationTimestamp"

#: The members that the protocol has.
#: Names of members that tell a failure, but not to clients: the protocol's own is errorMessage.
FAILURE = re.compile(r"(?i)error|message|fail|^endStreamAction$")
KNOWN = frozenset({"refreshToken", "nextPageToken", EARLIEST, "errorMessage"})

#: Conditions that require an endStreamAction: requested tokens, and failures.
NEEDED = ("refreshToken", "nextPageToken", "errorMessage")


def _is_end(line: Mapping[str, Any]) -> bool:
    """Return whether a line has an endStreamAction, whatever that is; null is none."""
    return line.get(END) is not None


@invariant("DS-ESA-02", traffic=TRAFFIC)
def end_stream_actions_are_requested_or_have_a_token(exchange: Exchange) -> bool:
    """A client that did not request an endStreamAction gets one only with a token in it."""
    lines = lines_of(exchange)
    if not lines or asks_for_end(exchange):
        return False
    for end in ends_of(lines):
        expect.true(any(end.get(member) for member in NEEDED), "an endStreamAction with a token, or none", sorted(end))
    return True


@invariant("DS-DF-05", traffic=TRAFFIC)
def plain_clients_get_no_end_stream_action(exchange: Exchange) -> bool:
    """A client that requested neither an endStreamAction nor tokens nor pages gets no endStreamAction."""
    lines = lines_of(exchange)
    said = {**parameters_of(exchange), **body_of(exchange)}
    if not lines or asks_for_end(exchange) or is_continued(exchange) or "maxFiles" in said or said.get("includeRefreshToken"):
        return False
    expect.true(not any(map(_is_end, lines)), "no endStreamAction", f"one among {len(lines)} lines")
    return True


@invariant("DS-ESA-03", traffic=TRAFFIC)
def missing_end_stream_actions_are_not_declared(exchange: Exchange) -> bool:
    """A response without an endStreamAction does not declare one in its header."""
    lines = lines_of(exchange)
    if not lines or any(map(_is_end, lines)):
        return False
    said = told(exchange).get(INCLUDE_END, frozenset())
    expect.true(said <= {"false"}, "includeEndStreamAction=false in the capabilities header, or none of that name", sorted(said))
    return True


@invariant("DS-ESA-04", traffic=TRAFFIC)
def declared_end_stream_actions_are_the_last_line(exchange: Exchange) -> bool:
    """A response that declares an endStreamAction in its header has exactly one, as its last line."""
    lines = lines_of(exchange)
    if lines is None or "true" not in told(exchange).get(INCLUDE_END, ()):
        return False
    places = [number for number, line in enumerate(lines, start=1) if _is_end(line)]
    expect.equal([len(lines)], places, "the line of the endStreamAction:")
    return True


@invariant("DS-ESA-07", traffic=TRAFFIC)
def requested_end_stream_actions_are_declared(exchange: Exchange) -> bool:
    """An endStreamAction without a token is declared in the header of its response."""
    lines = lines_of(exchange)
    if lines is None or not asks_for_end(exchange):
        return False
    ends = ends_of(lines)
    if not ends or any(end.get(member) for end in ends for member in NEEDED):
        return False
    said = told(exchange).get(INCLUDE_END, frozenset())
    expect.true("true" in said, "includeEndStreamAction=true in the capabilities header", sorted(said) or "no such capability")
    return True


@invariant("DS-EST-07", traffic=TRAFFIC)
def end_stream_failures_are_named_error_message(exchange: Exchange) -> bool:
    """A failure in an endStreamAction is named `errorMessage`."""
    ends = ends_of(lines_of(exchange) or ())
    for end in ends:
        misnamed = sorted(name for name in set(end) - KNOWN if FAILURE.search(name))
        expect.equal([], misnamed, "members of the endStreamAction that name a failure otherwise:")
    return bool(ends)


@check("DS-EST-01", "DS-EST-02", "DS-EST-03")
def end_stream_actions_have_tokens_and_expiry(lab: SharingLab) -> None:
    """Tokens in an endStreamAction are strings, and its time is that of the URL that expires first."""
    found = list(_ends(lab))
    if not found:
        raise NotOffered("no answer ends with an endStreamAction")
    for requirement, member in (("DS-EST-01", "refreshToken"), ("DS-EST-02", "nextPageToken"), ("DS-EST-03", EARLIEST)):
        said = [(end[member], reply) for end, reply in found if end.get(member) is not None]
        if not said:
            lab.skip(requirement, f"no endStreamAction has a {member}")
        for value, reply in said:
            with lab.judge(requirement):
                if member == EARLIEST:
                    _is_earliest(value, reply)
                else:
                    expect.true(isinstance(value, str), f"a text as {member}", value)


def _ends(lab: SharingLab) -> Iterator[tuple[dict[str, Any], Reply]]:
    """Yield the endStreamActions of answers to all who may get one."""
    for table in by_url(lab, MOST_TABLES):
        for body in ({"includeRefreshToken": True}, {"maxFiles": 1}, {"limitHint": 100}):
            for header in (f"{ASKED_FOR[PARQUET]}{WITH_END}", f"{ASKED_FOR[DELTA]}{WITH_END}", ASKED_FOR[PARQUET]):
                reply = ask(lab, table, Question(QUERY, "a query", {"body": body}), header)
                for end in ends_of(reply.lines) if reply.status == 200 else ():
                    yield end, reply


def _is_earliest(said: Any, reply: Reply) -> None:
    """A time is that of the URL in an answer that expires first; the URL of a deletion vector may do so before that of its file."""
    times = [file["expirationTimestamp"] for file in objects(reply.lines, "file") if file.get("expirationTimestamp") is not None]
    if times and any(file.get("deletionVectorFileId") is not None for file in objects(reply.lines, "file")):
        expect.true(is_whole(said) and said <= min(times), f"{EARLIEST} that is not after {min(times)}", said)
    elif times:
        expect.equal(min(times), said, EARLIEST)
