"""The endStreamAction of an answer in lines: when there is one, and its members."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lakepact.conformance.checks.delta_sharing.api import (
    CAPABILITIES,
    Exchange,
    Kind,
    Members,
    NotOffered,
    Placed,
    Reply,
    SharingLab,
    check,
    expect,
    invariant,
    ndjson,
)
from lakepact.conformance.checks.delta_sharing.kit.catalog import ONE_FORMAT
from lakepact.conformance.checks.delta_sharing.kit.table_sampling import (
    WITH_END,
    Question,
    ask,
    by_url,
)

TRAFFIC = (*ndjson.TOUR, "lines.end_stream.end_stream_actions_have_tokens_and_expiry")
MOST_TABLES = 4
EARLIEST = "minUrlExpirationTimestamp"

#: Names of members that may report a failure, but which clients do not read: the protocol's own is
#: errorMessage.
FAILURE = re.compile(r"(?i)error|message|fail|^endStreamAction$")
#: The members that the protocol has.
KNOWN = frozenset({"refreshToken", "nextPageToken", EARLIEST, "errorMessage"})

#: Conditions that require an endStreamAction: requested tokens, and failures.
NEEDED = ("refreshToken", "nextPageToken", "errorMessage")


def _is_end(line: Members) -> bool:
    """Return whether a line has an endStreamAction of any type; null is none."""
    return line.get(ndjson.END) is not None


@invariant("DS-ESA-02", traffic=TRAFFIC)
def end_stream_actions_are_requested_or_have_a_token(exchange: Exchange) -> bool:
    """A response to a client that did not request an endStreamAction has one only with a token or
    an errorMessage in it.
    """
    lines = ndjson.lines_of(exchange)
    if not lines or ndjson.asks_for_end(exchange):
        return False
    for end in ndjson.ends_of(lines):
        what = (
            f"no endStreamAction, or one with {' or '.join(NEEDED)}, since the client did not"
            " request it"
        )
        has_need = any(end.get(member) for member in NEEDED)
        actual = f"one with {expect.excerpt(sorted(end))}"
        expect.true(has_need, what, actual, at=end.place(), kind=Kind.SURPLUS)
    return True


@invariant("DS-DF-05", traffic=TRAFFIC)
def plain_clients_get_no_end_stream_action(exchange: Exchange) -> bool:
    """A response to a client that requested neither an endStreamAction nor tokens nor pages has no
    endStreamAction.
    """
    lines = ndjson.lines_of(exchange)
    parameters = {**ndjson.parameters_of(exchange), **ndjson.body_of(exchange)}
    if (
        not lines
        or ndjson.asks_for_end(exchange)
        or ndjson.is_continued(exchange)
        or "maxFiles" in parameters
        or parameters.get("includeRefreshToken")
    ):
        return False
    end = next(filter(_is_end, lines), None)
    what = "no endStreamAction, since the client did not request it"
    expect.true(
        end is None,
        what,
        f"one among {len(lines)} lines",
        at=end.place(ndjson.END) if end else None,
        kind=Kind.SURPLUS,
    )
    return True


@invariant("DS-ESA-03", traffic=TRAFFIC)
def missing_end_stream_actions_are_not_declared(exchange: Exchange) -> bool:
    """A response without an endStreamAction has no `includeEndStreamAction=true` in its
    capabilities header.
    """
    lines = ndjson.lines_of(exchange)
    if not lines or any(map(_is_end, lines)):
        return False
    declared = ndjson.response_capabilities(exchange).get(ndjson.INCLUDE_END, frozenset())
    what = (
        "includeEndStreamAction=false in the capabilities header, or nothing, since no line has an"
        " endStreamAction"
    )
    expect.true(
        declared <= {"false"}, what, sorted(declared), at=Reply(exchange).header(CAPABILITIES)
    )
    return True


@invariant("DS-ESA-04", traffic=TRAFFIC)
def declared_end_stream_actions_are_the_last_line(exchange: Exchange) -> bool:
    """A response with `includeEndStreamAction=true` in its header has exactly one endStreamAction,
    as its last line.
    """
    lines = ndjson.lines_of(exchange)
    if lines is None or "true" not in ndjson.response_capabilities(exchange).get(
        ndjson.INCLUDE_END, ()
    ):
        return False
    places = [number for number, line in enumerate(lines, start=1) if _is_end(line)]
    at = Reply(exchange).place(places[0] - 1 if places else max(0, len(lines) - 1), ndjson.END)
    expect.equal([len(lines)], places, "the line of the endStreamAction:", at=at)
    return True


@invariant("DS-ESA-07", traffic=TRAFFIC)
def requested_end_stream_actions_are_declared(exchange: Exchange) -> bool:
    """A response with a requested endStreamAction without a token has `includeEndStreamAction=true`
    in its header.
    """
    lines = ndjson.lines_of(exchange)
    if lines is None or not ndjson.asks_for_end(exchange):
        return False
    ends = ndjson.ends_of(lines)
    if not ends or any(end.get(member) for end in ends for member in NEEDED):
        return False
    declared = ndjson.response_capabilities(exchange).get(ndjson.INCLUDE_END, frozenset())
    what = (
        "includeEndStreamAction=true in the capabilities header, since the answer ends with an"
        " endStreamAction"
    )
    expect.true(
        "true" in declared,
        what,
        sorted(declared) or "no such capability",
        at=Reply(exchange).header(CAPABILITIES),
    )
    return True


@invariant("DS-EST-07", traffic=TRAFFIC)
def end_stream_failures_are_named_error_message(exchange: Exchange) -> bool:
    """An endStreamAction reports a failure in the member `errorMessage`, under no other name."""
    ends = ndjson.ends_of(ndjson.lines_of(exchange) or ())
    for end in ends:
        wrong_names = sorted(name for name in set(end) - KNOWN if FAILURE.search(name))
        what = (
            "members of the endStreamAction that report a failure under another name than"
            " errorMessage:"
        )
        expect.equal([], wrong_names, what, at=end.place(*wrong_names[:1]))
    return bool(ends)


@check("DS-EST-01", "DS-EST-02", "DS-EST-03")
def end_stream_actions_have_tokens_and_expiry(lab: SharingLab) -> None:
    """Tokens in an endStreamAction are strings, and `minUrlExpirationTimestamp` is the time at
    which the first URL expires.
    """
    ends = list(_ends(lab))
    if not ends:
        raise NotOffered("no answer ends with an endStreamAction")
    for requirement, member in lab.each(
        (("DS-EST-01", "refreshToken"), ("DS-EST-02", "nextPageToken"), ("DS-EST-03", EARLIEST))
    ):
        having = [(end, reply) for end, reply in ends if end.get(member) is not None]
        if not having:
            lab.skip(requirement, f"no endStreamAction has a {member}")
        for end, reply in lab.each(having):
            with lab.judge(requirement):
                if member == EARLIEST:
                    _expect_earliest(end, reply)
                else:
                    expect.true(
                        isinstance(end[member], str),
                        f"a string as {member}",
                        end[member],
                        at=end.place(member),
                        kind=Kind.TYPE,
                    )


def _ends(lab: SharingLab) -> Iterator[tuple[Placed, Reply]]:
    """Yield the endStreamActions of answers, with and without a request for them."""
    for table in by_url(lab, MOST_TABLES):
        for body in ({"includeRefreshToken": True}, {"maxFiles": 1}, {"limitHint": 100}):
            for header in (
                f"{ONE_FORMAT[ndjson.PARQUET]}{WITH_END}",
                f"{ONE_FORMAT[ndjson.DELTA]}{WITH_END}",
                ONE_FORMAT[ndjson.PARQUET],
            ):
                reply = ask(lab, table, Question(ndjson.QUERY, "a query", {"body": body}), header)
                for end in ndjson.ends_of(reply.lines) if reply.status == 200 else ():
                    yield end, reply


def _expect_earliest(end: Placed, reply: Reply) -> None:
    """Expect the time at which the first URL of an answer expires; the URL of a deletion vector may
    expire before that of its file.
    """
    earliest, at = end[EARLIEST], end.place(EARLIEST)
    times = [
        file["expirationTimestamp"]
        for file in ndjson.objects(reply.lines, "file")
        if file.get("expirationTimestamp") is not None
    ]
    if times and any(
        file.get("deletionVectorFileId") is not None for file in ndjson.objects(reply.lines, "file")
    ):
        expect.true(
            ndjson.is_whole(earliest) and earliest <= min(times),
            f"{EARLIEST} of at most {min(times)}",
            earliest,
            at=at,
        )
    elif times:
        expect.equal(min(times), earliest, EARLIEST, at=at)
