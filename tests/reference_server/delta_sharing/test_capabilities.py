"""The response format is one that the client named and that suffices for the table; otherwise the
server returns 400.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.reference_server.delta_sharing.queries.capabilities import (
    DELTA,
    PARQUET,
    Capabilities,
    data_features,
    negotiate,
    read_capabilities,
)
from lakepact.reference_server.http.problems import Problem

PLAIN = '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}'


def refusal(capabilities: str | None, *needed: str) -> Problem:
    with pytest.raises(Problem) as raised:
        negotiate(read_capabilities(capabilities), needed)
    return raised.value


def protocol(*features: str, reader: int = 3) -> dict[str, Any]:
    return {"minReaderVersion": reader, "minWriterVersion": 7, "readerFeatures": list(features)}


def metadata(schema: str = PLAIN, **configuration: str) -> dict[str, Any]:
    return {
        "schemaString": schema,
        "configuration": {name.replace("_", "."): value for name, value in configuration.items()},
    }


def column(type_: str, **column_metadata: Any) -> dict[str, Any]:
    extra = ",".join(f'"{name.replace("_", ".")}":[]' for name in column_metadata)
    return metadata(
        f'{{"type":"struct","fields":[{{"name":"a","type":"{type_}","nullable":true,"metadata":{{{extra}}}}}]}}'
    )


@pytest.mark.parametrize(
    "header",
    [
        "responseformat=delta;readerfeatures=deletionvectors,columnmapping",
        "ResponseFormat=DELTA;ReaderFeatures=deletionVectors,COLUMNMAPPING",
        " responseformat = delta ; readerfeatures = deletionvectors , columnmapping ;",
        "readerfeatures=columnmapping;responseformat=delta;readerfeatures=deletionvectors",
        "responseformat=delta;readerfeatures=deletionvectors,columnmapping,;;future=1,2",
    ],
)
def test_keys_and_values_count_in_any_case_order_and_spacing(header: str) -> None:
    assert Capabilities(
        (DELTA,), frozenset({"deletionvectors", "columnmapping"})
    ) == read_capabilities(header)


@given(st.text())
def test_no_header_is_too_strange_to_be_read(header: str) -> None:
    assert read_capabilities(header) == read_capabilities(header.lower())


@pytest.mark.parametrize(
    "header",
    [
        "includeEndStreamAction=false",
        "includeEndStreamAction=maybe",
        "includeEndStreamAction",
        "responseformat=delta",
        "true",
        None,
    ],
)
def test_an_end_stream_action_is_asked_for_by_the_word_true(header: str | None) -> None:
    assert read_capabilities("includeEndStreamAction=true").end_stream
    assert read_capabilities("responseformat=delta; includeendstreamaction = TRUE").end_stream
    assert not read_capabilities(header).end_stream


@pytest.mark.parametrize(
    ("header", "needed", "expected"),
    [
        ("responseformat=delta,parquet", (), PARQUET),
        ("responseformat=avro,delta", (), DELTA),
        ("responseformat=delta;readerfeatures=varianttype", ("variantType-preview",), DELTA),
        (
            "responseformat=delta;readerfeatures=varianttype-preview",
            ("variantType-preview",),
            DELTA,
        ),
    ],
)
def test_the_format_is_one_that_the_client_named_and_that_suffices(
    header: str, needed: tuple[str, ...], expected: str
) -> None:
    assert negotiate(read_capabilities(header), needed) == expected


@pytest.mark.parametrize(
    "header",
    [None, "responseformat=parquet", "responseformat=parquet;readerfeatures=deletionvectors"],
)
def test_parquet_is_refused_where_it_would_lose_what_the_data_needs(header: str | None) -> None:
    problem = refusal(header, "deletionVectors")

    assert (problem.status, problem.kind) == (400, "UNSUPPORTED_OPERATION")
    assert "responseformat=delta;readerfeatures=deletionvectors" in problem.message


@pytest.mark.parametrize("formats", ["delta", "delta,parquet"])
def test_a_feature_that_the_client_does_not_list_is_refused_by_name(formats: str) -> None:
    problem = refusal(
        f"responseformat={formats};readerfeatures=columnmapping", "columnMapping", "deletionVectors"
    )

    assert (problem.status, problem.kind) == (400, "UNSUPPORTED_OPERATION")
    assert "the table uses deletionVectors, which" in problem.message


def test_unknown_response_format_returns_400() -> None:
    assert (refusal("responseformat=avro").status, refusal("responseformat=avro").kind) == (
        400,
        "INVALID_PARAMETER_VALUE",
    )


@given(
    st.sampled_from([None, ("parquet",), ("delta",), ("delta", "parquet")]),
    st.frozensets(st.sampled_from(["deletionVectors", "columnMapping", "timestampNtz"])),
    st.frozensets(st.sampled_from(["deletionvectors", "columnmapping", "timestampntz"])),
)
def test_a_client_is_answered_in_a_format_that_it_can_read_or_refused(
    formats: tuple[str, ...] | None, needed: frozenset[str], listed: frozenset[str]
) -> None:
    named = formats or (PARQUET,)
    suffices = {PARQUET: not needed, DELTA: {feature.lower() for feature in needed} <= listed}
    if any(suffices[name] for name in named):
        chosen = negotiate(Capabilities(formats, listed), needed)
        assert chosen in named
        assert suffices[chosen]
    else:
        with pytest.raises(Problem):
            negotiate(Capabilities(formats, listed), needed)


@pytest.mark.parametrize(
    ("table", "needed"),
    [
        ((protocol(reader=1), metadata()), set()),
        (({"minReaderVersion": 1, "minWriterVersion": 2}, metadata()), set()),
        ((protocol(reader=2), metadata(delta_columnMapping_mode="name")), {"columnMapping"}),
        ((protocol(reader=2), metadata()), set()),
        ((protocol("columnMapping"), metadata(delta_columnMapping_mode="none")), set()),
        ((protocol("columnMapping"), metadata(delta_columnMapping_mode="id")), {"columnMapping"}),
        ((protocol("deletionVectors"), metadata()), {"deletionVectors"}),
        ((protocol("timestampNtz"), metadata()), set()),
        ((protocol("timestampNtz"), column("timestamp_ntz")), {"timestampNtz"}),
        ((protocol("deletionVectors", "variantType"), metadata()), {"deletionVectors"}),
        ((protocol("variantType-preview"), column("variant")), {"variantType-preview"}),
        ((protocol("typeWidening"), metadata()), set()),
        ((protocol("typeWidening"), column("long", delta_typeChanges=1)), {"typeWidening"}),
        ((protocol("v2Checkpoint", "vacuumProtocolCheck"), metadata()), set()),
        ((protocol("somethingNew"), metadata()), {"somethingNew"}),
    ],
)
def test_only_features_of_the_data_that_are_used_are_needed(
    table: tuple[dict[str, Any], dict[str, Any]], needed: set[str]
) -> None:
    assert data_features(*table) == needed
