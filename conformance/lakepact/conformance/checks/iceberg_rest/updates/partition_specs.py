"""Checks of the updates `add-spec`, `set-default-spec` and `remove-partition-specs`."""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Table,
    Wrong,
    check,
    expect,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import stored

FIELDS = "/updates/*/spec/fields/*"


def spec_ids(table: Table) -> list[Any]:
    """Return the ids of a table's partition specs."""
    return [spec.get("spec-id") for spec in table.member("partition-specs")]


def spec_with(table: Table, name: str) -> Document:
    """Return the one partition spec that has a field of that name.

    Raises:
        Unmet: there is none, or more than one.
    """
    specs: list[Document] = [
        s for s in table.member("partition-specs") if name in [f.get("name") for f in s["fields"]]
    ]
    if len(specs) != 1:
        expected = f"one partition spec with the field {name}"
        specs = table.member("partition-specs")
        raise expect.unmet(expected, expect.excerpt(specs), at=table.place("partition-specs"))
    return specs[0]


@check("IRC-UPD-022")
def server_assigns_spec_ids(lab: CatalogLab) -> None:
    """An added spec gets an unused id, whatever id the request proposes, and its fields get ids."""
    table = lab.make_table()

    for proposal, name in lab.each(
        ((upd.REQUESTED, "proposed"), (table.member("default-spec-id"), "taken"), (None, "open"))
    ):
        before = lab.load(table)
        field = upd.partition_field(upd.column(table, "id"), f"bucket[{len(name)}]", name)
        with lab.judge("IRC-UPD-022"):
            after = lab.commit_and_load(table, upd.add_spec(field, spec_id=proposal))
            spec = spec_with(after, name)
            upd.expect_own_id(
                spec.get("spec-id"), spec_ids(before), at=after.place("partition-specs")
            )
            expect.true(
                isinstance(spec["fields"][0].get("field-id"), int),
                "a field-id for the new partition field",
                spec,
                at=after.place("partition-specs"),
            )


@check("IRC-UPD-023")
def compatible_spec_is_reused(lab: CatalogLab) -> None:
    """Adding a spec that the table already has does not make another one."""
    table = lab.make_table(
        partition_spec={
            "spec-id": 0,
            "fields": [upd.partition_field(2, "identity", "name", field_id=upd.FIRST_FIELD)],
        }
    )

    with lab.judge("IRC-UPD-023"):
        after = lab.commit_and_load(table, upd.add_spec(*spec_with(table, "name")["fields"]))
        expect.same_items(
            spec_ids(table),
            spec_ids(after),
            "the same partition specs",
            at=after.place("partition-specs"),
        )


@check("IRC-UPD-024")
def invalid_specs_return_400(lab: CatalogLab) -> None:
    """A spec with an unknown source column, an unsuitable transform or a duplicate name returns
    400.
    """
    table = lab.make_table()
    name, at, first = upd.column(table, "name"), upd.column(table, "at"), upd.next_field(table)
    ghost = upd.add_spec(upd.partition_field(upd.NOWHERE, "identity", "ghost", field_id=first))
    twins = (
        upd.partition_field(name, "identity", "twin", field_id=first),
        upd.partition_field(at, "day", "twin", field_id=first + 1),
    )
    cases = {
        "an unknown source column": upd.unknown_id(ghost, "spec/fields/*/source-id"),
        "an unknown transform": (
            Wrong.VALUE(f"{FIELDS}/transform"),
            [
                upd.add_spec(
                    upd.partition_field(name, "lakepact_nothing", "name_nothing", field_id=first)
                )
            ],
        ),
        "the day of a string": (
            Wrong.VALUE(
                "transform for the type of the column",
                "for a transform that the type of the column does not have",
            ),
            [upd.add_spec(upd.partition_field(name, "day", "name_day", field_id=first))],
        ),
        "two fields with one name": (
            Wrong.DUPLICATE(f"{FIELDS}/name"),
            [upd.add_spec(*twins)],
        ),
    }
    upd.judge_refusals(lab, "IRC-UPD-024", table, cases)


@check("IRC-UPD-025")
def version_1_field_ids_are_sequential(lab: CatalogLab) -> None:
    """In format version 1, a partition field id that does not follow the last one returns 400."""
    table = upd.table_of_version(lab, 1)
    field = upd.partition_field(upd.column(table, "name"), "identity", "name", field_id=1005)
    upd.judge_refusals(
        lab,
        "IRC-UPD-025",
        table,
        {
            "field-id 1005 for the first partition field": (
                Wrong.VALUE(f"{FIELDS}/field-id"),
                [upd.add_spec(field)],
            )
        },
    )


@check("IRC-UPD-026")
def specs_become_default(lab: CatalogLab) -> None:
    """`set-default-spec` makes a spec the default, by its id or by -1 for the last added one."""
    table = upd.table_of_version(lab, 2)
    first = table.member("default-spec-id")
    earlier = upd.add_spec(upd.field_of(table, "name", "identity", "earlier"))
    later = upd.add_spec(
        upd.partition_field(
            upd.column(table, "at"), "day", "later", field_id=upd.next_field(table, skip=1)
        ),
        spec_id=2,
    )

    with lab.judge("IRC-UPD-026"):
        after = lab.commit_and_load(table, earlier, later, upd.set_default_spec(upd.LAST_ADDED))
        expect.member(
            spec_with(after, "later").get("spec-id"),
            after.place("default-spec-id"),
            "the spec that was added last,",
        )
    with_spec = stored(lab, table, earlier)
    ids = [
        spec["spec-id"]
        for spec in with_spec.member("partition-specs")
        if "earlier" in {field["name"] for field in spec["fields"]}
    ]
    with lab.judge_each("IRC-UPD-026") as case:
        for spec_id in (*ids, first):
            with case():
                answer = lab.commit_and_load(table, upd.set_default_spec(spec_id))
                expect.member(spec_id, answer.place("default-spec-id"))


@check("IRC-UPD-027", "IRC-UPD-028")
def unknown_default_specs_return_400(lab: CatalogLab) -> None:
    """`set-default-spec` with an unknown id, or with -1 and no added spec, returns 400."""
    table = lab.make_table()
    upd.judge_refusals(
        lab,
        "IRC-UPD-027",
        table,
        {"-1 without add-spec": (upd.NOT_ADDED, [upd.set_default_spec(upd.LAST_ADDED)])},
    )
    upd.judge_refusals(
        lab,
        "IRC-UPD-028",
        table,
        {
            f"the spec id {upd.NOWHERE}": upd.unknown_id(
                upd.set_default_spec(upd.NOWHERE), "spec-id"
            )
        },
    )


@check("IRC-UPD-073", "IRC-UPD-074", "IRC-UPD-075")
def specs_are_removed_except_the_default(lab: CatalogLab) -> None:
    """Removing a spec keeps the others; removing the default spec returns 400, removing an unknown
    one 200 or 400.
    """
    table = upd.table_of_version(lab, 2)
    default = table.member("default-spec-id")
    with_specs = stored(
        lab,
        table,
        upd.add_spec(upd.field_of(table, "name", "identity", "goes")),
        upd.add_spec(
            upd.partition_field(
                upd.column(table, "at"), "day", "stays", field_id=upd.next_field(table, skip=1)
            ),
            spec_id=2,
        ),
    )
    goes = spec_with(with_specs, "goes")["spec-id"]
    stays = spec_with(with_specs, "stays")["spec-id"]

    with lab.judge("IRC-UPD-073") as case:
        after = lab.commit_and_load(table, upd.remove_partition_specs(goes))
        expect.lacks(goes, spec_ids(after), "partition specs", at=after.place("partition-specs"))
        for remaining in (default, stays):
            with case():
                expect.contains(
                    remaining, spec_ids(after), "partition specs", at=after.place("partition-specs")
                )
    with lab.step("IRC-UPD-073"):
        answer = lab.load(table)
        expect.lacks(goes, spec_ids(answer), "partition specs", at=answer.place("partition-specs"))
    upd.judge_refusals(
        lab,
        "IRC-UPD-074",
        table,
        {
            "the default spec": (
                Wrong.IN_USE("/updates/*/spec-ids/*"),
                [upd.remove_partition_specs(default)],
            )
        },
    )
    reply = lab.try_commit(table, upd.remove_partition_specs(upd.NOWHERE))
    with lab.judge("IRC-UPD-075"):
        expect.status(reply, 200, 400)
