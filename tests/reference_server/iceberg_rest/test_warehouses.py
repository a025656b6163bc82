"""Several warehouses in one server, found by name and isolated from each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server import running
from lakepact.reference_server.settings import BadSetting
from raw_requests import Sender, serving
from sample_tables.schemas import SCHEMA

FILE = """
[warehouses.lake]
defaults = { clients = "4" }
overrides = { "namespace-separator" = "%2E" }
table-defaults = { "format-version" = "3", "write.parquet.compression-codec" = "zstd" }

[warehouses."an other/one"]
[warehouses.third]
prefix = "3rd"
"""
OTHER = "an%20other%2Fone"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    file = tmp_path_factory.mktemp("server") / "server.toml"
    file.write_text(FILE)
    with running(contract="iceberg_rest", warehouse="memory:", config=file) as server:
        yield server.url


@pytest.fixture
def send(url: str) -> Iterator[Callable[..., Any]]:
    with Sender(url) as send:
        yield send


@pytest.fixture
def namespace(send: Sender, request: pytest.FixtureRequest) -> str:
    """Create a namespace of the same name in two warehouses."""
    name = request.node.name[-60:].translate(str.maketrans("[]", "__"))
    for prefix in ("lake", OTHER):
        assert send("POST", f"/v1/{prefix}/namespaces", {"namespace": [name]}).status == 200
    return name


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("lake", "lake"),
        ("an%20other%2fone", OTHER),
        ("third", "3rd"),
        ("3rd", "3rd"),
        ("memory%3A%2Fthird", "3rd"),
        ("lake/", "lake"),
    ],
)
def test_a_warehouse_is_found_by_its_name_its_prefix_and_its_location(
    send: Sender, name: str, prefix: str
) -> None:
    assert send("GET", f"/v1/config?warehouse={name}").document["overrides"]["prefix"] == prefix


def test_a_warehouse_has_the_settings_of_the_file(send: Sender) -> None:
    found = send("GET", "/v1/config?warehouse=lake").document

    assert (found["defaults"], found["overrides"]) == (
        {"clients": "4"},
        {"namespace-separator": "%2E", "prefix": "lake"},
    )


@pytest.mark.parametrize(
    "query", ["", "?warehouse=", "?warehouse=lak", "?warehouse=LAKE", "?warehouse=memory%3A"]
)
def test_missing_or_unknown_warehouse_returns_400_with_the_names(send: Sender, query: str) -> None:
    answer = send("GET", f"/v1/config{query}")

    assert answer.error == (400, "BadRequestException")
    assert all(name in answer.message for name in ("lake", "an other/one", "third"))


@pytest.mark.parametrize(
    "path",
    ["/v1/namespaces", "/v1/nope/namespaces", "/v1/LAKE/namespaces", "/v1/lake%2F/namespaces"],
)
def test_no_catalog_is_below_another_prefix(send: Sender, path: str) -> None:
    assert send("GET", path).status == 404


def test_table_is_in_its_own_warehouse_only(send: Sender, namespace: str) -> None:
    assert (
        send(
            "POST", f"/v1/lake/namespaces/{namespace}/tables", {"name": "t", "schema": SCHEMA}
        ).status
        == 200
    )

    listed = [
        send("GET", f"/v1/{prefix}/namespaces/{namespace}/tables").document["identifiers"]
        for prefix in ("lake", OTHER)
    ]

    assert listed == [[{"namespace": [namespace], "name": "t"}], []]
    assert (
        send("GET", f"/v1/{OTHER}/namespaces/{namespace}/tables/t").error[1]
        == "NoSuchTableException"
    )
    assert send("DELETE", f"/v1/{OTHER}/namespaces/{namespace}").status == 204
    assert send("DELETE", f"/v1/lake/namespaces/{namespace}").status == 409


@pytest.mark.parametrize("more", [{}, {"stage-create": True}, {"properties": None}])
def test_tables_are_created_with_the_properties_that_their_warehouse_gives(
    send: Sender, namespace: str, more: dict[str, Any]
) -> None:
    made = send(
        "POST", f"/v1/lake/namespaces/{namespace}/tables", {"name": "t", "schema": SCHEMA, **more}
    ).document["metadata"]

    assert (made["format-version"], made["properties"]) == (
        3,
        {"write.parquet.compression-codec": "zstd"},
    )


def test_properties_of_a_request_precede_the_warehouse_defaults(
    send: Sender, namespace: str
) -> None:
    asked = {
        "name": "t",
        "schema": SCHEMA,
        "properties": {
            "format-version": "1",
            "write.parquet.compression-codec": "gzip",
            "own": "1",
        },
    }
    made = send("POST", f"/v1/lake/namespaces/{namespace}/tables", asked).document["metadata"]

    assert (made["format-version"], made["properties"]) == (
        1,
        {"write.parquet.compression-codec": "gzip", "own": "1"},
    )


def test_tables_lie_below_their_own_warehouse(send: Sender, namespace: str) -> None:
    locations = [
        send(
            "POST", f"/v1/{prefix}/namespaces/{namespace}/tables", {"name": "t", "schema": SCHEMA}
        ).document["metadata"]["location"]
        for prefix in ("lake", OTHER)
    ]

    assert [location.rpartition(f"/{namespace}/")[0] for location in locations] == [
        "memory:/lake",
        "memory:/an~20other~2fone",
    ]
    away = {"name": "u", "schema": SCHEMA, "location": locations[1] + "-u"}
    assert send("POST", f"/v1/lake/namespaces/{namespace}/tables", away).error == (
        400,
        "BadRequestException",
    )


def test_neither_renaming_nor_a_transaction_reaches_another_warehouse(
    send: Sender, namespace: str
) -> None:
    table = {"namespace": [namespace], "name": "t"}
    assert (
        send(
            "POST", f"/v1/lake/namespaces/{namespace}/tables", {"name": "t", "schema": SCHEMA}
        ).status
        == 200
    )
    renamed = send(
        "POST",
        f"/v1/{OTHER}/tables/rename",
        {"source": table, "destination": {**table, "name": "u"}},
    )
    change = {
        "identifier": table,
        "requirements": [],
        "updates": [{"action": "set-properties", "updates": {"a": "b"}}],
    }
    committed = send("POST", f"/v1/{OTHER}/transactions/commit", {"table-changes": [change]})

    assert (renamed.error[1], committed.error[1]) == (
        "NoSuchTableException",
        "NoSuchTableException",
    )
    assert "a" not in send("GET", f"/v1/lake/namespaces/{namespace}/tables/t").document[
        "metadata"
    ].get("properties", {})


def test_a_separator_is_one_in_its_own_warehouse_alone(send: Sender) -> None:
    body = {"namespace": ["v1.2"]}

    assert send("POST", "/v1/lake/namespaces", body).error == (400, "BadRequestException")
    assert send("POST", "/v1/3rd/namespaces", body).status == 200
    assert send("GET", "/v1/3rd/namespaces/v1.2").document["namespace"] == ["v1.2"]


def test_index_page_lists_the_warehouses(send: Sender) -> None:
    page = send("GET", "/").body.decode()

    sentences = (
        "lake, below /v1/lake/",
        f"an other/one, below /v1/{OTHER}/",
        "third, below /v1/3rd/",
    )
    assert [sentence for sentence in sentences if sentence not in page] == []


def test_a_single_warehouse_of_a_file_needs_no_prefix(tmp_path: Path) -> None:
    (tmp_path / "server.toml").write_text("[warehouses.lake]\n")
    with serving(
        contract="iceberg_rest", warehouse="memory:", config=tmp_path / "server.toml"
    ) as send:
        assert [
            send("GET", f"/v1/config{query}").document["overrides"]
            for query in ("", "?warehouse=lake")
        ] == [{}, {}]
        assert send("GET", "/v1/namespaces").document["namespaces"] == []


def test_warehouses_outlive_the_server_each_with_its_own(tmp_path: Path) -> None:
    (tmp_path / "server.toml").write_text("[warehouses.a]\n[warehouses.b]\n")
    settings = {
        "contract": "iceberg_rest",
        "warehouse": str(tmp_path),
        "config": tmp_path / "server.toml",
        "store": "file",
    }
    with serving(**settings) as send:
        send("POST", "/v1/a/namespaces", {"namespace": ["n"]})
        made = send("POST", "/v1/a/namespaces/n/tables", {"name": "t", "schema": SCHEMA}).document
    with serving(**settings) as send:
        assert send("GET", "/v1/a/namespaces/n/tables/t").document == made
        assert send("GET", "/v1/b/namespaces").document["namespaces"] == []


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ('[warehouses.a]\nprefix = "x"\n[warehouses.b]\nprefix = "x"', "the same prefix"),
        (
            '[warehouses.a]\nlocation = "{folder}/w"\n[warehouses.b]\nlocation = "{folder}/w/b"',
            "one lies in the other",
        ),
        ('[warehouses.a]\nprefix = "x/y"\n[warehouses.b]', "one segment"),
        ('[warehouses.a]\nprefix = "x y"', "not a path"),
        (
            '[warehouses.a]\noverrides = { prefix = "x" }',
            "warehouses.a: the prefix stands in `prefix`",
        ),
        (
            '[warehouses.a]\noverrides = { "namespace-separator" = "/" }',
            "namespace-separator is empty, or a slash",
        ),
    ],
)
def test_warehouses_that_cannot_be_served_beside_each_other_are_refused(
    tmp_path: Path, file: str, said: str
) -> None:
    (tmp_path / "server.toml").write_text(file.replace("{folder}", str(tmp_path)))

    with (
        pytest.raises(BadSetting, match=said),
        running(contract="iceberg_rest", warehouse="memory:", config=tmp_path / "server.toml"),
    ):
        pass


def test_a_prefix_for_all_does_not_fit_several_warehouses(tmp_path: Path) -> None:
    (tmp_path / "server.toml").write_text("[warehouses.a]\n[warehouses.b]\n")

    settings = {"contract": "iceberg_rest", "prefix": "p", "config": tmp_path / "server.toml"}
    with pytest.raises(BadSetting, match="each has its prefix"), running(**settings):
        pass


def test_a_warehouse_keeps_what_it_has_when_another_joins_it(tmp_path: Path) -> None:
    settings = {
        "contract": "iceberg_rest",
        "warehouse": str(tmp_path),
        "config": tmp_path / "server.toml",
        "store": "file",
    }
    for file, prefix in (("[warehouses.a]\n", ""), ("[warehouses.a]\n[warehouses.b]\n", "/a")):
        (tmp_path / "server.toml").write_text(file)
        with serving(**settings) as send:
            if not prefix:
                send("POST", "/v1/namespaces", {"namespace": ["n"]})
            assert send("GET", f"/v1{prefix}/namespaces").document["namespaces"] == [["n"]]
