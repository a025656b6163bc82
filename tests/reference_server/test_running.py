"""Start and end of the server, without leftovers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from lakepact.reference_server import running
from lakepact.reference_server.cli import serve
from lakepact.reference_server.faults import UnknownFault
from lakepact.reference_server.running import configure

SERVE = [
    sys.executable,
    "-c",
    "from lakepact.reference_server.cli import serve; serve()",
    "--port",
    "0",
]


def started(*arguments: str) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [*SERVE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout
    return process, process.stdout.readline().strip()


def folder_of(url: str) -> Path:
    request = urllib.request.Request(
        f"{url}/v1/namespaces",
        b'{"namespace":["a"]}',
        {"Content-Type": "application/json"},
        method="POST",
    )
    with urllib.request.urlopen(request) as answer:
        location = answer.read().decode().partition("file://")[2].partition('"')[0]
    return Path(location).parent


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_cleanly(number: signal.Signals) -> None:
    process, url = started()
    folder = folder_of(url)
    assert folder.is_dir()
    process.send_signal(number)
    out, err = process.communicate(timeout=20)

    assert (process.returncode, out, err) == (0, "", "")
    assert not folder.exists()


def test_a_warehouse_that_is_given_stays(tmp_path: Path) -> None:
    process, url = started("--warehouse", str(tmp_path / "kept"))
    folder = folder_of(url)
    process.terminate()
    process.communicate(timeout=20)

    assert (folder, folder.is_dir()) == (tmp_path / "kept", True)


def test_taken_port_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = CliRunner().invoke(
            serve, ["--port", str(taken.getsockname()[1]), "--warehouse", "memory:"]
        )

    assert (result.exit_code, "cannot listen on 127.0.0.1" in result.output) == (2, True)
    assert "--port 0 takes a free port" in result.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fault", "answers-50"], "near: "),
        (["--warehouse", "s3://bucket"], "is not a file: location"),
        (["--port", "x"], "is not a valid integer"),
        (["--prefix", "{a}"], "is not a path as it stands in a URL"),
        (["--prefix", "../a"], "is not a path as it stands in a URL"),
        (["--prefix", "a/."], "is not a path as it stands in a URL"),
    ],
)
def test_a_wrong_option_is_explained(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(serve, arguments)

    assert (result.exit_code, said in result.output) == (2, True)


def test_a_server_is_gone_after_its_block() -> None:
    with running(warehouse="memory:") as server:
        port = int(server.url.rpartition(":")[2])

    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        pass


def test_servers_run_side_by_side_and_share_nothing() -> None:
    with running(warehouse="memory:") as one, running(warehouse="memory:") as other:
        folder_of_one = urllib.request.Request(
            f"{one.url}/v1/namespaces",
            b'{"namespace":["a"]}',
            {"Content-Type": "application/json"},
            method="POST",
        )
        urllib.request.urlopen(folder_of_one).close()
        with urllib.request.urlopen(f"{other.url}/v1/namespaces") as answer:
            listed = answer.read()

    assert listed == b'{"namespaces":[],"next-page-token":null}'


def test_an_unknown_fault_keeps_a_server_from_starting() -> None:
    with pytest.raises(UnknownFault), running(warehouse="memory:", faults=["irc"]):
        pass


def test_idle_connections_are_kept_longer_than_clients_keep_them() -> None:
    kept = configure(object()).timeout_keep_alive

    assert kept > (httpx.Limits().keepalive_expiry or 0)
