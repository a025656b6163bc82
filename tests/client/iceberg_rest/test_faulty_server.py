"""Clients of a faulty server raise an error and never repeat a change."""

from __future__ import annotations

import contextlib

import pytest

from driving import KINDS, Driven
from lakepact.client import TableChange, errors
from lakepact.client.retries import NO_RETRIES, Retries
from lakepact.generated.contract import Contract
from lakepact.reference_server import running
from lakepact.reference_server.faults import ANSWERS
from sample_tables.schemas import OPTIONAL_X as SCHEMA

#: The operations of a catalog after its configuration.
OPERATIONS = sorted(Contract("iceberg_rest").operations.keys() - {"getConfig", "getToken"})
#: At least one call of each operation.
CALLS = [
    lambda catalog: catalog.create_namespace("n", {"a": "1"}),
    lambda catalog: catalog.load_namespace("n"),
    lambda catalog: catalog.namespace_exists("n"),
    lambda catalog: catalog.list_namespaces(page_size=1),
    lambda catalog: catalog.update_namespace_properties("n", updates={"b": "2"}),
    lambda catalog: catalog.create_table("n.t", SCHEMA),
    lambda catalog: catalog.stage_table("n.s", SCHEMA),
    lambda catalog: catalog.load_table("n.t"),
    lambda catalog: catalog.load_table("n.absent"),
    lambda catalog: catalog.table_exists("n.t"),
    lambda catalog: catalog.list_tables("n", page_size=1),
    lambda catalog: catalog.commit_table(
        "n.t", [{"action": "set-properties", "updates": {"a": "1"}}]
    ),
    lambda catalog: catalog.commit_transaction(
        [TableChange("n", "t", [{"action": "set-properties", "updates": {"a": "2"}}])]
    ),
    lambda catalog: catalog.rename_table(("n", "t"), ("n", "u")),
    lambda catalog: catalog.drop_table("n.u"),
    lambda catalog: catalog.register_table("n.u", "file:///absent"),
    lambda catalog: catalog.drop_namespace("n"),
]


@contextlib.contextmanager
def catalog_with(*faults, kind="sync", retries=NO_RETRIES):
    with (
        running(warehouse="memory:", faults=faults) as server,
        Driven(KINDS[kind], server.url, retries=retries) as client,
    ):
        yield client


@pytest.mark.parametrize("fault", sorted(set(ANSWERS) - {"slow"}))
@pytest.mark.parametrize("kind", KINDS)
def test_calls_to_a_faulty_server_return_or_raise_a_lakepact_error(fault, kind):
    with catalog_with(*(f"{operation}.{fault}" for operation in OPERATIONS), kind=kind) as catalog:
        returns = 0
        for call in CALLS:
            with contextlib.suppress(errors.LakepactError):
                call(catalog)
            returns += 1

        assert returns == len(CALLS)


SETTING = [{"action": "set-properties", "updates": {"a": "1"}}]
COMMITS = {
    "updateTable": lambda catalog: catalog.commit_table("n.t", SETTING),
    "commitTransaction": lambda catalog: catalog.commit_transaction(
        [TableChange("n", name, SETTING) for name in ("t", "u")]
    ),
}


@pytest.mark.parametrize(
    "fault",
    [
        "updateTable.drops-connection",
        "updateTable.truncates-body",
        "commitTransaction.drops-connection",
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_commit_with_a_lost_reply_is_made_once(fault, kind):
    operation = fault.partition(".")[0]
    with catalog_with(fault, kind=kind, retries=Retries()) as catalog:
        catalog.create_namespace("n")
        for name in ("t", "u"):
            catalog.create_table(("n", name), SCHEMA)

        with pytest.raises(errors.OutcomeUnknown):
            COMMITS[operation](catalog)

        for name in ("t",) if operation == "updateTable" else ("t", "u"):
            metadata = catalog.load_table(("n", name)).metadata
            assert (metadata.properties["a"], len(metadata.metadata_log)) == ("1", 1)


def test_read_with_a_lost_reply_is_retried_up_to_the_limit():
    with catalog_with(
        "listNamespaces.drops-connection", retries=Retries(tries=3, first_pause=0.001)
    ) as catalog:
        with pytest.raises(errors.Unreachable) as exc_info:
            catalog.list_namespaces()

        assert exc_info.value.tries == 3


@pytest.mark.parametrize("fault", ["not-json", "empty-body", "null-body", "list-body"])
def test_body_of_another_kind_is_a_bad_reply(fault):
    with catalog_with(f"loadNamespaceMetadata.{fault}") as catalog:
        catalog.create_namespace("n")

        with pytest.raises(errors.BadReply):
            catalog.load_namespace("n")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("bare-errors", errors.NoSuchNamespace),
        ("text-errors", errors.NotFound),
        ("answers-200", errors.BadReply),
    ],
)
def test_error_reply_in_another_form_raises(fault, expected):
    with (
        catalog_with(f"loadNamespaceMetadata.{fault}") as catalog,
        pytest.raises(errors.LakepactError) as exc_info,
    ):
        catalog.load_namespace("absent")

    assert type(exc_info.value) is expected


def test_success_with_another_status_is_read():
    with catalog_with("answers-201") as catalog:
        assert catalog.create_namespace("n").namespace == ["n"]
