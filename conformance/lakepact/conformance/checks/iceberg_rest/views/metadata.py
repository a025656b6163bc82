"""Invariants of view metadata, in every answer and over the life of a view."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Contract,
    Document,
    Exchange,
    Reply,
    check,
    expect,
    invariant,
    op,
    set_properties,
)
from lakepact.conformance.checks.iceberg_rest.kit.commits.updates import LAST_ADDED, add_schema
from lakepact.conformance.checks.iceberg_rest.kit.tables.metadata_members import (
    expect_unique,
    ids,
    members,
    objects,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import (
    OTHER_SCHEMA,
    View,
    load_view,
    make_view,
    next_version,
    replace_view,
)
from lakepact.conformance.evidence.exchanges import NO_OPERATION
from lakepact.conformance.judging.definitions import answers_of

#: Operations whose answers carry view metadata, and their methods.
CARRIERS = {
    operation: Contract("iceberg_rest").operations[operation].method
    for operation in (op.create_view, op.load_view, op.replace_view)
}


def metadata_of(exchange: Exchange) -> Document:
    """Return the view metadata that an answer carries; empty where it carries none."""
    carries = exchange.status == 200 and exchange.method == CARRIERS.get(
        exchange.operation or NO_OPERATION
    )
    return members(members(exchange.json).get("metadata")) if carries else {}


@invariant(
    "IRC-META-017",
    traffic=("views.metadata.metadata_invariants_hold_over_replacements",),
    concerns=answers_of(*CARRIERS, status=200),
)
def version_ids_exist(exchange: Exchange) -> bool:
    """Versions of a view have unique ids; the current one, those of the log and all their schemas
    exist.
    """
    metadata = metadata_of(exchange)
    if not objects(metadata, "versions"):
        return False
    version_ids = ids(metadata, "versions", "version-id")
    answer = Reply(exchange)
    expect_unique(
        version_ids, "`version-id` in `versions`", at=answer.place("metadata", "versions")
    )
    current, at = metadata.get("current-version-id"), answer.place("metadata", "current-version-id")
    expect.one_of(version_ids, current, "`current-version-id` in `versions`:", at=at)
    for number, entry in enumerate(objects(metadata, "version-log")):
        at = answer.place("metadata", "version-log", number, "version-id")
        expect.one_of(
            version_ids,
            entry.get("version-id"),
            "each version of `version-log` in `versions`:",
            at=at,
        )
    schemas = ids(metadata, "schemas", "schema-id")
    for number, version in enumerate(objects(metadata, "versions")):
        at = answer.place("metadata", "versions", number, "schema-id")
        expect.one_of(
            schemas,
            version.get("schema-id"),
            "the `schema-id` of each version in `schemas`:",
            at=at,
        )
    return True


@check("IRC-META-017", "IRC-META-018")
def metadata_invariants_hold_over_replacements(lab: CatalogLab) -> None:
    """A view keeps its UUID and format version, and the metadata invariants hold, through
    replacements and a rename.
    """
    view = make_view(lab, properties={"version.history.num-entries": "2"})
    answers = [view, load_view(lab, view)]
    if lab.offers(op.replace_view):
        answers.append(replace_view(lab, view, set_properties(note="1")))
        answers.append(
            replace_view(
                lab,
                view,
                add_schema(OTHER_SCHEMA),
                *next_version(view, "SELECT 'a' AS other", schema_id=LAST_ADDED),
            )
        )
        for number in range(3):
            answers.append(
                replace_view(lab, view, *next_version(answers[-1], f"SELECT {number} AS id"))
            )
            answers.append(load_view(lab, view))
    if lab.offers(op.rename_view):
        new = View(view.namespace, lab.name(), view.reply)
        lab.add_cleanup(lambda: lab.send(op.drop_view, **new.at))
        if (
            lab.send(
                op.rename_view, body={"source": view.identifier, "destination": new.identifier}
            ).status
            == 204
        ):
            answers.append(load_view(lab, new))

    with lab.judge("IRC-META-017"):
        for answer in answers:
            version_ids_exist(answer.reply.exchange)
    with lab.judge_each("IRC-META-018") as case:
        for answer in answers:
            with case():
                expect.member(1, answer.place("format-version"))
                expect.member(view.uuid, answer.place("view-uuid"), "the initial view-uuid,")
