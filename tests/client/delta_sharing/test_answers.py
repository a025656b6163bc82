"""Answers about tables: what is asked, what is read from the lines, and what is refused, in both response formats."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone

import httpx
import pytest

from lakepact.client import BadReply, DamagedData, NoSuchTable, NotOffered, QueryFailed, ServerTrouble, Unreachable, UpgradeNeeded, column

from .serving import (
    DELTA_PROTOCOL,
    END,
    PROTOCOL,
    SIGNATURE,
    Desk,
    delta_file,
    delta_metadata,
    file,
    lines,
    metadata,
    signed,
)

CAPABILITIES = (
    "responseformat=delta,parquet;readerfeatures=deletionvectors,columnmapping,timestampntz,typewidening;includeendstreamaction=true"
)
PARQUET = (PROTOCOL, metadata())
DELTA = (DELTA_PROTOCOL, delta_metadata())


def ids(files):
    return [each.id for each in files]


# What is asked.


def test_a_version_is_asked_for_and_read_from_its_header(table):
    desk = Desk(version=httpx.Response(200, headers={"DELTA-TABLE-VERSION": "12"}))

    assert table(desk).version() == 12
    assert desk.requests[0].url.query == b""


@pytest.mark.parametrize(
    ("moment", "sent"),
    [
        (datetime(2022, 1, 1, tzinfo=UTC), "2022-01-01T00:00:00Z"),
        (datetime(2022, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), "2022-01-01T00:00:00Z"),
        (datetime(2022, 1, 1, 0, 0, 0, 1500, tzinfo=UTC), "2022-01-01T00:00:00.001500Z"),
        ("2022-01-01T00:00:00Z", "2022-01-01T00:00:00Z"),
    ],
)
def test_a_moment_is_sent_in_utc(table, moment, sent):
    desk = Desk(version=httpx.Response(200, headers={"Delta-Table-Version": "1"}))

    table(desk).version(starting_timestamp=moment)

    assert dict(desk.requests[0].url.params) == {"startingTimestamp": sent}


def test_a_moment_without_a_zone_is_refused(table):
    with pytest.raises(ValueError, match="needs a time zone"):
        table(Desk()).version(starting_timestamp=datetime(2022, 1, 1))  # noqa: DTZ001 - that is what is refused


@pytest.mark.parametrize("headers", [{}, {"Delta-Table-Version": "-1"}, {"Delta-Table-Version": "one"}])
def test_a_reply_without_a_version_is_a_bad_reply(table, headers):
    with pytest.raises(BadReply, match="Delta-Table-Version"):
        table(Desk(version=httpx.Response(200, headers=headers))).version()


def test_an_answer_is_asked_for_with_an_empty_object_and_the_capabilities(table):
    """DS-QRY-03, DS-ESA-01."""
    desk = Desk(query=lines(*PARQUET), changes=lines(*PARQUET), metadata=lines(*PARQUET))

    table(desk).query(starting_version=0).close()
    table(desk).files()
    table(desk).changes(starting_version=0).close()
    table(desk).metadata()

    assert desk.bodies == [{"startingVersion": 0}, {"includeRefreshToken": True}]
    assert {request.headers["delta-sharing-capabilities"] for request in desk.requests} == {CAPABILITIES}


def test_what_is_wanted_of_a_snapshot_is_asked_for(table):
    """DS-HNT-07: the predicate is told as a text that holds JSON."""
    desk = Desk(query=lines(*PARQUET))

    table(desk).files(predicate=column("day") == date(2024, 1, 2), version=3)
    table(desk).files(limit=10, timestamp="2024-01-01T00:00:00Z")

    hinted = json.loads(desk.bodies[0].pop("jsonPredicateHints"))
    assert desk.bodies[0]["version"] == 3
    assert {name: desk.bodies[1][name] for name in ("limitHint", "timestamp")} == {"limitHint": 10, "timestamp": "2024-01-01T00:00:00Z"}
    assert hinted == {
        "op": "equal",
        "children": [{"op": "column", "name": "day", "valueType": "date"}, {"op": "literal", "value": "2024-01-02", "valueType": "date"}],
    }


@pytest.mark.parametrize(("limit", "told"), [(2**31 - 1, 2**31 - 1), (2**31, None), (0, 0), (None, None)])
def test_a_limit_is_told_where_the_contract_has_room_for_it(table, limit, told):
    """DS-HNT-11."""
    desk = Desk(query=lines(*PARQUET))

    table(desk).files(limit=limit)

    assert desk.bodies[0].get("limitHint") == told


def test_a_limit_is_not_told_beside_a_predicate(table):
    """A server that left out files beyond the limit, but knows nothing of the predicate, would leave out wanted rows."""
    desk = Desk(query=lines(*PARQUET))

    table(desk).files(limit=10, predicate=column("id") == 1)

    assert "limitHint" not in desk.bodies[0]


def test_what_is_wanted_of_changes_is_asked_for(table):
    """DS-CDF-14."""
    desk = Desk(changes=lines(*PARQUET))

    table(desk).changes(starting_version=1, ending_timestamp=datetime(2024, 1, 1, tzinfo=UTC), historical_metadata=True).close()

    assert dict(desk.requests[0].url.params) == {
        "startingVersion": "1",
        "endingTimestamp": "2024-01-01T00:00:00Z",
        "includeHistoricalMetadata": "true",
    }


@pytest.mark.parametrize(
    "bounds",
    [
        {},
        {"ending_version": 1},
        {"starting_version": 1, "starting_timestamp": "2024-01-01T00:00:00Z"},
        {"starting_version": 1, "ending_version": 1, "ending_timestamp": "2024-01-01T00:00:00Z"},
    ],
)
def test_changes_without_one_start_or_with_two_ends_are_refused_before_anything_is_sent(table, bounds):
    desk = Desk()

    with pytest.raises(ValueError, match="give one of the two"):
        table(desk).changes(**bounds)

    assert desk.requests == []


@pytest.mark.parametrize("places", [{"version": 1, "timestamp": "2024-01-01T00:00:00Z"}, {"version": 1, "starting_version": 1}])
def test_a_query_about_two_versions_is_refused_before_anything_is_sent(table, places):
    desk = Desk()

    with pytest.raises(ValueError, match="give one of the three at most"):
        table(desk).query(**places)

    assert desk.requests == []


def test_a_negative_limit_is_refused_before_anything_is_sent(table):
    desk = Desk()

    with pytest.raises(ValueError, match="-1 is none"):
        table(desk).query(limit=-1)

    assert desk.requests == []


# What is read.


def test_a_description_is_the_same_in_both_formats(table):
    """DS-MET-05."""
    around = {
        "version": 3,
        "size": 10,
        "numFiles": 2,
        "location": "s3://b/t",
        "auxiliaryLocations": ["s3://a"],
        "accessModes": ["url", "dir"],
    }
    inner = {"name": "n", "description": "d", "partitionColumns": ["day"], "configuration": {"a": "b"}}
    read = [
        table(Desk(metadata=lines(PROTOCOL, metadata(**around, **inner)))).metadata(),
        table(Desk(metadata=lines(DELTA_PROTOCOL, delta_metadata(around=around, **inner)))).metadata(),
    ]

    told = [
        {name: getattr(each.metadata, name) for name in ("id", "name", "partition_columns", "size", "location", "access_modes", "schema")}
        for each in read
    ]
    assert told[0] == told[1]
    assert [each.version for each in read] == [5, 5]
    assert read[0].metadata.schema.names == ("id", "day")
    assert read[1].protocol.reader_features == {"deletionVectors"}


def test_files_are_the_same_in_both_formats(table):
    members = {"partitionValues": {"day": "2024-01-01", "x": None}, "size": 573, "stats": '{"numRecords": 1}'}
    around = {"version": 3, "timestamp": 4, "expirationTimestamp": 5}
    (plain,) = table(Desk(query=lines(*PARQUET, file("f", **members, **around)))).files()
    (delta,) = table(Desk(query=lines(*DELTA, delta_file("f", around=around, **members)))).files()

    assert plain.facts == delta.facts._replace(is_delta=False)
    assert plain.facts[:9] == ("file", signed("f"), "f", members["partitionValues"], 573, '{"numRecords": 1}', 3, 4, 5)
    assert plain.statistics == {"numRecords": 1}


def test_changes_are_the_same_in_both_formats(table):
    at = {"version": 3, "timestamp": 4}
    plain = table(Desk(changes=lines(*PARQUET, *(file(kind, kind, **at) for kind in ("add", "remove", "cdf"))))).changes(starting_version=0)
    actions = (("add", "add"), ("remove", "remove"), ("cdf", "cdc"))
    delta = table(Desk(changes=lines(*DELTA, *(delta_file(name, action, at) for name, action in actions)))).changes(starting_version=0)

    assert [each.facts for each in plain.files()] == [each.facts._replace(is_delta=False) for each in delta.files()]


def test_a_deletion_vector_is_read_with_its_file(table):
    vector = {"storageType": "p", "pathOrInlineDv": signed("dv"), "offset": 1, "sizeInBytes": 36, "cardinality": 2}
    (found,) = table(Desk(query=lines(*DELTA, delta_file("f", around={"deletionVectorFileId": "v"}, deletionVector=vector)))).files()

    assert (found.deletion_vector_id, found.deletion_vector.offset, found.deletion_vector.cardinality) == ("v", 1, 2)
    assert SIGNATURE not in f"{found} {found.deletion_vector}"


def test_the_order_of_files_has_no_meaning(table):
    """DS-QRY-05: even the first two lines are found wherever they stand."""
    desk = Desk(query=lines(file("b"), metadata(), file("a"), PROTOCOL, file("c")))

    assert ids(table(desk).files()) == ["b", "a", "c"]


def test_what_is_not_known_is_ignored(table):
    """DS-PRO-03."""
    protocol = {"protocol": {"minReaderVersion": 1, "new": 1}}
    more = {"file": file("a")["file"] | {"new": {"a": [1]}}, "newer": 1}
    desk = Desk(query=lines(protocol, metadata(new=2), more, file("b"), {"endStreamAction": {"new": 1}}, delta_table_version="7"))

    listing = table(desk).query()

    assert ids(listing.files()) == ["a", "b"]
    assert listing.version == 7


def test_earlier_descriptions_come_among_the_changes(table):
    desk = Desk(
        changes=lines(*PARQUET, file("a", "add", version=1, timestamp=1), metadata(version=2), file("b", "add", version=2, timestamp=2))
    )

    told = list(table(desk).changes(starting_version=1))

    assert [getattr(each, "kind", "metadata") for each in told] == ["add", "metadata", "add"]
    assert told[1].version == 2


def test_files_after_the_wanted_end_do_no_harm(table):
    """DS-TTV-10."""
    desk = Desk(query=lines(*PARQUET, *(file(str(version), "add", version=version, timestamp=1) for version in range(1, 5))))

    assert ids(table(desk).query(starting_version=1, ending_version=2).files()) == ["1", "2", "3", "4"]


@pytest.mark.parametrize("body", [b"\r\n", b"\n\n", b""], ids=["crlf", "blank lines", "no newline at the end"])
def test_lines_may_end_in_any_way(table, body):
    documents = [json.dumps(document).encode() for document in (*PARQUET, file("a"), file("b"))]
    content = (body or b"\n").join(documents) + body
    desk = Desk(query=httpx.Response(200, content=content))

    assert ids(table(desk).files()) == ["a", "b"]


def test_an_answer_is_read_once(table):
    listing = table(Desk(query=lines(*PARQUET, file("a")))).query()

    assert ids(listing.files()) == ["a"]
    with pytest.raises(RuntimeError, match="read once"):
        list(listing.files())


def test_pages_are_joined(table):
    def answered(request):
        token = json.loads(request.content).get("pageToken")
        page = {None: "1", "t1": "2", "t2": "3"}[token]
        more = {} if page == "3" else {"nextPageToken": f"t{page}"}
        return lines(*PARQUET, file(page), {"endStreamAction": {"minUrlExpirationTimestamp": 9, **more}})

    desk = Desk(query=answered)

    listing = table(desk).query(page_size=1)
    assert ids(listing) == ["1", "2", "3"]

    assert [body.get("pageToken") for body in desk.bodies] == [None, "t1", "t2"]
    assert {body["maxFiles"] for body in desk.bodies} == {1}
    assert listing.end.min_url_expiration == 9


def test_pages_that_lead_in_a_circle_are_refused(table):
    desk = Desk(query=lines(*PARQUET, {"endStreamAction": {"nextPageToken": "x"}}))

    with pytest.raises(BadReply, match="leads back"):
        table(desk).files()


# What is refused.


@pytest.mark.parametrize("body", [PARQUET, (*PARQUET, file("a")), (*DELTA, delta_file("a"))])
def test_an_answer_that_lacks_its_promised_end_is_refused(table, body):
    """DS-ESA-05."""
    promise = {"delta_sharing_capabilities": "responseformat=parquet;includeEndStreamAction=TRUE"}

    with pytest.raises(DamagedData, match="breaks off"):
        table(Desk(query=lines(*body, **promise))).files()

    assert len(table(Desk(query=lines(*body, END, **promise))).files()) == len(body) - 2


@pytest.mark.parametrize("header", ["responseformat=parquet", "responseformat=parquet;includeendstreamaction=false", ""])
def test_an_end_that_was_not_promised_may_be_there_or_not(table, header):
    """DS-ESA-06."""
    for body in ((*PARQUET, file("a")), (*PARQUET, file("a"), END)):
        assert ids(table(Desk(query=lines(*body, delta_sharing_capabilities=header))).files()) == ["a"]


@pytest.mark.parametrize("body", [PARQUET, (), (*PARQUET, file("a"))])
def test_an_answer_that_says_that_it_failed_fails(table, body):
    """DS-EST-05."""
    for operation, ask in (("query", lambda t: t.files()), ("changes", lambda t: list(t.changes(starting_version=0)))):
        desk = Desk(**{operation: lines(*body, {"endStreamAction": {"errorMessage": "out of luck"}})})

        with pytest.raises(QueryFailed, match="out of luck"):
            ask(table(desk))


def test_parquet_may_be_answered_where_delta_was_asked_for(table):
    """DS-CAP-08."""
    desk = Desk(query=lines(*PARQUET, file("a")))

    assert ids(table(desk).query(formats=["delta"]).files()) == ["a"]
    assert desk.requests[0].headers["delta-sharing-capabilities"].startswith("responseformat=delta;readerfeatures=")


@pytest.mark.parametrize("body", [DELTA, (DELTA_PROTOCOL,), (PROTOCOL, metadata(), delta_file("a")), (delta_file("a"),)])
def test_delta_is_refused_where_parquet_was_asked_for(table, body):
    """DS-CAP-09."""
    with pytest.raises(BadReply, match="delta format, which was not asked for"):
        list(table(Desk(query=lines(*body))).query(formats=["parquet"]))


@pytest.mark.parametrize(
    "protocol",
    [
        {"minReaderVersion": 99},
        {"minReaderVersion": 2},
        {"deltaProtocol": {"minReaderVersion": 4}},
        {"deltaProtocol": {"minReaderVersion": 3, "readerFeatures": ["deletionVectors", "timeTravel2"]}},
    ],
)
def test_a_table_for_later_readers_asks_for_an_upgrade(table, protocol):
    """DS-PRO-02."""
    desk = Desk(query=lines({"protocol": protocol}, metadata()), metadata=lines({"protocol": protocol}, metadata()))

    for ask in (table(desk).files, table(desk).metadata):
        with pytest.raises(UpgradeNeeded, match=r"the table needs a reader .* Upgrade: pip install"):
            ask()


@pytest.mark.parametrize(
    ("modes", "is_read"),
    [(None, True), (["url"], True), (["url", "dir"], True), (["dir", "url"], True), (["dir"], False)],
)
def test_files_are_read_by_urls_unless_the_table_is_shared_by_its_directory_alone(table, modes, is_read):
    """DS-ACC-01, DS-LTB-12: nothing said means URLs."""
    told = {} if modes is None else {"accessModes": modes}
    for body in ((PROTOCOL, metadata(**told), file("a")), (DELTA_PROTOCOL, delta_metadata(around=told), delta_file("a"))):
        desk = Desk(query=lines(*body), metadata=lines(*body[:2]))
        if is_read:
            assert ids(table(desk).files()) == ["a"]
        else:
            with pytest.raises(NotOffered, match="only by credentials of its directory"):
                table(desk).files()
        assert table(desk).metadata().metadata.access_modes == (None if modes is None else tuple(modes))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"{", "line 3 of the reply is not a JSON object"),
        (b"[]", "line 3 of the reply is not a JSON object"),
        (b'"file"', "line 3 of the reply is not a JSON object"),
        (b"{}{}", "line 3 of the reply is not a JSON object"),
        (b"{},{}", "line 3 of the reply is not a JSON object"),
        (b'{"file":\n{}}', "line 3 of the reply is not a JSON object"),
        (b'{"file": {"url": "\xff"}}', "line 3 of the reply is not a JSON object"),
        (file("a") | PROTOCOL, "line 3 of the reply holds file and protocol of what a line is about"),
        (file("a")["file"], "line 3 of the reply holds nothing of what a line is about"),
        ({"file": None}, "line 3 of the reply is not what the contract says"),
        ({"file": "a"}, "line 3 of the reply is not what the contract says"),
        (file("a", size="1"), "size: Input should be a valid integer"),
        (file("a", size=True), "size: Input should be a valid integer"),
        (file("a", size=1.0), "size: Input should be a valid integer"),
        (file("a", stats={}), "stats: Input should be a valid string"),
        (file("a", url=None), "url: Input should be a valid string"),
        (file("a", partitionValues={"a": 1}), "partitionValues/a: Input should be a valid string"),
        (file("a", partitionValues=None), "partitionValues: Input should be a valid dictionary"),
        ({"file": {"url": "u"}}, "id: Field required"),
        (file("a", "add"), "line 3 of the reply is not what the contract says: timestamp: Field required"),
        (delta_file("a", size=None), "line 3 of the reply is not what the contract says"),
        (delta_file("a", path=1), "line 3 of the reply is not what the contract says"),
        (delta_file("a", "txn"), "not one of add, remove and cdc"),
        ({"metaData": {"id": "x"}}, "format: Field required"),
        ({"endStreamAction": {"nextPageToken": 1}}, "nextPageToken: Input should be a valid string"),
    ],
)
def test_a_line_that_is_not_what_the_contract_says_is_named_without_being_shown(table, line, complaint):
    desk = Desk(query=lines(*PARQUET, line, file("b")))

    with pytest.raises(BadReply) as caught:
        table(desk).files()

    assert complaint in str(caught.value)
    assert SIGNATURE not in f"{caught.value!r} {caught.value.exchange} {caught.value.__cause__} {caught.value.__context__}"


def test_a_line_after_the_end_is_refused(table):
    with pytest.raises(BadReply, match="line 4 of the reply comes after the one that says where the reply ends"):
        table(Desk(query=lines(*PARQUET, END, file("a")))).files()


@pytest.mark.parametrize(("body", "missing"), [((), "protocol"), ((PROTOCOL,), "metaData"), ((metadata(), file("a")), "protocol")])
def test_an_answer_that_does_not_say_what_the_table_is_is_refused(table, body, missing):
    with pytest.raises(BadReply, match=f"no line that says the {missing}"):
        table(Desk(query=lines(*body))).files()


def test_a_missing_table_is_an_error_of_its_own(table):
    desk = Desk(query=httpx.Response(404, json={"errorCode": "RESOURCE_DOES_NOT_EXIST", "message": "no such table"}))

    with pytest.raises(NoSuchTable, match="no such table"):
        table(desk).files()


def test_a_query_whose_reply_is_lost_is_sent_again_and_changes_nothing(table):
    desk = Desk(query=[httpx.ReadError("reset"), httpx.Response(503), lines(*PARQUET, file("a"))])

    assert ids(table(desk).files()) == ["a"]

    lost = Desk(query=httpx.ReadError("reset"))
    with pytest.raises(Unreachable):
        table(lost).files()


def test_what_a_server_says_of_urls_is_shown_without_their_signatures(table):
    message = f"cannot sign {signed('a')}&b=c and https://x.blob.core.windows.net/f?se=1&sig={SIGNATURE}"
    desk = Desk(query=httpx.Response(500, json={"errorCode": "INTERNAL_ERROR", "message": message}))

    with pytest.raises(ServerTrouble, match=r"cannot sign https://store\.test/a") as caught:
        table(desk).files()

    assert SIGNATURE not in f"{caught.value} {caught.value.exchange}"
