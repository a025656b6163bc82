"""Behaviour that the prose allows and real clients fail on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.reference_server.faults import fault, on_reply, replace_rule
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Scope
from mutants.delta_sharing.operators.wrapped import (
    DELTA,
    IN_LINES,
    PARQUET,
    Document,
    on_actions,
    on_wrapped,
)

COLUMN_MAPPING_READER = 2


def _empty_for_null(document: Document) -> None:
    """Write nulls of partitions as empty texts."""
    values: Document = document["partitionValues"]
    document["partitionValues"] = {
        name: "" if value is None else value for name, value in values.items()
    }


@fault("DS-DF-03", by=partial(on_reply, IN_LINES))
def lines_are_not_escaped(reply: Reply, _: Scope) -> Reply:
    if reply.status != 200 or not reply.has_body:
        return reply
    lines = reply.as_whole().body.split(b"\n")
    written = [
        json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "surrogatepass")
        for line in lines
        if line
    ]
    return replace(reply, chunks=None, body=b"\n".join(written))


@fault("DS-DF-18", by=partial(on_wrapped, "protocol", form=DELTA))
def features_of_the_log_are_told(protocol: Document) -> None:
    inner = protocol["deltaProtocol"]
    inner["readerFeatures"] = [*inner.get("readerFeatures", []), "v2Checkpoint"]


@fault("DS-DF-18", by=partial(on_wrapped, "metaData", form=DELTA))
def settings_of_the_log_are_told(metadata: Document) -> None:
    metadata["deltaMetadata"]["configuration"]["delta.enableInCommitTimestamps"] = "true"


@fault("DS-DF-19", by=partial(replace_rule, "data_features"))
def every_feature_has_to_be_named(
    protocol: Mapping[str, Any], _: Mapping[str, Any]
) -> frozenset[str]:
    if protocol.get("minReaderVersion") == COLUMN_MAPPING_READER:
        return frozenset({"columnMapping"})
    return frozenset(protocol.get("readerFeatures") or ())


FAULTS = {
    "nulls-are-empty DS-DF-02": on_wrapped("file", _empty_for_null, form=PARQUET),
    "nulls-are-empty-in-delta-format DS-DF-02": on_actions(_empty_for_null),
}
