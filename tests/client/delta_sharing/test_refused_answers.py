"""Incomplete and broken answers about tables, and the errors of the client."""

from __future__ import annotations

import httpx
import pytest

from lakepact.client import (
    BadReply,
    DamagedData,
    NoSuchTable,
    OperationNotSupported,
    QueryFailed,
    ServerError,
    Unreachable,
    UpgradeNeeded,
)

from . import serving


@pytest.mark.parametrize(
    "body",
    [
        serving.PARQUET,
        (*serving.PARQUET, serving.file("a")),
        (*serving.DELTA, serving.delta_file("a")),
    ],
)
def test_missing_promised_end_stream_action_is_damaged_data(table, body):
    """DS-ESA-05."""
    promise = {"delta_sharing_capabilities": "responseformat=parquet;includeEndStreamAction=TRUE"}

    with pytest.raises(DamagedData, match="breaks off"):
        table(serving.Desk(query=serving.lines(*body, **promise))).files()

    assert (
        len(table(serving.Desk(query=serving.lines(*body, serving.END, **promise))).files())
        == len(body) - 2
    )


@pytest.mark.parametrize(
    "header", ["responseformat=parquet", "responseformat=parquet;includeendstreamaction=false", ""]
)
def test_unpromised_end_stream_action_is_optional(table, header):
    """DS-ESA-06."""
    for body in (
        (*serving.PARQUET, serving.file("a")),
        (*serving.PARQUET, serving.file("a"), serving.END),
    ):
        assert serving.ids(
            table(
                serving.Desk(query=serving.lines(*body, delta_sharing_capabilities=header))
            ).files()
        ) == ["a"]


@pytest.mark.parametrize("body", [serving.PARQUET, (), (*serving.PARQUET, serving.file("a"))])
def test_end_stream_action_with_error_raises_query_failed(table, body):
    """DS-EST-05."""
    for operation, ask in (
        ("query", lambda t: t.files()),
        ("changes", lambda t: list(t.changes(starting_version=0))),
    ):
        desk = serving.Desk(
            **{
                operation: serving.lines(
                    *body, {"endStreamAction": {"errorMessage": "out of luck"}}
                )
            }
        )

        with pytest.raises(QueryFailed, match="out of luck"):
            ask(table(desk))


def test_parquet_answer_to_a_delta_query_is_read(table):
    """DS-CAP-08."""
    desk = serving.Desk(query=serving.lines(*serving.PARQUET, serving.file("a")))

    assert serving.ids(table(desk).query(formats=["delta"]).files()) == ["a"]
    assert (
        desk.requests[0]
        .headers["delta-sharing-capabilities"]
        .startswith("responseformat=delta;readerfeatures=")
    )


@pytest.mark.parametrize(
    "body",
    [
        serving.DELTA,
        (serving.DELTA_PROTOCOL,),
        (serving.PROTOCOL, serving.metadata(), serving.delta_file("a")),
        (serving.delta_file("a"),),
    ],
)
def test_delta_answer_to_a_parquet_query_is_a_bad_reply(table, body):
    """DS-CAP-09."""
    with pytest.raises(BadReply, match="delta format, which was not asked for"):
        list(table(serving.Desk(query=serving.lines(*body))).query(formats=["parquet"]))


@pytest.mark.parametrize(
    "protocol",
    [
        {"minReaderVersion": 99},
        {"minReaderVersion": 2},
        {"deltaProtocol": {"minReaderVersion": 4}},
        {
            "deltaProtocol": {
                "minReaderVersion": 3,
                "readerFeatures": ["deletionVectors", "timeTravel2"],
            }
        },
    ],
)
def test_later_reader_version_raises_upgrade_needed(table, protocol):
    """DS-PRO-02."""
    desk = serving.Desk(
        query=serving.lines({"protocol": protocol}, serving.metadata()),
        metadata=serving.lines({"protocol": protocol}, serving.metadata()),
    )

    for ask in (table(desk).files, table(desk).metadata):
        with pytest.raises(UpgradeNeeded, match=r"the table needs a reader .* Upgrade lakepact"):
            ask()


@pytest.mark.parametrize(
    ("modes", "is_read"),
    [
        (None, True),
        (["url"], True),
        (["url", "dir"], True),
        (["dir", "url"], True),
        (["dir"], False),
    ],
)
def test_dir_only_table_raises_operation_not_supported(table, modes, is_read):
    """DS-ACC-01, DS-LTB-12: missing accessModes mean URLs."""
    members = {} if modes is None else {"accessModes": modes}
    for body in (
        (serving.PROTOCOL, serving.metadata(**members), serving.file("a")),
        (serving.DELTA_PROTOCOL, serving.delta_metadata(around=members), serving.delta_file("a")),
    ):
        desk = serving.Desk(query=serving.lines(*body), metadata=serving.lines(*body[:2]))
        if is_read:
            assert serving.ids(table(desk).files()) == ["a"]
        else:
            with pytest.raises(OperationNotSupported, match="only by credentials of its directory"):
                table(desk).files()
        assert table(desk).metadata().metadata.access_modes == (
            None if modes is None else tuple(modes)
        )


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
        (
            serving.file("a") | serving.PROTOCOL,
            "line 3 of the reply holds file and protocol of what a line is about",
        ),
        (serving.file("a")["file"], "line 3 of the reply holds nothing of what a line is about"),
        ({"file": None}, "line 3 of the reply is not what the contract says"),
        ({"file": "a"}, "line 3 of the reply is not what the contract says"),
        (serving.file("a", size="1"), "size: Input should be a valid integer"),
        (serving.file("a", size=True), "size: Input should be a valid integer"),
        (serving.file("a", size=1.0), "size: Input should be a valid integer"),
        (serving.file("a", stats={}), "stats: Input should be a valid string"),
        (serving.file("a", url=None), "url: Input should be a valid string"),
        (
            serving.file("a", partitionValues={"a": 1}),
            "partitionValues/a: Input should be a valid string",
        ),
        (
            serving.file("a", partitionValues=None),
            "partitionValues: Input should be a valid dictionary",
        ),
        ({"file": {"url": "u"}}, "id: Field required"),
        (
            serving.file("a", "add"),
            "line 3 of the reply is not what the contract says: timestamp: Field required",
        ),
        (serving.delta_file("a", size=None), "line 3 of the reply is not what the contract says"),
        (serving.delta_file("a", path=1), "line 3 of the reply is not what the contract says"),
        (serving.delta_file("a", "txn"), "not one of add, remove and cdc"),
        ({"metaData": {"id": "x"}}, "format: Field required"),
        (
            {"endStreamAction": {"nextPageToken": 1}},
            "nextPageToken: Input should be a valid string",
        ),
    ],
)
def test_broken_line_is_named_by_number_without_its_content(table, line, complaint):
    desk = serving.Desk(query=serving.lines(*serving.PARQUET, line, serving.file("b")))

    with pytest.raises(BadReply) as exc_info:
        table(desk).files()

    assert complaint in str(exc_info.value)
    assert (
        serving.SIGNATURE
        not in f"{exc_info.value!r} {exc_info.value.exchange} {exc_info.value.__cause__} {exc_info.value.__context__}"
    )


def test_line_after_the_end_is_a_bad_reply(table):
    with pytest.raises(
        BadReply, match="line 4 of the reply comes after the one that says where the reply ends"
    ):
        table(
            serving.Desk(query=serving.lines(*serving.PARQUET, serving.END, serving.file("a")))
        ).files()


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ((), "protocol"),
        ((serving.PROTOCOL,), "metaData"),
        ((serving.metadata(), serving.file("a")), "protocol"),
    ],
)
def test_missing_protocol_or_metadata_is_a_bad_reply(table, body, missing):
    with pytest.raises(BadReply, match=f"no line that says the {missing}"):
        table(serving.Desk(query=serving.lines(*body))).files()


def test_missing_table_raises_no_such_table(table):
    desk = serving.Desk(
        query=httpx.Response(
            404, json={"errorCode": "RESOURCE_DOES_NOT_EXIST", "message": "no such table"}
        )
    )

    with pytest.raises(NoSuchTable, match="no such table"):
        table(desk).files()


def test_query_with_a_lost_reply_is_retried(table):
    desk = serving.Desk(
        query=[
            httpx.ReadError("reset"),
            httpx.Response(503),
            serving.lines(*serving.PARQUET, serving.file("a")),
        ]
    )

    assert serving.ids(table(desk).files()) == ["a"]

    unreachable = serving.Desk(query=httpx.ReadError("reset"))
    with pytest.raises(Unreachable):
        table(unreachable).files()


def test_url_in_an_error_message_is_shown_without_signature(table):
    message = f"cannot sign {serving.signed('a')}&b=c and https://x.blob.core.windows.net/f?se=1&sig={serving.SIGNATURE}"
    desk = serving.Desk(
        query=httpx.Response(500, json={"errorCode": "INTERNAL_ERROR", "message": message})
    )

    with pytest.raises(ServerError, match=r"cannot sign https://store\.test/a") as exc_info:
        table(desk).files()

    assert serving.SIGNATURE not in f"{exc_info.value} {exc_info.value.exchange}"


@pytest.mark.parametrize(
    ("ask", "versions"),
    [
        (lambda t: t.files(version=0), "version 0"),
        (lambda t: t.files(version=5), "version 5"),
        (lambda t: t.query(starting_version=5), "versions from 5 on"),
        (lambda t: t.changes(starting_version=5), "versions from 5 on"),
    ],
)
def test_answer_about_another_version_is_a_bad_reply(table, ask, versions):
    """DS-QRY-08, DS-CDF-08."""
    desk = serving.Desk(
        query=serving.lines(*serving.PARQUET, delta_table_version="4"),
        changes=serving.lines(*serving.PARQUET, delta_table_version="4"),
    )

    with pytest.raises(
        BadReply, match=f"asks for {versions} of the table, and the header Delta-Table-Version is 4"
    ):
        ask(table(desk))


@pytest.mark.parametrize(
    "ask",
    [
        lambda t: t.files(version=4),
        lambda t: t.files(timestamp="2022-01-01T00:00:00Z"),
        lambda t: t.files(),
        lambda t: t.query(starting_version=3).files(),  # the first version that has files
        lambda t: t.changes(starting_version=4).files(),
        lambda t: t.changes(starting_timestamp="2022-01-01T00:00:00Z").files(),
    ],
)
def test_answer_about_a_version_that_the_contract_allows_is_read(table, ask):
    desk = serving.Desk(
        query=serving.lines(*serving.PARQUET, delta_table_version="4"),
        changes=serving.lines(*serving.PARQUET, delta_table_version="4"),
    )

    assert list(ask(table(desk))) == []
