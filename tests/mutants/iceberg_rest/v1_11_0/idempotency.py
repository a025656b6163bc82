"""Faults of requests that are sent again under their Idempotency-Key."""

from __future__ import annotations

import contextlib
import json
import time
import uuid
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    fault,
    on_answer,
    on_call,
    per_server,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.storage.store import Record, Transaction
from mutants.iceberg_rest.access.rights import admitting

KEY = "idempotency_key"

#: Operations whose requests are done again, as if they had no key, and what that breaks.
FORGETFUL = {
    op.create_namespace: "IRC-IDEM-003",
    op.create_table: "IRC-IDEM-004",
    op.update_table: "IRC-IDEM-005",
    op.commit_transaction: "IRC-IDEM-006",
    op.drop_table: "IRC-IDEM-007",
    op.rename_table: "IRC-IDEM-009",
    op.drop_namespace: "IRC-IDEM-010",
    op.update_properties: "IRC-IDEM-011",
    op.replace_view: "IRC-IDEM-016",
    op.rename_view: "IRC-IDEM-016",
    op.drop_view: "IRC-IDEM-016",
    op.register_table: "IRC-IDEM-017",
    op.create_view: "IRC-IDEM-020",
    op.register_view: "IRC-IDEM-020",
}


def without_key(handler: Handler, arguments: Arguments) -> Reply:
    """Do what is asked as if there were no key."""
    return handler(**{name: value for name, value in arguments.items() if name != KEY})


def refused_with_key(handler: Handler, arguments: Arguments) -> Reply:
    """Refuse what comes with a key."""
    if KEY in arguments:
        raise Problem(400, "BadRequestException", "keys are not taken here")
    return handler(**arguments)


def key_of_its_own(handler: Handler, arguments: Arguments) -> Reply:
    """Take a key for another one with each other request."""
    return handler(
        **{**arguments, KEY: _derived(arguments[KEY], arguments)} if KEY in arguments else arguments
    )


def _derived(key: str, arguments: Arguments) -> str:
    rest = {name: value for name, value in arguments.items() if name != KEY}
    return str(uuid.uuid5(uuid.NAMESPACE_OID, key + json.dumps(rest, sort_keys=True, default=str)))


@fault("IRC-IDEM-008", by=partial(on_call, op.drop_table))
def drops_whatever_has_the_name(handler: Handler, arguments: Arguments) -> Reply:
    try:
        return without_key(handler, arguments)
    except Problem as problem:
        if KEY in arguments and problem.status == 404:
            return NO_CONTENT
        raise


@per_server
def creation_after_drop(operation: OperationId) -> Install:
    """A creation that comes with its key again is carried out if its object is gone."""
    keys: set[str] = set()

    def create(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        if arguments.get(KEY) in keys:
            with contextlib.suppress(Problem):
                return without_key(handler, arguments)
        keys.update({arguments[KEY]} if KEY in arguments else ())
        return reply

    return on_call(operation, create)


@fault("IRC-IDEM-012", by=partial(wrap_rule, "keep_key"))
def forgets_refusals(keep: Callable[..., None]) -> Callable[..., None]:
    def kept(transaction: Transaction, name: str, answer: dict[str, Any]) -> None:
        if "refused" not in answer:
            keep(transaction, name, answer)

    return kept


@fault("IRC-IDEM-014", by=partial(on_call, (op.create_table, op.update_table)))
def equal_requests_are_one(handler: Handler, arguments: Arguments) -> Reply:
    return handler(**{**arguments, KEY: _derived("", arguments)} if KEY in arguments else arguments)


@fault("IRC-IDEM-015", by=partial(wrap_rule, "find_key"))
def keys_are_known_late(known: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def found(transaction: Transaction, name: str) -> Record | None:
        record = known(transaction, name)
        return None if record is not None and record.document["at"] >= int(time.time()) else record

    return found


@fault("IRC-IDEM-012", by=partial(wrap_rule, "keep_key"))
def forgets_refused_drops(keep: Callable[..., None]) -> Callable[..., None]:
    def kept(transaction: Transaction, name: str, answer: dict[str, Any]) -> None:
        if "refused" not in answer or not answer["request"].startswith("drop"):
            keep(transaction, name, answer)

    return kept


@fault("IRC-IDEM-005")
def few_keys_are_known(service: Service) -> None:
    last: deque[str] = deque(maxlen=4)
    keep, known = service.rules.current("keep_key"), service.rules.current("find_key")

    def kept(transaction: Transaction, name: str, answer: dict[str, Any]) -> None:
        last.append(name)
        keep(transaction, name, answer)

    def found(transaction: Transaction, name: str) -> Record | None:
        record: Record | None = known(transaction, name)
        return record if name in last else None

    service.rules.replace("keep_key", kept)
    service.rules.replace("find_key", found)


@fault("IRC-SEC-005")
def keys_are_shared_by_all_principals(service: Service) -> None:
    answers: dict[str, Reply] = {}

    def act(asks: Handler, _: Handler, arguments: Arguments) -> Reply:
        key = arguments.get(KEY)
        if key is None:
            return asks(**arguments)
        if key not in answers:
            answers[key] = asks(**arguments)
        return answers[key]

    admitting((op.create_table,), act)(service)


FAULTS = {
    "lifetime-of-keys-in-words IRC-IDEM-001": on_answer(
        op.get_config, lambda config: config.update({"idempotency-key-lifetime": "30 minutes"})
    ),
    "namespaces-are-created-again IRC-IDEM-003": creation_after_drop(op.create_namespace),
    "tables-are-created-again IRC-IDEM-004": creation_after_drop(op.create_table),
    "keys-are-refused IRC-IDEM-002": on_call(op.create_namespace, refused_with_key),
    "keys-for-several-operations IRC-IDEM-013": on_call(
        (op.create_namespace, op.create_table), key_of_its_own
    ),
    "keys-are-refused-with-views IRC-IDEM-002": on_call(op.create_view, refused_with_key),
    "keys-for-several-commits IRC-IDEM-013": on_call(op.update_table, key_of_its_own),
    "keys-for-several-registrations IRC-IDEM-013": on_call(op.register_table, key_of_its_own),
    "keys-for-several-drops IRC-IDEM-013": on_call(
        (op.drop_view, op.drop_namespace), key_of_its_own
    ),
    **{
        f"keys-are-nothing-to-{operation} {breaks}": on_call(operation, without_key)
        for operation, breaks in FORGETFUL.items()
    },
}
