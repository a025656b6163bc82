"""What the prose allows and real clients fail on."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, instead, on_reply

from .ways.wrapped import DELTA, IN_LINES, PARQUET, Document, on_actions, on_wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Scope

COLUMN_MAPPING_READER = 2


def _empty_for_null(document: Document) -> None:
    """Write nulls of partitions as empty texts."""
    values: Document = document["partitionValues"]
    document["partitionValues"] = {name: "" if value is None else value for name, value in values.items()}


def _unescaped(reply: Reply, _: Scope) -> Reply:
    """Write lines without escapes that JSON does not need."""
    if reply.status != 200 or not reply.has_body:
        return reply
    lines = reply.joined().body.split(b"\n")
    written = [json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "surrogatepass") for line in lines if line]
    return replace(reply, chunks=None, body=b"\n".join(written))


def _with_features_of_the_log(protocol: Document) -> None:
    inner = protocol["deltaProtocol"]
    inner["readerFeatures"] = [*inner.get("readerFeatures", []), "v2Checkpoint"]


def _with_settings_of_the_log(metadata: Document) -> None:
    metadata["deltaMetadata"]["configuration"]["delta.enableInCommitTimestamps"] = "true"


def _all_that_are_listed(protocol: Mapping[str, Any], _: Mapping[str, Any]) -> frozenset[str]:
    """Take every reader feature of a table for one of its data."""
    if protocol.get("minReaderVersion") == COLUMN_MAPPING_READER:
        return frozenset({"columnMapping"})
    return frozenset(protocol.get("readerFeatures") or ())


FAULTS = (
    Fault("nulls-are-empty", "Nulls of partitions are empty texts.", ("DS-DF-02",), on_wrapped("file", _empty_for_null, form=PARQUET)),
    Fault(
        "nulls-are-empty-in-delta-format",
        "Nulls of partitions are empty texts in delta format.",
        ("DS-DF-02",),
        on_actions(_empty_for_null),
    ),
    Fault("lines-are-not-escaped", "Lines are written without escapes.", ("DS-DF-03",), on_reply(IN_LINES, _unescaped)),
    Fault(
        "features-of-the-log-are-told",
        "The wrapped protocol names features of the provider's log.",
        ("DS-DF-18",),
        on_wrapped("protocol", _with_features_of_the_log, form=DELTA),
    ),
    Fault(
        "settings-of-the-log-are-told",
        "The wrapped metadata has settings of the provider's log.",
        ("DS-DF-18",),
        on_wrapped("metaData", _with_settings_of_the_log, form=DELTA),
    ),
    Fault(
        "every-feature-has-to-be-named",
        "Every reader feature of a table has to be named, also those of its log.",
        ("DS-DF-19",),
        instead("rules", "data-features", _all_that_are_listed),
    ),
)
