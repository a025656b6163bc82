"""Servers that lose one thing: what depends on it is blocked by its requirement, and nothing else
fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from faulty import unnamed
from faulty_servers import checked, rewrites
from lakepact.conformance.checks.iceberg_rest.kit.commits.updates import NOWHERE
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import running
from lakepact.reference_server.faults import all_of, on_call
from lakepact.reference_server.http.replies import Reply
from mutants.iceberg_rest.operators.updates import ignored, in_place_of

if TYPE_CHECKING:
    from lakepact.conformance.running.runner import Run
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.service import Handler
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft, Update


def without(member: str) -> Install:
    """Create tables without a member of the request."""
    return rewrites(
        "createTable", lambda body: {name: value for name, value in body.items() if name != member}
    )


PURGED = on_call(
    "dropTable", lambda handler, arguments: handler(**{**arguments, "purge_requested": True})
)


def keeps_the_last_ref(update: Update, draft: Draft, document: Document) -> None:
    if len(draft.get("refs") or {}) > 1:
        update(draft, document)


def answers_without_refs(handler: Handler, arguments: dict[str, Any]) -> Reply:
    reply = handler(**arguments)
    if not any(
        update["action"] == "remove-snapshot-ref" for update in arguments["body"]["updates"]
    ):
        return reply
    document = orjson.loads(reply.body)
    document["metadata"]["refs"] = {}
    return Reply(reply.status, orjson.dumps(document))


CREATED_AT_ONCE = rewrites("createTable", lambda body: body | {"stage-create": False})


#: By loss: the server, the requirement that it breaks, and requirements of which checks need what
#: is lost.
LOSSES: dict[str, tuple[Install, str, tuple[str, ...]]] = {
    "statistics": (
        ignored("set-statistics"),
        "IRC-UPD-066",
        ("IRC-UPD-067", "IRC-UPD-068", "IRC-UPD-069", "IRC-UPD-070"),
    ),
    "removed snapshots": (
        ignored("remove-snapshots"),
        "IRC-UPD-050",
        ("IRC-UPD-051", "IRC-UPD-054", "IRC-UPD-055", "IRC-UPD-090"),
    ),
    "removed refs": (
        ignored("remove-snapshot-ref"),
        "IRC-UPD-056",
        ("IRC-UPD-058", "IRC-COM-010", "IRC-TBL-LOAD-008"),
    ),
    "the last removed ref": (
        in_place_of("remove-snapshot-ref", keeps_the_last_ref),
        "IRC-UPD-056",
        ("IRC-UPD-058",),
    ),
    "removed specs": (ignored("remove-partition-specs"), "IRC-UPD-073", ("IRC-UPD-074",)),
    "removed schemas": (ignored("remove-schemas"), "IRC-UPD-076", ("IRC-UPD-077",)),
    "encryption keys": (
        ignored("add-encryption-key"),
        "IRC-UPD-079",
        ("IRC-UPD-080", "IRC-UPD-081", "IRC-UPD-082"),
    ),
    "properties": (
        without("properties"),
        "IRC-TBL-CREATE-009",
        ("IRC-GEN-020", "IRC-TBL-STAGE-001"),
    ),
    "sort orders": (without("write-order"), "IRC-TBL-CREATE-007", ("IRC-TBL-STAGE-001",)),
    "files of dropped tables": (
        PURGED,
        "IRC-TBL-DROP-003",
        ("IRC-TBL-REG-001", "IRC-TBL-REG-002", "IRC-TBL-REG-012"),
    ),
    "stages": (
        CREATED_AT_ONCE,
        "IRC-TBL-STAGE-002",
        ("IRC-TBL-HEAD-004", "IRC-TBL-LIST-006", "IRC-TBL-STAGE-008"),
    ),
}


#: Requirements of which more cases pass than need what is lost.
IN_PART = frozenset({"IRC-TBL-LOAD-008", "IRC-TBL-STAGE-001"})

MOVED = "commits.preconditions.moved_branches_are_compared"


def run(install: Install, *only: str) -> Run:
    with running(contract="iceberg_rest", warehouse="memory:", faults=[unnamed(install)]) as server:
        return checked(server.url, *only)


@pytest.mark.parametrize("loss", LOSSES)
def test_loss_fails_its_requirement_and_blocks_what_needs_it(loss: str) -> None:
    install, cause, dependents = LOSSES[loss]
    results = run(install, cause, *dependents).results()

    assert {requirement: results[requirement].outcome for requirement in (cause, *dependents)} == {
        cause: Outcome.FAIL,
        **{one: Outcome.PASS if one in IN_PART else Outcome.BLOCKED for one in dependents},
    }
    for requirement in dependents:
        assert cause in " ".join(verdict.remark for verdict in results[requirement].verdicts)


def stores_an_unknown_id(update: Update, draft: Draft, document: Document) -> None:
    if document["schema-id"] == NOWHERE:
        draft.set("current-schema-id", NOWHERE)
    else:
        update(draft, document)


def test_accepted_nonsense_breaks_no_invariant() -> None:
    careless = in_place_of("set-current-schema", stores_an_unknown_id)
    results = run(
        careless, "updates.schemas.unknown_current_schemas_return_400", "IRC-META-002"
    ).results()

    assert (results["IRC-UPD-020"].outcome, results["IRC-META-002"].outcome) == (
        Outcome.FAIL,
        Outcome.PASS,
    )


def test_unstored_removal_of_a_ref_blocks_what_needs_it() -> None:
    careless = all_of(
        in_place_of("remove-snapshot-ref", keeps_the_last_ref),
        on_call(op.update_table, answers_without_refs),
    )
    results = run(careless, MOVED, "IRC-UPD-056").results()

    (verdict_of_moves,) = [
        verdict for verdict in results["IRC-REQ-013"].verdicts if verdict.check == MOVED
    ]
    assert (results["IRC-UPD-056"].outcome, verdict_of_moves.outcome) == (
        Outcome.FAIL,
        Outcome.BLOCKED,
    )
    assert "IRC-UPD-056" in verdict_of_moves.actual
