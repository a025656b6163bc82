"""The client speaks version 1.12.0: functions, unregistering tables, and settings of signers."""

from __future__ import annotations

import json

import pytest

from driving import KINDS, Driven
from lakepact.client import errors
from lakepact.conformance.checks.iceberg_rest.v1_12_0.sample_functions import NAMESPACE, SAMPLES
from lakepact.generated.iceberg_rest.models import FunctionMetadata, LoadTableResult
from lakepact.reference_server import running
from sample_tables.table_documents import table

from .test_round_trip import SCHEMA


@pytest.fixture
def catalog(tmp_path, request):
    (tmp_path / "functions.json").write_text(json.dumps(SAMPLES))
    (tmp_path / "server.toml").write_text(
        f'[warehouses.w]\nfunctions = "{(tmp_path / "functions.json").as_posix()}"\n'
    )
    settings = {
        "contract": "iceberg_rest",
        "contract_version": "1.12.0",
        "warehouse": "memory:",
        "config": tmp_path / "server.toml",
    }
    with running(**settings) as server, Driven(KINDS[request.param], server.url) as client:
        yield client


both_kinds = pytest.mark.parametrize("catalog", KINDS, indirect=True)


@both_kinds
def test_functions_are_listed_in_pages_and_loaded(catalog):
    names = list(catalog.list_functions(NAMESPACE, page_size=1))
    function = catalog.load_function(names[0])

    assert names == [(NAMESPACE, one["name"]) for one in SAMPLES]
    assert isinstance(function.metadata, FunctionMetadata)
    assert function.metadata.definitions[0].specific_name == "of_int"
    with pytest.raises(errors.NoSuchFunction):
        catalog.load_function((NAMESPACE, "none"))


@both_kinds
def test_unregistered_table_is_registered_again(catalog):
    catalog.create_table(f"{NAMESPACE}.t", SCHEMA)
    last = catalog.load_table(f"{NAMESPACE}.t")
    registration = catalog.unregister_table(f"{NAMESPACE}.t")

    assert (registration.metadata_location, registration.metadata) == (
        last.metadata_location,
        last.metadata,
    )
    with pytest.raises(errors.NoSuchTable):
        catalog.unregister_table(f"{NAMESPACE}.t")
    assert (
        catalog.register_table(f"{NAMESPACE}.again", registration.metadata_location).metadata
        == last.metadata
    )


def test_settings_of_signers_and_labels_are_kept():
    signer = {"properties": {"a": "b"}, "headers": {"x-signer": ["c"]}}
    labels = {"object-labels": {"owner": "somebody"}, "fields": []}
    result = LoadTableResult.model_validate(
        {"metadata": table(), "remote-signing-config": signer, "labels": labels}
    )

    assert result.remote_signing_config.properties == signer["properties"]
    assert result.model_dump(by_alias=True, mode="json", exclude_unset=True)["labels"] == labels
