"""`lakepact probe` only reads from a target, reports what it found, and gives advice after
errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from lakepact.conformance.commands.check import check
from lakepact.conformance.commands.probe import probe
from lakepact.conformance.running import discovery, profiles
from lakepact.generated.contract import Contract, contracts
from lakepact.reference_server.running import running
from miniatures import Answer, answer, miniature

SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": 1, "name": "x", "type": "int", "required": True}],
}
TOKEN = "s3cr3t-token-value"
LISTED = {"shares": ["a b"], "schemas": ["s"], "tables": ["t"]}


@pytest.fixture(scope="module")
def catalog() -> Iterator[str]:
    """Start a catalog with an empty namespace and a namespace with a table."""
    with (
        running(warehouse="memory:") as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        for name in ("a", "b"):
            client.post("/v1/namespaces", json={"namespace": [name]}).raise_for_status()
        client.post(
            "/v1/namespaces/b/tables", json={"name": "t", "schema": SCHEMA}
        ).raise_for_status()
        yield server.url


def result_of(*arguments: str) -> Result:
    return CliRunner().invoke(probe, arguments)


def operations(result: Result) -> dict[str, dict[str, Any]]:
    return {one["operation"]: one for one in json.loads(result.stdout)["operations"]}


def share_server(method: str, path: str, body: bytes) -> Answer:
    """Answer as a server with a share, a schema and a table that supports only listings and
    shares.
    """
    kind = path.rpartition("/")[2]
    if kind in LISTED:
        return answer(200, {"items": [{"name": name} for name in LISTED[kind]]})
    return (
        answer(200, {"share": {"name": "a b"}})
        if path == "/shares/a%20b"
        else answer(404, {"errorCode": "X", "message": "no"})
    )


def test_catalog_is_recognised_and_its_listed_objects_are_requested(catalog: str) -> None:
    result = result_of(catalog, "--json")
    document, by_operation = json.loads(result.stdout), operations(result)

    assert (result.exit_code, document["contract"], document["version"]) == (
        0,
        "iceberg_rest",
        "1.10.0",
    )
    assert {name: one["status"] for name, one in by_operation.items() if one["status"]} == {
        **dict.fromkeys(
            (
                "getConfig",
                "listNamespaces",
                "loadNamespaceMetadata",
                "listTables",
                "loadTable",
                "listViews",
            ),
            200,
        ),
        **dict.fromkeys(("namespaceExists", "tableExists"), 204),
        **dict.fromkeys(("loadView", "viewExists"), 404),
    }
    assert by_operation["loadTable"]["request"] == "GET /v1/namespaces/b/tables/t"
    assert (by_operation["loadView"]["request"], by_operation["loadView"]["remark"]) == (
        "GET /v1/namespaces/lpnothing/views/lpnothing",
        discovery.REMARKS["served"],
    )
    assert document["features"] == {"etag": True, "prefix": False, "views": True}


def test_share_server_is_recognised_and_declares_nothing() -> None:
    with miniature(share_server) as url:
        by_operation = operations(result_of(url, "--json"))

    assert {one["declared"] for one in by_operation.values()} == {None}
    assert by_operation["getShare"]["status"] == 200
    assert (
        by_operation["getTableVersion"]["request"] == "GET /shares/a%20b/schemas/s/tables/t/version"
    )
    assert by_operation["getTableVersion"]["status"] == 404


@pytest.mark.parametrize("contract", contracts())
def test_probe_sends_only_get_and_head(contract: str) -> None:
    methods: set[str] = set()

    def recorder(method: str, path: str, body: bytes) -> Answer:
        methods.add(method)
        if path.startswith("/v1/config"):
            return answer(200, {"defaults": {}, "overrides": {}})
        return answer(
            200, {"namespaces": [["n"]], "identifiers": [{"name": "t"}], "items": [{"name": "i"}]}
        )

    with miniature(recorder) as url:
        result = result_of(url, "--contract", contract, "--parameter", "warehouse=w", "--json")

    names = [name for name, one in operations(result).items() if one["status"]]
    assert methods == {"GET", "HEAD"}
    assert {Contract(contract).operations[name].method for name in names} == methods
    assert "loadCredentials" not in names


def test_differences_between_declared_and_answered_operations_are_named() -> None:
    endpoints = [
        "GET /v1/{prefix}/namespaces",
        "GET /v1/{prefix}/namespaces/{namespace}",
        "GET /v1/new",
    ]

    def server(method: str, path: str, body: bytes) -> Answer:
        if path == "/v1/config":
            return answer(
                200, {"defaults": {"secret": TOKEN}, "overrides": {}, "endpoints": endpoints}
            )
        if path == "/v1/namespaces":
            return answer(200, {"namespaces": [["n"]]})
        return answer(200, {"identifiers": []}) if path.endswith("/tables") else answer(404)

    with miniature(server) as url:
        result = result_of(url, "--json")
    by_operation = operations(result)

    assert by_operation["loadNamespaceMetadata"]["remark"] == "declared, but not found"
    assert by_operation["listTables"]["remark"] == "not declared, but answered"
    assert by_operation["listViews"]["remark"] == ""
    assert json.loads(result.stdout)["facts"]["endpoints of no version"] == "GET /v1/new"
    assert json.loads(result.stdout)["facts"]["defaults"] == "secret"
    assert TOKEN not in result.stdout


def test_text_output_summarizes_the_target(catalog: str) -> None:
    result = result_of(catalog)

    assert result.exit_code == 0
    assert all(
        part in result.stdout
        for part in (f"{catalog}  iceberg_rest 1.10.0", "loadTable", "8 seen to answer")
    )


def test_written_profile_is_read_by_check_and_holds_no_secret(
    catalog: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_TOKEN", TOKEN)
    path = tmp_path / "target.toml"
    address = catalog.replace("//", "//hank:geheim@")
    result = result_of(
        address, "--token-env", "PROBE_TOKEN", "--header", f"X-Key: {TOKEN}", "--profile", str(path)
    )

    assert result.exit_code == 0
    assert profiles.profile(path) == {
        "contract": "iceberg_rest",
        "contract_version": "1.10.0",
        "url": catalog,
        "token_env": "PROBE_TOKEN",
        "features": {},
    }
    assert [
        secret
        for secret in (TOKEN, "geheim")
        if secret in path.read_text(encoding="utf-8") + result.output
    ] == []
    check_result = CliRunner().invoke(check, ["--profile", str(path), "--only", "IRC-CFG-001"])
    assert (check_result.exit_code, catalog in check_result.output) == (0, True)


def test_check_uses_the_contract_of_a_profile(tmp_path: Path) -> None:
    path = tmp_path / "target.toml"
    path.write_text('contract = "delta_sharing"\nurl = "http://127.0.0.1:1"\n', encoding="utf-8")
    result = CliRunner().invoke(check, ["--profile", str(path)])

    assert (result.exit_code, "no answer to GET http://127.0.0.1:1/shares" in result.output) == (
        3,
        True,
    )


@pytest.mark.parametrize(
    ("status", "document", "headers", "suffix", "why"),
    [
        (
            401,
            {"error": {"message": "who?", "type": "NotAuthorizedException", "code": 401}},
            {},
            "",
            "--token-env NAME",
        ),
        (401, None, {}, "", "it does not know this caller"),
        (
            302,
            None,
            {"Location": "https://elsewhere/login"},
            "",
            "it sends elsewhere, to https://elsewhere/login",
        ),
        (404, None, {}, "/v1", "leave out /v1 at the end of the address: try http://127.0.0.1"),
        (200, {"hello": "world"}, {}, "", "the base address of a catalog ends before /v1"),
        (400, "Client sent an HTTP request to an HTTPS server.", {}, "", "try https://"),
    ],
)
def test_unrecognised_answer_exits_with_3_and_advice(
    status: int, document: object, headers: dict[str, str], suffix: str, why: str
) -> None:
    with miniature(lambda *_: answer(status, document, **headers)) as url:
        result = result_of(url + suffix)

    assert (result.exit_code, result.output.count("\n")) == (3, 1)
    assert why in result.output


def test_unreachable_target_exits_with_3_and_the_reason() -> None:
    with miniature(share_server) as url:
        plain = result_of(url.replace("http:", "https:"))
    closed = result_of("http://127.0.0.1:1")

    assert (plain.exit_code, closed.exit_code) == (3, 3)
    assert "it does not speak TLS at this port: try http://: no answer" in plain.output
    assert "nothing listens at this port" in closed.output


def test_missing_folder_of_a_profile_is_created(catalog: str, tmp_path: Path) -> None:
    path = tmp_path / "targets" / "ours.toml"
    result = result_of(catalog, "--profile", str(path))

    assert (result.exit_code, profiles.profile(path)["url"]) == (0, catalog)
