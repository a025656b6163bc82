"""Protocol and metadata of the current or a requested version of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sample_tables.delta_logs import METADATA, add, metadata, remove
from sample_tables.shared_tables import hour

if TYPE_CHECKING:
    from collections.abc import Callable

    from sample_tables.shared_tables import SharedTable

DELTA = "responseformat=delta"


def with_schemas(table: SharedTable) -> SharedTable:
    """Return a table with 1, 2, 1 and 1 files, whose description changes in version 2."""
    table.begun(add("a"))
    table.commit(1, add("b"))
    table.commit(2, {"metaData": METADATA | {"description": "new"}}, remove("a"))
    table.commit(3, add("c"), remove("b"))
    return table


@pytest.mark.parametrize("capabilities", [None, DELTA, "responseformat=parquet", "includeEndStreamAction=true"])
def test_metadata_is_two_lines_whatever_the_client_can_read(table: SharedTable, capabilities: str | None) -> None:
    answer = table.begun(add("a")).metadata(capabilities)

    assert answer.kinds == ["protocol", "metaData"]
    assert "includeendstreamaction" not in answer.headers["delta-sharing-capabilities"]


def test_answer_has_its_version_and_format_in_headers(table: SharedTable) -> None:
    with_schemas(table)

    assert (table.metadata().version, table.metadata().headers["delta-sharing-capabilities"]) == (3, "responseformat=parquet")
    assert table.metadata(DELTA).headers["delta-sharing-capabilities"] == "responseformat=delta"


def test_each_format_has_its_own_lines(table: SharedTable) -> None:
    table.begun(add("a"))

    assert table.metadata().of("protocol") == [{"minReaderVersion": 1}]
    assert table.metadata().of("metaData")[0]["id"] == METADATA["id"]
    assert table.metadata(DELTA).of("protocol") == [{"deltaProtocol": {"minReaderVersion": 1, "minWriterVersion": 2}}]
    assert table.metadata(DELTA).of("metaData")[0]["deltaMetadata"]["id"] == METADATA["id"]


def test_metadata_counts_the_files_of_the_table(table: SharedTable) -> None:
    table.begun(add("a", size=3), add("b", size=4))

    said = table.metadata().of("metaData")[0]
    assert (said["numFiles"], said["size"], "version" in said) == (2, 7, False)


@pytest.mark.parametrize("point", [{"version": 1}, {"timestamp": hour(1)}, {"timestamp": hour(1.9)}])
def test_metadata_may_be_asked_for_as_of_a_version_or_a_time(table: SharedTable, point: dict[str, Any]) -> None:
    answer = with_schemas(table).metadata(**point)

    said = answer.of("metaData")[0]
    assert (answer.version, said["version"], said["numFiles"], said.get("description")) == (1, 1, 2, None)


def test_metadata_of_two_moments_at_once_is_refused(table: SharedTable) -> None:
    answer = table.begun().metadata(version=0, timestamp=hour(0))

    assert answer.refusal == (400, "INVALID_PARAMETER_VALUE")
    assert "version and timestamp" in answer.message


@pytest.mark.parametrize("point", [{"version": 9}, {"version": -1}, {"version": "x"}, {"timestamp": "2023-12-31T23:59:59Z"}])
def test_metadata_of_a_version_that_is_not_there_is_refused(table: SharedTable, point: dict[str, Any]) -> None:
    assert table.begun().metadata(**point).refusal == (400, "INVALID_PARAMETER_VALUE")


@pytest.mark.parametrize("point", [{"version": 0}, {"timestamp": hour(0)}])
def test_metadata_of_a_version_is_refused_where_history_is_not_shared(closed: SharedTable, point: dict[str, Any]) -> None:
    closed.begun()

    assert closed.metadata(**point).refusal == (400, "INVALID_PARAMETER_VALUE")
    assert closed.metadata().status == 200


def test_a_table_that_is_read_by_its_directory_has_metadata_all_the_same(tables: Callable[[str], SharedTable]) -> None:
    said = tables("directory").begun().metadata().of("metaData")[0]

    assert (said["accessModes"], "location" in said) == (["dir"], True)


@pytest.mark.parametrize("ask", ["metadata", "query"])
def test_a_table_with_features_is_answered_in_the_format_that_has_them(table: SharedTable, ask: str) -> None:
    protocol = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
    table.commit(0, {"protocol": protocol}, metadata(delta__enableDeletionVectors="true"))
    request = getattr(table, ask)

    assert request().refusal == (400, "UNSUPPORTED_OPERATION")
    assert request("responseformat=parquet").refusal == (400, "UNSUPPORTED_OPERATION")
    assert request("responseformat=delta;readerfeatures=columnmapping").refusal == (400, "UNSUPPORTED_OPERATION")
    both = request("responseformat=delta,parquet;readerfeatures=deletionvectors")
    assert both.headers["delta-sharing-capabilities"] == "responseformat=delta"
    assert both.of("protocol")[0]["deltaProtocol"]["readerFeatures"] == ["deletionVectors"]
