"""Invariants: every object in an answer matches the schema of the contract that describes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Exchange,
    NotOffered,
    Requirement,
    Unmet,
    op,
    set_ref,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.contract_schemas import (
    CONTRACT,
    NESTED,
    SCHEMAS,
    ContractSchemas,
)
from lakepact.conformance.checks.iceberg_rest.kit.scans import scans
from lakepact.conformance.checks.iceberg_rest.kit.tables.encryption_keys import KEY, ROOT
from lakepact.conformance.checks.iceberg_rest.kit.tables.encryption_keys import (
    VERSION as KEYS_SINCE,
)
from lakepact.conformance.checks.iceberg_rest.kit.tokens import (
    CREDENTIALS,
    Client,
    client_of,
    form,
    issues_tokens,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import make_view, next_version, try_replace
from lakepact.conformance.checks.iceberg_rest.suite import suite
from lakepact.conformance.running.suite import Suite

Flaws = Mapping[str, str | None]


def component_of(requirement: Requirement) -> str:
    """Return the component that a requirement of this area is about."""
    return requirement.clause.rpartition("/")[2]


def invariant_of(
    requirement: Requirement, of: Suite[Any], schemas: ContractSchemas
) -> Callable[[Exchange], bool | None]:
    """Return the invariant that every instance of a component is what its schema says."""
    component = component_of(requirement)

    def holds(exchange: Exchange) -> bool:
        flaws = schemas.flaws_in(exchange)
        if component not in flaws:
            return False
        flaw = flaws[component]
        if flaw is not None:
            raise Unmet(
                f"every {component} to fit its schema",
                exchange.redact(flaw),
                exchange=exchange.number,
                claim=schemas.claim_of(component, exchange),
                difference=schemas.components.difference(
                    schemas.invalid_instance(component, exchange)
                ),
            )
        return True

    holds.__name__, holds.__doc__ = component, requirement.sentence
    return of.invariant(requirement.id, concerns=schemas.answers_with(component))(holds)


#: Forms of single values, which a value does not name: the type of its column does
#: (`column_defaults`).
FORMS = frozenset(
    form["$ref"].rpartition("/")[2]
    for form in CONTRACT.bundle["components"]["schemas"]["PrimitiveTypeValue"]["anyOf"]
    if "$ref" in form
)


def judge_schemas(
    of: Suite[Any], schemas: ContractSchemas
) -> dict[str, Callable[[Exchange], bool | None]]:
    """Register an invariant for each schema that answers can show, and the check that has them
    shown, in the suite of a version.

    Returns:
        the invariants by requirement.
    """
    invariants = {
        requirement.id: invariant_of(requirement, of, schemas)
        for requirement in schemas.contract.requirements.values()
        if requirement.area == "schemas"
        and requirement.side == "server"
        and not requirement.uncovered
        and component_of(requirement) not in FORMS
    }

    @of.check(*invariants)
    def responses_fit_their_schemas(lab: CatalogLab) -> None:
        """Configuration, namespaces, tables, snapshots, views and errors fit their schemas in every
        response.
        """
        failure: Exception | None = None
        for show in (
            configuration,
            namespaces,
            structure,
            defaults,
            history,
            files,
            keys,
            views,
            credentials,
            tokens,
            scans,
            refusals,
        ):
            try:
                show(lab)
            except NotOffered:
                continue
            except Exception as reason:  # noqa: BLE001 - raised again once everything that was shown is judged
                failure = reason
        exchanges = [lab.wire.exchanges[number] for number in lab.sent]
        components = {
            component for exchange in exchanges for component in schemas.flaws_in(exchange)
        }
        for identifier, holds in lab.each(invariants.items()):
            if component_of(schemas.contract.requirements[identifier]) in components:
                with lab.judge(identifier):
                    for exchange in exchanges:
                        holds(exchange)
            elif failure is None or not _has_success_body(lab, identifier):
                lab.skip(identifier, "no answer of the target shows one")
        if failure is not None:
            raise failure

    return invariants


INVARIANTS = judge_schemas(suite, SCHEMAS)


def _has_success_body(lab: CatalogLab, requirement: str) -> bool:
    """Return whether the target offers an operation with a body in its answers that the requirement
    is about.
    """
    about = CONTRACT.requirements[requirement].operations
    operations = (
        operation
        for operation in CONTRACT.operations.values()
        if operation.id in about and lab.offers(operation.id)
    )
    return any(
        answer.schema
        for operation in operations
        for status, answer in operation.answers.items()
        if status.startswith("2")
    )


def configuration(lab: CatalogLab) -> None:
    """Show the configuration."""
    lab.send(op.get_config, warehouse=lab.target.parameters.get("warehouse"))


def namespaces(lab: CatalogLab) -> None:
    """Show namespaces, their properties, and lists of them in pages."""
    parent = lab.make_namespace(properties={"owner": "somebody", "empty": ""})
    for _ in range(2):
        lab.child_of(parent)
    lab.send(op.list_namespaces, parent=parent)
    lab.send(op.list_namespaces, parent=parent, page_token="", page_size=1)
    if lab.offers(op.update_properties):
        lab.send(
            op.update_properties,
            namespace=parent,
            body={"removals": ["owner", "missing"], "updates": {"note": "1"}},
        )
    lab.send(op.load_namespace_metadata, namespace=parent)


def structure(lab: CatalogLab) -> None:
    """Show schemas of every kind of type, partition specs, sort orders, and lists of tables."""
    home = lab.make_namespace()
    for _ in range(2):
        lab.make_table(home)
    table = lab.make_table(home, schema=NESTED, properties={"lakepact.note": "1"})
    lab.send(op.list_tables, namespace=home)
    lab.send(op.list_tables, namespace=home, page_token="", page_size=1)
    bucket = upd.field_of(table, "id", "bucket[16]", "id_bucket")
    lab.try_commit(table, upd.add_spec(bucket), upd.set_default_spec(upd.LAST_ADDED))
    order = upd.add_sort_order(
        upd.sort_field(upd.column(table, "id")),
        upd.sort_field(
            upd.column(table, "amount"),
            transform="truncate[2]",
            direction="desc",
            null_order="nulls-last",
        ),
    )
    lab.try_commit(table, order, upd.set_default_sort_order(upd.LAST_ADDED))
    lab.try_commit(
        table,
        upd.add_column(table, "more"),
        upd.set_current_schema(upd.LAST_ADDED),
    )
    lab.load(table)


def defaults(lab: CatalogLab) -> None:
    """Show default values of a column."""
    word = {
        "id": 1,
        "name": "word",
        "type": "string",
        "required": False,
        "initial-default": "before",
        "write-default": "after",
    }
    lab.load(upd.table_of_version(lab, 3, schema={"type": "struct", "fields": [word]}))


def history(lab: CatalogLab) -> None:
    """Show snapshots, branches, tags and logs."""
    first = lab.table_with_snapshot()
    snapshot = first.member("current-snapshot-id")
    lab.try_commit(first, set_ref("release", snapshot, kind="tag", max_ref_age_ms=86_400_000))
    lab.try_commit(
        first, set_ref("audit", snapshot, min_snapshots_to_keep=2, max_snapshot_age_ms=3_600_000)
    )
    for operation in ("overwrite", "delete", "replace"):
        lab.append(lab.load(first), summary={"operation": operation, "added-records": "10"})
    lab.send(op.load_table, **first.at, snapshots="refs")
    lab.send(op.load_table, **first.at, snapshots="all")


def files(lab: CatalogLab) -> None:
    """Show statistics of both kinds."""
    table = lab.table_with_snapshot()
    snapshot = table.member("current-snapshot-id")
    lab.try_commit(table, upd.set_statistics(upd.statistics_file(table, snapshot)))
    lab.try_commit(
        table, upd.set_partition_statistics(upd.partition_statistics_file(table, snapshot))
    )
    lab.load(table)


def keys(lab: CatalogLab) -> None:
    """Show encryption keys."""
    table = upd.table_of_version(lab, KEYS_SINCE)
    lab.try_commit(table, upd.add_encryption_key(ROOT), upd.add_encryption_key(KEY))
    lab.load(table)


def views(lab: CatalogLab) -> None:
    """Show views, their versions and their log."""
    view = make_view(lab, properties={"lakepact.note": "1"})
    lab.send(op.list_views, namespace=view.namespace)
    lab.send(op.load_view, **view.at)
    try_replace(lab, view, *next_version(view, "SELECT 2 AS id"))


def tokens(lab: CatalogLab) -> None:
    """Show tokens that are issued, and refusals to issue some."""
    issues_tokens(lab)
    form(lab, grant_type="urn:lakepact:unknown")
    client = client_of(lab)
    form(lab, grant_type=CREDENTIALS, **client.fields)
    form(lab, grant_type=CREDENTIALS, **Client(client.id, "lakepact-known-to-nobody").fields)


def credentials(lab: CatalogLab) -> None:
    """Show credentials, with a table and by themselves."""
    table = lab.make_table()
    lab.send(
        op.load_table, headers=[("X-Iceberg-Access-Delegation", "vended-credentials")], **table.at
    )
    lab.send(op.load_credentials, **table.at)


def refusals(lab: CatalogLab) -> None:
    """Show errors of every documented kind that requests can bring about."""
    table = lab.make_table()
    lab.send(op.create_namespace, body={"namespace": list(table.namespace), "properties": {}})
    lab.disown(
        lab.send(op.update_table, body={}, **table.at).exchange
    )  # nothing is done even where that is accepted
    lab.send(op.load_namespace_metadata, namespace=(lab.name(),))
    lab.send(op.load_table, namespace=table.namespace, table=lab.name())
    lab.try_create_table(table.namespace, table.name)
    if lab.offers(op.drop_namespace):
        lab.send(op.drop_namespace, namespace=table.namespace)
    if lab.offers(op.update_properties):
        lab.send(
            op.update_properties,
            namespace=table.namespace,
            body={"removals": ["twice"], "updates": {"twice": "1"}},
        )
