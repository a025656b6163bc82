"""Wrong ways with requirements that name the table itself, a branch or a tag."""

from __future__ import annotations

from typing import Any

from lakepact.reference_server.faults import Install
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.commits import Pick, conflict, forgetting, reordered
from mutants.iceberg_rest.operators.preconditions import (
    Assertion,
    always_holds,
    checked_by,
    never_holds,
)

UUID, REF = "assert-table-uuid", "assert-ref-snapshot-id"


def lacking(kind: str, member: str) -> Pick:
    """Picks requirements of a kind without a member."""
    return lambda requirement: requirement.get("type") == kind and member not in requirement


def _refs(metadata: Document | None) -> Document:
    refs: Document = (metadata or {}).get("refs") or {}
    return refs


def _by_beginning(
    _assertion: Assertion, metadata: Document | None, requirement: Document, _where: str
) -> None:
    if metadata and not metadata["table-uuid"].startswith(requirement["uuid"][:-1]):
        raise conflict("the beginning of the UUID differs")


def _once(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    assertion(metadata, requirement, where)
    if metadata and metadata.get("metadata-log"):
        raise conflict("the table has changed")


def _no_text(requirement: Document) -> bool:
    return requirement.get("type") == UUID and not isinstance(requirement.get("uuid", ""), str)


def _spelled(requirement: Document) -> Document:
    return (
        {**requirement, "uuid": str(requirement["uuid"])} if _no_text(requirement) else requirement
    )


UUIDS = {
    "assert-table-uuid-never-holds IRC-REQ-007": never_holds(UUID),
    "assert-table-uuid-holds-once IRC-REQ-007": checked_by(UUID, _once),
    "assert-table-uuid-always-holds IRC-REQ-008": always_holds(UUID),
    "assert-table-uuid-is-cut IRC-REQ-008": checked_by(UUID, _by_beginning),
    "assert-table-uuid-without-uuid-holds IRC-REQ-010": forgetting(
        "requirements", lacking(UUID, "uuid")
    ),
    "assert-table-uuid-of-no-text-holds IRC-REQ-010": forgetting("requirements", _no_text),
    "assert-table-uuid-of-no-text-conflicts IRC-REQ-010": reordered(
        "requirements", lambda requirements: list(map(_spelled, requirements))
    ),
}


def _of_main(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    assertion(metadata, {**requirement, "ref": "main"}, where)


def _holds_if_missing(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    if requirement["ref"] in _refs(metadata):
        assertion(metadata, requirement, where)


def _main_if_missing(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    ref = (
        requirement["ref"]
        if requirement["ref"] in _refs(metadata) or requirement["snapshot-id"] is None
        else "main"
    )
    assertion(metadata, {**requirement, "ref": ref}, where)


def _known_snapshot(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    if requirement["snapshot-id"] not in [
        snapshot["snapshot-id"] for snapshot in (metadata or {}).get("snapshots") or ()
    ]:
        assertion(metadata, requirement, where)


def _ancestor(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    parents = {
        snapshot["snapshot-id"]: snapshot.get("parent-snapshot-id")
        for snapshot in (metadata or {}).get("snapshots") or ()
    }
    at = _refs(metadata).get(requirement["ref"], {}).get("snapshot-id")
    while at is not None and at != requirement["snapshot-id"]:
        at = parents.get(at)
    if at is None:
        assertion(metadata, requirement, where)


def _null_is_unchecked(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    if requirement["snapshot-id"] is not None:
        assertion(metadata, requirement, where)


def _null_is_a_number(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    if requirement["snapshot-id"] is None and requirement["ref"] not in _refs(metadata):
        raise conflict(f"{requirement['ref']} does not exist")
    assertion(metadata, requirement, where)


def _null_is_an_empty_table(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    if requirement["snapshot-id"] is None and (metadata or {}).get("snapshots"):
        raise conflict("the table has snapshots")
    assertion(metadata, requirement, where)


def _branches_alone(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    branches = {name: ref for name, ref in _refs(metadata).items() if ref["type"] == "branch"}
    assertion({**(metadata or {}), "refs": branches}, requirement, where)


def _tags_hold(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    if _refs(metadata).get(requirement["ref"], {}).get("type") != "tag":
        assertion(metadata, requirement, where)


def _main_alone(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    if requirement["ref"] == "main":
        assertion(metadata, requirement, where)


def _as_double(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    at = _refs(metadata).get(requirement["ref"], {}).get("snapshot-id")
    if (
        at is None
        or requirement["snapshot-id"] is None
        or float(at) != float(requirement["snapshot-id"])
    ):
        assertion(metadata, requirement, where)


def _defaults(**members: Any) -> Install:
    """Members that assert-ref-snapshot-id lacks are taken as if they had been sent."""
    given = {name.replace("_", "-"): value for name, value in members.items()}

    def arrange(requirements: list[Document]) -> list[Document]:
        return [
            {**given, **requirement} if requirement.get("type") == REF else requirement
            for requirement in requirements
        ]

    return reordered("requirements", arrange)


REFS = {
    "assert-ref-never-holds IRC-REQ-011 IRC-REQ-014 IRC-REQ-016": never_holds(REF),
    "assert-ref-always-holds IRC-COM-020 IRC-REQ-012 IRC-REQ-013 IRC-REQ-015 IRC-REQ-016 IRC-REQ-019": always_holds(
        REF
    ),
    "assert-ref-means-main IRC-REQ-011 IRC-REQ-012 IRC-REQ-013 IRC-REQ-014 IRC-REQ-016": checked_by(
        REF, _of_main
    ),
    "assert-ref-looks-at-main-alone IRC-REQ-012 IRC-REQ-013 IRC-REQ-015 IRC-REQ-016 IRC-REQ-019": checked_by(
        REF, _main_alone
    ),
    "assert-ref-holds-of-missing-refs IRC-REQ-013": checked_by(REF, _holds_if_missing),
    "assert-ref-takes-main-for-missing-refs IRC-REQ-013": checked_by(REF, _main_if_missing),
    "assert-ref-holds-of-known-snapshots IRC-REQ-012 IRC-REQ-013 IRC-REQ-016": checked_by(
        REF, _known_snapshot
    ),
    "assert-ref-holds-of-ancestors IRC-REQ-012": checked_by(REF, _ancestor),
    "assert-ref-null-is-unchecked IRC-REQ-015 IRC-REQ-016": checked_by(REF, _null_is_unchecked),
    "assert-ref-null-is-a-conflict IRC-REQ-014": checked_by(REF, _null_is_a_number),
    "assert-ref-null-means-an-empty-table IRC-REQ-014": checked_by(REF, _null_is_an_empty_table),
    "assert-ref-knows-no-tags IRC-REQ-015 IRC-REQ-016": checked_by(REF, _branches_alone),
    "assert-ref-holds-of-tags IRC-REQ-015 IRC-REQ-016": checked_by(REF, _tags_hold),
    "assert-ref-compares-doubles IRC-REQ-019": checked_by(REF, _as_double),
    "assert-ref-takes-absent-for-null IRC-REQ-017": _defaults(snapshot_id=None),
    "assert-ref-without-snapshot-id-holds IRC-REQ-017": forgetting(
        "requirements", lacking(REF, "snapshot-id")
    ),
    "assert-ref-defaults-to-main IRC-REQ-018": _defaults(ref="main"),
    "assert-ref-without-ref-holds IRC-REQ-018": forgetting("requirements", lacking(REF, "ref")),
}


FAULTS = {**UUIDS, **REFS}
