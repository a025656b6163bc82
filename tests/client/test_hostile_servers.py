"""Endless, huge and slow replies raise an error that names the limit, in bounded memory."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time

import pytest

from driving import KINDS, Driven
from lakepact.client import (
    NO_RETRIES,
    IcebergCatalog,
    LakepactError,
    LimitExceeded,
    Limits,
    OutcomeUnknown,
    SharingClient,
    Timeouts,
    Unreachable,
)
from server_doubles.hostile_servers import (
    ATTACKS,
    DRIPS,
    MIB,
    attacking,
    endless_line,
    endless_pages,
    json_answer,
)

FEW = Limits(body=MIB, line=MIB, pages=20)
NAMED = (
    "Limits(body=…)",
    "Timeouts(reply=…)",
    "on the wire",
    "Receive buffer too long",
    "trailers",
)
CALL = """
import re, sys
from pathlib import Path
from lakepact.client import NO_RETRIES, LakepactError, IcebergCatalog
try:
    IcebergCatalog(sys.argv[1], retries=NO_RETRIES).config()
except LakepactError as error:
    # Not `ru_maxrss`: that is at least what the process that started this one held.
    print(type(error).__name__, int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024)
"""


def config(path: str) -> bytes | None:
    return json_answer({"defaults": {}, "overrides": {}}) if path.startswith("/v1/config") else None


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("name", ATTACKS)
def test_attack_ends_in_an_error_that_names_the_limit(name, kind):
    timeouts = Timeouts(read=5, reply=0.5 if name in DRIPS else 20)
    start = time.monotonic()
    with (
        attacking(ATTACKS[name]()) as url,
        Driven(kind, url, retries=NO_RETRIES, timeouts=timeouts, limits=FEW) as catalog,
        pytest.raises(LakepactError) as exc_info,
    ):
        catalog.config()

    assert time.monotonic() - start < 15
    assert any(limit in str(exc_info.value) for limit in NAMED)
    assert name not in DRIPS or isinstance(exc_info.value, LimitExceeded)


@pytest.mark.parametrize("name", ["endless-body", "gzip-bomb", "nested-bomb"])
def test_attack_with_default_limits_takes_less_than_300_mib(name):
    with attacking(ATTACKS[name]()) as url:
        output = subprocess.run(
            [sys.executable, "-c", CALL, url],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout

    kind, memory = output.split()
    assert kind in {"LimitExceeded", "BadReply"}
    assert int(memory) < 300 * MIB


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_listing_without_end_stops_after_the_pages_of_the_limit(kind):
    with (
        attacking(endless_pages, first=config) as url,
        Driven(kind, url, limits=FEW) as catalog,
        pytest.raises(LimitExceeded, match=r"after 20 pages; Limits\(pages=…\) allows more"),
    ):
        catalog.list_namespaces()


def test_change_whose_reply_is_too_large_has_an_unknown_outcome():
    with (
        attacking(ATTACKS["endless-body"](), first=config) as url,
        IcebergCatalog(url, limits=FEW) as catalog,
        pytest.raises(OutcomeUnknown, match=r"Limits\(body=…\)"),
    ):
        catalog.create_namespace(("a",))


def sharing(url, **options):
    return SharingClient(
        {"shareCredentialsVersion": 1, "endpoint": url, "bearerToken": "t"},
        retries=NO_RETRIES,
        **options,
    )


def test_line_without_end_stops_at_the_line_limit():
    with (
        attacking(endless_line) as url,
        sharing(url, limits=FEW) as client,
        pytest.raises(
            LimitExceeded,
            match=r"line 1 of the reply is longer than 1048576 bytes; Limits\(line=…\)",
        ),
    ):
        client.table("s", "d", "t").query()


def test_listing_that_drips_stops_within_the_read_timeout():
    def drip(_):
        yield b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n"
        for byte in itertools.repeat(b" "):
            yield byte
            time.sleep(0.05)

    start = time.monotonic()
    with (
        attacking(drip) as url,
        sharing(url, timeouts=Timeouts(read=0.5)) as client,
        pytest.raises(LimitExceeded, match=r"less than 1024 bytes .* Timeouts\(read=…\)"),
    ):
        client.table("s", "d", "t").query()

    assert time.monotonic() - start < 5


def test_listing_of_many_files_has_no_total_limit():
    file = (
        json.dumps(
            {"file": {"url": "https://a.test/x", "id": "x", "partitionValues": {}, "size": 1}}
        ).encode()
        + b"\n"
    )
    schema = json.dumps({"type": "struct", "fields": []})
    about = {
        "id": "7",
        "format": {"provider": "parquet"},
        "schemaString": schema,
        "partitionColumns": [],
    }
    head = b"".join(
        json.dumps(line).encode() + b"\n"
        for line in ({"protocol": {"minReaderVersion": 1}}, {"metaData": about})
    )

    def listing(_):
        yield b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n" + head
        yield from itertools.repeat(file * 1000, 100)

    with (
        attacking(listing) as url,
        sharing(url, limits=FEW) as client,
        client.table("s", "d", "t").query() as answer,
    ):
        assert sum(1 for _ in answer.files()) == 100_000


def test_silent_server_raises_unreachable():
    def silent(_):
        time.sleep(1)
        return ()

    with (
        attacking(silent) as url,
        IcebergCatalog(url, retries=NO_RETRIES, timeouts=Timeouts(read=0.2)) as catalog,
        pytest.raises(Unreachable, match="ReadTimeout"),
    ):
        catalog.config()
