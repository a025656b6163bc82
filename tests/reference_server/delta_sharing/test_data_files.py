"""A signed URL gives one file or a range of it until the URL expires."""

from __future__ import annotations

import http.client
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.reference_server import Server, running
from lakepact.reference_server.delta_sharing.files import Files
from lakepact.reference_server.delta_sharing.log.refusals import DamagedLog
from lakepact.reference_server.delta_sharing.ranges import NotSatisfiable, part_of_range
from lakepact.reference_server.delta_sharing.shares import SharedTable
from lakepact.reference_server.delta_sharing.shares_file import read_shares
from raw_requests import Sender
from sample_tables.shared_tables import write_shares

SMALL = bytes(range(256)) * 4
LARGE = os.urandom(1_000_003)
OUTSIDE = b"nobody may read this"


@dataclass(frozen=True)
class Pack:
    """Two tables on disk, their server, and its signer of URLs."""

    folder: Path
    server: Server
    files: Files
    tables: dict[str, SharedTable]
    send: Sender

    def path(
        self,
        path: str,
        *,
        table: str = "one",
        signed_for: str | None = None,
        expires: int | None = None,
    ) -> str:
        """Return the path and query of a file's URL."""
        shared = self.tables[table]
        signature = self.files.signature(
            self.tables[signed_for or table], self.files.until() if expires is None else expires
        )
        return f"{self.files.address(shared, '/delta-sharing')}{self.files.key(shared, path)}?{signature}"

    def refused(self, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
        answer = self.send(method, path, None, **headers)
        assert answer.headers["content-type"] == "application/json"
        assert set(answer.document) == {"errorCode", "message"}
        assert "Signature=" not in answer.document["message"]
        return answer.status, answer.document["errorCode"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    for name in ("one", "two", "further"):
        (folder / name / "d=a b%20é").mkdir(parents=True)
        (folder / name / "small.bin").write_bytes(SMALL + name.encode())
    (folder / "one" / "large.bin").write_bytes(LARGE)
    (folder / "one" / "empty.bin").write_bytes(b"")
    (folder / "one" / "d=a b%20é" / "part+1.bin").write_bytes(b"partition")
    (folder / "secret").write_bytes(OUTSIDE)
    (folder / "one" / "link-out").symlink_to(folder / "secret")
    (folder / "one" / "folder-out").symlink_to(folder)
    (folder / "one" / "link-in").symlink_to("small.bin")
    (folder / "one" / "dangling").symlink_to("nowhere")
    (folder / "linked").symlink_to("one")
    os.mkfifo(folder / "one" / "pipe")
    return folder


@contextmanager
def served(folder: Path, **settings: Any) -> Iterator[Server]:
    tables = [
        {"name": "one", "location": "one", "auxiliaryLocations": ["further"]},
        {"name": "two", "location": "two"},
        {"name": "linked", "location": "linked"},
    ]
    shares = write_shares(folder, tables, {"me": "x"}, **settings)
    with running(contract="delta_sharing", shares=shares) as server:
        yield server


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with served(folder) as server:
        yield server


@pytest.fixture
def pack(folder: Path, server: Server) -> Iterator[Pack]:
    tables = {table.name: table for table in read_shares(folder / "shares.yaml").tables()}
    with Sender(server.url) as send:
        yield Pack(folder, server, server.service.files, tables, send)


def test_a_file_is_sent_whole_without_a_token(pack: Pack) -> None:
    for name, content in (("small.bin", SMALL + b"one"), ("large.bin", LARGE), ("empty.bin", b"")):
        answer = pack.send("GET", pack.path(name))

        assert (answer.status, answer.headers["content-length"], answer.body) == (
            200,
            str(len(content)),
            content,
        )
        assert (answer.headers["content-type"], answer.headers["accept-ranges"]) == (
            "application/octet-stream",
            "bytes",
        )


@pytest.mark.parametrize("name", ["small.bin", "large.bin", "empty.bin"])
def test_head_is_get_without_the_body(pack: Pack, name: str) -> None:
    got, asked = (
        pack.send("GET", pack.path(name)),
        pack.send("HEAD", pack.path(name), Range="bytes=1-2"),
    )

    assert (asked.status, asked.headers, asked.body) == (got.status, got.headers, b"")


def test_a_path_of_the_log_is_decoded_once(pack: Pack) -> None:
    assert pack.send("GET", pack.path("d=a%20b%2520%C3%A9/part%2B1.bin")).body == b"partition"


def test_a_path_may_be_a_uri_below_any_root_of_the_table(pack: Pack) -> None:
    for location in ("one", "further"):
        for start in (f"file://{pack.folder}", f"file:{pack.folder}", str(pack.folder)):
            assert (
                pack.send("GET", pack.path(f"{start}/{location}/small.bin")).body
                == SMALL + location.encode()
            )


def test_a_table_may_be_reached_by_a_link(pack: Pack) -> None:
    assert pack.send("GET", pack.path("small.bin", table="linked")).body == SMALL + b"one"
    assert pack.files.key(pack.tables["linked"], f"file://{pack.folder}/one/small.bin")


@pytest.mark.parametrize(
    ("header", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=5-9", 5, 10),
        ("bytes=1000000-", 1_000_000, None),
        ("bytes=-7", -7, None),
        ("bytes=-99999999", 0, None),
        ("bytes=999999-99999999999", 999_999, None),
        ("BYTES = 1 - 2", 1, 3),
        ("bytes=3-900000", 3, 900_001),
    ],
)
def test_a_part_is_sent_with_its_place(
    pack: Pack, header: str, start: int, end: int | None
) -> None:
    answer = pack.send("GET", pack.path("large.bin"), Range=header)
    first, last, size = map(
        int, re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", answer.headers["content-range"]).groups()
    )

    assert (answer.status, answer.body) == (206, LARGE[start:end])
    assert (LARGE[first : last + 1], size, answer.headers["content-length"]) == (
        answer.body,
        len(LARGE),
        str(len(answer.body)),
    )


@pytest.mark.parametrize(
    "header",
    ["bytes=0-1,4-5", "bytes=9-5", "lines=1-2", "bytes", "bytes=-", "bytes=a-b", "bytes=1.5-2", ""],
)
def test_invalid_or_multiple_ranges_return_the_whole_file(pack: Pack, header: str) -> None:
    answer = pack.send("GET", pack.path("small.bin"), Range=header)

    assert (answer.status, answer.body) == (200, SMALL + b"one")


@pytest.mark.parametrize(
    ("name", "header"),
    [("large.bin", "bytes=1000003-"), ("large.bin", "bytes=-0"), ("empty.bin", "bytes=0-0")],
)
def test_range_beyond_the_file_returns_416_with_its_length(
    pack: Pack, name: str, header: str
) -> None:
    answer = pack.send("GET", pack.path(name), Range=header)

    assert (answer.status, answer.document["errorCode"]) == (416, "INVALID_PARAMETER_VALUE")
    assert (
        answer.headers["content-range"] == f"bytes */{(pack.folder / 'one' / name).stat().st_size}"
    )


@given(
    size=st.integers(0, 50),
    first=st.none() | st.integers(0, 60),
    last=st.none() | st.integers(0, 60),
)
def test_a_range_is_the_bytes_that_http_means(
    size: int, first: int | None, last: int | None
) -> None:
    header = f"bytes={'' if first is None else first}-{'' if last is None else last}".encode()
    numbers = range(size)
    if first is None and last is None:
        expected: Any = None
    elif first is None:
        expected = list(numbers)[-last:] if last else []
    elif last is not None and last < first:
        expected = None
    else:
        expected = [n for n in numbers if first <= n <= (size if last is None else last)]

    if expected == []:
        with pytest.raises(NotSatisfiable):
            part_of_range(header, size)
    else:
        found = part_of_range(header, size)
        assert (found if found is None else list(numbers)[slice(*found)]) == expected


def test_range_is_sent_only_if_if_range_matches(pack: Pack) -> None:
    whole = pack.send("GET", pack.path("small.bin"))
    for validator, status in (
        (whole.headers["etag"], 206),
        (whole.headers["last-modified"], 206),
        ('"another"', 200),
        (f"W/{whole.headers['etag']}", 200),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 200),
    ):
        assert (
            pack.send(
                "GET", pack.path("small.bin"), None, Range="bytes=0-3", If_Range=validator
            ).status
            == status
        )


def test_a_file_that_is_not_there_is_404(pack: Pack) -> None:
    for name in (
        "nothing.bin",
        "small.bin/x",
        "d=a%20b%2520%C3%A9",
        "dangling",
        "pipe",
        "x" * 300,
        "%ff",
        "a%0Ab",
    ):
        assert pack.refused(pack.path(name)) == (404, "RESOURCE_DOES_NOT_EXIST")


def test_a_link_is_followed_within_the_table_and_not_out_of_it(pack: Pack) -> None:
    assert pack.send("GET", pack.path("link-in")).body == SMALL + b"one"
    for name in ("link-out", "folder-out/secret", "folder-out/two/small.bin"):
        assert pack.refused(pack.path(name)) == (404, "RESOURCE_DOES_NOT_EXIST")


@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "a/../../secret",
        "%2e%2e/secret",
        "a/%2E%2E/%2e%2e/secret",
        "..",
        "/etc/passwd",
        "%2Fetc/passwd",
        "//etc/passwd",
        "file:///etc/passwd",
        "file:/etc/passwd",
        "file://host/etc/passwd",
        "file://localhost/etc/passwd",
        "FILE:///etc/passwd",
        "s3://bucket/x",
        "http://127.0.0.1/x",
        "a%00b",
        "{folder}/two/small.bin",
        "file://{folder}/two/small.bin",
        "file://{folder}/one/../two/small.bin",
        "file://{folder}/one",
        "file://{folder}/one/",
        "file://{folder}/onefold/x",
        "",
    ],
)
def test_no_url_is_made_for_a_path_that_leads_out_of_the_table(pack: Pack, path: str) -> None:
    with pytest.raises(DamagedLog):
        pack.files.key(pack.tables["one"], path.replace("{folder}", str(pack.folder)))


def test_a_url_of_one_table_reads_no_other(pack: Pack) -> None:
    one, two = pack.path("small.bin"), pack.path("small.bin", table="two")
    (path_of_one, signature_of_one), (path_of_two, _) = one.split("?"), two.split("?")
    table_of_one, key_of_one = path_of_one.rsplit("/", 1)
    table_of_two = path_of_two.rsplit("/", 1)[0]

    assert pack.refused(f"{path_of_two}?{signature_of_one}") == (403, "PERMISSION_DENIED")
    assert pack.refused(f"{table_of_two}/{key_of_one}?{two.split('?')[1]}") == (
        403,
        "PERMISSION_DENIED",
    )
    assert pack.refused(f"{table_of_one}/{path_of_two.rsplit('/', 1)[1]}?{signature_of_one}") == (
        403,
        "PERMISSION_DENIED",
    )


def test_a_url_that_has_expired_is_403(pack: Pack) -> None:
    status, kind = pack.refused(pack.path("small.bin", expires=pack.files.until() - 3_600_001))

    assert (status, kind) == (403, "PERMISSION_DENIED")
    assert "expired" in pack.send("GET", pack.path("small.bin", expires=1)).document["message"]


def test_a_url_without_its_query_is_403(pack: Pack) -> None:
    path, query = pack.path("small.bin").split("?")
    for less in (
        "",
        "?",
        f"?{query.split('&')[0]}",
        f"?{query.split('&')[1]}",
        "?expires=&X-Amz-Signature=",
        "?expires=-1",
        "?%ff=%ff&&=",
    ):
        assert pack.refused(path + less) == (403, "PERMISSION_DENIED")


def test_a_url_with_anything_changed_is_refused(pack: Pack) -> None:
    url = pack.path("small.bin")
    start = len("/delta-sharing/files/")
    for at in range(start, len(url)):
        for other in {url[at].swapcase(), "A", "0"} - {url[at]}:
            answer = pack.send("GET", url[:at] + other + url[at + 1 :])
            assert answer.status in {403, 404}, url[:at] + other
            assert SMALL[:8] not in answer.body


@pytest.mark.parametrize("more", ["/", "=", "A", "/../x", "%2F..%2F", "%00", ".", "%20", "%C3%A9"])
def test_a_url_with_anything_added_to_its_path_is_refused(pack: Pack, more: str) -> None:
    path, query = pack.path("small.bin").split("?")

    assert pack.refused(f"{path}{more}?{query}") == (403, "PERMISSION_DENIED")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "x",
        "x/y",
        "..",
        "../shares",
        "%2e%2e/shares",
        "%2e%2e%2f%2e%2e%2fetc",
        "a/b/c",
        "/etc/passwd",
    ],
)
def test_nothing_else_stands_where_the_files_are(pack: Pack, path: str) -> None:
    assert pack.refused(f"/delta-sharing/files/{path}") == (403, "PERMISSION_DENIED")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_a_file_can_only_be_read(pack: Pack, method: str) -> None:
    answer = pack.send(method, pack.path("small.bin"))

    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


def test_file_key_is_stable_and_url_safe(pack: Pack) -> None:
    keys = [
        pack.files.key(pack.tables["one"], path)
        for path in ("d=a%20b/%3D%2F?.bin", "d=a b/=%2F?.bin")
    ]

    assert keys[0] == keys[1]
    assert re.fullmatch(r"[A-Za-z0-9_-]+", keys[0])


def test_another_server_knows_none_of_the_urls(pack: Pack, folder: Path) -> None:
    with served(folder) as other, Sender(other.url) as send:
        assert send("GET", pack.path("small.bin")).status == 403


def test_timeout_setting_determines_the_expiration_of_urls(pack: Pack, folder: Path) -> None:
    with served(folder, preSignedUrlTimeoutSeconds=86_400) as long:
        assert long.service.files.until() - pack.files.until() > 22 * 3_600_000


def test_download_after_disconnected_clients_is_complete(pack: Pack) -> None:
    host, port = pack.server.url.removeprefix("http://").split(":")
    for _ in range(20):
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(f"GET {pack.path('large.bin')} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            connection.recv(100)

    assert pack.send("GET", pack.path("large.bin")).body == LARGE


def test_a_file_that_is_cut_while_it_is_sent_ends_the_connection_early(pack: Pack) -> None:
    grown = pack.folder / "one" / "shrinks.bin"
    grown.write_bytes(bytes(60_000_000))
    host, port = pack.server.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    connection.request("GET", pack.path("shrinks.bin"))
    response = connection.getresponse()
    response.read(1000)
    os.truncate(grown, 100_000)

    with pytest.raises(http.client.IncompleteRead):
        response.read()
    connection.close()
    grown.unlink()
