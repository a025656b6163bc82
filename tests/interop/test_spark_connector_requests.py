"""Recorded requests of Spark's connector 4.4.0 get the answers that it needs.

The connector is a jar that some package registries lack; its requests and needs were recorded from
a run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from lakepact.conformance.fixtures import pack
from lakepact.conformance.fixtures.manifest import Manifest
from lakepact.reference_server import running

pytestmark = pytest.mark.interop

FEATURES = (
    "deletionVectors,columnMapping,timestampNtz,typeWidening-preview,typeWidening,variantType-preview,geospatial,variantType,"
    "variantShredding-preview,variantShredding"
)
CAPABILITIES = {
    "parquet": "responseformat=parquet",
    "delta": f"responseformat=delta;readerfeatures={FEATURES}",
}
BATCH = {"predicateHints": [], "includeRefreshToken": True}
FILTER = {
    "op": "not",
    "children": [
        {
            "op": "and",
            "children": [
                {"op": "isNull", "children": [{"op": "column", "name": "id", "valueType": "long"}]},
                {
                    "op": "equal",
                    "children": [
                        {"op": "column", "name": "city", "valueType": "string"},
                        {"op": "literal", "value": "Oslo", "valueType": "string"},
                    ],
                },
            ],
        }
    ],
}
PLAIN = [
    name
    for name, table_of_pack in pack.FIXTURES.items()
    if not table_of_pack.features and table_of_pack.access_modes != ("dir",)
]
ADVANCED = [name for name, table_of_pack in pack.FIXTURES.items() if table_of_pack.features]
CHANGED = [
    name for name, table_of_pack in pack.FIXTURES.items() if table_of_pack.changes is not None
]
EVERY = [
    (name, form)
    for form, names in (("parquet", PLAIN), ("delta", [*PLAIN, *ADVANCED]))
    for name in names
]


class Connector:
    """The requests and the parsing of the connector."""

    def __init__(self, client: httpx.Client, manifest: Manifest) -> None:
        self._client = client
        self.manifest = manifest

    def send(
        self, fixture: str, call: str, form: str, *, body: Any = None, **query: Any
    ) -> list[dict[str, Any]]:
        where = self.manifest.tables[fixture].address
        path = f"shares/{where['share']}/schemas/{where['schema']}/tables/{where['table']}/{call}"
        answer = self._client.request(
            "GET" if body is None else "POST",
            path + (f"?{urlencode(query)}" if query else ""),
            headers={"delta-sharing-capabilities": CAPABILITIES[form]},
            json=body,
        )
        assert answer.status_code == 200, answer.text
        assert f"responseformat={form}" in answer.headers["delta-sharing-capabilities"].split(";")
        assert int(answer.headers["delta-table-version"]) >= 0
        return [json.loads(line) for line in answer.text.split("\n") if line]

    def files(self, lines: list[dict[str, Any]], form: str) -> dict[str, dict[str, Any]]:
        """Return the files of an answer by id, with the members that the connector reads."""
        files = [line["file"] for line in lines if "file" in line]
        return {
            file["id"]: file
            if form == "parquet"
            else file["deltaSingleAction"]["add"] | {"line": file}
            for file in files
        }

    def size(self, url: str) -> int:
        """Return the size at a signed URL, requested without a token as the connector's file system
        does.
        """
        answer = httpx.get(url, headers={"Range": "bytes=0-3"})
        assert (answer.status_code, answer.content) == (206, b"PAR1")
        return int(answer.headers["content-range"].rpartition("/")[2])


@pytest.fixture(scope="module")
def connector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connector]:
    folder = tmp_path_factory.mktemp("pack")
    manifest = pack.write(folder)
    with (
        running(shares=folder / "shares.yaml") as server,
        httpx.Client(
            base_url=server.address("delta_sharing"),
            headers={"Authorization": f"Bearer {manifest.tokens['all']}"},
            timeout=20,
        ) as client,
    ):
        yield Connector(client, manifest)


@pytest.mark.parametrize(("fixture", "form"), EVERY)
def test_metadata_answer_has_two_lines(connector: Connector, fixture: str, form: str) -> None:
    assert [list(line) for line in connector.send(fixture, "metadata", form)] == [
        ["protocol"],
        ["metaData"],
    ]


@pytest.mark.parametrize(("fixture", "form"), EVERY)
def test_batch_query_returns_exact_sizes_and_a_refresh_token(
    connector: Connector, fixture: str, form: str
) -> None:
    lines = connector.send(fixture, "query", form, body=BATCH)
    files = connector.files(lines, form)
    token = lines[-1]["endStreamAction"]["refreshToken"]
    again = connector.send(fixture, "query", form, body=BATCH | {"refreshToken": token})

    true = connector.manifest.tables[fixture].last.files
    assert sorted(file["size"] for file in true) == sorted(file["size"] for file in files.values())
    assert set(files) == set(connector.files(again, form))
    for file in list(files.values())[:3]:
        assert file["size"] == connector.size(file["url" if form == "parquet" else "path"])


@pytest.mark.parametrize(
    "fixture", [name for name in ADVANCED if "deletionVectors" in pack.FIXTURES[name].features]
)
def test_deletion_vector_in_a_file_has_an_id_and_a_url(connector: Connector, fixture: str) -> None:
    files = connector.files(connector.send(fixture, "query", "delta", body=BATCH), "delta")

    on_disk = [
        file
        for file in files.values()
        if file.get("deletionVector", {}).get("storageType", "i") != "i"
    ]
    assert all(file["line"]["deletionVectorFileId"] for file in on_disk)
    assert all(file["deletionVector"]["storageType"] == "p" for file in on_disk)
    assert all(
        httpx.get(file["deletionVector"]["pathOrInlineDv"]).status_code == 200 for file in on_disk
    )


@pytest.mark.parametrize("form", ["parquet", "delta"])
def test_time_travel_returns_metadata_and_files_of_the_version(
    connector: Connector, form: str
) -> None:
    for version in connector.manifest.tables["partitioned"].readable:
        lines = connector.send("partitioned", "metadata", form, version=version.version)
        read = connector.send(
            "partitioned",
            "query",
            form,
            body={"predicateHints": [], "version": version.version, "includeRefreshToken": False},
        )

        assert [list(line) for line in lines] == [["protocol"], ["metaData"]]
        assert len(version.files) == len(connector.files(read, form))
        assert not any("endStreamAction" in line for line in read)


@pytest.mark.parametrize("form", ["parquet", "delta"])
def test_sql_and_json_hints_keep_the_matching_files(connector: Connector, form: str) -> None:
    hints = {
        "predicateHints": ["(CAST(partitionValues.city AS STRING) = 'Oslo')"],
        "jsonPredicateHints": json.dumps(FILTER["children"][0]),
    }
    everything = connector.files(connector.send("partitioned", "query", form, body=BATCH), form)
    with_filter = connector.files(
        connector.send("partitioned", "query", form, body=BATCH | hints), form
    )
    with_negation = connector.files(
        connector.send(
            "partitioned", "query", form, body=BATCH | {"jsonPredicateHints": json.dumps(FILTER)}
        ),
        form,
    )

    assert set(with_filter) <= set(everything)
    assert set(everything) == set(with_negation)  # no id is null: nothing is left out


@pytest.mark.parametrize("form", ["parquet", "delta"])
def test_limit_hint_reduces_the_files(connector: Connector, form: str) -> None:
    files = connector.files(
        connector.send("many_files", "query", form, body=BATCH | {"limitHint": 2}), form
    )

    assert 1 <= len(files) < len(connector.manifest.tables["many_files"].last.files)


@pytest.mark.parametrize("form", ["parquet", "delta"])
def test_streaming_query_returns_a_window_of_versions(connector: Connector, form: str) -> None:
    last = connector.manifest.tables["streamed"].last.version
    lines = connector.send(
        "streamed",
        "query",
        form,
        body={"predicateHints": [], "startingVersion": 0, "endingVersion": last},
    )

    kinds = {kind for line in lines for kind in line}
    assert kinds >= {"protocol", "metaData", "add" if form == "parquet" else "file"}


@pytest.mark.parametrize("form", ["parquet", "delta"])
@pytest.mark.parametrize("fixture", CHANGED)
def test_changes_ignore_the_connectors_own_parameter(
    connector: Connector, fixture: str, form: str
) -> None:
    table = connector.manifest.tables[fixture]
    if form == "parquet" and table.features:
        form = "delta"
    query = {
        "startingVersion": table.first_change,
        "readChangeFeed": "true",
        "includeHistoricalMetadata": "true",
    }
    lines = connector.send(fixture, "changes", form, **query)

    change_lines = [
        line["file"] if "file" in line else next(iter(line.values()))
        for line in lines[2:]
        if "metaData" not in line
    ]
    assert change_lines
    assert all({"version", "timestamp"} <= set(line) for line in change_lines)
