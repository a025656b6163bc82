"""Wrong ways of listing the tables of a namespace, and of saying whether one exists."""

from __future__ import annotations

import fnmatch
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    accept,
    fault,
    on_answer,
    on_call,
    on_reply,
    on_status,
    replace_rule,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.iceberg_rest.identifiers import IDENTIFIERS, SEPARATOR
from lakepact.reference_server.storage.store import Record
from mutants.iceberg_rest.operators.creation import is_staging
from mutants.iceberg_rest.operators.operations import CREATE, EXISTS, LIST
from mutants.iceberg_rest.operators.refusals import called, refusals_become, with_status
from mutants.iceberg_rest.operators.requests import remembered, while_handling
from mutants.operators import refuse_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.service import Arguments, Handler, Scope, Service
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.storage.store import Place, Transaction

    Listed = Iterator[tuple[str, Record]]
    Holds = Callable[[Place, Place], bool]

REMEMBERED = 0.5  #: seconds
GHOST = Record("table", {}, b"")  #: of a table that is only listed


def _each(change: Callable[[Document], Any]) -> Callable[[Document], None]:
    def edit(answer: Document) -> None:
        answer["identifiers"] = [change(identifier) for identifier in answer["identifiers"]]

    return edit


def _wherever(holds: Holds) -> Callable[..., Listed]:
    """The tables of all places that `holds(asked, place)` picks."""

    def tables(transaction: Transaction, asked: Place, _: str | None) -> Listed:
        found = {
            key.name: record
            for key, record in transaction.every(IDENTIFIERS)
            if holds(asked, key.place) and record.kind == "table"
        }
        yield from sorted(found.items())

    return tables


def _list_once_more(names: dict[str, list[str]]) -> Install:
    """Lists of tables have extra names, by namespace as paths spell it."""

    def wrapper(usual: Callable[..., Listed]) -> Callable[..., Listed]:
        def tables(transaction: Transaction, levels: Place, behind: str | None) -> Listed:
            more = dict.fromkeys(names.get(SEPARATOR.join(levels), ()), GHOST)
            yield from sorted({**more, **dict(usual(transaction, levels, behind))}.items())

        return tables

    return wrap_rule("tables_of", wrapper)


@fault("IRC-TBL-LIST-001")
def lists_former_namespaces(service: Service) -> None:
    former: dict[tuple[str, ...], list[str]] = {}

    def act(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        source, destination = arguments["body"]["source"], arguments["body"]["destination"]
        former[(*destination["namespace"], destination["name"])] = source["namespace"]
        return reply

    def came_from(identifier: Document) -> Document:
        return {
            **identifier,
            "namespace": former.get(
                (*identifier["namespace"], identifier["name"]), identifier["namespace"]
            ),
        }

    on_call(op.rename_table, act)(service)
    on_answer(LIST, _each(came_from))(service)


@fault("IRC-TBL-LIST-005", by=partial(on_answer, LIST))
def nothing_for_an_empty_list(answer: Document) -> None:
    if not answer["identifiers"]:
        del answer["identifiers"]


@fault("IRC-TBL-LIST-005", by=partial(on_reply, LIST))
def empty_list_is_404(reply: Reply, _: Scope) -> Reply:
    empty = reply.status == 200 and not reply.document["identifiers"]
    message = b'{"error":{"message":"there is nothing","type":"NoSuchTableException","code":404}}'
    return Reply(404, message) if empty else reply


@fault("IRC-TBL-LIST-006")
def lists_stages(service: Service) -> None:
    names: dict[str, list[str]] = {}

    def act(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        if is_staging(arguments["body"]):
            names.setdefault(arguments["namespace"], []).append(arguments["body"]["name"])
        return reply

    on_call(CREATE, act)(service)
    _list_once_more(names)(service)


@fault("IRC-TBL-LIST-007")
def lists_late(service: Service) -> None:
    known: dict[str, tuple[float, Reply]] = {}

    def act(handler: Handler, arguments: Arguments) -> Reply:
        since, reply = known.get(arguments["namespace"], (0.0, None))
        if reply is None or time.monotonic() - since > REMEMBERED:
            since, reply = known[arguments["namespace"]] = time.monotonic(), handler(**arguments)
        return reply

    on_call(LIST, act)(service)


@fault("IRC-TBL-LIST-007")
def lists_old_names(service: Service) -> None:
    names: dict[str, list[str]] = {}

    def act(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        source = arguments["body"]["source"]
        names.setdefault(SEPARATOR.join(source["namespace"]), []).append(source["name"])
        return reply

    on_call(op.rename_table, act)(service)
    _list_once_more(names)(service)


@fault("IRC-TBL-LIST-005", "IRC-TBL-LIST-007")
def lists_dropped_tables(service: Service) -> None:
    names: dict[str, list[str]] = {}

    def act(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        names.setdefault(arguments["namespace"], []).append(arguments["table"])
        return reply

    on_call(op.drop_table, act)(service)
    _list_once_more(names)(service)


@fault("IRC-TBL-HEAD-002", by=partial(while_handling, EXISTS, "table_exists"))
def exists_in_any_namespace(usual: Callable[..., Record]) -> Callable[..., Record]:
    def table_exists(transaction: Transaction, levels: Place, name: str) -> Record:
        for key, record in transaction.every(IDENTIFIERS):
            if key.name == name and record.kind == "table":
                return record
        return usual(transaction, levels, name)

    return table_exists


@fault("IRC-TBL-HEAD-002", "IRC-TBL-LOAD-003", by=partial(wrap_rule, "table_exists"))
def found_by_pattern(usual: Callable[..., Record]) -> Callable[..., Record]:
    def table_exists(transaction: Transaction, levels: Place, name: str) -> Record:
        pattern = name.replace("_", "?").replace("%", "*")
        for other, record in transaction.under(IDENTIFIERS, levels):
            if fnmatch.fnmatchcase(other, pattern) and record.kind == "table":
                return record
        return usual(transaction, levels, name)

    return table_exists


@fault("IRC-TBL-HEAD-004", "IRC-TBL-STAGE-002")
def stages_exist(service: Service) -> None:
    staged: set[tuple[str, str]] = set()

    def create(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        staged.add((arguments["namespace"], arguments["body"]["name"]))
        return reply

    def exists(handler: Handler, arguments: Arguments) -> Reply:
        return (
            NO_CONTENT
            if (arguments["namespace"], arguments["table"]) in staged
            else handler(**arguments)
        )

    on_call(CREATE, create)(service)
    on_call(EXISTS, exists)(service)


FAULTS = {
    "exists-at-the-top-only IRC-TBL-HEAD-001": refuse_calls(
        EXISTS,
        lambda arguments: SEPARATOR in arguments["namespace"],
        Problem(404, "NoSuchTableException", "asked for by a fault"),
    ),
    "lists-names-alone IRC-TBL-LIST-001": on_answer(
        LIST, _each(lambda identifier: {"name": identifier["name"]})
    ),
    "lists-with-the-last-level IRC-TBL-LIST-001": on_answer(
        LIST, _each(lambda identifier: {**identifier, "namespace": identifier["namespace"][-1:]})
    ),
    "lists-with-joined-levels IRC-TBL-LIST-001": on_answer(
        LIST,
        _each(lambda identifier: {**identifier, "namespace": [".".join(identifier["namespace"])]}),
    ),
    "lists-texts IRC-TBL-LIST-001": on_answer(
        LIST, _each(lambda identifier: ".".join([*identifier["namespace"], identifier["name"]]))
    ),
    "lists-tables-of-children IRC-TBL-LIST-001 IRC-TBL-LIST-002 IRC-TBL-LIST-005": replace_rule(
        "tables_of", _wherever(lambda asked, place: place[: len(asked)] == asked)
    ),
    "lists-namespaces-that-begin-alike IRC-TBL-LIST-002": replace_rule(
        "tables_of",
        _wherever(
            lambda asked, place: (
                len(asked) == len(place) and ".".join(place).startswith(".".join(asked))
            )
        ),
    ),
    "lists-by-pattern IRC-TBL-LIST-002": replace_rule(
        "tables_of",
        _wherever(
            lambda asked, place: fnmatch.fnmatchcase(
                "\0".join(place), "\0".join(asked).replace("_", "?")
            )
        ),
    ),
    "lists-in-any-case IRC-TBL-LIST-002": replace_rule(
        "tables_of",
        _wherever(
            lambda asked, place: (
                [level.lower() for level in asked] == [level.lower() for level in place]
            )
        ),
    ),
    "missing-namespaces-list-nothing IRC-TBL-LIST-004": while_handling(
        LIST, "namespace_exists", lambda _: accept
    ),
    "list-blames-the-table IRC-ERR-008": refusals_become(LIST, 404, called("NoSuchTableException")),
    "list-of-missing-namespace-is-400 IRC-TBL-LIST-004": refusals_become(
        LIST, 404, with_status(400)
    ),
    "null-for-an-empty-list IRC-TBL-LIST-005": on_answer(
        LIST, lambda answer: answer.update(identifiers=answer["identifiers"] or None)
    ),
    "existence-is-200 IRC-TBL-HEAD-001": on_status(EXISTS, {204: 200}),
    "existence-is-remembered IRC-TBL-HEAD-002": remembered(EXISTS, "table"),
    "every-table-exists IRC-TBL-HEAD-002 IRC-TBL-HEAD-004 IRC-TBL-STAGE-002": on_status(
        EXISTS, {404: 204}
    ),
    "absence-is-400 IRC-TBL-HEAD-002": on_status(EXISTS, {404: 400}),
}
