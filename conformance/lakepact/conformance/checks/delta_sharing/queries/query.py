"""Queries: their requests, and the lines of their responses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Exchange,
    Kind,
    NotOffered,
    Placed,
    Reply,
    SharedTable,
    SharingLab,
    Wrong,
    check,
    expect,
    invariant,
    ndjson,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import version_of
from lakepact.conformance.checks.delta_sharing.kit.reading import CHANGING, VERSION, expect_version
from lakepact.conformance.checks.delta_sharing.kit.table_sampling import TWO, by_url, version

JSON = "application/json"
MOST_TABLES = 6

#: Members and parameters that no version of the protocol has.
UNKNOWN_MEMBERS = {"lakepactUnknown": True, "lakepact-unknown": {"a": [1, None]}}
UNKNOWN_PARAMETERS = [("lakepactUnknown", "true"), ("lakepact-unknown", "")]

#: Bodies with a known member of another type, or that are no objects.
WRONG: tuple[Any, ...] = (
    {"limitHint": "many"},
    {"limitHint": [1]},
    {"version": "newest"},
    {"version": {"is": 0}},
    {"timestamp": 5},
    {"startingVersion": "oldest"},
    {"predicateHints": {"a": 1}},
    [],
    [{}],
    "query",
    1,
)


def query(lab: SharingLab, table: SharedTable, body: Any, **options: Any) -> Reply:
    """Return the answer to a query, in either format."""
    headers = [EITHER_FORMAT, *options.pop("headers", ())]
    return lab.send(ndjson.QUERY, body=body, headers=headers, **table.address, **options)


# -- requests --------------------------------------------------------------------------------------


@check("DS-QRY-01")
def content_types_make_no_difference(lab: SharingLab) -> None:
    """A query returns 200 with Content-Type application/json, with or without a charset, and
    without a Content-Type.
    """
    table = by_url(lab)[0]
    with lab.judge_each("DS-QRY-01") as case:
        for media_type in (JSON, f"{JSON}; charset=utf-8", f"{JSON};charset=UTF-8", ""):
            with case():
                reply = query(lab, table, {"limitHint": 1}, headers=[("Content-Type", media_type)])
                expect.status(
                    reply,
                    200,
                    about=f"with Content-Type {media_type}"
                    if media_type
                    else "without Content-Type",
                )


@check("DS-QRY-02")
def empty_queries_return_all_files(lab: SharingLab) -> None:
    """The body {} returns all files of the current version, whose number is in
    `Delta-Table-Version`.
    """
    sizes_by_table = _sizes_of_pack(lab) if lab.knows_content else {}
    is_judged = False
    for table in lab.each(by_url(lab)):
        before = version(lab, table)
        reply = lab.require(query(lab, table, {}), 200)
        if any(end.get("nextPageToken") for end in ndjson.ends_of(reply.lines)):
            continue  # Further pages have the other files.
        if before is None or before != version(lab, table):
            continue  # The table has changed in between.
        is_judged = True
        with lab.judge("DS-QRY-02") as case:
            expect_version(reply, before, f"for {table.name}, whose current version it is,")
            expected_sizes = sizes_by_table.get(str(table.address))
            actual_sizes = sorted(file_sizes(reply.lines))
            if expected_sizes is not None:
                expect.true(
                    actual_sizes == expected_sizes,
                    f"the {len(expected_sizes)} files of {table.name}",
                    f"{len(actual_sizes)} files",
                    at=reply.place(),
                )
            for metadata in ndjson.objects(reply.lines, "metaData"):
                if isinstance(metadata.get("numFiles"), int):
                    with case():
                        expect.true(
                            metadata["numFiles"] == len(actual_sizes),
                            f"numFiles {len(actual_sizes)} in metaData of {table.name}, its number"
                            " of files",
                            metadata["numFiles"],
                            at=metadata.place("numFiles"),
                        )
    if not is_judged:
        raise NotOffered("every answer comes in pages, or every table changes all the time")


def _sizes_of_pack(lab: SharingLab) -> dict[str, list[int]]:
    """Return the file sizes of each table of the fixture pack; one of them changes in a run."""
    return {
        str(table.address): sorted(file["size"] for file in table.last.files)
        for table in lab.manifest.tables.values()
        if table.name != CHANGING
    }


def file_sizes(lines: tuple[Placed, ...]) -> Iterator[int]:
    """Yield the sizes of the files of a snapshot, in either format."""
    for file in ndjson.objects(lines, "file"):
        single = file.get("deltaSingleAction")
        yield int(
            (single.get("add") or {}).get("size", -1)
            if isinstance(single, dict)
            else file.get("size", -1)
        )


def same_as(
    lab: SharingLab,
    requirement: str,
    plain: Callable[[], Reply],
    other: Callable[[], Reply],
    about: str,
) -> None:
    """Check that an addition to a request does not change its answer.

    Raises:
        Blocked: the request is refused without it too.
    """
    lab.require(plain(), 200)
    with lab.judge(requirement):
        expect.status(other(), 200, about=f"for {about}")
        difference = ndjson.differ(plain, other)
        if difference is not None:
            raise ndjson.different(f"the same answer for {about} as without", difference)


@check("DS-QRY-10")
def unknown_members_change_nothing(lab: SharingLab) -> None:
    """Unknown members and query parameters change nothing in the responses to queries and
    changes.
    """
    for table in lab.each(tables_by_url(lab)):
        plain = partial(query, lab, table, {})
        same_as(
            lab,
            "DS-QRY-10",
            plain,
            partial(query, lab, table, UNKNOWN_MEMBERS),
            f"{table.name} with unknown members",
        )
        more = partial(query, lab, table, {}, query=UNKNOWN_PARAMETERS)
        same_as(lab, "DS-QRY-10", plain, more, f"{table.name} with unknown parameters")
        if table.changes and lab.offers(ndjson.CHANGES):
            plain, other = (
                partial(changes, lab, table, query=pairs) for pairs in ([], UNKNOWN_PARAMETERS)
            )
            same_as(
                lab, "DS-QRY-10", plain, other, f"changes of {table.name} with unknown parameters"
            )


def tables_by_url(lab: SharingLab) -> list[SharedTable]:
    """Return some tables of different kinds that are read by URLs."""
    return by_url(lab, MOST_TABLES)


def changes(lab: SharingLab, table: SharedTable, **options: Any) -> Reply:
    """Return the changes of the current version of a table."""
    headers = [EITHER_FORMAT, *options.pop("headers", ())]
    return lab.send(
        ndjson.CHANGES,
        headers=headers,
        starting_version=version(lab, table),
        **table.address,
        **options,
    )


@check("DS-QRY-11")
def members_of_wrong_types_return_400(lab: SharingLab) -> None:
    """A query with a known member of the wrong JSON type, or with a body that is not an object,
    returns 400.
    """
    table = by_url(lab)[0]
    lab.require(query(lab, table, {"limitHint": 1}), 200)
    with lab.judge_each("DS-QRY-11") as case:
        for body in WRONG:
            with case():
                at = f"/{next(iter(body))}" if isinstance(body, dict) else ""
                expect.status(
                    query(lab, table, body),
                    400,
                    about=f"for the body {expect.excerpt(body)}",
                    mutation=Wrong.TYPE(at),
                )
    reply = query(lab, table, {"limitHint": 2**31})
    if reply.status != 400:
        expected = "status 400 for limitHint 2147483648, which does not fit Int32"
        hint, actual = Wrong.VALUE("/limitHint"), f"status {reply.status}"
        lab.warn(
            "DS-QRY-11", expected=expected, actual=actual, expected_status=(400,), mutation=hint
        )


# -- lines of the response -------------------------------------------------------------------------


@invariant("DS-QRY-04", traffic=ndjson.TOUR)
def queries_begin_with_protocol_and_metadata(exchange: Exchange) -> bool:
    """The first line of a response to a query is `protocol` and the second is `metaData`."""
    lines = ndjson.lines_of(exchange, ndjson.QUERY)
    if lines is None or ndjson.is_continued(exchange):
        return False
    kinds = [ndjson.kind_of(line) for line in lines[:2]]
    actual = ", ".join(kind or "?" for kind in kinds) or "no line"
    expect.true(
        kinds == TWO,
        "protocol and metaData as the first two lines",
        actual,
        at=Reply(exchange).place(),
    )
    return True


@invariant("DS-QRY-06", traffic=ndjson.TOUR)
def snapshots_hold_only_files(exchange: Exchange) -> bool:
    """After the first two lines, a response without `startingVersion` has only file lines; in delta
    format each wraps an `add`.
    """
    lines = ndjson.lines_of(exchange, ndjson.QUERY)
    if not lines or ndjson.is_continued(exchange) or "startingVersion" in ndjson.body_of(exchange):
        return False
    _only(lines, {"file"}, "only file lines after the first two lines")
    if ndjson.form_of(lines) == ndjson.DELTA:
        for file in ndjson.objects(lines[2:], "file"):
            at = file.place("deltaSingleAction")
            what = "action in a file line, since the query has no startingVersion:"
            expect.equal("add", ndjson.action_of(file)[0], what, at=at)
    return True


@invariant("DS-QRY-07", traffic=ndjson.TOUR)
def file_changes_hold_only_changes(exchange: Exchange) -> bool:
    """After the first two lines, a response with `startingVersion` has only changed files and
    metaData.
    """
    lines = ndjson.lines_of(exchange, ndjson.QUERY)
    if (
        not lines
        or ndjson.is_continued(exchange)
        or "startingVersion" not in ndjson.body_of(exchange)
    ):
        return False
    allowed = (
        {"metaData", "file"}
        if ndjson.form_of(lines) == ndjson.DELTA
        else {"metaData", "add", "remove", "cdf"}
    )
    if ndjson.body_of(exchange).get("includeHistoricalProtocol") is True:
        allowed.add("protocol")  # Of version 2026-08; in parquet format DS-HPR-03 counts them.
    what = (
        f"only the lines {', '.join(sorted(allowed))} after the first two, since the query has"
        " startingVersion"
    )
    _only(lines, allowed, what)
    if ndjson.form_of(lines) == ndjson.DELTA:
        for file in ndjson.objects(lines[2:], "file"):
            ndjson.action_of(file)
    return True


def _only(lines: tuple[Placed, ...], allowed: set[str], what: str) -> None:
    """Expect lines of some kinds after the first two, and an endStreamAction."""
    others = [line for line in lines[2:] if ndjson.kind_of(line) not in {*allowed, ndjson.END}]
    kinds = ", ".join(sorted({ndjson.kind_of(line) or "?" for line in others}))
    expect.true(
        not others, what, kinds, at=others[0].place() if others else None, kind=Kind.SURPLUS
    )


@invariant("DS-DF-09", traffic=ndjson.TOUR)
def no_line_is_empty(exchange: Exchange) -> bool:
    """A response in lines has no empty line, neither between lines nor at the end."""
    if not ndjson.lines_of(exchange):
        return False
    content_lines = exchange.body.removesuffix(b"\n").split(b"\n")
    empty = [number for number, line in enumerate(content_lines, start=1) if not line.strip()]
    expect.true(
        not empty,
        "no empty line",
        f"line {empty[:1]} of {len(content_lines)} is empty",
        at=Reply(exchange).place(),
    )
    return True


# -- requests of official clients ------------------------------------------------------------------


@check("DS-DF-12")
def spark_parameters_change_nothing(lab: SharingLab) -> None:
    """Queries with `predicateHints` [] and `includeRefreshToken`, and changes with
    `readChangeFeed`, return the same lines.
    """
    for table in lab.each(tables_by_url(lab)):
        options = {"predicateHints": [], "includeRefreshToken": True}
        plain, other = (partial(query, lab, table, body) for body in ({}, options))
        same_as(lab, "DS-DF-12", plain, other, f"{table.name} with empty predicateHints")
        if table.changes and lab.offers(ndjson.CHANGES):
            plain, other = (
                partial(changes, lab, table, query=pairs)
                for pairs in ([], [("readChangeFeed", "true")])
            )
            same_as(lab, "DS-DF-12", plain, other, f"changes of {table.name} with readChangeFeed")


@check("DS-DF-15")
def booleans_are_case_insensitive(lab: SharingLab) -> None:
    """The parameter `includeHistoricalMetadata` with True or TRUE returns 200 and the lines of
    true.
    """
    tables = [table for table in by_url(lab, len(lab.tables())) if table.changes][:MOST_TABLES]
    for table in lab.each(tables):
        start = version(lab, table, "1970-01-01T00:00:00Z")
        plain, *others = (
            partial(
                lab.send,
                ndjson.CHANGES,
                headers=[EITHER_FORMAT],
                starting_version=start,
                query=[("includeHistoricalMetadata", word)],
                **table.address,
            )
            for word in ("true", "True", "TRUE")
        )
        if plain().status == 200:
            for other in lab.each(others):
                same_as(
                    lab,
                    "DS-DF-15",
                    plain,
                    other,
                    f"changes of {table.name} with includeHistoricalMetadata in another case",
                )
    if not lab.verdicts:
        raise NotOffered("no table answers its changes from its first version on")


@check("DS-DF-20")
def jvm_client_headers_are_accepted(lab: SharingLab) -> None:
    """A query with the header `fileidhash` returns 200 and that header; a query with `maxFiles`
    returns 200.
    """
    with lab.judge_each("DS-DF-20") as case:
        for table in by_url(lab, 2):
            for word in ("parquet", "delta"):
                with case():
                    reply = query(lab, table, {"limitHint": 1}, headers=[("fileidhash", word)])
                    expect.status(reply, 200, about=f"with the header fileidhash: {word}")
                    at = reply.header("fileidhash")
                    expect.equal(
                        word,
                        reply.headers.get("fileidhash"),
                        "the header fileidhash of the answer:",
                        at=at,
                    )
            with case():
                page = query(lab, table, {"maxFiles": 1000})
                expect_version, at = version_of(page) is not None, page.header(VERSION)
                expect.true(
                    expect_version,
                    f"Delta-Table-Version for {table.name} with maxFiles",
                    page.summary,
                    at=at,
                )
        for table in tables_by_url(lab):
            if query(lab, table, {"limitHint": 1}).status == 200:
                with case():
                    expect.status(
                        query(lab, table, {"maxFiles": 1}),
                        200,
                        about=f"for {table.name} with maxFiles",
                    )
