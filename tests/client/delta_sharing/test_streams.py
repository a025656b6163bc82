"""Answers are read on demand, in constant memory and in any chunks."""

from __future__ import annotations

import asyncio
import gc
import json
import pickle
import tracemalloc

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.client import (
    AsyncSharingClient,
    BadReply,
    LimitExceeded,
    Limits,
    SharingClient,
    Unreachable,
)
from lakepact.client.delta_sharing.lines import SharedFile
from lakepact.client.delta_sharing.parsing import LineReader
from lakepact.client.errors import Failure
from lakepact.client.retries import Retries

from .serving import (
    DELTA,
    END,
    PARQUET,
    PLACE,
    PROFILE,
    Desk,
    delta_file,
    desk_of,
    file,
    lines,
    parquet_file,
)

HEADS = [PARQUET, DELTA]


def reader(**options):
    defaults = {"formats": ("delta", "parquet"), "gives_changes": False, "promises_end": False}
    return LineReader(
        **defaults | options,
        failure=lambda message: Failure(operation="queryTable", message=message),
    )


def read(pieces, **options):
    line_reader = reader(**options)
    return [line for piece in pieces for line in line_reader.feed(piece)] + line_reader.end()[0]


@st.composite
def answers(draw):
    """Draw an answer as bytes, its chunks, and its number of files."""
    is_delta = draw(st.booleans())
    line_of = delta_file if is_delta else file
    values = st.dictionaries(st.text(max_size=3), st.none() | st.text(max_size=3), max_size=2)
    files = [
        line_of(draw(st.text(max_size=5)), partitionValues=draw(values))
        for _ in range(draw(st.integers(0, 8)))
    ]
    documents = [*HEADS[is_delta], *files, *draw(st.sampled_from([(), (END,)]))]
    newline = draw(st.sampled_from([b"\n", b"\r\n", b"\n\n"]))
    text = newline.join(
        json.dumps(document, ensure_ascii=draw(st.booleans())).encode() for document in documents
    )
    whole = text + draw(st.sampled_from([b"", newline]))
    cuts = sorted(draw(st.lists(st.integers(0, len(whole)), max_size=10)))
    return (
        whole,
        [whole[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(whole)], strict=True)],
        len(files),
    )


@given(answers())
def test_chunking_does_not_change_the_lines(answer):
    whole, pieces, files = answer

    lines_of_pieces = read(pieces)

    assert lines_of_pieces == read([whole])
    assert sum(isinstance(line, SharedFile) for line in lines_of_pieces) == files


@given(
    st.lists(
        st.binary(max_size=40)
        | st.sampled_from([b"\n", b'{"file":', b"}", b'{"protocol":{"minReaderVersion":1}}\n'])
    )
)
def test_any_bytes_are_lines_or_a_bad_reply(pieces):
    try:
        assert all(
            line.facts if isinstance(line, SharedFile) else line.format for line in read(pieces)
        )
    except BadReply as error:
        assert "line" in error.message  # noqa: PT017 - one of two outcomes


BROKEN = [
    b'{"file":{"url":"x"}}',
    b'{"file":',
    b'{"file":{}}{"file":{}}',
    b'{"file":{},"protocol":{}}',
    b'{"file":\n{"file":{}}}',
]


@pytest.mark.parametrize("invalid", BROKEN)
def test_file_lines_are_parsed_lazily_and_errors_name_the_line(invalid):
    head = b"".join(json.dumps(line).encode() + b"\n" for line in PARQUET)
    good = [
        json.dumps(file(str(number)), separators=(",", ":")).encode() + b"\n" for number in range(3)
    ]

    head_and_files = read([head, good[0] + good[1], good[2] + invalid + b"\n"])

    assert [line.id for line in head_and_files[2:4]] == ["0", "1"]
    for _ in range(2):
        with pytest.raises(BadReply, match="line 6 of the reply"):
            _ = head_and_files[4].url


def test_file_of_a_block_is_compared_pickled_and_shown():
    head, block = (
        [json.dumps(line, separators=(",", ":")).encode() for line in lines]
        for lines in (PARQUET, [file("a"), file("b")])
    )

    first, second = read([b"\n".join(head) + b"\n", b"\n".join(block) + b"\n"])[2:]

    assert (first == SharedFile.of(first.facts), first == second, first == "a") == (
        True,
        False,
        False,
    )
    assert len({first, second, SharedFile.of(first.facts)}) == 2
    assert pickle.loads(pickle.dumps(second)) == second
    assert repr(first).startswith(
        "SharedFile(kind='file', url='https://store.test/a?[hidden]', id='a'"
    )


def test_overlong_line_is_a_bad_reply():
    line_reader = reader(longest=1000)

    for _ in range(10):
        assert line_reader.feed(b"x" * 100) == []
    with pytest.raises(BadReply, match="line 1 of the reply is longer than 1000 bytes"):
        line_reader.feed(b"x")


class Endless:
    """A server that answers a query with endless files and counts the files that are read."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.given = 0

    def blocks(self):
        yield b"".join(json.dumps(line).encode() + b"\n" for line in PARQUET)
        block = b"".join(json.dumps(file(str(number))).encode() + b"\n" for number in range(100))
        while self.given < self.most:
            self.given += 100
            yield block

    async def blocks_of_loop(self):
        for block in self.blocks():
            yield block


def test_endless_listing_of_rows_is_limited():
    server = Endless(100_000)
    carrier = httpx.MockTransport(lambda _: httpx.Response(200, content=server.blocks()))
    limits = Limits(listing=1 << 20)
    with (
        SharingClient(PROFILE, http=httpx.Client(transport=carrier), limits=limits) as client,
        pytest.raises(LimitExceeded, match=r"Limits\(listing=…\) allows more"),
    ):
        client.table(*PLACE).to_arrow()

    assert server.given < 2000


def test_listing_takes_constant_memory():
    server = Endless(100_000)
    carrier = httpx.MockTransport(lambda _: httpx.Response(200, content=server.blocks()))
    with SharingClient(PROFILE, http=httpx.Client(transport=carrier)) as client:
        files = client.table(*PLACE).files()
        next(files)
        tracemalloc.start()
        count = sum(1 for _ in files)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert count == 99_999
    assert peak < 2_000_000


def test_sync_listing_is_read_on_demand():
    server = Endless(10_000_000)
    carrier = httpx.MockTransport(lambda _: httpx.Response(200, content=server.blocks()))
    with SharingClient(PROFILE, http=httpx.Client(transport=carrier)) as client:
        for number, _ in enumerate(client.table(*PLACE).files()):
            if number == 1000:
                break

    assert server.given <= 1100


def test_async_listing_is_read_on_demand():
    server = Endless(10_000_000)
    http = httpx.AsyncClient(
        transport=httpx.MockTransport(
            lambda _: httpx.Response(200, content=server.blocks_of_loop())
        )
    )

    async def some():
        async with (
            AsyncSharingClient(PROFILE, http=http) as client,
            await client.table(*PLACE).query() as listing,
        ):
            async for file in listing.files():
                if file.id == "50":
                    return

    asyncio.run(some())

    assert server.given <= 200


class Counting(httpx.SyncByteStream):
    """An answer that knows whether it is being read, like the answer of a connection."""

    def __init__(self) -> None:
        self.is_read = False

    def __iter__(self):
        self.is_read = True
        try:
            yield from Endless(10_000).blocks()
        finally:
            self.is_read = False


@pytest.fixture
def no_collector():
    """Disable the garbage collector, so that reference cycles stay."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize(
    ("read", "keeps"),
    [
        (lambda table: table.query(), True),
        (lambda table: iter(table.query()), True),
        (lambda table: next(table.files()), False),
        (lambda table: next(iter(table.query())), False),
    ],
)
def test_dropped_answer_closes_its_connection_at_once(read, keeps):
    """A connection returned by the garbage collector within another request would deadlock the
    connection pool.
    """
    answer = Counting()
    carrier = httpx.MockTransport(lambda _: httpx.Response(200, stream=answer))
    with SharingClient(PROFILE, http=httpx.Client(transport=carrier)) as client:
        listing = read(client.table(*PLACE))
        was_read = answer.is_read
        del listing

        assert (was_read, answer.is_read) == (keeps, False)


# Answers that break off, and tables that are followed.

CONTENT = parquet_file({"id": [1], "day": [None]})


def breaking_after(*documents):
    def blocks():
        yield lines(*documents).content
        raise httpx.ReadError("reset")

    async def blocks_of_loop():
        for block in (lines(*documents).content,):
            yield block
        raise httpx.ReadError("reset")

    class Both(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __iter__(self):
            return blocks()

        def __aiter__(self):
            return blocks_of_loop()

    return httpx.Response(200, headers={"delta-table-version": "5"}, stream=Both())


class Breaking(Desk):
    """Return a desk that sends answers in chunks."""

    def _answer(self, request):
        answers = self.answers.get(f"{request.method} {request.url.path}", [])
        if (
            answers
            and isinstance(answers[0], httpx.Response)
            and not hasattr(answers[0], "_content")
        ):
            self.requests.append(request)
            return answers.pop(0)
        return super()._answer(request)


def breaking(*answers):
    desk = Breaking(query=list(answers))
    return desk.on("GET store.test/a", CONTENT)


def test_truncated_listing_raises_unreachable(table):
    with pytest.raises(Unreachable, match="queryTable: no reply"):
        table(breaking(breaking_after(*PARQUET, file("a")))).files()


def test_rows_are_read_from_a_second_listing_after_a_truncated_one(table):
    desk = breaking(
        breaking_after(*PARQUET, file("a", size=len(CONTENT))),
        lines(*PARQUET, file("a", size=len(CONTENT))),
    )

    assert table(desk).to_arrow().num_rows == 1


def test_second_listing_of_another_version_raises_unreachable(table):
    desk = breaking(
        breaking_after(*PARQUET, file("a")), lines(*PARQUET, file("b"), delta_table_version="6")
    )

    with pytest.raises(Unreachable):
        table(desk).to_arrow()


def test_listing_that_is_always_truncated_raises_unreachable(table):
    desk = breaking(*(breaking_after(*PARQUET, file("a")) for _ in range(9)))

    with pytest.raises(Unreachable):
        table(desk, retries=Retries(tries=3)).to_arrow()

    assert len(desk.requests) == 3


class Enough(Exception):
    """Ends an endless iteration."""


def follow_versions(open_client, latest, **options):
    """Return the desk and the files of a followed table, until the third request for the
    version.
    """
    versions = iter(latest)

    def version(_):
        number = next(versions, None)
        if number is None:
            raise Enough
        return httpx.Response(200, headers={"Delta-Table-Version": str(number)})

    def query(request):
        window = json.loads(request.content)
        numbers = range(window["startingVersion"], window["endingVersion"] + 2)
        return lines(
            *PARQUET, *(file(str(number), "add", version=number, timestamp=1) for number in numbers)
        )

    desk = Desk(version=version, query=query)
    numbers_read = []
    follow = open_client(desk).table(*PLACE).thing.follow(1, **options)

    async def in_loop():
        async for each in follow:
            numbers_read.append(each.id)  # noqa: PERF401 - it has no end, but by an exception

    def collect():
        if hasattr(follow, "__aiter__"):
            asyncio.run(in_loop())
        else:
            numbers_read.extend(each.id for each in follow)

    with pytest.raises(Enough):
        collect()
    return desk, numbers_read


def test_follow_queries_windows_of_versions(open_client):
    """DS-STR-02; files beyond a window come with the next."""
    desk, names = follow_versions(open_client, [3, 3, 5], versions_per_request=2)

    assert names == ["1", "2", "3", "4", "5"]
    assert [(body["startingVersion"], body["endingVersion"]) for body in desk.bodies] == [
        (1, 2),
        (3, 3),
        (4, 5),
    ]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [({"interval": 9.9}, "every 10 seconds"), ({"versions_per_request": 0}, "none to ask for")],
)
def test_follow_with_invalid_options_raises_value_error(open_client, options, complaint):
    """DS-STR-01."""
    desk = Desk()
    follow = open_client(desk).table(*PLACE)

    with pytest.raises(ValueError, match=complaint):
        follow.follow(0, **options)

    assert desk.requests == []


def test_follow_pauses_for_the_given_interval():
    pauses = []

    def pause(seconds):
        pauses.append(seconds)
        raise Enough

    desk = Desk(version=httpx.Response(200, headers={"Delta-Table-Version": "0"}))
    with (
        SharingClient(PROFILE, http=httpx.Client(transport=desk.carrier), sleep=pause) as client,
        pytest.raises(Enough),
    ):
        list(client.table(*PLACE).follow(1, interval=60))

    assert pauses == [60]


def test_files_larger_than_the_memory_limit_are_fetched_one_by_one(open_client):
    desk = desk_of(dict.fromkeys("abcdef", CONTENT))

    assert open_client(desk, memory=1).table(*PLACE).to_arrow().num_rows == 6
    assert [request.url.path for request in desk.requests[1:]] == [f"/{name}" for name in "abcdef"]
