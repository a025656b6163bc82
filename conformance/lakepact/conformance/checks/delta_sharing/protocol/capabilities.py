"""Capabilities: the features that a client names select the format of its answers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from lakepact.conformance.checks.delta_sharing.api import (
    CAPABILITIES,
    EITHER_FORMAT,
    Exchange,
    NotOffered,
    Reply,
    SharedTable,
    SharingLab,
    Wrong,
    check,
    expect,
    invariant,
    ndjson,
    op,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import version_of
from lakepact.conformance.checks.delta_sharing.kit.catalog import ONE_FORMAT, READER_FEATURES
from lakepact.conformance.checks.delta_sharing.kit.table_sampling import (
    Question,
    ask,
    by_url,
    sample_tables,
)
from lakepact.conformance.rows.lines import Answer, parse

MOST_TABLES = 5  #: that are queried with many headers
FORMATS = frozenset({ndjson.PARQUET, ndjson.DELTA})

#: Ways to write one header: each list means the same.
SPELLINGS = (
    (
        "responseformat=parquet",
        "ResponseFormat=Parquet",
        "RESPONSEFORMAT=PARQUET",
        "unknown=1;responseformat=parquet",
    ),
    (
        f"responseformat=delta;readerfeatures={READER_FEATURES}",
        f"ResponseFormat=Delta;ReaderFeatures={READER_FEATURES.upper()}",
        f"RESPONSEFORMAT=DELTA;READERFEATURES={READER_FEATURES}",
        f"readerfeatures={READER_FEATURES};responseformat=delta",
        f"unknown=1,2;responseformat=delta;readerfeatures={READER_FEATURES}",
    ),
)

#: A header with a space behind the semicolon, as in other headers of HTTP.
SPACED = f"responseformat=delta; readerfeatures={READER_FEATURES}"

BOTH_ALONE = "responseformat=delta,parquet"
UNKNOWN_FORMAT = "responseformat=avro"

#: A client that lacks a reader feature of the table.
NOT_ALL = Wrong.MISSING("readerfeatures")

#: Headers that name no response format.
WITHOUT_FORMAT = (None, f"readerfeatures={READER_FEATURES}", "includeendstreamaction=false")


def questions(lab: SharingLab, table: SharedTable) -> Iterator[Question]:
    """Yield the three operations that are answered in lines, as far as a table has them."""
    yield Question(ndjson.METADATA, "metadata", {})
    if "url" in table.access_modes:
        yield Question(ndjson.QUERY, "a query", {"body": {"limitHint": 100}})
        if table.changes and lab.offers(ndjson.CHANGES):
            current = version_of(lab.send(op.get_table_version, **table.address))
            yield Question(ndjson.CHANGES, "changes", {"starting_version": current})


@check("DS-CAP-01")
def capabilities_are_case_insensitive(lab: SharingLab) -> None:
    """Capabilities are accepted in any case and order, among unknown ones."""
    for table in lab.each(sample_tables(lab, MOST_TABLES)):
        for question in lab.each(questions(lab, table)):
            for first, *others in lab.each(SPELLINGS):
                plain = partial(ask, lab, table, question, first)
                for header in lab.each(others):
                    with lab.judge("DS-CAP-01"):
                        difference = ndjson.differ(
                            plain, partial(ask, lab, table, question, header)
                        )
                        about = (
                            f"{question.what} of {table.name} for `{header[:60]}` to be that for"
                            f" `{first[:60]}`"
                        )
                        if difference is not None:
                            raise ndjson.different(about, difference)
            # The protocol does not mention spaces, and every other header allows them.
            difference = ndjson.differ(
                partial(ask, lab, table, question, SPELLINGS[1][0]),
                partial(ask, lab, table, question, SPACED),
            )
            if difference is not None:
                about = (
                    f"{question.what} of {table.name} with a space behind the semicolon to be that"
                    " without"
                )
                unmet = ndjson.different(about, difference)
                lab.warn("DS-CAP-01", expected=unmet.expected, actual=unmet.actual)


@check("DS-CAP-02")
def capabilities_apply_to_every_operation(lab: SharingLab) -> None:
    """A table whose metadata is returned in delta format on request also has queries and changes in
    it.
    """
    is_judged = False
    for table in lab.each(sample_tables(lab)):
        if (
            form_or_empty(
                ask(lab, table, Question(ndjson.METADATA, "metadata", {}), ONE_FORMAT[ndjson.DELTA])
            )
            != ndjson.DELTA
        ):
            continue
        for question in lab.each(questions(lab, table)):
            if question.operation != ndjson.METADATA:
                is_judged = True
                with lab.judge("DS-CAP-02"):
                    reply = ask(lab, table, question, ONE_FORMAT[ndjson.DELTA])
                    form = form_or_empty(reply)
                    what = f"{question.what} of {table.name} in delta format, like metadata"
                    expect.true(
                        form in {ndjson.DELTA, ""}, what, form, at=reply.place(0, "protocol")
                    )
    if not is_judged:
        raise NotOffered("no table that is read by URLs is answered in delta format")


def form_or_empty(reply: Reply) -> str:
    """Return the format of an answer; empty for a refusal."""
    return ndjson.form_of(reply.lines) if reply.status == 200 else ""


@invariant("DS-CAP-03", traffic=("protocol.capabilities.no_format_returns_parquet",))
def parquet_format_is_the_default(exchange: Exchange) -> bool:
    """A client that names no response format gets parquet format."""
    lines = ndjson.lines_of(exchange)
    if not lines or ndjson.request_formats(exchange):
        return False
    expect.equal(
        ndjson.PARQUET,
        ndjson.form_of(lines),
        "format for who names none:",
        at=lines[0].place("protocol"),
    )
    return True


@invariant("DS-CAP-04", traffic=ndjson.TOUR)
def the_named_format_is_returned(exchange: Exchange) -> bool:
    """A client that names one response format does not get the other."""
    lines, formats = ndjson.lines_of(exchange), ndjson.request_formats(exchange)
    if not lines or len(formats) != 1 or not formats <= FORMATS:
        return False
    expect.equal(
        min(formats),
        ndjson.form_of(lines),
        "format of the answer:",
        at=lines[0].place("protocol"),
    )
    return True


@check("DS-CAP-03", "DS-RDF-01")
def no_format_returns_parquet(lab: SharingLab) -> None:
    """A request without a response format returns parquet format or is refused, whatever reader
    features it has.
    """
    for table in lab.each(sample_tables(lab)):
        for question in lab.each(questions(lab, table)):
            for header in lab.each(WITHOUT_FORMAT):
                with lab.judge("DS-CAP-03"):
                    reply = ask(lab, table, question, header)
                    ndjson.expect_format_or_refusal(
                        reply,
                        ndjson.PARQUET,
                        f"for {question.what} of {table.name} with {_header_text(header)}",
                    )
            with lab.judge_each("DS-RDF-01") as case:
                plain = partial(ask, lab, table, question, ONE_FORMAT[ndjson.PARQUET])
                for features in (READER_FEATURES, "deletionvectors", "unknown"):
                    with case():
                        difference = ndjson.differ(
                            plain,
                            partial(
                                ask,
                                lab,
                                table,
                                question,
                                f"{ONE_FORMAT[ndjson.PARQUET]};readerfeatures={features}",
                            ),
                        )
                        if difference is not None:
                            about = (
                                f"{question.what} of {table.name} with"
                                f" readerfeatures={features[:40]} to be that without"
                            )
                            raise ndjson.different(about, difference)


def _header_text(header: str | None) -> str:
    return f"`{header[:60]}`" if header else "no capabilities"


# -- both formats ----------------------------------------------------------------------------------


@check("DS-CAP-05")
def either_format_has_the_same_files(lab: SharingLab) -> None:
    """A client that names both formats for a table without reader features gets one of them, with
    the same files.
    """
    tables = [table for table in by_url(lab, len(lab.tables())) if not table.reader_features][
        :MOST_TABLES
    ]
    if not tables:
        raise NotOffered("every table has reader features")
    for table in lab.each(tables):
        query = Question(ndjson.QUERY, "a query", {"body": {}})
        replies = {form: ask(lab, table, query, header) for form, header in ONE_FORMAT.items()}
        # A client that supports both formats but no reader feature can read a table without reader
        # features.
        bare = (BOTH_ALONE,) if table.format == ndjson.PARQUET else ()
        for header in lab.each(
            (
                EITHER_FORMAT[1],
                f"responseformat=parquet,delta;readerfeatures={READER_FEATURES}",
                *bare,
            )
        ):
            with lab.judge("DS-CAP-05") as case:
                reply = ask(lab, table, query, header)
                expect.status(reply, 200, about=f"for {table.name} and `{header[:40]}`")
                for form, alone in replies.items():
                    files = _files(alone)
                    # A table that has changed in between has other files.
                    if files is not None and version_of(alone) == version_of(reply):
                        with case():
                            what = (
                                f"sizes of the files of {table.name}, which are those in {form}"
                                " format:"
                            )
                            expect.equal(files, _files(reply), what, at=reply.place())


def _files(reply: Reply) -> list[Any] | None:
    """Return the sizes of the files of an answer, which do not depend on its format; ids may."""
    return (
        sorted(str(file.size) for file in parse(reply.lines).files) if reply.status == 200 else None
    )


def features_in_use(answer: Answer) -> frozenset[str]:
    """Return the reader features that an answer in delta format uses, in lower case."""
    features = set()
    if answer.mapping != "none":
        features.add("columnmapping")
    if any(file.vector for file in answer.files):
        features.add("deletionvectors")
    if '"timestamp_ntz"' in str(answer.metadata.get("schemaString")):
        features.add("timestampntz")
    return frozenset(features)


def in_need(lab: SharingLab) -> Iterator[tuple[SharedTable, frozenset[str]]]:
    """Yield tables that use reader features, with these features.

    Raises:
        NotOffered: there are none.
    """
    has_any = False
    query = Question(ndjson.QUERY, "a query", {"body": {}})
    for table in by_url(lab, len(lab.tables())):
        if not table.reader_features:
            continue
        reply = ask(lab, table, query, ONE_FORMAT[ndjson.DELTA])
        features = (
            features_in_use(parse(reply.lines))
            if form_or_empty(reply) == ndjson.DELTA
            else frozenset[str]()
        )
        if features:
            has_any = True
            yield table, features
    if not has_any:
        raise NotOffered("no table was found that uses a reader feature")


@check("DS-CAP-06", "DS-RDF-02")
def reader_features_need_delta_format(lab: SharingLab) -> None:
    """A table with reader features is returned in delta format to a client that names all of them;
    a client that lacks one gets 4xx.
    """
    for table, features in lab.each(in_need(lab)):
        for question in lab.each(questions(lab, table)):
            if question.operation == ndjson.CHANGES:
                # Changes of a range of versions may use fewer features than the current snapshot.
                continue
            about = f"for {question.what} of {table.name}, which uses {', '.join(sorted(features))}"
            for header in lab.each(
                (EITHER_FORMAT[1], f"responseformat=parquet,delta;readerfeatures={READER_FEATURES}")
            ):
                with lab.judge("DS-CAP-06"):
                    reply = ask(lab, table, question, header)
                    expect.status(reply, 200, about=about)
                    expect.equal(
                        ndjson.DELTA,
                        ndjson.form_of(reply.lines),
                        f"{about} the format",
                        at=reply.place(0, "protocol"),
                    )
            for lacking in lab.each(sorted(features)):
                others = ",".join(f for f in READER_FEATURES.split(",") if f != lacking)
                with lab.judge("DS-RDF-02"):
                    reply = ask(
                        lab, table, question, f"responseformat=delta;readerfeatures={others}"
                    )
                    expect.client_error(
                        reply, about=f"{about}, by a client without {lacking}", mutation=NOT_ALL
                    )
            with lab.judge("DS-RDF-02"):
                reply = ask(lab, table, question, BOTH_ALONE)
                expect.client_error(
                    reply, about=f"{about}, by a client that names none", mutation=NOT_ALL
                )


# -- capabilities of answers -----------------------------------------------------------------------


@check("DS-CAP-04")
def unknown_formats_are_refused_or_parquet(lab: SharingLab) -> None:
    """A request with an unknown response format is refused or returns parquet format."""
    for table in lab.each(by_url(lab, 2)):
        for question in lab.each(questions(lab, table)):
            reply = ask(lab, table, question, UNKNOWN_FORMAT)
            with lab.judge("DS-CAP-04"):
                ndjson.expect_format_or_refusal(
                    reply,
                    ndjson.PARQUET,
                    f"for {question.what} of {table.name} with {_header_text(UNKNOWN_FORMAT)}",
                )


@invariant(
    "DS-CAP-10",
    traffic=(*ndjson.TOUR, "protocol.capabilities.unknown_formats_are_refused_or_parquet"),
)
def responses_name_their_format(exchange: Exchange) -> bool:
    """The capabilities header of a response names its format."""
    lines = ndjson.lines_of(exchange)
    if not lines:
        return False
    formats = ndjson.response_capabilities(exchange).get(ndjson.RESPONSE_FORMAT, frozenset())
    at = Reply(exchange).header(CAPABILITIES)
    expect.equal(
        [ndjson.form_of(lines)],
        sorted(formats),
        "responseformat in the capabilities header of the answer:",
        at=at,
    )
    return True


@invariant("DS-DF-04", traffic=ndjson.TOUR)
def responses_name_their_format_in_lower_case(exchange: Exchange) -> bool:
    """If the capabilities header of a response names the format, it is in lower case."""
    text = exchange.headers.get(CAPABILITIES, "")
    if (
        ndjson.lines_of(exchange) is None
        or not ndjson.response_capabilities(exchange).get(ndjson.RESPONSE_FORMAT, frozenset())
        & FORMATS
    ):
        return False
    is_lower = any(f"{ndjson.RESPONSE_FORMAT}={form}" in text for form in FORMATS)
    expect.true(
        is_lower,
        "responseformat=parquet or responseformat=delta",
        text,
        at=Reply(exchange).header(CAPABILITIES),
    )
    return True
