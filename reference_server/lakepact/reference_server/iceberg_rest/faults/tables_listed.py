"""Wrong ways of listing the tables of a namespace, and of saying whether one exists."""

from __future__ import annotations

import fnmatch
import time
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, accept, around, instead, on_answer, on_call, on_reply, on_status
from lakepact.reference_server.iceberg_rest.catalog import IDENTIFIERS, SEPARATOR
from lakepact.reference_server.iceberg_rest.faults.ways.creation import is_staging
from lakepact.reference_server.iceberg_rest.faults.ways.operations import CREATE, EXISTS, LIST
from lakepact.reference_server.iceberg_rest.faults.ways.refusals import called, refusals_become, with_status
from lakepact.reference_server.iceberg_rest.faults.ways.requests import during, remembered
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import NO_CONTENT, Reply
from lakepact.reference_server.store import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler, Scope, Service
    from lakepact.reference_server.store import Place, Transaction

    Listed = Iterator[tuple[str, Record]]
    Holds = Callable[[Place, Place], bool]

REMEMBERED = 0.5  #: seconds
GHOST = Record("table", {}, b"")  #: of a table that is only listed


# -- what is in the list ------------------------------------------------------------------------------------------------


def _each(change: Callable[[Document], Any]) -> Callable[[Document], None]:
    def edit(answer: Document) -> None:
        answer["identifiers"] = [change(identifier) for identifier in answer["identifiers"]]

    return edit


def _without_namespace(identifier: Document) -> Document:
    return {"name": identifier["name"]}


def _within_last_level(identifier: Document) -> Document:
    return {**identifier, "namespace": identifier["namespace"][-1:]}


def _joined(identifier: Document) -> Document:
    return {**identifier, "namespace": [".".join(identifier["namespace"])]}


def _spelled(identifier: Document) -> str:
    return ".".join([*identifier["namespace"], identifier["name"]])


def _wherever(holds: Holds) -> Callable[..., Listed]:
    """The tables of all places that `holds(asked, place)` picks."""

    def tables(transaction: Transaction, asked: Place, _: str | None) -> Listed:
        found = {key.name: record for key, record in transaction.every(IDENTIFIERS) if holds(asked, key.place) and record.kind == "table"}
        yield from sorted(found.items())

    return tables


def _below(asked: Place, place: Place) -> bool:
    return place[: len(asked)] == asked


def _begins_alike(asked: Place, place: Place) -> bool:
    return len(asked) == len(place) and ".".join(place).startswith(".".join(asked))


def _matches(asked: Place, place: Place) -> bool:
    return fnmatch.fnmatchcase("\0".join(place), "\0".join(asked).replace("_", "?"))


def _in_any_case(asked: Place, place: Place) -> bool:
    return [level.lower() for level in asked] == [level.lower() for level in place]


def _null_for_none(answer: Document) -> None:
    answer["identifiers"] = answer["identifiers"] or None


def _left_out_for_none(answer: Document) -> None:
    if not answer["identifiers"]:
        del answer["identifiers"]


def _none_is_404(reply: Reply, _: Scope) -> Reply:
    empty = reply.status == 200 and not reply.document["identifiers"]
    message = b'{"error":{"message":"there is nothing","type":"NoSuchTableException","code":404}}'
    return Reply(404, message) if empty else reply


# -- when it changes ----------------------------------------------------------------------------------------------------


def _remember(service: Service) -> None:
    known: dict[str, tuple[float, Reply]] = {}

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        since, reply = known.get(arguments["namespace"], (0.0, None))
        if reply is None or time.monotonic() - since > REMEMBERED:
            since, reply = known[arguments["namespace"]] = time.monotonic(), handler(**arguments)
        return reply

    on_call(LIST, act)(service)


def _list_once_more(names: dict[str, list[str]]) -> Install:
    """Some names stand in the lists besides: by namespace as a path spells it."""

    def wrapper(usual: Callable[..., Listed]) -> Callable[..., Listed]:
        def tables(transaction: Transaction, levels: Place, behind: str | None) -> Listed:
            more = dict.fromkeys(names.get(SEPARATOR.join(levels), ()), GHOST)
            yield from sorted({**more, **dict(usual(transaction, levels, behind))}.items())

        return tables

    return around("rules", "tables-of", wrapper)


def _list_stages(service: Service) -> None:
    names: dict[str, list[str]] = {}

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        if is_staging(arguments["body"]):
            names.setdefault(arguments["namespace"], []).append(arguments["body"]["name"])
        return reply

    on_call(CREATE, act)(service)
    _list_once_more(names)(service)


def _list_old_names(service: Service) -> None:
    names: dict[str, list[str]] = {}

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        source = arguments["body"]["source"]
        names.setdefault(SEPARATOR.join(source["namespace"]), []).append(source["name"])
        return reply

    on_call("renameTable", act)(service)
    _list_once_more(names)(service)


def _list_where_they_came_from(service: Service) -> None:
    former: dict[tuple[str, ...], list[str]] = {}

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        source, destination = arguments["body"]["source"], arguments["body"]["destination"]
        former[(*destination["namespace"], destination["name"])] = source["namespace"]
        return reply

    def came_from(identifier: Document) -> Document:
        return {**identifier, "namespace": former.get((*identifier["namespace"], identifier["name"]), identifier["namespace"])}

    on_call("renameTable", act)(service)
    on_answer(LIST, _each(came_from))(service)


def _list_dropped(service: Service) -> None:
    names: dict[str, list[str]] = {}

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        names.setdefault(arguments["namespace"], []).append(arguments["table"])
        return reply

    on_call("dropTable", act)(service)
    _list_once_more(names)(service)


# -- whether one exists -------------------------------------------------------------------------------------------------


def _exist_in_any_namespace(usual: Callable[..., Record]) -> Callable[..., Record]:
    def table_exists(transaction: Transaction, levels: Place, name: str) -> Record:
        for key, record in transaction.every(IDENTIFIERS):
            if key.name == name and record.kind == "table":
                return record
        return usual(transaction, levels, name)

    return table_exists


def _exist_by_pattern(usual: Callable[..., Record]) -> Callable[..., Record]:
    def table_exists(transaction: Transaction, levels: Place, name: str) -> Record:
        pattern = name.replace("_", "?").replace("%", "*")
        for other, record in transaction.under(IDENTIFIERS, levels):
            if fnmatch.fnmatchcase(other, pattern) and record.kind == "table":
                return record
        return usual(transaction, levels, name)

    return table_exists


def _only_at_the_top(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if SEPARATOR in arguments["namespace"]:
        raise Problem(404, "NoSuchTableException", "asked for by a fault")
    return handler(**arguments)


def _exist_once_asked_for(service: Service) -> None:
    staged: set[tuple[str, str]] = set()

    def create(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        staged.add((arguments["namespace"], arguments["body"]["name"]))
        return reply

    def exists(handler: Handler, arguments: dict[str, Any]) -> Reply:
        return NO_CONTENT if (arguments["namespace"], arguments["table"]) in staged else handler(**arguments)

    on_call(CREATE, create)(service)
    on_call(EXISTS, exists)(service)


FAULTS = (
    Fault(
        "lists-names-alone", "Tables are listed without their namespace.", ("IRC-TBL-LIST-001",), on_answer(LIST, _each(_without_namespace))
    ),
    Fault(
        "lists-with-the-last-level",
        "Tables are listed with the last level of their namespace alone.",
        ("IRC-TBL-LIST-001",),
        on_answer(LIST, _each(_within_last_level)),
    ),
    Fault(
        "lists-with-joined-levels",
        "Tables are listed with the levels of their namespace joined by dots.",
        ("IRC-TBL-LIST-001",),
        on_answer(LIST, _each(_joined)),
    ),
    Fault(
        "lists-former-namespaces",
        "Tables that were renamed into another namespace are listed as tables of the former one.",
        ("IRC-TBL-LIST-001",),
        _list_where_they_came_from,
    ),
    Fault("lists-texts", "Tables are listed as texts instead of objects.", ("IRC-TBL-LIST-001",), on_answer(LIST, _each(_spelled))),
    Fault(
        "lists-tables-of-children",
        "The list of a namespace holds the tables of its child namespaces too.",
        ("IRC-TBL-LIST-001", "IRC-TBL-LIST-002", "IRC-TBL-LIST-005"),
        instead("rules", "tables-of", _wherever(_below)),
    ),
    Fault(
        "lists-namespaces-that-begin-alike",
        "The list of a namespace holds the tables of those whose names begin with its own.",
        ("IRC-TBL-LIST-002",),
        instead("rules", "tables-of", _wherever(_begins_alike)),
    ),
    Fault(
        "lists-by-pattern",
        "An underscore in the name of a namespace stands for any character when its tables are listed.",
        ("IRC-TBL-LIST-002",),
        instead("rules", "tables-of", _wherever(_matches)),
    ),
    Fault(
        "lists-in-any-case",
        "The list of a namespace holds the tables of those that differ only in case.",
        ("IRC-TBL-LIST-002",),
        instead("rules", "tables-of", _wherever(_in_any_case)),
    ),
    Fault(
        "missing-namespaces-list-nothing",
        "A namespace that does not exist has an empty list of tables.",
        ("IRC-TBL-LIST-004",),
        during(LIST, "namespace-exists", lambda _: accept),
    ),
    Fault(
        "list-blames-the-table",
        "Listing the tables of a missing namespace is refused with the error type of a missing table.",
        ("IRC-TBL-LIST-004",),
        refusals_become(LIST, 404, called("NoSuchTableException")),
    ),
    Fault(
        "list-of-missing-namespace-is-400",
        "Listing the tables of a missing namespace is answered with 400.",
        ("IRC-TBL-LIST-004",),
        refusals_become(LIST, 404, with_status(400)),
    ),
    Fault("null-for-an-empty-list", "An empty list of tables is null.", ("IRC-TBL-LIST-005",), on_answer(LIST, _null_for_none)),
    Fault("nothing-for-an-empty-list", "An empty list of tables is left out.", ("IRC-TBL-LIST-005",), on_answer(LIST, _left_out_for_none)),
    Fault("empty-list-is-404", "An empty list of tables is answered with 404.", ("IRC-TBL-LIST-005",), on_reply(LIST, _none_is_404)),
    Fault("lists-stages", "Staged tables are listed.", ("IRC-TBL-LIST-006",), _list_stages),
    Fault("lists-late", "Lists of tables are remembered for half a second.", ("IRC-TBL-LIST-007",), _remember),
    Fault("lists-old-names", "Tables that were renamed are listed under both names.", ("IRC-TBL-LIST-007",), _list_old_names),
    Fault("lists-dropped-tables", "Tables that were dropped stay in the list.", ("IRC-TBL-LIST-005", "IRC-TBL-LIST-007"), _list_dropped),
    Fault("existence-is-200", "Whether a table exists is answered with 200.", ("IRC-TBL-HEAD-001",), on_status(EXISTS, {204: 200})),
    Fault("exists-at-the-top-only", "Tables of nested namespaces never exist.", ("IRC-TBL-HEAD-001",), on_call(EXISTS, _only_at_the_top)),
    Fault("existence-is-remembered", "A table that existed once exists for ever.", ("IRC-TBL-HEAD-002",), remembered(EXISTS, "table")),
    Fault(
        "every-table-exists",
        "Whatever table is asked for exists.",
        ("IRC-TBL-HEAD-002", "IRC-TBL-HEAD-004", "IRC-TBL-STAGE-002"),
        on_status(EXISTS, {404: 204}),
    ),
    Fault("absence-is-400", "That a table does not exist is answered with 400.", ("IRC-TBL-HEAD-002",), on_status(EXISTS, {404: 400})),
    Fault(
        "exists-in-any-namespace",
        "A table exists if any namespace has one of its name.",
        ("IRC-TBL-HEAD-002",),
        during(EXISTS, "table-exists", _exist_in_any_namespace),
    ),
    Fault(
        "found-by-pattern",
        "Underscores and percent signs in the name of a table stand for any characters.",
        ("IRC-TBL-HEAD-002", "IRC-TBL-LOAD-003"),
        around("rules", "table-exists", _exist_by_pattern),
    ),
    Fault("stages-exist", "A staged table exists for those who ask.", ("IRC-TBL-HEAD-004", "IRC-TBL-STAGE-002"), _exist_once_asked_for),
)
