"""Pages of files: the pages of a query with maxFiles equal the answer without it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from lakepact.conformance.checks.delta_sharing.api import (
    Document,
    NotOffered,
    Reply,
    SharingLab,
    Wrong,
    check,
    expect,
    ndjson,
    place_of,
    reading,
)
from lakepact.conformance.checks.delta_sharing.kit.target_tables import CHANGING
from lakepact.conformance.checks.delta_sharing.queries.changes import PLAIN
from lakepact.conformance.checks.delta_sharing.queries.refresh import WRITABLE, grow
from lakepact.conformance.fixtures.manifest import PackTable
from lakepact.conformance.rows import comparison
from lakepact.conformance.rows.lines import Answer

MOST_EVER = 1000  #: pages of one answer; a server that returns more repeats itself
#: Tables of the pack, and how many files their pages may hold.
PAGED = (("partitioned", 2), ("measurements", 3), ("deletion_vectors", 1), ("many_files", 400))
CHANGES_PAGED = (PLAIN, "changes_partitioned")
HINT = "year >= 9"  #: on `measurements`; a server that supports hints leaves out some files
FORGED = "lakepact-forged"


def token_of(answer: Answer) -> str:
    """Return the token of the page that follows an answer, empty where there is none."""
    token = (answer.end or {}).get("nextPageToken")
    return token if isinstance(token, str) else ""


def pages(ask: Callable[[Document], Reply], about: str) -> Iterator[Answer]:
    """Yield the pages of an answer, each requested with the token of the previous one.

    Raises:
        Unmet: a page is refused, or the pages do not end.
    """
    tokens: set[str] = set()
    position: Document = {}
    while True:
        answer = reading.parse(ask(position), f"for page {len(tokens) + 1} of {about}")
        yield answer
        token = token_of(answer)
        if not token:
            return
        if token in tokens or len(tokens) > MOST_EVER:
            actual = (
                "a nextPageToken for the second time"
                if token in tokens
                else f"more than {MOST_EVER} pages"
            )
            raise expect.unmet(
                f"a last page of {about}", actual, at=place_of(answer.end, "nextPageToken")
            )
        tokens.add(token)
        position = {"token": token}


def in_pages(lab: SharingLab, table: PackTable, most: int, **body: Any) -> list[Answer]:
    """Return the pages of a query."""

    def ask(position: Document) -> Reply:
        token = {"pageToken": position["token"]} if position else {}
        return reading.query(lab, table, {**body, "maxFiles": most, **token})

    return list(pages(ask, f"{table.name} with {most} files each"))


def files_of(answers: Iterable[Answer]) -> list[Any]:
    """Return the identities of all files of some answers, sorted."""
    return reading.identities_of(file for answer in answers for file in answer.files)


@check("DS-QRY-09")
def pages_hold_every_file_once(lab: SharingLab) -> None:
    """The pages of a query with `maxFiles` together have every file of the response without it,
    exactly once, with its deletion vector.
    """
    _need_pages(lab)
    for name, most in lab.each(PAGED):
        table = lab.fixture(name)
        if table.features and not lab.feature("delta-format"):
            continue
        reply = reading.query(lab, table)
        if table.unusual and 400 <= reply.status < 500:
            continue  # a server may refuse tables with features
        whole = [reading.parse(lab.require(reply, 200))]
        if token_of(whole[0]):
            continue  # The answer comes in pages also without maxFiles.
        with lab.judge("DS-QRY-09"):
            expected, actual_files = files_of(whole), files_of(in_pages(lab, table, most))
            what = (
                f"{len(expected)} files on the pages of {name} with maxFiles {most}, each of them"
                " once and with its deletion vector"
            )
            others = sum(file not in actual_files for file in expected)
            actual = f"{len(actual_files)} files, {others} missing or without it"
            expect.true(expected == actual_files, what, actual, at=None)  # on several pages


@check("DS-QRY-08", "DS-CAP-04")
def later_pages_keep_version_and_format(lab: SharingLab) -> None:
    """The second page of a query has the `Delta-Table-Version` of the first page and the requested
    format.
    """
    _need_pages(lab)
    table = lab.fixture("partitioned")
    for form in lab.each(reading.formats(lab, table)):
        for body in lab.each(
            ({"maxFiles": 1}, {"maxFiles": 1, "version": table.readable[0].version})
        ):
            first = reading.query(lab, table, body, form=form)
            token = token_of(reading.parse(first)) if first.status == 200 else ""
            second = (
                reading.query(lab, table, {**body, "pageToken": token}, form=form)
                if token
                else first
            )
            if second is first or second.status != 200:
                continue  # The query has one page, or DS-QRY-09 fails for the second one.
            about = (
                f"for the second page of {expect.excerpt(body)} of {table.name} in {form} format"
            )
            with lab.judge("DS-QRY-08"):
                reading.expect_version(second, reading.version_header(first), about)
            with lab.judge("DS-CAP-04"):
                expect.equal(
                    form, ndjson.form_of(second.lines), f"{about} the format", at=second.place(0)
                )
    if not lab.verdicts:
        raise NotOffered("no query is answered on a second page")


@check("DS-HNT-03")
def pages_hold_every_matching_row(lab: SharingLab) -> None:
    """The pages of a query with `predicateHints` and `maxFiles` hold every matching row."""
    _need_pages(lab)
    table = lab.fixture("measurements")
    expected = [row for row in table.last.rows.to_pylist() if (row["year"] or 0) >= 9]
    with lab.judge("DS-HNT-03"):
        actual = [
            row
            for answer in in_pages(lab, table, 1, predicateHints=[HINT])
            for row in reading.rows(lab, answer)
        ]
        comparison.includes(expected, actual, f"for the hint {HINT} on pages of one file")


@check("DS-QRY-09", alone=True)
def pages_are_of_one_version(lab: SharingLab) -> None:
    """The pages of a query have the rows of the first page's version, also if the table grows
    between two pages.
    """
    _need_pages(lab)
    table = lab.fixture(CHANGING)
    if lab.target.parameters.get(WRITABLE) != "yes":
        raise NotOffered(f"no table of the target can grow: --parameter {WRITABLE}=yes")
    whole = reading.parse(lab.require(reading.query(lab, table), 200))
    if len(whole.files) < 2 and grow(lab, table):
        whole = reading.parse(lab.require(reading.query(lab, table), 200))
    first = reading.parse(lab.require(reading.query(lab, table, {"maxFiles": 1}), 200))
    if not token_of(first) or not grow(lab, table):
        raise NotOffered("the table has one page, or the target does not show its new version")

    second = reading.query(lab, table, {"maxFiles": 1, "pageToken": token_of(first)})
    if 400 <= second.status < 500:
        raise NotOffered("the target refuses further pages of a table that has changed")
    with lab.judge("DS-QRY-09"):

        def ask(position: Document) -> Reply:
            return reading.query(
                lab, table, {"maxFiles": 1, "pageToken": position.get("token", token_of(first))}
            )

        files = [
            *first.files,
            *(file for answer in pages(ask, f"{table.name}, which grew") for file in answer.files),
        ]
        what = f"the rows on the pages of {table.name}, which grew after the first one"
        comparison.same(reading.rows(lab, whole), reading.rows(lab, whole, files), what)


@check("DS-CDF-10", "DS-CDF-07")
def pages_hold_every_change_once(lab: SharingLab) -> None:
    """The pages of changes together have every changed file of the unpaged response exactly once,
    and its later metaData.
    """
    has_pages = False
    for name in lab.each(CHANGES_PAGED):
        table = lab.fixture(name)
        request = partial(_changes, lab, table)
        whole = reading.parse(lab.require(request({}), 200))
        for most in lab.each((1, 2)):
            first = reading.parse(lab.require(request({"max_files": most}), 200))
            if not token_of(first) or token_of(whole):
                continue
            has_pages = True
            what = f"pages of {most} of the changes of {name}"
            answers: list[Answer] = []
            with lab.judge("DS-CDF-10"):
                answers += pages(partial(_page_of_changes, request, most), what)
                expected, actual = files_of([whole]), files_of(answers)
                text = f"{len(expected)} changed files on all pages, each of them once, for {what}"
                expect.true(
                    expected == actual, text, f"{len(actual)} of them", at=None
                )  # on several pages
            with lab.judge("DS-CDF-07"):
                later = [line.get("version") for line in whole.historical]
                actual = [line.get("version") for answer in answers for line in answer.historical]
                expect.equal(
                    later, actual, f"the versions of later metaData on {what}", at=None
                )  # on several pages
    if not has_pages:
        raise NotOffered("changes do not come in pages")


def _changes(lab: SharingLab, table: PackTable, more: Document) -> Reply:
    """Return all changes of a table, with later metadata, or a page of them."""
    return reading.query_changes(
        lab, table, {"starting_version": 0, "include_historical_metadata": True, **more}
    )


def _page_of_changes(request: Callable[[Document], Reply], most: int, position: Document) -> Reply:
    return request({"max_files": most, **({"page_token": position["token"]} if position else {})})


@check("DS-TTV-07")
def pages_hold_every_changed_file_once(lab: SharingLab) -> None:
    """The pages of a query with `startingVersion` together have every file of the unpaged response
    exactly once.
    """
    _need_pages(lab)
    has_pages = False
    for name in lab.each(("partitioned", PLAIN)):
        table = lab.fixture(name)
        whole = reading.parse(lab.require(reading.query(lab, table, {"startingVersion": 0}), 200))
        first = reading.query(lab, table, {"startingVersion": 0, "maxFiles": 1})
        if first.status != 200 or not token_of(reading.parse(first)) or token_of(whole):
            continue
        has_pages = True
        with lab.judge("DS-TTV-07"):
            expected = files_of([whole])
            actual = files_of(in_pages(lab, table, 1, startingVersion=0))
            what = f"{len(expected)} files that changed on all pages of {name}, each of them once"
            expect.true(
                expected == actual, what, f"{len(actual)} of them", at=None
            )  # on several pages
    if not has_pages:
        raise NotOffered("queries with startingVersion do not come in pages")


@check("DS-EST-02")
def query_page_tokens_are_bound_to_their_query(lab: SharingLab) -> None:
    """A query with an unknown `pageToken`, or with one of another table's query, is refused (a
    warning if it returns 200).
    """
    _need_pages(lab)
    table = lab.fixture("partitioned")
    token = token_of(reading.parse(lab.require(reading.query(lab, table, {"maxFiles": 1}), 200)))
    # `times` has the version of the token.
    others = [
        (f"a token of {table.name}", lab.fixture(name), token) for name in ("measurements", "times")
    ]
    for what, other_table, page_token in (
        (f"the token {expect.excerpt(FORGED)}", table, FORGED),
        *others,
    ):
        reply = (
            reading.query(lab, other_table, {"maxFiles": 1, "pageToken": page_token})
            if page_token
            else None
        )
        if reply is not None and reply.status == 200:
            expected = f"a 4xx status for a query of {other_table.name} with {what}"
            forgery, actual = Wrong.SYNTAX("/pageToken"), f"status {reply.status}"
            lab.warn("DS-EST-02", expected=expected, actual=actual, mutation=forgery)
    lab.note("DS-EST-02", "")


def _need_pages(lab: SharingLab) -> None:
    """Require that the target answers queries in pages.

    Raises:
        NotOffered: it does not.
    """
    if not lab.feature("query-pages"):
        raise NotOffered("the target does not answer queries in pages")
