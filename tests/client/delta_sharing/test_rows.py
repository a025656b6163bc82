"""Rows are those of the files that the server names, chosen by the client itself, and the URLs of files stay where they belong."""

from __future__ import annotations

import io
import json
import time
from datetime import UTC, date, datetime

import httpx
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from lakepact.client import BadReply, DamagedData, Forbidden, NotFound, ServerTrouble, Unreachable, UpgradeNeeded, column
from lakepact.client.retries import Retries

from .serving import (
    DELTA_PROTOCOL,
    PROTOCOL,
    SIGNATURE,
    TABLE,
    TOKEN,
    Desk,
    delta_file,
    delta_metadata,
    file,
    lines,
    metadata,
    signed,
)
from .test_deletion_vectors import inline, stored

DAYS = [date(2024, 1, 1), date(2024, 1, 2), None]
A = {"id": [1, 2, 3], "day": DAYS}
B = {"id": [4, 5, 6], "day": DAYS}


def parquet(columns):
    written = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), written)
    return written.getvalue()


PLAIN = (PROTOCOL, metadata())


def desk_of(files, *, head=PLAIN, **more):
    """A desk whose table has such files."""
    desk = Desk(query=lines(*head, *(file(name, size=len(content), **more) for name, content in files.items())))
    for name, content in files.items():
        desk.on(f"GET store.test/{name}", content)
    return desk


@pytest.fixture
def both():
    return desk_of({"a": parquet(A), "b": parquet(B)})


def test_the_rows_of_all_files_come_in_the_order_of_the_answer(table, both):
    assert table(both).to_arrow().to_pydict() == {"id": [1, 2, 3, 4, 5, 6], "day": DAYS * 2}


def test_rows_of_a_file_come_as_they_are_read(table, both):
    batches = table(both).query().batches()

    assert [batch.column("id").to_pylist() for batch in batches] == [[1, 2, 3], [4, 5, 6]]


def test_a_table_without_files_has_its_columns(table):
    read = table(desk_of({})).to_arrow(columns=["day", "id"])

    assert (read.schema.names, read.num_rows) == (["day", "id"], 0)


def test_columns_come_in_the_wanted_order_and_whatever_their_case(table, both):
    assert table(both).to_arrow(columns=["DAY", "id"]).schema.names == ["day", "id"]


@pytest.mark.parametrize(
    ("columns", "kind", "complaint"),
    [
        ([], ValueError, "no columns are wanted"),
        (["x"], ValueError, "no column 'x'"),
        (["id", "ID"], ValueError, "named twice"),
        ("id", TypeError, "a list of names"),
    ],
)
def test_columns_that_cannot_be_read_are_refused_before_any_file_is_fetched(table, both, columns, kind, complaint):
    with pytest.raises(kind, match=complaint):
        table(both).to_arrow(columns=columns)

    assert len(both.requests) == 1


PREDICATES = {
    "small": (column("day") == date(2024, 1, 1)) & (column("id") > 1),
    "of pyarrow": (pc.field("day") == pa.scalar(date(2024, 1, 1))) & (pc.field("id") > 1),
}


@pytest.mark.parametrize("predicate", PREDICATES.values(), ids=PREDICATES)
@pytest.mark.parametrize("columns", [None, ["id"]], ids=["all columns", "others than it looks at"])
def test_predicates_are_applied_whatever_the_server_does(table, both, predicate, columns):
    """DS-HNT-14, DS-SQL-04, DS-JSP-09."""
    read = table(both).to_arrow(predicate=predicate, columns=columns)

    assert read.column("id").to_pylist() == [4]
    assert read.schema.names == (columns or ["id", "day"])


@pytest.mark.parametrize(("limit", "fetched"), [(0, 0), (1, 1), (3, 1), (4, 2), (100, 2)])
def test_a_limit_is_applied_whatever_the_server_does(table, both, limit, fetched):
    """DS-HNT-14."""
    read = table(both, downloads=1).to_arrow(limit=limit)

    assert read.column("id").to_pylist() == [1, 2, 3, 4, 5, 6][:limit]
    assert len(both.requests) == 1 + fetched


def test_a_limit_counts_the_rows_that_are_wanted(table, both):
    assert table(both).to_arrow(limit=2, predicate=column("day") == date(2024, 1, 2)).column("id").to_pylist() == [2, 5]


def test_progress_is_told_after_each_file(table, both):
    told = []

    table(both).to_arrow(progress=told.append)

    size = len(parquet(A)) + len(parquet(B))
    assert [(each.files, each.of_files, each.rows, each.of_bytes) for each in told] == [(1, 2, 3, size), (2, 2, 6, size)]
    assert told[-1].bytes == size


def test_frames_have_the_same_rows(table, both):
    frame = table(both).to_pandas()

    assert frame["id"].tolist() == table(both).to_polars()["id"].to_list() == [1, 2, 3, 4, 5, 6]


def test_integers_beside_nulls_stay_integers_in_pandas(table):
    large = 2**53 + 1
    frame = table(desk_of({"a": parquet({"id": [large, None], "day": DAYS[:2]})})).to_pandas()

    assert (str(frame["id"].dtype), frame["id"][0]) == ("Int64", large)


def test_partition_columns_have_the_values_of_the_line(table):
    head = (PROTOCOL, metadata(partitionColumns=["day"]))
    desk = desk_of({"a": parquet({"id": [1, 2]})}, head=head, partitionValues={"day": "2024-01-01"})

    assert table(desk).to_arrow().to_pydict() == {"id": [1, 2], "day": [date(2024, 1, 1)] * 2}
    assert table(desk).to_arrow(columns=["day"]).to_pydict() == {"day": [date(2024, 1, 1)] * 2}


@pytest.mark.parametrize(
    ("values", "complaint"), [({"day": "1.1.24"}, "column day: '1.1.24' is not a date"), ({}, "no value of partition")]
)
def test_a_partition_value_that_is_none_is_an_error(table, values, complaint):
    head = (PROTOCOL, metadata(partitionColumns=["day"]))

    with pytest.raises(DamagedData, match=complaint):
        table(desk_of({"a": parquet({"id": [1]})}, head=head, partitionValues=values)).to_arrow()


def test_columns_that_a_file_lacks_are_null(table):
    assert table(desk_of({"a": parquet({"id": [1]})})).to_arrow().to_pydict() == {"id": [1], "day": [None]}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"no parquet at all", "file a: "),
        (parquet(A)[:-20], "file a: "),
        (parquet({"id": ["1"], "day": [None]}), "column id is string in the file, and long in the schema of the table"),
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_an_error(table, content, complaint):
    with pytest.raises(DamagedData, match=complaint):
        table(desk_of({"a": content})).to_arrow()


@pytest.mark.parametrize("more", [-1, 1])
def test_a_file_of_another_size_than_the_line_says_is_an_error(table, more):
    content = parquet(A)
    desk = Desk(query=lines(PROTOCOL, metadata(), file("a", size=len(content) - more))).on("GET store.test/a", content)

    with pytest.raises(DamagedData, match="where the listing says"):
        table(desk).to_arrow()


def test_a_column_of_an_unknown_type_asks_for_an_upgrade_unless_it_is_left_out(table):
    fields = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in (("id", "long"), ("v", "variant"))]
    desk = desk_of({"a": parquet({"id": [1]})}, head=(PROTOCOL, metadata({"type": "struct", "fields": fields})))

    with pytest.raises(UpgradeNeeded, match="column of type variant, which this client does not know; name other columns"):
        table(desk).to_arrow()
    assert table(desk).to_arrow(columns=["id"]).to_pydict() == {"id": [1]}


@pytest.mark.parametrize("schema", ["x", "[]", "{}", '{"type":"struct"}', '{"type":"struct","fields":[1]}'])
def test_a_schema_that_is_none_is_a_bad_reply(table, schema):
    broken = {"metaData": metadata()["metaData"] | {"schemaString": schema}}

    with pytest.raises(BadReply, match="schema of the table"):
        table(desk_of({}, head=(PROTOCOL, broken))).to_arrow()


def test_a_partition_column_that_the_schema_lacks_is_a_bad_reply(table):
    with pytest.raises(BadReply, match="has no partition column 'x'"):
        table(desk_of({}, head=(PROTOCOL, metadata(partitionColumns=["x"])))).to_arrow()


@pytest.mark.parametrize("options", [{"use_deprecated_int96_timestamps": True}, {"coerce_timestamps": "ms"}, {"version": "2.6"}], ids=str)
def test_moments_are_read_however_they_are_written(table, options):
    moment = datetime(2024, 1, 1, 12, 30, 0, 123000, tzinfo=UTC)
    written = io.BytesIO()
    pq.write_table(pa.table({"at": pa.array([moment, None], pa.timestamp("ns", tz="UTC"))}), written, **options)
    schema = {"type": "struct", "fields": [{"name": "at", "type": "timestamp", "nullable": True, "metadata": {}}]}

    assert table(desk_of({"a": written.getvalue()}, head=(PROTOCOL, metadata(schema)))).to_arrow().to_pydict() == {"at": [moment, None]}


def test_a_file_without_any_column_of_the_schema_is_an_error(table):
    """One that lacks some of them was written before they came."""
    with pytest.raises(DamagedData, match="none of the columns"):
        table(desk_of({"a": parquet({"x": [1]})})).to_arrow()


def test_files_that_are_told_as_something_else_are_no_rows(table):
    at = {"version": 1, "timestamp": 1}
    desk = Desk(query=lines(*PLAIN, file("a", "remove", **at)), changes=lines(*PLAIN, file("a", **at)))

    with pytest.raises(BadReply, match="file a is told as remove, which this answer is not to hold"):
        table(desk).to_arrow()
    with pytest.raises(BadReply, match="file a is told as file, which this answer is not to hold"):
        table(desk).changes(starting_version=1).to_arrow()


# Where files come from.


def test_data_urls_get_no_credentials(table, both):
    table(both).to_arrow()

    asked, *fetched = both.requests
    assert asked.headers["Authorization"] == f"Bearer {TOKEN}"
    assert {request.headers.get("Authorization") for request in fetched} == {None}
    assert [str(request.url) for request in fetched] == [signed("a"), signed("b")]
    assert {request.headers["Accept-Encoding"] for request in fetched} == {"identity"}


@pytest.mark.parametrize("url", ["file:///etc/passwd", "/etc/passwd", "ftp://store.test/a", "https:///a", "http://[x/a", "s3://b/a", ""])
def test_urls_that_are_not_of_the_web_are_refused(table, url):
    desk = Desk(query=lines(PROTOCOL, metadata(), file("a", url=f"{url}?sig={SIGNATURE}")))

    with pytest.raises(BadReply, match="not an http or https address") as caught:
        table(desk).to_arrow()

    assert SIGNATURE not in str(caught.value)
    assert len(desk.requests) == 1


def test_redirects_of_files_are_followed_on_the_web(table):
    content = parquet(A)
    desk = desk_of({"a": content})
    desk.on("GET store.test/a", httpx.Response(307, headers={"Location": f"https://other.test/b?sig={SIGNATURE}"}))
    desk.on("GET other.test/b", content)

    assert table(desk).to_arrow().num_rows == 3


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://store.test/a", "ftp://x.test", "data:,x"])
def test_redirects_of_files_to_elsewhere_are_refused(table, location):
    """That from https to http is one: what was promised to be private would be no more."""
    desk = desk_of({"a": b"x"}).on("GET store.test/a", httpx.Response(302, headers={"Location": f"{location}?sig={SIGNATURE}"}))

    with pytest.raises(BadReply, match=r"redirects to an address that is not followed|a header of it, is broken") as caught:
        table(desk).to_arrow()

    assert SIGNATURE not in f"{caught.value} {caught.value.exchange}"
    assert len(desk.requests) == 2


def test_redirects_without_end_are_refused(table):
    desk = desk_of({"a": b"x"}).on("GET store.test/a", httpx.Response(302, headers={"Location": "/a"}))

    with pytest.raises(BadReply, match="redirects more than 5 times"):
        table(desk).to_arrow()


@pytest.mark.parametrize(
    ("status", "kind"),
    [(403, Forbidden), (404, NotFound), (500, ServerTrouble), (503, ServerTrouble)],
)
def test_a_file_that_is_not_given_is_an_error_without_the_signature(table, status, kind):
    told = f"<Error><Code>AccessDenied</Code><Message>{SIGNATURE}</Message><StringToSign>{SIGNATURE}</StringToSign></Error>"
    desk = desk_of({"a": b"x"}).on("GET store.test/a", httpx.Response(status, content=told.encode()))

    with pytest.raises(kind, match=r"https://store\.test/a\?\[hidden\] is not given: AccessDenied") as caught:
        table(desk, retries=Retries(tries=2)).to_arrow()

    assert caught.value.operation == "readFile"
    assert SIGNATURE not in f"{caught.value} {caught.value!r} {caught.value.exchange} {caught.value.__cause__}"


def test_a_file_whose_reply_is_lost_is_fetched_again(table):
    content = parquet(A)
    desk = desk_of({"a": content}).on("GET store.test/a", httpx.ReadError("reset"), httpx.Response(503), content)

    assert table(desk).to_arrow().num_rows == 3


def test_a_file_that_cannot_be_reached_is_an_error_without_the_signature(table):
    desk = desk_of({"a": b"x"}).on("GET store.test/a", httpx.ConnectError("refused"))

    with pytest.raises(Unreachable, match=r"no connection to https://store\.test") as caught:
        table(desk).to_arrow()

    assert SIGNATURE not in f"{caught.value} {caught.value.exchange}"


# URLs that run out.


def renewing(content, *, status=403, again=None, expires=None, refresh=True):
    """A desk whose first URL of a file does not work any more, and whose next answer has another."""
    told = {} if expires is None else {"expirationTimestamp": expires}
    ends = [{"endStreamAction": {"refreshToken": "again"}}] if refresh else []
    first = lines(PROTOCOL, metadata(), file("a", url=signed("old"), size=len(content), **told), *ends)
    second = again or lines(PROTOCOL, metadata(), file("a", url=signed("new"), size=len(content)), *ends)
    desk = Desk(query=[first, second]).on("GET store.test/old", httpx.Response(status))
    return desk.on("GET store.test/new", content)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_url_that_does_not_work_any_more_is_refreshed_by_the_token(table, status):
    desk = renewing(parquet(A), status=status)

    assert table(desk).to_arrow().num_rows == 3
    assert desk.bodies == [{"includeRefreshToken": True}, {"includeRefreshToken": True, "refreshToken": "again"}]


def test_a_url_that_is_about_to_run_out_is_not_tried(table):
    desk = renewing(parquet(A), expires=int(time.time() * 1000) + 1000)

    assert table(desk).to_arrow().num_rows == 3
    assert "GET /old" not in desk.asked


def test_without_a_refresh_token_the_same_is_asked_again(table):
    desk = renewing(parquet(A), refresh=False)

    assert table(desk).to_arrow(version=5).num_rows == 3
    assert desk.bodies[0] == desk.bodies[1] == {"includeRefreshToken": True, "version": 5}


def test_the_version_that_was_begun_with_is_read_to_the_end(table):
    content = parquet(A)
    newer = lines(PROTOCOL, metadata(), file("z", size=1), delta_table_version="6")
    desk = renewing(content, refresh=False)
    desk.on(f"POST {TABLE}/query", desk.answers[f"POST {TABLE}/query"][0], newer, desk.answers[f"POST {TABLE}/query"][1])

    assert table(desk).to_arrow().num_rows == 3
    assert [body.get("version") for body in desk.bodies] == [None, None, 5]


def test_a_file_that_is_listed_no_more_is_an_error(table):
    with pytest.raises(DamagedData, match="file a is no longer listed"):
        table(renewing(parquet(A), again=lines(PROTOCOL, metadata()))).to_arrow()


def test_a_new_url_that_does_not_work_either_is_an_error(table):
    desk = renewing(parquet(A), again=lines(PROTOCOL, metadata(), file("a", url=signed("old"))))

    with pytest.raises(Forbidden):
        table(desk).to_arrow()

    assert desk.asked.count("GET /old") == 2


def test_many_files_are_refreshed_by_one_question(table):
    names = [f"f{number}" for number in range(20)]
    content = parquet(A)
    told = [[file(name, url=signed(f"{age}/{name}"), size=len(content)) for name in names] for age in ("old", "new")]
    desk = Desk(query=[lines(*PLAIN, *files) for files in told])
    for name in names:
        desk.on(f"GET store.test/old/{name}", httpx.Response(403)).on(f"GET store.test/new/{name}", content)

    assert table(desk).to_arrow().num_rows == 60
    assert desk.asked.count(f"POST {TABLE}/query") == 2


# Deletion vectors and column mapping.


def vector_of(vector):
    members = {"storageType": vector.storage_type, "pathOrInlineDv": vector.path_or_inline, "offset": vector.offset}
    return members | {"sizeInBytes": vector.size, "cardinality": vector.cardinality}


def with_vector(vector, *, answer=None):
    content = parquet(A)
    told = vector_of(vector) | ({"pathOrInlineDv": signed("dv")} if vector.storage_type == "p" else {})
    desk = Desk(query=lines(DELTA_PROTOCOL, delta_metadata(), delta_file("a", size=len(content), deletionVector=told)))
    return desk.on("GET store.test/a", content).on("GET store.test/dv", answer)


def test_rows_of_a_vector_in_the_line_are_left_out(table):
    assert table(with_vector(inline([0, 2]))).to_arrow().column("id").to_pylist() == [2]


@pytest.mark.parametrize("knows_ranges", [True, False])
def test_rows_of_a_vector_in_a_file_are_left_out(table, knows_ranges):
    vector, content = stored([1], at=3)
    whole = b"\x01xx" + content + b"more"
    desk = with_vector(vector, answer=httpx.Response(206, content=content) if knows_ranges else httpx.Response(200, content=whole))

    assert table(desk).to_arrow().column("id").to_pylist() == [1, 3]
    (asked,) = [request for request in desk.requests if request.url.path == "/dv"]
    assert asked.headers["Range"] == f"bytes=3-{3 + len(content) - 1}"


@pytest.mark.parametrize(
    ("vector", "answer", "complaint"),
    [
        (inline([3]), b"", "names row 3 of a file that has 3"),
        (stored([1])[0], b"\x01" + stored([2])[1][:-1] + b"x", "does not have its checksum"),
        (stored([1])[0], b"\x01short", "the file has 5 bytes where the listing says"),
        (stored([1], at=None)[0], b"", "no place in its file"),
    ],
)
def test_a_damaged_vector_is_an_error(table, vector, answer, complaint):
    with pytest.raises(DamagedData, match=complaint):
        table(with_vector(vector, answer=answer)).to_arrow()


def mapped(mode, partitioned=()):
    fields = [
        {"name": name, "type": kind, "nullable": True, "metadata": {f"delta.columnMapping.{key}": value for key, value in told.items()}}
        for name, kind, told in (("id", "long", {"id": 1, "physicalName": "c1"}), ("day", "date", {"id": 2, "physicalName": "c2"}))
    ]
    configuration = {"delta.columnMapping.mode": mode}
    return delta_metadata({"type": "struct", "fields": fields}, configuration=configuration, partitionColumns=list(partitioned))


def test_columns_that_are_mapped_by_name_are_found(table):
    content = parquet({"c2": DAYS, "c1": [1, 2, 3]})
    desk = Desk(query=lines(DELTA_PROTOCOL, mapped("name"), delta_file("a", size=len(content)))).on("GET store.test/a", content)

    assert table(desk).to_arrow().to_pydict() == A


def test_columns_that_are_mapped_by_id_are_found(table):
    written = (("x", pa.date32(), "2"), ("day", pa.int64(), "1"))
    fields = [pa.field(name, kind, metadata={"PARQUET:field_id": number}) for name, kind, number in written]
    content = parquet(pa.table([DAYS, [1, 2, 3]], schema=pa.schema(fields)))
    desk = Desk(query=lines(DELTA_PROTOCOL, mapped("id"), delta_file("a", size=len(content)))).on("GET store.test/a", content)

    assert table(desk).to_arrow().to_pydict() == A


def test_values_of_mapped_partition_columns_stand_under_their_physical_names(table):
    content = parquet({"c1": [1]})
    line = delta_file("a", size=len(content), partitionValues={"c2": "2024-01-01"})
    desk = Desk(query=lines(DELTA_PROTOCOL, mapped("name", ["day"]), line)).on("GET store.test/a", content)

    assert table(desk).to_arrow().to_pydict() == {"id": [1], "day": [date(2024, 1, 1)]}


# Changes.


def test_changes_say_what_happened_when(table):
    content, changed = parquet({"id": [1, 2], "day": DAYS[:2]}), parquet({"id": [2], "day": [None], "_change_type": ["update_preimage"]})
    at = {"size": len(content), "timestamp": 1000}
    told = lines(
        PROTOCOL,
        metadata(),
        file("a", "add", version=1, **at),
        file("a", "remove", version=2, **at),
        file("c", "cdf", version=3, size=len(changed), timestamp=2000),
        file("b", "add", version=3, **at),
    )
    desk = Desk(changes=told).on("GET store.test/a", content).on("GET store.test/c", changed)

    read = table(desk).changes(starting_version=1).to_arrow()

    rows = read.drop_columns(["day", "_commit_timestamp"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (1, "insert", 1),
        (2, "insert", 1),
        (1, "delete", 2),
        (2, "delete", 2),
        (2, "update_preimage", 3),
    ]
    assert read.column("_commit_timestamp").cast(pa.int64()).to_pylist() == [1000, 1000, 1000, 1000, 2000]
    assert "GET /b" not in desk.asked


def test_changes_can_be_chosen_by_what_happened(table):
    content = parquet(A)
    desk = Desk(changes=lines(PROTOCOL, metadata(), *(file("a", "add", version=v, timestamp=1, size=len(content)) for v in (1, 2))))
    desk.on("GET store.test/a", content)

    wanted = (column("_commit_version") == 2) & (column("_change_type") == "insert")
    read = table(desk).changes(starting_version=1, predicate=wanted, limit=2).to_arrow(columns=["id", "_commit_version"])

    assert read.to_pydict() == {"id": [1, 2], "_commit_version": [2, 2]}


def test_a_file_that_only_changed_its_vector_tells_which_rows_were_deleted_and_restored(table):
    content = parquet(A)
    before, now = inline([0]), inline([1])
    at = {"version": 2, "timestamp": 1}
    vectors = {"remove": vector_of(before), "add": vector_of(now)}
    told = [delta_file("a", action, at, size=len(content), deletionVector=vector) for action, vector in vectors.items()]
    desk = Desk(changes=lines(DELTA_PROTOCOL, delta_metadata(), *told)).on("GET store.test/a", content)

    read = table(desk).changes(starting_version=2).to_arrow(columns=["id", "_change_type"])

    assert sorted(zip(*read.to_pydict().values(), strict=True)) == [(1, "insert"), (2, "delete")]


def test_a_change_without_its_version_is_an_error(table):
    content = parquet(A)
    desk = Desk(changes=lines(DELTA_PROTOCOL, delta_metadata(), delta_file("a", size=len(content)))).on("GET store.test/a", content)

    with pytest.raises(DamagedData, match="does not say in which version"):
        table(desk).changes(starting_version=1).to_arrow()


def test_a_missing_library_is_named_with_the_way_to_get_it(table, both, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyroaring", None)

    with pytest.raises(ImportError, match=r"this needs pyroaring: pip install 'lakepact\[arrow\]'"):
        table(both).to_arrow()


def test_nothing_of_a_reading_is_told_twice(table, both):
    """What is asked of the server is one query, and of each file one GET."""
    table(both).to_arrow()

    assert both.asked == [f"POST {TABLE}/query", "GET /a", "GET /b"]
    assert json.loads(both.requests[0].content) == {"includeRefreshToken": True}
