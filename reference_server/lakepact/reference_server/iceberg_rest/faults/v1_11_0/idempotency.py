"""Faults of requests that are sent again under their Idempotency-Key."""

from __future__ import annotations

import json
import time
import uuid
from collections import deque
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, around, on_answer, on_call
from lakepact.reference_server.iceberg_rest.faults.access_rights import admitting
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import NO_CONTENT, Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.service import Handler, Service
    from lakepact.reference_server.store import Record, Transaction

KEY = "idempotency_key"

#: Operations whose requests are done again, as if they had no key, and what that breaks.
FORGETFUL = {
    "createNamespace": "IRC-IDEM-003",
    "createTable": "IRC-IDEM-004",
    "updateTable": "IRC-IDEM-005",
    "commitTransaction": "IRC-IDEM-006",
    "dropTable": "IRC-IDEM-007",
    "renameTable": "IRC-IDEM-009",
    "dropNamespace": "IRC-IDEM-010",
    "updateProperties": "IRC-IDEM-011",
    "replaceView": "IRC-IDEM-016",
    "renameView": "IRC-IDEM-016",
    "dropView": "IRC-IDEM-016",
    "registerTable": "IRC-IDEM-017",
    "createView": "IRC-IDEM-020",
    "registerView": "IRC-IDEM-020",
}


def without_key(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Do what is asked as if there were no key."""
    return handler(**{name: value for name, value in arguments.items() if name != KEY})


def other_lifetime(config: dict[str, Any]) -> None:
    """Tell the lifetime of keys in words."""
    config["idempotency-key-lifetime"] = "30 minutes"


def refused_with_key(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Refuse what comes with a key."""
    if KEY in arguments:
        raise Problem(400, "BadRequestException", "keys are not taken here")
    return handler(**arguments)


def dropped_again(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Drop whatever has the name now, and say that it went well."""
    try:
        return without_key(handler, arguments)
    except Problem as problem:
        if KEY in arguments and problem.status == 404:
            return NO_CONTENT
        raise


def key_of_its_own(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Take a key for another one with each other request."""
    return handler(**{**arguments, KEY: _derived(arguments[KEY], arguments)} if KEY in arguments else arguments)


def key_of_the_request(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Take all requests that are alike for one."""
    return handler(**{**arguments, KEY: _derived("", arguments)} if KEY in arguments else arguments)


def _derived(key: str, arguments: dict[str, Any]) -> str:
    rest = {name: value for name, value in arguments.items() if name != KEY}
    return str(uuid.uuid5(uuid.NAMESPACE_OID, key + json.dumps(rest, sort_keys=True, default=str)))


def only_successes(keep: Callable[..., None]) -> Callable[..., None]:
    """Keep no refusals."""

    def kept(transaction: Transaction, name: str, answer: dict[str, Any]) -> None:
        if "refused" not in answer:
            keep(transaction, name, answer)

    return kept


def known_late(known: Callable[..., Record | None]) -> Callable[..., Record | None]:
    """Know keys only from the next second on."""

    def found(transaction: Transaction, name: str) -> Record | None:
        record = known(transaction, name)
        return None if record is not None and record.document["at"] >= int(time.time()) else record

    return found


def but_drops(keep: Callable[..., None]) -> Callable[..., None]:
    """Keep no refusals of what was to be dropped."""

    def kept(transaction: Transaction, name: str, answer: dict[str, Any]) -> None:
        if "refused" not in answer or not answer["request"].startswith("drop"):
            keep(transaction, name, answer)

    return kept


def _few_known(service: Service) -> None:
    """Know the last few keys alone."""
    last: deque[str] = deque(maxlen=4)
    keep, known = service.rules["key-is-kept"], service.rules["known-key"]

    def kept(transaction: Transaction, name: str, answer: dict[str, Any]) -> None:
        last.append(name)
        keep(transaction, name, answer)

    def found(transaction: Transaction, name: str) -> Record | None:
        record: Record | None = known(transaction, name)
        return record if name in last else None

    service.rules.update({"key-is-kept": kept, "known-key": found})


def _before_anybody_is_asked(service: Service) -> None:
    """Give the answer of a key to everybody who knows the key."""
    answers: dict[str, Reply] = {}

    def act(asks: Handler, _: Handler, arguments: dict[str, Any]) -> Reply:
        key = arguments.get(KEY)
        if key is None:
            return asks(**arguments)
        if key not in answers:
            answers[key] = asks(**arguments)
        return answers[key]

    admitting(("createTable",), act)(service)


def _forgetful(operation: str, breaks: str) -> Fault:
    says = f"{operation} is done again when it is sent again with its Idempotency-Key."
    return Fault(f"keys-are-nothing-to-{operation}", says, (breaks,), on_call(operation, without_key))


FAULTS = (
    *(_forgetful(operation, breaks) for operation, breaks in FORGETFUL.items()),
    Fault(
        "lifetime-of-keys-in-words",
        "The configuration tells how long keys may be used as `30 minutes`.",
        ("IRC-IDEM-001",),
        on_answer("getConfig", other_lifetime),
    ),
    Fault(
        "keys-are-refused",
        "A namespace cannot be created by who sends an Idempotency-Key, though the configuration says that keys are supported.",
        ("IRC-IDEM-002",),
        on_call("createNamespace", refused_with_key),
    ),
    Fault(
        "drops-whatever-has-the-name",
        "Dropping a table again under its key drops a newer table of the same name.",
        ("IRC-IDEM-008",),
        on_call("dropTable", dropped_again),
    ),
    Fault(
        "forgets-refusals",
        "A refusal is not kept under its key, so that the same request is carried out later.",
        ("IRC-IDEM-012",),
        around("rules", "key-is-kept", only_successes),
    ),
    Fault(
        "keys-for-several-operations",
        "A key that was used may be used for other requests, which are carried out.",
        ("IRC-IDEM-013",),
        on_call(("createNamespace", "createTable"), key_of_its_own),
    ),
    Fault(
        "equal-requests-are-one",
        "Requests that are alike are taken for one, whatever their keys are.",
        ("IRC-IDEM-014",),
        on_call(("createTable", "updateTable"), key_of_the_request),
    ),
    Fault(
        "keys-are-known-late",
        "A key is known only some time after its request, so that the same one is carried out several times at once.",
        ("IRC-IDEM-015",),
        around("rules", "known-key", known_late),
    ),
    Fault(
        "keys-are-refused-with-views",
        "A view cannot be created by who sends an Idempotency-Key.",
        ("IRC-IDEM-002",),
        on_call("createView", refused_with_key),
    ),
    Fault(
        "keys-for-several-commits",
        "A key that was used may be used for other commits, which are made.",
        ("IRC-IDEM-013",),
        on_call("updateTable", key_of_its_own),
    ),
    Fault(
        "keys-for-several-registrations",
        "A key that was used may be used to register other tables.",
        ("IRC-IDEM-013",),
        on_call("registerTable", key_of_its_own),
    ),
    Fault(
        "keys-for-several-drops",
        "A key with which something was dropped may be used to drop something else.",
        ("IRC-IDEM-013",),
        on_call(("dropView", "dropNamespace"), key_of_its_own),
    ),
    Fault(
        "forgets-refused-drops",
        "That something could not be dropped is not kept under its key.",
        ("IRC-IDEM-012",),
        around("rules", "key-is-kept", but_drops),
    ),
    Fault("few-keys-are-known", "A key is forgotten after four others.", ("IRC-IDEM-005",), _few_known),
    Fault(
        "keys-are-given-to-everybody",
        "Who knows the key of a request is given its answer, whoever that is.",
        ("IRC-SEC-005",),
        _before_anybody_is_asked,
    ),
)
