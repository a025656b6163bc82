"""Checks of staged creations: nothing exists until the commit that makes the table, and one commit
makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from types import MappingProxyType

from lakepact.conformance.checks.iceberg_rest.api import (
    SCHEMA,
    CatalogLab,
    Document,
    Kind,
    Members,
    Table,
    Wrong,
    check,
    expect,
    op,
    set_properties,
    set_ref,
    states,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import sole_winner
from lakepact.conformance.checks.iceberg_rest.kit.dropped import former_namespaces
from lakepact.conformance.checks.iceberg_rest.kit.listings import names
from lakepact.conformance.checks.iceberg_rest.kit.steps import expect_history
from lakepact.conformance.checks.iceberg_rest.kit.tables import requests
from lakepact.conformance.checks.iceberg_rest.kit.tables.metadata_members import members
from lakepact.conformance.checks.iceberg_rest.tables.create import (
    AT_ONCE,
    OTHER_SCHEMA,
    ROUNDS,
    UUID,
)
from lakepact.conformance.checks.iceberg_rest.tables.structure import (
    expect_columns,
    expect_partitioning,
    expect_sorting,
)

STAGED = "staged table"  #: what does not exist as a table

#: Members of a request with something of everything.
WHOLE: Document = {
    "partition_spec": requests.spec(
        upd.partition_field(3, "day", "at_day", field_id=1000),
        upd.partition_field(1, "bucket[8]", "shard", field_id=1001),
        spec_id=0,
    ),
    "write_order": requests.order(upd.sort_field(2, direction="desc", null_order="nulls-last")),
    "properties": {"lakepact.note": "staged"},
}


def expect_note(table: Table) -> None:
    """Expect the property that `WHOLE` sets."""
    expect.equal(
        "staged",
        members(table.metadata.get("properties")).get("lakepact.note"),
        "property lakepact.note",
        at=table.place("properties", "lakepact.note"),
    )


#: By requirement of a creation without a stage: expects what `WHOLE` asks for.
PARTS: Mapping[str, Callable[[Table], None]] = MappingProxyType(
    {
        "IRC-TBL-CREATE-004": lambda table: expect_columns(table, SCHEMA),
        "IRC-TBL-CREATE-006": lambda table: expect_partitioning(
            table, WHOLE["partition_spec"], SCHEMA
        ),
        "IRC-TBL-CREATE-007": lambda table: expect_sorting(table, WHOLE["write_order"], SCHEMA),
        "IRC-TBL-CREATE-009": expect_note,
    }
)


def expect_location(table: Table) -> None:
    """Expect a location that is not empty."""
    location = table.member("location")
    expect.true(
        isinstance(location, str) and location != "",
        "a text as `location`",
        expect.excerpt(location),
        at=table.place("location"),
    )


# -- before the commit -----------------------------------------------------------------------------


@check("IRC-TBL-STAGE-001", "IRC-TBL-STAGE-003")
def staging_returns_complete_metadata(lab: CatalogLab) -> None:
    """Staging a table returns its complete metadata, without a `metadata-location`."""
    plain = lab.make_table(**WHOLE)
    with lab.judge("IRC-TBL-STAGE-001") as case:
        table = requests.created(lab, stage_create=True, **WHOLE)
        for requirement, expect_part in PARTS.items():
            with case():
                with lab.step(requirement):
                    expect_part(plain)
                expect_part(table)
        expect_location(table)
        expect.true(
            UUID.fullmatch(str(table.uuid)) is not None,
            "a UUID as `table-uuid`",
            table.uuid,
            at=table.place("table-uuid"),
        )
    stage = requests.stage_table(lab)
    with lab.judge("IRC-TBL-STAGE-003"):
        location = stage.reply.document.get("metadata-location")
        expect.true(
            location is None,
            "no metadata-location, or null",
            expect.excerpt(location),
            kind=Kind.SURPLUS,
            at=stage.reply.place("metadata-location"),
        )


@check("IRC-TBL-STAGE-002", "IRC-TBL-HEAD-004", "IRC-TBL-LIST-006")
def staged_tables_do_not_exist(lab: CatalogLab) -> None:
    """Loading and HEAD of a staged table return 404, and it is not listed."""
    namespace = lab.make_namespace()
    beside, stage = lab.make_table(namespace), requests.stage_table(lab, namespace, **WHOLE)
    lab.try_create_table(namespace, stage.name, stage_create=True)
    load = lab.send(op.load_table, **stage.at)
    listing = lab.send(op.list_tables, namespace=namespace)

    with lab.judge("IRC-TBL-STAGE-002"):
        expect.not_found(load, STAGED)
    with lab.judge("IRC-TBL-LIST-006"):
        with lab.step("IRC-TBL-STAGE-002"):
            expect.not_found(load, STAGED)
        members = names(listing)
        expect.contains(beside.name, members, "tables", at=listing.place("identifiers"))
        expect.lacks(stage.name, members, "tables", at=listing.place("identifiers"))
    existence = lab.send(op.table_exists, **stage.at)
    with lab.judge("IRC-TBL-STAGE-002"):
        expect.not_found(existence, STAGED)
    with lab.judge("IRC-TBL-HEAD-004"):
        with lab.step("IRC-TBL-STAGE-002"):
            expect.not_found(load, STAGED)
        expect.not_found(existence, STAGED)


@check("IRC-TBL-STAGE-008")
def staged_names_stay_free(lab: CatalogLab) -> None:
    """A stage that is never committed does not block staging or creating a table of the same
    name.
    """
    stage, other = requests.stage_table(lab, **WHOLE), requests.stage_table(lab)
    again = lab.try_create_table(
        stage.namespace, stage.name, stage_create=True, schema=OTHER_SCHEMA
    )
    create = lab.try_create_table(stage.namespace, stage.name, schema=OTHER_SCHEMA)

    with lab.judge("IRC-TBL-STAGE-008"):
        if again.status == 409:
            with lab.step("IRC-TBL-STAGE-002"):
                expect.not_found(lab.send(op.load_table, **other.at), STAGED)
        expect.status(again, 200)
        expect.status(create, 200)
        load = lab.send(op.load_table, **stage.at)
        expect.status(load, 200)
        expect_columns(stage.in_reply(load), OTHER_SCHEMA)


@check("IRC-TBL-STAGE-009")
def staging_existing_tables_returns_409(lab: CatalogLab) -> None:
    """Staging a table over an existing one returns 409, or committing the stage does."""
    table = lab.make_table()
    reply = lab.try_create_table(table.namespace, table.name, stage_create=True)
    is_staged = reply.status == 200
    if is_staged:
        reply = requests.commit_stage(lab, table.in_reply(reply))

    with lab.judge(
        "IRC-TBL-STAGE-009", remark="committing the stage returns the conflict" if is_staged else ""
    ):
        expect.status(reply, 409, mutation=Wrong.PRESENT("table"))


@check("IRC-TBL-STAGE-011")
def staging_in_missing_namespaces_returns_404(lab: CatalogLab) -> None:
    """Staging a table in a missing namespace returns 404, or committing the stage does."""
    with lab.judge_each("IRC-TBL-STAGE-011") as case:
        for namespace in chain(((lab.name(),),), former_namespaces(lab)):
            with case():
                name = lab.name()
                reply = requests.request_creation(lab, namespace, name, stage_create=True)
                if reply.status == 200:
                    reply = requests.commit_stage(lab, Table(namespace, name, reply))
                expect.not_found(reply, "namespace")


# -- the commit ------------------------------------------------------------------------------------


@check("IRC-TBL-STAGE-004", "IRC-TBL-STAGE-013")
def committing_a_stage_creates_the_table(lab: CatalogLab) -> None:
    """Committing a stage returns 200 and creates the table as staged, with its UUID and an empty
    metadata log.
    """
    stage = requests.stage_table(lab, **WHOLE)
    reply = requests.commit_stage(lab, stage)

    with lab.judge("IRC-TBL-STAGE-004") as case:
        expect.status(reply, 200)
        for answer in (stage.in_reply(reply), lab.load(stage)):
            for expect_part in PARTS.values():
                with case():
                    with lab.step("IRC-TBL-STAGE-001"):
                        expect_part(stage)
                    expect_part(answer)
            with case():
                expect.equal(
                    stage.uuid.lower(),
                    answer.uuid.lower(),
                    "the staged UUID",
                    at=answer.place("table-uuid"),
                )
                expect_location(answer)
                expect.equal(
                    stage.location.rstrip("/"),
                    answer.location.rstrip("/"),
                    "the staged location",
                    at=answer.place("location"),
                )
        if lab.offers(op.table_exists):
            expect.status(lab.send(op.table_exists, **stage.at), 204, 200)
    load = lab.load(stage)
    with lab.judge("IRC-TBL-STAGE-013"):
        log = load.metadata.get("metadata-log")
        expect.true(not log, "an empty metadata-log", log, at=load.place("metadata-log"))


def committing_works(lab: CatalogLab) -> None:
    """See that the commit of a stage makes its table, for checks of more than that.

    Raises:
        StepFailed: it does not.
    """
    reply = requests.commit_stage(lab, requests.stage_table(lab))
    with lab.step("IRC-TBL-STAGE-004"):
        expect.status(reply, 200)


def two_schemas(stage: Table) -> tuple[Document, Document]:
    """Return the schema of a staged table, and one with further columns whose ids have gaps."""
    first, last = upd.current_schema(stage), stage.member("last-column-id")
    more = [
        requests.field(last + 1, "tags", requests.array(last + 5, "string")),
        requests.field(last + 3, "late", "int"),
    ]
    number = first.get("schema-id", 0) + 1
    return first, {**first, "schema-id": number, "fields": [*first["fields"], *more]}


def two_snapshots(lab: CatalogLab, stage: Table, schema_ids: list[int]) -> list[Document]:
    """Return two snapshots of a staged table, the second one after the first."""
    one = lab.snapshot(stage, schema_id=schema_ids[0])
    rows = (
        {"first_row_id": one["first-row-id"] + one["added-rows"]} if "first-row-id" in one else {}
    )
    two = lab.snapshot(
        stage,
        **rows,
        schema_id=schema_ids[1],
        parent_snapshot_id=one["snapshot-id"],
        sequence_number=one.get("sequence-number", 0) + 1,
        timestamp_ms=one["timestamp-ms"] + 1,
    )
    return [one, two]


@check("IRC-TBL-STAGE-005")
def stage_commits_may_add_schemas_and_snapshots(lab: CatalogLab) -> None:
    """A stage commit may add schemas and snapshots, which keep their ids."""
    expect_history(lab)
    committing_works(lab)
    stage = requests.stage_table(lab)
    last = stage.member("last-column-id")
    first, second = two_schemas(stage)
    one, two = two_snapshots(lab, stage, [schema.get("schema-id", 0) for schema in (first, second)])
    further = [
        *(upd.add_schema(second, last_column_id=last + 5), upd.set_current_schema(upd.LAST_ADDED)),
        *(
            upd.add_snapshot(one),
            upd.add_snapshot(two),
            set_ref("main", two["snapshot-id"]),
            set_ref("audit", one["snapshot-id"]),
        ),
    ]

    with lab.judge("IRC-TBL-STAGE-005") as case:
        expect.status(requests.commit_stage(lab, stage, *further), 200)
        table = lab.load(stage)
        schemas = {schema.get("schema-id"): schema for schema in table.member("schemas")}
        for schema in (first, second):
            with case():
                expect.contains(
                    schema.get("schema-id", 0), schemas, "schema ids", at=table.place("schemas")
                )
                expect.equal(
                    requests.sources(schema),
                    requests.sources(schemas[schema.get("schema-id", 0)]),
                    "field ids and names of the schema",
                    at=table.place("schemas"),
                )
        expect.member(second["schema-id"], table.place("current-schema-id"))
        with case():
            with lab.step("IRC-META-005"):
                expect.true(
                    table.member("last-column-id") >= last + 5,
                    f"a last-column-id of at least {last + 5}",
                    table.member("last-column-id"),
                    at=table.place("last-column-id"),
                )
            expect.member(last + 5, table.place("last-column-id"))
        by_id = {snapshot.get("snapshot-id"): snapshot for snapshot in table.member("snapshots")}
        for snapshot in (one, two):
            with case():
                expect.contains(
                    snapshot["snapshot-id"], by_id, "snapshot ids", at=table.place("snapshots")
                )
                actual = by_id[snapshot["snapshot-id"]]
                expect.includes(
                    snapshot,
                    actual,
                    "the snapshot",
                    at=table.place("snapshots"),
                )
        expect.member(two["snapshot-id"], table.place("current-snapshot-id"))


@check("IRC-TBL-STAGE-015")
def stages_of_every_version_are_committed(lab: CatalogLab) -> None:
    """Committing a stage of format version 1, 2 or 3 returns 200, and the table has that
    version.
    """
    committing_works(lab)
    versions = [
        version for version in (1, 2, 3) if version == 2 or lab.feature(f"format-v{version}")
    ]
    namespace = lab.make_namespace()
    stages = []
    for version in versions:
        name = lab.name()
        lab.drop_afterwards(namespace, name)
        request = lab.table_request(
            name, stage_create=True, properties={"format-version": str(version)}
        )
        reply = lab.send(op.create_table, namespace=namespace, body=request)
        if reply.status == 200:  # a version that the target does not make is refused
            stages.append(Table(namespace, name, reply))
    if not stages:
        lab.skip("IRC-TBL-STAGE-015", "the target stages tables of no version")
        return

    with lab.judge_each("IRC-TBL-STAGE-015") as case:
        for stage in stages:
            with case():
                actual = stage.member(
                    "format-version"
                )  # the version is a wish: whether it is heeded is judged elsewhere
                expect.status(
                    requests.commit_stage(lab, stage),
                    200,
                    about=f"for a stage of format version {actual}",
                )
                after = lab.load(stage)
                expect.member(
                    actual, after.place("format-version"), "format version of the committed table"
                )


@check("IRC-TBL-STAGE-006")
def stage_commits_over_existing_tables_return_409(lab: CatalogLab) -> None:
    """Committing a stage returns 409 once a table has its name, and that table is unchanged."""
    with lab.judge_each("IRC-TBL-STAGE-006") as case:
        for schema in (SCHEMA, OTHER_SCHEMA):
            with case():
                stage = requests.stage_table(lab, **WHOLE)
                lab.require(
                    lab.try_create_table(stage.namespace, stage.name, schema=schema),
                    200,
                )
                before = lab.load(stage)
                expect.status(
                    requests.commit_stage(lab, stage),
                    409,
                    mutation=Wrong.PRESENT("table"),
                )
                states.expect_no_change(lab, before)


def stages_of_one_name(lab: CatalogLab, count: int) -> list[Table]:
    """Several stages of one and the same name."""
    first = requests.stage_table(lab)
    return [
        first,
        *(requests.stage_table(lab, first.namespace, name=first.name) for _ in range(count - 1)),
    ]


def signature_update(commit_number: int) -> Members:
    """Return an update that stores the number of its commit as `lakepact.creator`."""
    return set_properties(**{"lakepact.creator": str(commit_number)})


def expect_signature(table: Table, commit_number: int, what: str) -> None:
    """Expect the property `lakepact.creator` to be the number of the commit."""
    signature = members(table.metadata.get("properties")).get("lakepact.creator")
    expect.equal(
        str(commit_number), signature, what, at=table.place("properties", "lakepact.creator")
    )


@check("IRC-TBL-STAGE-007")
def second_stages_are_not_committed(lab: CatalogLab) -> None:
    """Of two stages of one name the one that is committed first becomes the table, and the other
    returns 409.
    """
    committing_works(lab)
    one, two = stages_of_one_name(lab, 2)
    first, second = (
        requests.commit_stage(lab, stage, signature_update(number))
        for number, stage in enumerate((two, one))
    )
    with lab.judge("IRC-TBL-STAGE-007"):
        expect.status(first, 200)
        expect.status(second, 409, mutation=Wrong.PRESENT("table"))
        expect_signature(lab.load(one), 0, "the property that the first commit set,")


@check("IRC-TBL-STAGE-007", alone=True)
def one_of_several_stages_is_committed(lab: CatalogLab) -> None:
    """Of many concurrent commits of stages of one name exactly one returns 200 and the others
    409.
    """
    committing_works(lab)
    for _ in lab.each(lab.repeat(ROUNDS)):
        stages = stages_of_one_name(lab, AT_ONCE)
        replies = lab.concurrently(
            [
                partial(requests.commit_stage, lab, stage, signature_update(number))
                for number, stage in enumerate(stages)
            ]
        )
        with lab.judge("IRC-TBL-STAGE-007"):
            winner = sole_winner(replies, what="commits of one stage")
            expect_signature(
                lab.load(stages[0]), winner, "the property set by the commit that returned 200,"
            )


def questionable_locations(table: Table, name: str) -> Iterator[str]:
    """Locations that a server may not want a table to have."""
    yield f"{table.location.rstrip('/')}/../../../../{name}"
    yield f"file:///{name}"
    yield f"s3://{name.replace('_', '-')}/table"


@check("IRC-TBL-STAGE-014")
def stage_commits_obey_the_location_policy(lab: CatalogLab) -> None:
    """Committing a stage with a location that creating a table refuses returns 4xx."""
    if not lab.feature("location-policy"):
        lab.skip("IRC-TBL-STAGE-014", "the target takes tables in all locations")
        return
    namespace = lab.make_namespace()
    refusals = 0
    for location in lab.each(questionable_locations(lab.make_table(namespace), lab.name())):
        if requests.request_creation(lab, namespace, lab.name(), location=location).status < 400:
            continue
        refusals += 1
        reply = requests.commit_stage(
            lab, requests.stage_table(lab, namespace), upd.set_location(location)
        )
        with lab.judge("IRC-TBL-STAGE-014"):
            expect.client_error(
                reply,
                about=f"for the location {location}",
                mutation=Wrong.VALUE("location"),
            )
    if not refusals:
        lab.skip("IRC-TBL-STAGE-014", "the target takes every location that was tried")
