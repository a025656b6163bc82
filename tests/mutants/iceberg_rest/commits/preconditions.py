"""Wrong ways with requirements that name the table itself, a branch or a tag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install
from mutants.iceberg_rest.operators.commits import Pick, conflict, forgetting, reordered
from mutants.iceberg_rest.operators.preconditions import Assertion, always_holds, checked_by, never_holds

if TYPE_CHECKING:
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.iceberg_rest.documents import Document

UUID, REF = "assert-table-uuid", "assert-ref-snapshot-id"


def lacking(kind: str, member: str) -> Pick:
    """Picks requirements of a kind without a member."""
    return lambda requirement: requirement.get("type") == kind and member not in requirement


def _refs(metadata: Document | None) -> Document:
    refs: Document = (metadata or {}).get("refs") or {}
    return refs


# -- assert-table-uuid ------------------------------------------------------------------------------------------------


def _by_beginning(_assertion: Assertion, metadata: Document | None, requirement: Document, _where: str) -> None:
    if metadata and not metadata["table-uuid"].startswith(requirement["uuid"][:-1]):
        raise conflict("the beginning of the UUID differs")


def _once(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    assertion(metadata, requirement, where)
    if metadata and metadata.get("metadata-log"):
        raise conflict("the table has changed")


def _no_text(requirement: Document) -> bool:
    return requirement.get("type") == UUID and not isinstance(requirement.get("uuid", ""), str)


def _spelled(requirement: Document) -> Document:
    return {**requirement, "uuid": str(requirement["uuid"])} if _no_text(requirement) else requirement


UUIDS = (
    Fault("assert-table-uuid-never-holds", "No UUID is that of a table.", ("IRC-REQ-007",), never_holds(UUID)),
    Fault(
        "assert-table-uuid-holds-once", "The UUID of a table that has changed is not its own.", ("IRC-REQ-007",), checked_by(UUID, _once)
    ),
    Fault("assert-table-uuid-always-holds", "assert-table-uuid is not checked.", ("IRC-REQ-008",), always_holds(UUID)),
    Fault("assert-table-uuid-is-cut", "The last digit of UUIDs is not compared.", ("IRC-REQ-008",), checked_by(UUID, _by_beginning)),
    Fault(
        "assert-table-uuid-without-uuid-holds",
        "assert-table-uuid holds without `uuid`.",
        ("IRC-REQ-010",),
        forgetting("requirements", lacking(UUID, "uuid")),
    ),
    Fault(
        "assert-table-uuid-of-no-text-holds",
        "A UUID that is no text is that of any table.",
        ("IRC-REQ-010",),
        forgetting("requirements", _no_text),
    ),
    Fault(
        "assert-table-uuid-of-no-text-conflicts",
        "A UUID that is no text is that of no table.",
        ("IRC-REQ-010",),
        reordered("requirements", lambda requirements: list(map(_spelled, requirements))),
    ),
)


# -- assert-ref-snapshot-id -------------------------------------------------------------------------------------------


def _of_main(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    assertion(metadata, {**requirement, "ref": "main"}, where)


def _holds_if_missing(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    if requirement["ref"] in _refs(metadata):
        assertion(metadata, requirement, where)


def _main_if_missing(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    ref = requirement["ref"] if requirement["ref"] in _refs(metadata) or requirement["snapshot-id"] is None else "main"
    assertion(metadata, {**requirement, "ref": ref}, where)


def _known_snapshot(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    if requirement["snapshot-id"] not in [snapshot["snapshot-id"] for snapshot in (metadata or {}).get("snapshots") or ()]:
        assertion(metadata, requirement, where)


def _ancestor(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    parents = {snapshot["snapshot-id"]: snapshot.get("parent-snapshot-id") for snapshot in (metadata or {}).get("snapshots") or ()}
    at = _refs(metadata).get(requirement["ref"], {}).get("snapshot-id")
    while at is not None and at != requirement["snapshot-id"]:
        at = parents.get(at)
    if at is None:
        assertion(metadata, requirement, where)


def _null_is_unchecked(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    if requirement["snapshot-id"] is not None:
        assertion(metadata, requirement, where)


def _null_is_a_number(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    if requirement["snapshot-id"] is None and requirement["ref"] not in _refs(metadata):
        raise conflict(f"{requirement['ref']} does not exist")
    assertion(metadata, requirement, where)


def _null_is_an_empty_table(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    if requirement["snapshot-id"] is None and (metadata or {}).get("snapshots"):
        raise conflict("the table has snapshots")
    assertion(metadata, requirement, where)


def _branches_alone(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    branches = {name: ref for name, ref in _refs(metadata).items() if ref["type"] == "branch"}
    assertion({**(metadata or {}), "refs": branches}, requirement, where)


def _tags_hold(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    if _refs(metadata).get(requirement["ref"], {}).get("type") != "tag":
        assertion(metadata, requirement, where)


def _main_alone(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    if requirement["ref"] == "main":
        assertion(metadata, requirement, where)


def _as_double(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    at = _refs(metadata).get(requirement["ref"], {}).get("snapshot-id")
    if at is None or requirement["snapshot-id"] is None or float(at) != float(requirement["snapshot-id"]):
        assertion(metadata, requirement, where)


def _defaults(**members: Any) -> Install:
    """Members that assert-ref-snapshot-id lacks are taken as if they had been sent."""
    given = {name.replace("_", "-"): value for name, value in members.items()}

    def arrange(requirements: list[Document]) -> list[Document]:
        return [{**given, **requirement} if requirement.get("type") == REF else requirement for requirement in requirements]

    return reordered("requirements", arrange)


def _ref(name: str, sentence: str, breaks: tuple[str, ...], act: Any) -> Fault:
    return Fault(f"assert-ref-{name}", sentence, tuple(f"IRC-REQ-0{number}" for number in breaks), checked_by(REF, act))


REFS = (
    Fault("assert-ref-never-holds", "No ref is where a commit says.", ("IRC-REQ-011", "IRC-REQ-014", "IRC-REQ-016"), never_holds(REF)),
    Fault(
        "assert-ref-always-holds",
        "assert-ref-snapshot-id is not checked.",
        ("IRC-COM-020", "IRC-REQ-012", "IRC-REQ-013", "IRC-REQ-015", "IRC-REQ-016", "IRC-REQ-019"),
        always_holds(REF),
    ),
    _ref("means-main", "Requirements about any ref are checked against main.", ("11", "12", "13", "14", "16"), _of_main),
    _ref("looks-at-main-alone", "Other refs than main are not looked at.", ("12", "13", "15", "16", "19"), _main_alone),
    _ref("holds-of-missing-refs", "Requirements about missing refs always hold.", ("13",), _holds_if_missing),
    _ref("takes-main-for-missing-refs", "In place of a ref that does not exist, main is looked at.", ("13",), _main_if_missing),
    _ref("holds-of-known-snapshots", "Any snapshot of the table will do.", ("12", "13", "16"), _known_snapshot),
    _ref("holds-of-ancestors", "A branch is wherever it was on its way.", ("12",), _ancestor),
    _ref("null-is-unchecked", "A snapshot id that is null is not checked.", ("15", "16"), _null_is_unchecked),
    _ref("null-is-a-conflict", "A ref that does not exist is a conflict even if it shall not.", ("14",), _null_is_a_number),
    _ref(
        "null-means-an-empty-table",
        "The requirement that a ref does not exist holds only for tables without snapshots.",
        ("14",),
        _null_is_an_empty_table,
    ),
    _ref("knows-no-tags", "Tags are taken for refs that do not exist.", ("15", "16"), _branches_alone),
    _ref("holds-of-tags", "Requirements about tags always hold.", ("15", "16"), _tags_hold),
    _ref("compares-doubles", "Snapshot ids are compared as floating point numbers.", ("19",), _as_double),
    Fault("assert-ref-takes-absent-for-null", "An absent snapshot id is null.", ("IRC-REQ-017",), _defaults(snapshot_id=None)),
    Fault(
        "assert-ref-without-snapshot-id-holds",
        "assert-ref-snapshot-id holds without `snapshot-id`.",
        ("IRC-REQ-017",),
        forgetting("requirements", lacking(REF, "snapshot-id")),
    ),
    Fault("assert-ref-defaults-to-main", "Without `ref`, main is meant.", ("IRC-REQ-018",), _defaults(ref="main")),
    Fault(
        "assert-ref-without-ref-holds",
        "assert-ref-snapshot-id holds without `ref`.",
        ("IRC-REQ-018",),
        forgetting("requirements", lacking(REF, "ref")),
    ),
)


FAULTS: tuple[Fault, ...] = (*UUIDS, *REFS)
