"""Protocol and metadata of the current or a requested version of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from delta_logs import metadata
from shared_tables import hour

if TYPE_CHECKING:
    from shared_tables import SharedTable


def test_metadata_of_two_moments_at_once_is_refused(table: SharedTable) -> None:
    answer = table.begun().metadata(version=0, timestamp=hour(0))

    assert answer.refusal == (400, "INVALID_PARAMETER_VALUE")
    assert "version and timestamp" in answer.message


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
