"""Updates of statistics files and encryption keys."""

from __future__ import annotations

from typing import Any

import pytest

from sample_tables import table_documents as td
from sample_tables.table_documents import update

Document = dict[str, Any]

TABLE = td.appended(td.appended(td.table(), 11), 12)
KINDS = {"statistics": td.statistics, "partition-statistics": td.partition_statistics}


def put(kind: str, file: Document, **members: Any) -> Document:
    return {"action": f"set-{kind}", kind: file, **members}


def test_the_file_says_which_snapshot_it_is_of() -> None:
    agreed = td.committed(TABLE, put("statistics", td.statistics(11), **{"snapshot-id": 11}))

    assert agreed["statistics"] == [td.statistics(11)]
    assert td.refused_commit(
        TABLE, put("statistics", td.statistics(11), **{"snapshot-id": 12})
    ) == (
        "at /updates/0/snapshot-id: the statistics are of snapshot 11, found 12; leave this member out"
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("member", ["snapshot-id", "statistics-path", "file-size-in-bytes"])
def test_a_file_without_a_required_member_is_refused(kind: str, member: str) -> None:
    file = KINDS[kind](11)
    del file[member]

    assert td.refused_commit(TABLE, put(kind, file)).startswith(
        f"at /updates/0/{kind}/{member}: expected "
    )


@pytest.mark.parametrize(
    ("spoiled", "said"),
    [
        (
            {"file-footer-size-in-bytes": -1},
            "/file-footer-size-in-bytes: expected an integer from 0 to ",
        ),
        ({"file-size-in-bytes": 4.0}, "/file-size-in-bytes: expected an integer from 0 to "),
        ({"blob-metadata": None}, "/blob-metadata: expected an array, found nothing"),
        (
            {"blob-metadata": [{}]},
            "/blob-metadata/0/type: expected a text that is not empty, found nothing",
        ),
        (
            {
                "blob-metadata": [
                    {"type": "t", "snapshot-id": 1, "sequence-number": 1, "fields": [1, 2.0]}
                ]
            },
            "/blob-metadata/0/fields/1: expected an integer from ",
        ),
    ],
)
def test_a_statistics_file_that_is_not_valid_is_refused(spoiled: Document, said: str) -> None:
    assert td.refused_commit(TABLE, put("statistics", {**td.statistics(11), **spoiled})).startswith(
        f"at /updates/0/statistics{said}"
    )


KEY = {
    "key-id": "k1",
    "encrypted-key-metadata": "c2VjcmV0",
    "encrypted-by-id": "k0",
    "properties": {"a": "b"},
}


def add_key(key: Document) -> Document:
    return update("add-encryption-key", encryption_key=key)


def test_a_key_that_is_known_stays_as_it_is() -> None:
    table = td.committed(TABLE, add_key(KEY))

    assert td.committed(table, add_key({**KEY, "properties": {}})) is table


@pytest.mark.parametrize(
    ("spoiled", "said"),
    [
        ({"key-id": ""}, "key-id: expected a text that is not empty, found ''"),
        (
            {"encrypted-key-metadata": None},
            "encrypted-key-metadata: expected a text that is not empty, found nothing",
        ),
        ({"encrypted-key-metadata": "no base64!"}, "encrypted-key-metadata: expected base64"),
        ({"encrypted-key-metadata": "ключ"}, "encrypted-key-metadata: expected base64"),
    ],
)
def test_a_key_that_is_not_valid_is_refused(spoiled: Document, said: str) -> None:
    assert (
        td.refused_commit(TABLE, add_key({**KEY, **spoiled}))
        == f"at /updates/0/encryption-key/{said}"
    )
