"""Lines of tables, files and changes in both formats, prepared or made one by one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakepact.generated.contract import Contract
from lakepact.reference_server.delta_sharing.formats import FORMATS, Links, file_id
from lakepact.reference_server.delta_sharing.formats.links import ascii_json
from lakepact.reference_server.delta_sharing.log import DamagedLog, Log
from lakepact.reference_server.delta_sharing.snapshots import Snapshots
from lakepact.reference_server.http.validation import Validators
from sample_tables.delta_logs import HEAD, METADATA, VECTOR, Table, add

VALIDATORS = Validators(Contract("delta_sharing"))
INLINE = {
    "storageType": "i",
    "pathOrInlineDv": "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L",
    "sizeInBytes": 40,
    "cardinality": 6,
}


ON_DISK = "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"


def key(path: str) -> str:
    return path.encode().hex()


LINKS = Links(key, "http://localhost/files/t/", "expires=9&X-Amz-Signature=s", 9)


def url(path: str) -> str:
    return f"http://localhost/files/t/{key(path)}?expires=9&X-Amz-Signature=s"


def file_lines(
    folder: Path, form: str, *, dated: bool = False, selected: list[int] | None = None
) -> list[Any]:
    """Return the sent lines of a table's newest version."""
    snapshots = Snapshots()
    sent = b"".join(
        snapshots.lines(snapshots.snapshot(folder), form, LINKS, with_time=dated, numbers=selected)
    )
    assert sent.isascii()
    assert sent.endswith(b"\n") or not sent
    return [json.loads(line) for line in sent.split(b"\n")[:-1]]


def table_of(folder: Path, *adds: Any, columns: Iterable[str] = ("p",)) -> Table:
    table = Table(folder / "t")
    table.commit(0, HEAD[0], {"metaData": METADATA | {"partitionColumns": list(columns)}}, *adds)
    return table


def test_a_file_in_parquet_format(tmp_path: Path) -> None:
    stats = '{"numRecords":1,"minValues":{"a":"\N{LINE SEPARATOR}é\\""}}'
    table = table_of(
        tmp_path,
        add(
            "p=a%20b/f.parquet",
            partitionValues={"p": "a b", "more": "x"},
            stats=stats,
            tags={"x": "y"},
        ),
    )

    assert file_lines(table.folder, "parquet") == [
        {
            "file": {
                "url": url("p=a%20b/f.parquet"),
                "id": file_id("p=a%20b/f.parquet"),
                "partitionValues": {"p": "a b"},
                "size": 10,
                "stats": stats,
                "expirationTimestamp": 9,
            }
        }
    ]


def test_a_file_in_delta_format(tmp_path: Path) -> None:
    action = add(
        "f", partitionValues={"p": None}, stats="{}", tags={"x": "y"}, baseRowId=7, dataChange=False
    )
    table = table_of(tmp_path, action)

    assert file_lines(table.folder, "delta") == [
        {
            "file": {
                "id": file_id("f"),
                "deltaSingleAction": {
                    "add": {
                        "path": url("f"),
                        "partitionValues": {"p": None},
                        "size": 10,
                        "modificationTime": 1,
                        "dataChange": False,
                        "stats": "{}",
                        "baseRowId": 7,
                    }
                },
                "expirationTimestamp": 9,
            }
        }
    ]


def test_deletion_vector_file_is_signed_and_inline_vector_unchanged(tmp_path: Path) -> None:
    table = table_of(
        tmp_path, add("f", deletionVector=VECTOR), add("g", deletionVector=INLINE), add("h")
    )
    on_disk, inline, none = (line["file"] for line in file_lines(table.folder, "delta"))
    vectors = [
        file["deltaSingleAction"]["add"].get("deletionVector") for file in (on_disk, inline, none)
    ]

    assert vectors == [VECTOR | {"storageType": "p", "pathOrInlineDv": url(ON_DISK)}, INLINE, None]
    assert [file.get("deletionVectorFileId") for file in (on_disk, inline, none)] == [
        file_id(ON_DISK),
        None,
        None,
    ]


def test_the_deletion_vector_at_an_absolute_path_is_signed(tmp_path: Path) -> None:
    vector = VECTOR | {"storageType": "p", "pathOrInlineDv": "file:///elsewhere/d%20v.bin"}
    table = table_of(tmp_path, add("f", deletionVector=vector))
    (line,) = file_lines(table.folder, "delta")

    assert line["file"]["deltaSingleAction"]["add"]["deletionVector"]["pathOrInlineDv"] == url(
        "file:///elsewhere/d%20v.bin"
    )


@pytest.mark.parametrize(
    "stored",
    ["", "short", "ab^-aqEH.-t@S}K{vb[*k|", "éééééééééééééééééééé", "####################"],
)
def test_deletion_vector_without_file_is_refused_before_the_first_line(
    tmp_path: Path, stored: str
) -> None:
    table = table_of(
        tmp_path,
        *(add(str(n)) for n in range(300)),
        add("f", deletionVector=VECTOR | {"pathOrInlineDv": stored}),
    )
    snapshots = Snapshots()

    with pytest.raises(DamagedLog, match="does not name a file"):
        snapshots.lines(snapshots.snapshot(table.folder), "delta", LINKS)


def test_selected_files_are_sent_in_order(tmp_path: Path) -> None:
    table = table_of(tmp_path, *(add(f"{number}") for number in range(600)))
    chosen = [0, 1, 255, 256, 300, 599]

    for form in FORMATS:
        ids = [line["file"]["id"] for line in file_lines(table.folder, form, selected=chosen)]
        assert ids == [file_id(str(number)) for number in chosen]
    assert file_lines(table.folder, "parquet", selected=[]) == []


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ADDS = st.builds(
    lambda path, **members: add(
        path, **{name: value for name, value in members.items() if value is not None}
    ),
    TEXTS.filter(bool),
    partitionValues=st.dictionaries(
        st.sampled_from(["p", "q", "é"]), st.none() | TEXTS, max_size=3
    ),
    size=st.integers(0, 2**63 - 1),
    modificationTime=st.integers(0, 2**63 - 1),
    stats=st.none() | TEXTS | st.sampled_from(["\x7f", "\\u0000", "\N{LINE SEPARATOR}", '"\\']),
    deletionVector=st.none() | st.sampled_from([VECTOR, INLINE]),
    baseRowId=st.none() | st.integers(0, 9),
    new=st.none() | st.lists(TEXTS, max_size=2),
)


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    adds=st.lists(ADDS, max_size=6, unique_by=lambda action: action["add"]["path"]),
    dated=st.booleans(),
)
def test_prepared_lines_equal_lines_made_one_by_one(
    tmp_path_factory: pytest.TempPathFactory,
    adds: list[Any],
    dated: bool,  # noqa: FBT001
) -> None:
    table = table_of(tmp_path_factory.mktemp("table"), *adds, columns=["p", "é"])
    snapshot = Log(table.folder).snapshot()
    said: dict[str, Any] = {"version": 0, "timestamp": snapshot.timestamp} if dated else {}

    for name, form in FORMATS.items():
        expected = [
            form.file(action, links=LINKS, columns=["p", "é"], **said) for action in snapshot.files
        ]
        assert file_lines(table.folder, name, dated=dated) == json.loads(json.dumps(expected))


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.integers(-(2**53), 2**53) | TEXTS,
        lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    )
)
def test_json_is_ascii_and_round_trips(value: Any) -> None:
    written = ascii_json(value)

    assert written.isascii()
    assert "\n" not in written
    assert json.loads(written) == value


def head_of(
    form: str, *, protocol: dict[str, Any] | None = None, **metadata: Any
) -> tuple[Any, Any]:
    made = FORMATS[form]
    return made.protocol(protocol or HEAD[0]["protocol"]), made.metadata(
        METADATA | metadata, access={"accessModes": ["url"]}, size=7, num_files=1
    )


def test_the_head_in_parquet_format() -> None:
    protocol, metadata = head_of(
        "parquet",
        name="n",
        description=None,
        configuration={"delta.enableChangeDataFeed": "true", "x": "y"},
    )

    assert protocol == {"protocol": {"minReaderVersion": 1}}
    assert metadata == {
        "metaData": {
            "id": METADATA["id"],
            "name": "n",
            "format": {"provider": "parquet"},
            "schemaString": METADATA["schemaString"],
            "partitionColumns": ["p"],
            "configuration": {"enableChangeDataFeed": "true"},
            "size": 7,
            "numFiles": 1,
            "accessModes": ["url"],
        }
    }


def test_delta_head_omits_features_of_the_log_layout() -> None:
    features = ["deletionVectors", "v2Checkpoint", "vacuumProtocolCheck", "inCommitTimestamp"]
    kept = {"delta.enableDeletionVectors": "true", "delta.columnMapping.mode": "name", "x": "y"}
    dropped = {
        "delta.enableInCommitTimestamps": "true",
        "delta.inCommitTimestampEnablementVersion": "3",
        "delta.checkpointPolicy": "v2",
        "delta.feature.v2Checkpoint": "supported",
    }
    said = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": features[:3],
        "writerFeatures": features,
        "new": None,
    }
    protocol, metadata = head_of(
        "delta", protocol=said, name=None, configuration={**kept, **dropped}
    )

    expected = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": ["deletionVectors"],
    }
    assert protocol == {"protocol": {"deltaProtocol": expected}}
    assert metadata["metaData"] == {
        "deltaMetadata": METADATA | {"configuration": kept},
        "size": 7,
        "numFiles": 1,
        "accessModes": ["url"],
    }


def test_metadata_has_its_version_on_request() -> None:
    for form in FORMATS.values():
        assert form.metadata(METADATA, access={}, version=0)["metaData"]["version"] == 0


def change(form: str, kind: str, action: Any) -> Any:
    return FORMATS[form].change(kind, action, links=LINKS, columns=["p"], version=3, timestamp=4)


@pytest.mark.parametrize(
    ("kind", "name", "stats"),
    [("add", "add", {"stats": "{}"}), ("remove", "remove", {}), ("cdc", "cdf", {})],
)
def test_a_change_in_parquet_format(kind: str, name: str, stats: dict[str, str]) -> None:
    action = add("f", stats="{}")["add"]

    assert change("parquet", kind, action) == {
        name: {
            "url": url("f"),
            "id": file_id("f"),
            "partitionValues": {"p": "x"},
            "size": 10,
            **stats,
            "expirationTimestamp": 9,
            "version": 3,
            "timestamp": 4,
        }
    }


@pytest.mark.parametrize("kind", ["add", "remove", "cdc"])
def test_a_change_in_delta_format_is_the_action_without_tags(kind: str) -> None:
    action = {
        "path": "f",
        "size": 10,
        "partitionValues": {},
        "deletionTimestamp": 5,
        "dataChange": True,
        "tags": {"a": "b"},
        "deletionVector": VECTOR,
    }
    vector = VECTOR | {"storageType": "p", "pathOrInlineDv": url(ON_DISK)}

    assert change("delta", kind, action) == {
        "file": {
            "id": file_id("f"),
            "deletionVectorFileId": file_id(ON_DISK),
            "deltaSingleAction": {
                kind: {
                    "path": url("f"),
                    "size": 10,
                    "partitionValues": {},
                    "deletionTimestamp": 5,
                    "dataChange": True,
                    "deletionVector": vector,
                }
            },
            "expirationTimestamp": 9,
            "version": 3,
            "timestamp": 4,
        }
    }


@pytest.mark.parametrize("form", FORMATS)
def test_removed_file_without_size_is_refused(form: str) -> None:
    with pytest.raises(DamagedLog, match="'f' was removed"):
        change(form, "remove", {"path": "f", "dataChange": True})


@pytest.mark.parametrize(("form", "schema"), [("parquet", "ParquetLine"), ("delta", "DeltaLine")])
def test_lines_follow_the_contract_schema(tmp_path: Path, form: str, schema: str) -> None:
    table = table_of(
        tmp_path, add("f", stats="{}", partitionValues={"p": None}), add("g", deletionVector=VECTOR)
    )
    lines = [*head_of(form), *file_lines(table.folder, form, dated=True)]
    lines += [change(form, kind, add("f", stats="{}")["add"]) for kind in ("add", "remove", "cdc")]

    for line in lines:
        assert len(line) == 1
        VALIDATORS.check(schema, line)
