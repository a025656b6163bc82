"""The lines of answers about tables are read in both response formats."""

from __future__ import annotations

import json

import httpx
import pytest

from lakepact.client import BadReply

from . import serving


def test_metadata_is_the_same_in_both_formats(table):
    """DS-MET-05."""
    around = {
        "version": 3,
        "size": 10,
        "numFiles": 2,
        "location": "s3://b/t",
        "auxiliaryLocations": ["s3://a"],
        "accessModes": ["url", "dir"],
    }
    inner = {
        "name": "n",
        "description": "d",
        "partitionColumns": ["day"],
        "configuration": {"a": "b"},
    }
    read = [
        table(
            serving.Desk(
                metadata=serving.lines(serving.PROTOCOL, serving.metadata(**around, **inner))
            )
        ).metadata(),
        table(
            serving.Desk(
                metadata=serving.lines(
                    serving.DELTA_PROTOCOL, serving.delta_metadata(around=around, **inner)
                )
            )
        ).metadata(),
    ]

    facts = [
        {
            name: getattr(each.metadata, name)
            for name in (
                "id",
                "name",
                "partition_columns",
                "size",
                "location",
                "access_modes",
                "schema",
            )
        }
        for each in read
    ]
    assert facts[0] == facts[1]
    assert [each.version for each in read] == [5, 5]
    assert read[0].metadata.schema.names == ("id", "day")
    assert read[1].protocol.reader_features == {"deletionVectors"}


def test_files_are_the_same_in_both_formats(table):
    members = {
        "partitionValues": {"day": "2024-01-01", "x": None},
        "size": 573,
        "stats": '{"numRecords": 1}',
    }
    around = {"version": 3, "timestamp": 4, "expirationTimestamp": 5}
    (plain,) = table(
        serving.Desk(query=serving.lines(*serving.PARQUET, serving.file("f", **members, **around)))
    ).files()
    (delta,) = table(
        serving.Desk(
            query=serving.lines(*serving.DELTA, serving.delta_file("f", around=around, **members))
        )
    ).files()

    assert plain.facts == delta.facts._replace(is_delta=False)
    assert plain.facts[:9] == (
        "file",
        serving.signed("f"),
        "f",
        members["partitionValues"],
        573,
        '{"numRecords": 1}',
        3,
        4,
        5,
    )
    assert plain.statistics == {"numRecords": 1}


def test_changes_are_the_same_in_both_formats(table):
    at = {"version": 3, "timestamp": 4}
    plain = table(
        serving.Desk(
            changes=serving.lines(
                *serving.PARQUET,
                *(serving.file(kind, kind, **at) for kind in ("add", "remove", "cdf")),
            )
        )
    ).changes(starting_version=0)
    actions = (("add", "add"), ("remove", "remove"), ("cdf", "cdc"))
    delta = table(
        serving.Desk(
            changes=serving.lines(
                *serving.DELTA, *(serving.delta_file(name, action, at) for name, action in actions)
            )
        )
    ).changes(starting_version=0)

    assert [each.facts for each in plain.files()] == [
        each.facts._replace(is_delta=False) for each in delta.files()
    ]


def test_deletion_vector_is_read_with_its_file(table):
    vector = {
        "storageType": "p",
        "pathOrInlineDv": serving.signed("dv"),
        "offset": 1,
        "sizeInBytes": 36,
        "cardinality": 2,
    }
    (file,) = table(
        serving.Desk(
            query=serving.lines(
                *serving.DELTA,
                serving.delta_file(
                    "f", around={"deletionVectorFileId": "v"}, deletionVector=vector
                ),
            )
        )
    ).files()

    assert (
        file.deletion_vector_id,
        file.deletion_vector.offset,
        file.deletion_vector.cardinality,
    ) == ("v", 1, 2)
    assert serving.SIGNATURE not in f"{file} {file.deletion_vector}"


def test_lines_are_read_in_any_order(table):
    """DS-QRY-05: protocol and metaData are found at any place."""
    desk = serving.Desk(
        query=serving.lines(
            serving.file("b"),
            serving.metadata(),
            serving.file("a"),
            serving.PROTOCOL,
            serving.file("c"),
        )
    )

    assert serving.ids(table(desk).files()) == ["b", "a", "c"]


def test_unknown_members_are_ignored(table):
    """DS-PRO-03."""
    protocol = {"protocol": {"minReaderVersion": 1, "new": 1}}
    more = {"file": serving.file("a")["file"] | {"new": {"a": [1]}}, "newer": 1}
    desk = serving.Desk(
        query=serving.lines(
            protocol,
            serving.metadata(new=2),
            more,
            serving.file("b"),
            {"endStreamAction": {"new": 1}},
            delta_table_version="7",
        )
    )

    listing = table(desk).query()

    assert serving.ids(listing.files()) == ["a", "b"]
    assert listing.version == 7


def test_historical_metadata_comes_among_the_changes(table):
    desk = serving.Desk(
        changes=serving.lines(
            *serving.PARQUET,
            serving.file("a", "add", version=1, timestamp=1),
            serving.metadata(version=2),
            serving.file("b", "add", version=2, timestamp=2),
        )
    )

    changes = list(table(desk).changes(starting_version=1))

    assert [getattr(each, "kind", "metadata") for each in changes] == ["add", "metadata", "add"]
    assert changes[1].version == 2


def test_files_after_the_ending_version_are_returned(table):
    """DS-TTV-10."""
    desk = serving.Desk(
        query=serving.lines(
            *serving.PARQUET,
            *(
                serving.file(str(version), "add", version=version, timestamp=1)
                for version in range(1, 5)
            ),
        )
    )

    assert serving.ids(table(desk).query(starting_version=1, ending_version=2).files()) == [
        "1",
        "2",
        "3",
        "4",
    ]


@pytest.mark.parametrize(
    "body", [b"\r\n", b"\n\n", b""], ids=["crlf", "blank lines", "no newline at the end"]
)
def test_any_line_ending_is_accepted(table, body):
    documents = [
        json.dumps(document).encode()
        for document in (*serving.PARQUET, serving.file("a"), serving.file("b"))
    ]
    content = (body or b"\n").join(documents) + body
    desk = serving.Desk(query=httpx.Response(200, content=content))

    assert serving.ids(table(desk).files()) == ["a", "b"]


def test_listing_can_be_read_once(table):
    listing = table(serving.Desk(query=serving.lines(*serving.PARQUET, serving.file("a")))).query()

    assert serving.ids(listing.files()) == ["a"]
    with pytest.raises(RuntimeError, match="read once"):
        list(listing.files())


def test_pages_are_joined(table):
    def answer(request):
        token = json.loads(request.content).get("pageToken")
        page = {None: "1", "t1": "2", "t2": "3"}[token]
        more = {} if page == "3" else {"nextPageToken": f"t{page}"}
        return serving.lines(
            *serving.PARQUET,
            serving.file(page),
            {"endStreamAction": {"minUrlExpirationTimestamp": 9, **more}},
        )

    desk = serving.Desk(query=answer)

    listing = table(desk).query(page_size=1)
    assert serving.ids(listing) == ["1", "2", "3"]

    assert [body.get("pageToken") for body in desk.bodies] == [None, "t1", "t2"]
    assert {body["maxFiles"] for body in desk.bodies} == {1}
    assert listing.end.min_url_expiration == 9


def test_repeated_page_token_is_a_bad_reply(table):
    desk = serving.Desk(
        query=serving.lines(*serving.PARQUET, {"endStreamAction": {"nextPageToken": "x"}})
    )

    with pytest.raises(BadReply, match="leads back"):
        table(desk).files()
