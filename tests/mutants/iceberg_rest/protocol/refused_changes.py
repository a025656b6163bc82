"""Servers on which requests that return an error have effects."""

from __future__ import annotations

from functools import partial

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, all_of, fault, on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR
from mutants.iceberg_rest.operators.tables import Handlers, for_operation

FAILURE = Problem(500, "InternalServerError", "the answer was lost")


@fault("IRC-ERR-022", by=partial(for_operation, op.commit_transaction))
def conflicting_transactions_change_their_first_table(
    handlers: Handlers, arguments: Arguments
) -> Reply:
    try:
        return handlers[op.commit_transaction](**arguments)
    except Problem as problem:
        if problem.status == 409:
            first = arguments["body"]["table-changes"][0]
            at = first["identifier"]
            body = {"requirements": [], "updates": first["updates"]}
            handlers[op.update_table](
                namespace=SEPARATOR.join(at["namespace"]), table=at["name"], body=body
            )
        raise


@fault("IRC-ERR-022", by=partial(for_operation, op.update_table))
def conflicting_commits_set_their_properties(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[op.update_table](**arguments)
    except Problem as problem:
        body = arguments["body"]
        updates = [one for one in body["updates"] if one["action"] == "set-properties"]
        if problem.status == 409 and updates:
            body = {"requirements": [], "updates": updates}
            handlers[op.update_table](**{**arguments, "body": body})
        raise


@fault("IRC-ERR-022")
def bad_creations_leave_unreadable_tables() -> Install:
    unreadable: set[str] = set()
    refusal = Problem(400, "BadRequestException", "Cannot parse the location: null")

    def commit(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if (
                problem.status == 400
                and {"type": "assert-create"} in arguments["body"]["requirements"]
            ):
                unreadable.add(arguments["table"])
            raise

    def load(handler: Handler, arguments: Arguments) -> Reply:
        if arguments["table"] in unreadable:
            raise refusal
        return handler(**arguments)

    return all_of(on_call(op.update_table, commit), on_call(op.load_table, load))


@fault("IRC-ERR-023")
def invalid_uuids_spoil_tables() -> Install:
    spoilt: set[str] = set()

    def commit(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            uuids = [update.get("uuid") for update in arguments["body"]["updates"]]
            if problem.status != 400 or not any(uuids):
                raise
            spoilt.add(arguments["table"])
            raise FAILURE from problem

    def load(handler: Handler, arguments: Arguments) -> Reply:
        if arguments["table"] in spoilt:
            raise FAILURE
        return handler(**arguments)

    return all_of(on_call(op.update_table, commit), on_call(op.load_table, load))


@fault("IRC-ERR-024", by=partial(on_call, op.update_properties))
def properties_are_updated_without_an_answer(handler: Handler, arguments: Arguments) -> Reply:
    handler(**arguments)
    raise FAILURE


@fault("IRC-ERR-025", by=partial(on_call, op.create_view))
def names_of_views_with_dots_are_not_thought_of(handler: Handler, arguments: Arguments) -> Reply:
    if "." in arguments["body"]["name"]:
        raise FAILURE
    return handler(**arguments)
