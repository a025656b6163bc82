"""A file is opened with the credential of the longest matching prefix."""

from __future__ import annotations

import pytest

from lakepact.client import storage_credential, storage_properties
from lakepact.generated.iceberg_rest.models import LoadTableResult, StorageCredential
from sample_tables import table_documents

PREFIXES = ("s3://b", "s3://b/t", "s3://b/t/data", "s3://c/t")


def credentials(*prefixes):
    return [
        StorageCredential(prefix=prefix, config={"s3.access-key-id": prefix}) for prefix in prefixes
    ]


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("s3://b/t/data/1.parquet", "s3://b/t/data"),
        ("s3://b/t/metadata/1.json", "s3://b/t"),
        ("s3://b/u/1.parquet", "s3://b"),
        ("s3://c/u/1.parquet", None),
        ("gs://b/t", None),
    ],
)
@pytest.mark.parametrize("order", [PREFIXES, PREFIXES[::-1]])
def test_longest_prefix_wins_in_any_order(location, expected, order):
    credential = storage_credential(credentials(*order), location)

    assert expected == (credential.prefix if credential else None)


def test_table_without_credentials_has_no_storage_credential():
    assert storage_credential([], "s3://b/t") is None


def table(config=None, credentials=None):
    metadata = {**table_documents.table(), "location": "s3://b/t"}
    return LoadTableResult.model_validate(
        {"metadata": metadata, "config": config, "storage-credentials": credentials}
    )


def test_credential_overrides_the_table_config():
    own = [
        {"prefix": "s3://b/t", "config": {"s3.access-key-id": "new", "s3.secret-access-key": "s"}}
    ]
    config = {
        "s3.access-key-id": "old",
        "s3.session-token": "of the old one",
        "s3.endpoint": "http://store",
    }

    assert storage_properties(table(config, own)) == {
        "s3.endpoint": "http://store",
        "s3.access-key-id": "new",
        "s3.secret-access-key": "s",
    }


def test_table_config_is_used_without_a_matching_credential():
    config = {"s3.access-key-id": "old"}

    assert (
        storage_properties(table(config, [{"prefix": "s3://elsewhere", "config": {"a": "b"}}]))
        == config
    )
