"""Several contracts on one port, each with its own root, error form and faults."""

from __future__ import annotations

import http.client
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from faulty import unnamed
from lakepact.generated.contract import Contract, contracts
from lakepact.reference_server import running
from lakepact.reference_server.app import service, services
from lakepact.reference_server.cli import serve
from lakepact.reference_server.faults import ANSWERS, Install, UnknownFault, on_lines, on_status
from lakepact.reference_server.http.replies import NDJSON, Reply
from lakepact.reference_server.settings import BadSetting, Settings
from raw_requests import Sender, serving

SHARES = """
shares: [{name: s, schemas: [{name: d, tables: [{name: t, location: t}]}]}]
recipients:
- {name: me, bearerToken: secret-of-me}
- {name: you, bearerToken: secret-of-you, expirationTime: 2999-12-31T00:00:00.5Z}
"""
ENTRY = {"Authorization": "Bearer secret-of-me"}


@pytest.fixture(scope="module")
def shares(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("shares") / "shares.yaml"
    file.write_text(SHARES)
    return file


@pytest.fixture(scope="module")
def both(shares: Path) -> Iterator[Any]:
    with running(warehouse="memory:", shares=shares) as server:
        yield server


@pytest.fixture
def send(both: Any) -> Iterator[Callable[..., Any]]:
    with Sender(both.url) as send:
        yield send


def test_rules_of_a_service_have_different_names(shares: Path, tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text('[principals.ann]\nclient-id = "ann"\nclient-secret = "s3cret"\n')
    guarded = Settings(config=file, contract_version=Contract("iceberg_rest").versions[-1])
    settings = {
        "iceberg_rest": guarded,
        "delta_sharing": Settings(shares=shares),
        "watsonx_data": Settings(),
    }

    for contract in contracts():
        rules = service(contract, settings[contract]).rules
        names = [name for area in rules.areas for name in area.names()]
        assert sorted(names) == sorted(
            name for name in rules.names() if " " not in name
        )  # others are rules of one kind of change


def manner(answer: Any) -> tuple[int, str]:
    """Return the status, and the contract whose error form a refusal has."""
    return answer.status, {"error": "iceberg_rest", "errorCode": "delta_sharing"}[
        next(iter(answer.document))
    ]


def test_every_contract_has_its_address(both: Any) -> None:
    assert list(both.services) == ["iceberg_rest", "delta_sharing"]
    assert both.service is both.services["iceberg_rest"]
    assert (both.address("iceberg_rest"), both.address("delta_sharing")) == (
        both.url,
        f"{both.url}/delta-sharing",
    )


def test_contracts_are_answered_beside_each_other(send: Sender) -> None:
    assert send("GET", "/v1/config").status == 200
    assert send("GET", "/delta-sharing/shares", None, **ENTRY).document["items"][0]["name"] == "s"


@pytest.mark.parametrize(
    "path", ["/delta-sharing/shares/s", "/delta%2Dsharing/shares/s", "/%64elta-sharing/%73hares/s"]
)
def test_a_path_is_known_however_it_is_encoded(send: Sender, path: str) -> None:
    assert send("GET", path, None, **ENTRY).status == 200


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/v1/nope", (404, "iceberg_rest")),
        ("GET", "/nope", (404, "iceberg_rest")),
        ("GET", "/delta-sharin/shares", (404, "iceberg_rest")),
        ("GET", "/delta-sharingshares", (404, "iceberg_rest")),
        ("GET", "/shares", (404, "iceberg_rest")),
        ("GET", "/delta-sharing", (404, "delta_sharing")),
        ("GET", "/delta-sharing/", (404, "delta_sharing")),
        ("GET", "/delta-sharing/nope", (404, "delta_sharing")),
        ("GET", "/delta-sharing/v1/config", (404, "delta_sharing")),
        ("GET", "/delta-sharing%2Fshares", (404, "delta_sharing")),
        ("DELETE", "/delta-sharing/shares", (405, "delta_sharing")),
        ("DELETE", "/v1/config", (405, "iceberg_rest")),
        ("GET", "/v1/namespaces/%zz", (400, "iceberg_rest")),
        ("GET", "/delta-sharing/shares/%zz", (400, "delta_sharing")),
        ("GET", "/delta-sharing/shares/%ff", (400, "delta_sharing")),
    ],
)
def test_unknown_path_is_refused_in_the_form_of_the_nearest_contract(
    send: Sender, method: str, path: str, expected: tuple[int, str]
) -> None:
    assert manner(send(method, path)) == expected


def test_pages_list_every_contract(send: Sender) -> None:
    index = send("GET", "/").body.decode()
    titles = [
        send("GET", path).document["info"]["title"]
        for path in ("/openapi.json", "/delta-sharing/openapi.json")
    ]

    assert titles == ["Apache Iceberg REST Catalog API", "Delta Sharing Protocol"]
    assert all(
        text in index
        for text in [
            *titles,
            "/delta-sharing/shares/{share}",
            "/v1/{prefix}/namespaces",
            "/delta-sharing/openapi.json",
        ]
    )
    assert send("GET", "/healthz").document == {"status": "ok"}


def test_a_contract_can_be_served_alone(shares: Path) -> None:
    with serving(contract="delta_sharing", shares=shares) as send:
        assert (list(send.server.services), send.server.service.contract.name) == (
            ["delta_sharing"],
            "delta_sharing",
        )
        assert send("GET", "/delta-sharing/shares", None, **ENTRY).status == 200
        assert manner(send("GET", "/v1/config")) == (404, "delta_sharing")
        assert send("GET", "/openapi.json").document["info"]["title"] == "Delta Sharing Protocol"


def test_without_shares_nothing_is_shared() -> None:
    assert [served.contract.name for served in services([], Settings())] == ["iceberg_rest"]


@pytest.mark.parametrize(
    ("wanted", "settings", "said"),
    [
        (["delta_sharing"], {}, "delta_sharing cannot be served without --shares"),
        (["iceberg_rest"], {"shares": "x"}, "--shares requires --contract delta_sharing"),
    ],
)
def test_a_contract_and_its_setting_belong_together(
    wanted: list[str], settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadSetting, match=said):
        services(wanted, Settings(**settings))


def test_the_order_of_contracts_is_that_in_which_they_are_named(shares: Path) -> None:
    wanted = ["delta_sharing", "iceberg_rest", "delta_sharing"]

    assert [served.contract.name for served in services(wanted, Settings(shares=shares))] == [
        "delta_sharing",
        "iceberg_rest",
    ]


def test_a_fault_is_of_the_contracts_that_have_it(shares: Path) -> None:
    faults = ["getConfig.answers-404", "listShares.answers-500"]
    with serving(warehouse="memory:", shares=shares, faults=faults) as send:
        assert send("GET", "/v1/config").status == 404
        assert send("GET", "/v1/namespaces").status == 200
        assert send("GET", "/delta-sharing/shares", None, **ENTRY).document == {
            "errorCode": "Fault",
            "message": "asked for by a fault",
        }
        assert send("GET", "/delta-sharing/shares/s", None, **ENTRY).status == 200


def test_a_fault_of_all_operations_is_of_all_contracts(shares: Path) -> None:
    with serving(warehouse="memory:", shares=shares, faults=["answers-503"]) as send:
        assert [
            send("GET", path, None, **ENTRY).status
            for path in ("/v1/config", "/delta-sharing/shares")
        ] == [503, 503]


def test_a_fault_that_no_contract_has_is_refused(shares: Path) -> None:
    with pytest.raises(UnknownFault, match="answers-500"):
        services([], Settings(shares=shares), faults=["answers-5000"])


Streaming = Callable[..., Any]
TWO = b'{"a":1}\n{"b":"\\u2028"}\n'


@pytest.fixture
def streaming(shares: Path) -> Streaming:
    """Return a function that returns the answer of a server with a fault, which streams two lines
    in two chunks.
    """

    def answer(fault: Install) -> Any:
        def install(service: Any) -> None:
            service.handlers["listShares"] = lambda **_: Reply(
                200, media_type=NDJSON, chunks=iter([TWO[:13], TWO[13:]])
            )
            fault(service)

        with serving(contract="delta_sharing", shares=shares, faults=[unnamed(install)]) as send:
            return send("GET", "/delta-sharing/shares", None, **ENTRY)

    return answer


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda lines: lines.reverse(), b'{"b":"\\u2028"}\n{"a":1}\n'),
        (lambda lines: [*lines, {"c": None}], TWO + b'{"c":null}\n'),
        (lambda lines: lines[0].update(a=2), b'{"a":2}\n{"b":"\\u2028"}\n'),
        (lambda _: [], b""),
    ],
)
def test_lines_are_changed_in_place_or_replaced(
    streaming: Streaming, change: Callable[[Any], Any], expected: bytes
) -> None:
    assert streaming(on_lines("listShares", change)).body == expected


@pytest.mark.parametrize(
    ("name", "media_type", "body"),
    [
        ("not-json", "application/json", b"<html><body>It works!</body></html>"),
        ("empty-body", "application/json", b"{}"),
        ("wrong-content-type", "text/html; charset=utf-8", TWO),
        ("adds-body", "application/x-ndjson; charset=utf-8", TWO),
    ],
)
def test_faults_of_bodies_apply_to_streams(
    streaming: Streaming, name: str, media_type: str, body: bytes
) -> None:
    answer = streaming(ANSWERS[name]("listShares"))

    assert (answer.headers["content-type"], answer.body) == (media_type, body)


def test_a_stream_can_be_cut_in_the_middle(streaming: Streaming) -> None:
    with pytest.raises(http.client.IncompleteRead):
        streaming(ANSWERS["truncates-body"]("listShares"))


def test_a_stream_loses_its_body_with_a_status_that_has_none(streaming: Streaming) -> None:
    answer = streaming(on_status("listShares", {200: 204}))

    assert (answer.status, answer.headers, answer.body) == (204, {}, b"")


def test_profiles_are_written_for_their_recipients_alone(shares: Path, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "lakepact.reference_server",
        "--port",
        "0",
        "--shares",
        str(shares),
        "--profiles",
        str(tmp_path / "p"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        process.terminate()
    me, you = (tmp_path / "p" / name for name in ("me.share", "you.share"))

    assert json.loads(me.read_text()) == {
        "shareCredentialsVersion": 1,
        "endpoint": f"{address}/delta-sharing/",
        "bearerToken": "secret-of-me",
    }
    assert json.loads(you.read_text())["expirationTime"] == "2999-12-31T00:00:00.500Z"
    assert os.name == "nt" or [stat.S_IMODE(file.stat().st_mode) for file in (me, you)] == [
        0o600,
        0o600,
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--profiles", "x"], "there are no profiles to write"),
        (["--contract", "delta_sharing"], "cannot be served without --shares"),
        (["--shares", "nowhere.yaml"], "does not exist"),
    ],
)
def test_a_wrong_option_is_explained(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(serve, ["--port", "0", "--warehouse", "memory:", *arguments])

    assert (result.exit_code, said in result.output) == (2, True)


def test_without_shares_nothing_of_them_is_imported() -> None:
    code = (
        "import sys; from lakepact.reference_server.app import application, services; "
        "from lakepact.reference_server.settings import Settings; application(*services([], Settings())); "
        "print([m for m in sys.modules if 'delta_sharing' in m or m.split('.')[0] in {'pyarrow', 'numpy', 'fastavro', 'deltalake'}])"
    )
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "[]"
