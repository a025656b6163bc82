"""Faults of unregistering tables."""

from __future__ import annotations

from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import all_of, fault, on_answer, on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Service

Gone = dict[tuple[str, str], Reply]


def remembering(service: Service) -> Gone:
    """Return the answers to unregistering by namespace and table, as they come to be."""
    unregister, gone = service.handlers[op.unregister_table], Gone()

    def answer(**arguments: Any) -> Reply:
        reply = gone[arguments["namespace"], arguments["table"]] = unregister(**arguments)
        return reply

    service.handlers[op.unregister_table] = answer
    return gone


@fault("IRC-TBL-UNREG-002", by=all_of)
def unregistered_tables_are_listed(service: Service) -> None:
    gone, listing = remembering(service), service.handlers[op.list_tables]

    def answer(**arguments: Any) -> Reply:
        document = listing(**arguments).document
        lost = [
            {"namespace": [home], "name": name}
            for home, name in gone
            if home == arguments["namespace"]
        ]
        return json_reply({**document, "identifiers": [*document["identifiers"], *lost]})

    service.handlers[op.list_tables] = answer


@fault("IRC-TBL-UNREG-003", by=all_of)
def commits_to_unregistered_tables_are_answered(service: Service) -> None:
    gone, commit = remembering(service), service.handlers[op.update_table]

    def answer(**arguments: Any) -> Reply:
        try:
            return commit(**arguments)
        except Problem:
            if (arguments["namespace"], arguments["table"]) not in gone:
                raise
            return gone[arguments["namespace"], arguments["table"]]

    service.handlers[op.update_table] = answer


@fault("IRC-TBL-UNREG-005", by=all_of)
def unregistering_removes_metadata_files(service: Any) -> None:
    unregister = service.handlers[op.unregister_table]

    def answer(**arguments: Any) -> Reply:
        reply: Reply = unregister(**arguments)
        service.catalogs[0].warehouse.forget(reply.document["metadata-location"])
        return reply

    service.handlers[op.unregister_table] = answer


@fault("IRC-TBL-UNREG-007", by=partial(on_call, op.unregister_table))
def keys_of_unregistering_are_ignored(handler: Handler, arguments: Arguments) -> Reply:
    return handler(
        **{name: value for name, value in arguments.items() if name != "idempotency_key"}
    )


@fault("IRC-TBL-UNREG-008", by=all_of)
def unregistered_tables_keep_their_names(service: Service) -> None:
    gone, create = remembering(service), service.handlers[op.create_table]

    def answer(**arguments: Any) -> Reply:
        if (arguments["namespace"], arguments["body"]["name"]) in gone:
            raise Problem(409, "AlreadyExistsException", "there was a table by this name")
        return create(**arguments)

    service.handlers[op.create_table] = answer


FAULTS = {
    "unregistering-returns-another-time IRC-TBL-UNREG-001": on_answer(
        op.unregister_table,
        lambda document: document["metadata"].update({"last-updated-ms": 1}),
        status=200,
    ),
    "unregistering-forgets-commits IRC-TBL-UNREG-001 IRC-TBL-UNREG-004 IRC-TBL-UNREG-005": on_answer(
        op.unregister_table, lambda document: document["metadata"].update(properties={}), status=200
    ),
    "unregisters-nothing-with-another-type IRC-TBL-UNREG-006": on_answer(
        op.unregister_table,
        lambda document: document["error"].update(type="NotFoundException"),
        status=404,
    ),
}
