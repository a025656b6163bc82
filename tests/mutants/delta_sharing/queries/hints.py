"""Hints that are taken for more than hints, or for something else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing.queries.queries import malformed
from lakepact.reference_server.faults import (
    Install,
    accept,
    fault,
    on_call,
    replace_rule,
    wrap_rule,
)
from mutants.delta_sharing.operators.requests import on_query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lakepact.reference_server.delta_sharing.hints.selection import Snapshot
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.http.service import Arguments, Handler

    Selected = Callable[..., Sequence[int] | None]

SIGN = re.compile(r"(?<=[ (])-(?=[0-9])")
SQL, JSON = "predicate_hints", "json_predicate_hints"


def _chosen(act: Callable[[Selected, Snapshot, dict[str, Any]], Sequence[int] | None]) -> Install:
    """Choose files by `act(selected, snapshot, hints)`."""

    def wrapper(selected: Selected) -> Selected:
        return lambda snapshot, **hints: act(selected, snapshot, hints)

    return wrap_rule("select", wrapper)


def _also(holds: Callable[[Any], bool]) -> Install:
    """Leave out further files where there are hints: those for which `holds(file)` is not true."""

    def act(selected: Selected, snapshot: Snapshot, hints: dict[str, Any]) -> Sequence[int] | None:
        chosen = selected(snapshot, **hints)
        if not (hints.get(SQL) or hints.get(JSON)):
            return chosen
        return [
            place
            for place in (range(len(snapshot.files)) if chosen is None else chosen)
            if holds(snapshot.files[place])
        ]

    return _chosen(act)


def _parse(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


def _edited(edit: Callable[[dict[str, Any]], dict[str, Any]], node: Any) -> Any:
    """A tree with each node as `edit` makes it, leaves first."""
    if not isinstance(node, dict):
        return node
    children = node.get("children")
    inner = (
        node | {"children": [_edited(edit, child) for child in children]}
        if isinstance(children, list)
        else node
    )
    return edit(inner)


def _trees(edit: Callable[[dict[str, Any]], dict[str, Any]]) -> Install:
    """Read JSON predicates as something else."""

    def change(body: dict[str, Any]) -> dict[str, Any]:
        tree = _parse(body.get("jsonPredicateHints"))
        return (
            body | {"jsonPredicateHints": json.dumps(_edited(edit, tree))}
            if isinstance(tree, dict)
            else body
        )

    return on_query(change)


def _unknown(*operations: str, types: tuple[str, ...] = ()) -> Install:
    """Know neither some operations of JSON predicates nor some types."""

    def edit(node: dict[str, Any]) -> dict[str, Any]:
        return (
            node | {"op": "unheard-of"}
            if node.get("op") in operations or node.get("valueType") in types
            else node
        )

    return _trees(edit)


def _instant(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None


def _local(text: str) -> datetime:
    """Return a time as it is without its zone."""
    return datetime.fromisoformat(text).replace(tzinfo=None)


def _may(node: Any, stats: dict[str, Any]) -> bool:
    """Whether a file with such statistics may hold what a tree asks for, times taken for exact and
    all else left open.
    """
    children = node.get("children") or []
    if node.get("op") in {"and", "or"}:
        return (all if node["op"] == "and" else any)(_may(child, stats) for child in children)
    if (
        node.get("op") != "equal"
        or len(children) != 2
        or children[0].get("valueType") != "timestamp"
    ):
        return True
    name, wanted = children[0].get("name"), _instant(children[1].get("value"))
    low, high = (_instant(stats.get(member, {}).get(name)) for member in ("minValues", "maxValues"))
    return low is None or high is None or wanted is None or low <= wanted <= high


def _first_files(count: Callable[[Any], int]) -> Install:
    """Stop with the file that `count(file)` fills the limit with, whatever the predicates say."""

    def act(selected: Selected, snapshot: Snapshot, hints: dict[str, Any]) -> Sequence[int] | None:
        limit = hints.get("limit")
        if limit is None:
            return selected(snapshot, **hints)
        places: list[int] = []
        rows = 0
        for place in range(len(snapshot.files)):
            if rows >= limit:
                break
            places.append(place)
            rows += count(snapshot.files[place])
        without = selected(snapshot, **hints | {"limit": None})
        return [place for place in places if without is None or place in without]

    return _chosen(act)


def _records(file: Any) -> int:
    stats = _parse(file.get("stats")) or {}
    return int(stats.get("numRecords", 0))


def _lines(reply: Reply) -> list[Any]:
    return [json.loads(line) for line in reply.as_whole().body.splitlines()]


def _plain_sql(pattern: str) -> Install:
    """Pass over predicates in SQL that look like `pattern`."""

    def change(body: dict[str, Any]) -> dict[str, Any]:
        hints = body.get("predicateHints") or []
        return body | {
            "predicateHints": [
                hint for hint in hints if not re.search(pattern, hint, re.IGNORECASE)
            ]
        }

    return on_query(change)


@fault("DS-HNT-09", by=_chosen)
def bounds_of_times_are_exact(
    selected: Selected, snapshot: Snapshot, hints: dict[str, Any]
) -> Sequence[int] | None:
    chosen, tree = selected(snapshot, **hints), _parse(hints.get(JSON))
    if not isinstance(tree, dict):
        return chosen
    places = range(len(snapshot.files)) if chosen is None else chosen
    return [
        place for place in places if _may(tree, _parse(snapshot.files[place].get("stats")) or {})
    ]


def _trusting(column: str, read: Callable[[str], Any], *, marked: str) -> Install:
    """Take the bounds of a column of tables whose schema says `marked` for exact where hints ask
    for values; `read` gets their texts.
    """

    def asked(hints: dict[str, Any]) -> Iterator[str]:
        tree = _parse(hints.get(JSON)) or {}
        parts = tree.get("children") or [] if tree.get("op") == "or" else [tree]
        for part in parts:
            sides = {node.get("op"): node for node in part.get("children") or ()}
            if part.get("op") == "equal" and sides.get("column", {}).get("name") == column:
                yield sides["literal"]["value"]
        found = (re.fullmatch(rf"{column} = '?([^']+)'?", hint) for hint in hints.get(SQL) or ())
        yield from (match[1] for match in found if match)

    def act(selected: Selected, snapshot: Snapshot, hints: dict[str, Any]) -> Sequence[int] | None:
        chosen, values = selected(snapshot, **hints), [read(text) for text in asked(hints)]
        if not values or f'"{marked}"' not in snapshot.metadata["schemaString"]:
            return chosen
        places = range(len(snapshot.files)) if chosen is None else chosen
        bounds = [(place, _parse(snapshot.files[place].get("stats")) or {}) for place in places]
        return [
            place
            for place, stats in bounds
            if stats.get("maxValues", {}).get(column) is None
            or any(
                read(stats["minValues"][column]) <= value <= read(stats["maxValues"][column])
                for value in values
            )
        ]

    return _chosen(act)


@fault("DS-HNT-03", by=_chosen)
def decimals_are_binary(
    selected: Selected, snapshot: Snapshot, hints: dict[str, Any]
) -> Sequence[int] | None:
    chosen = selected(snapshot, **hints)
    places = list(range(len(snapshot.files)) if chosen is None else chosen)
    for hint in hints.get(SQL) or ():
        asked = re.fullmatch(r"amount = ([\d.]+)", hint)
        if asked:
            bounds = {
                place: (_parse(snapshot.files[place].get("stats")) or {})
                .get("maxValues", {})
                .get("amount")
                for place in places
            }
            places = [
                place
                for place in places
                if bounds[place] is None or Decimal(asked[1]) <= Decimal(bounds[place])
            ]
    return places


@fault("DS-HNT-05", "DS-HNT-10", "DS-QRY-09", by=_chosen)
def first_files_without_hints(
    selected: Selected, snapshot: Snapshot, hints: dict[str, Any]
) -> Sequence[int] | None:
    return (
        selected(snapshot, **hints)
        if any(value is not None for value in hints.values())
        else range(len(snapshot.files) // 2)
    )


@fault("DS-HNT-03", "DS-HNT-09", "DS-HNT-12", by=partial(on_call, op.query_table))
def hints_are_about_today(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    body: dict[str, Any] = arguments.get("body") or {}
    hinted = {"predicateHints", "jsonPredicateHints", "limitHint"} & body.keys()
    if not hinted or not {"version", "timestamp"} & body.keys() or not reply.has_body:
        return reply
    now = {
        line["file"]["id"] for line in _lines(handler(**arguments | {"body": {}})) if "file" in line
    }
    kept = [line for line in _lines(reply) if "file" not in line or line["file"]["id"] in now]
    return replace(
        reply, chunks=None, body=b"".join(json.dumps(line).encode() + b"\n" for line in kept)
    )


@fault("DS-SQL-03", by=on_query)
def unknown_sql_is_refused(body: dict[str, Any]) -> dict[str, Any]:
    for hint in body.get("predicateHints") or ():
        if re.search(
            r"\b(or|not|like|in|between|exists|cast|upper|length)\b|[+(]", hint, re.IGNORECASE
        ):
            raise malformed(f"predicateHints: {hint!r} is not understood")
    return body


@fault("DS-HNT-08", by=on_query)
def wrong_json_hints_are_refused(body: dict[str, Any]) -> dict[str, Any]:
    text = body.get("jsonPredicateHints")
    if text is not None and not isinstance(_parse(text), dict):
        raise malformed("jsonPredicateHints must be a JSON object in a text")
    return body


@fault("DS-HNT-08", by=_chosen)
def wrong_json_hints_leave_nothing(
    selected: Selected, snapshot: Snapshot, hints: dict[str, Any]
) -> Sequence[int] | None:
    text = hints.get(JSON) or ""
    return (
        []
        if any(word in text for word in ('"like"', '"xor"', "nope", "money"))
        else selected(snapshot, **hints)
    )


@fault("DS-JSP-01", by=_trees)
def malformed_nodes_are_refused(node: dict[str, Any]) -> dict[str, Any]:
    children, operation = node.get("children"), node.get("op")
    leaves = {"column": {"op", "name", "valueType"}, "literal": {"op", "value", "valueType"}}
    wanted = leaves.get(operation, {"op", "children"}) if isinstance(operation, str) else {"op"}
    if set(node) != wanted or (children is not None and not isinstance(children, list)):
        raise malformed("jsonPredicateHints: that is no predicate")
    return node


@fault("DS-JSP-04", "DS-HNT-09", by=_trees)
def json_changes_sides(node: dict[str, Any]) -> dict[str, Any]:
    children = node.get("children")
    flipped = (
        isinstance(children, list)
        and len(children) == 2
        and isinstance(children[0], dict)
        and children[0].get("op") == "literal"
    )
    return node | {"children": children[::-1]} if flipped and isinstance(children, list) else node


@fault("DS-JSP-05", "DS-HNT-08", by=_trees)
def json_joins_one(node: dict[str, Any]) -> dict[str, Any]:
    children = node.get("children")
    return (
        children[0]
        if node.get("op") in {"and", "or"} and isinstance(children, list) and len(children) == 1
        else node
    )


@fault("DS-JSP-06", "DS-HNT-09", by=_chosen)
def json_negates_files(
    selected: Selected, snapshot: Snapshot, hints: dict[str, Any]
) -> Sequence[int] | None:
    tree = _parse(hints.get(JSON))
    parts = tree.get("children") if isinstance(tree, dict) and tree.get("op") == "not" else None
    if not isinstance(parts, list) or len(parts) != 1:
        return selected(snapshot, **hints)
    left = selected(snapshot, **hints | {JSON: json.dumps(parts[0])})
    return [place for place in range(len(snapshot.files)) if left is not None and place not in left]


@fault("DS-HNT-12", by=on_query)
def limits_are_one_less(body: dict[str, Any]) -> dict[str, Any]:
    limit = body.get("limitHint")
    return body | {"limitHint": limit - 1} if isinstance(limit, int) and limit > 1 else body


@fault("DS-HNT-13", by=_chosen)
def limits_come_before_json_predicates(
    selected: Selected, snapshot: Snapshot, hints: dict[str, Any]
) -> Sequence[int] | None:
    limit = hints.get("limit")
    return (
        selected(snapshot, **hints)
        if limit is None or not hints.get(JSON)
        else selected(snapshot, limit=limit)
    )


@fault("DS-HNT-03", by=on_query)
def sql_knows_no_signs(body: dict[str, Any]) -> dict[str, Any]:
    hints = body.get("predicateHints")
    if not isinstance(hints, list):
        return body
    return body | {
        "predicateHints": [SIGN.sub("", hint) if isinstance(hint, str) else hint for hint in hints]
    }


FAULTS = {
    "no-statistics-no-match DS-HNT-02 DS-HNT-03 DS-HNT-09": _also(
        lambda file: "minValues" in (file.get("stats") or "")
    ),
    "no-partition-no-match DS-HNT-02 DS-HNT-03 DS-HNT-09": _also(
        lambda file: None not in file["partitionValues"].values()
    ),
    "bounds-of-local-times-are-exact DS-HNT-03 DS-HNT-09": _trusting(
        "at", _local, marked="timestamp_ntz"
    ),
    "bounds-of-floats-are-doubles DS-HNT-03 DS-HNT-09": _trusting(
        "real", float, marked="delta.typeChanges"
    ),
    "constants-stand-on-the-right DS-SQL-01": _plain_sql(r"^\s*['\d]"),
    "inequality-is-passed-over DS-SQL-01": _plain_sql("<>"),
    "sql-nulls-are-passed-over DS-SQL-02": _plain_sql("NULL"),
    "json-compares-texts DS-JSP-02 DS-HNT-09": _trees(
        lambda node: node | {"valueType": "string"} if "valueType" in node else node
    ),
    "json-knows-no-nulls DS-JSP-03": _unknown("isNull"),
    "json-knows-equality-only DS-JSP-04": _unknown(
        "lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual"
    ),
    "json-or-is-and DS-JSP-05 DS-HNT-09": _trees(
        lambda node: node | {"op": "and"} if node.get("op") == "or" else node
    ),
    "json-knows-no-not DS-JSP-06": _unknown("not"),
    "json-knows-no-dates DS-JSP-07": _unknown(types=("date", "timestamp")),
    "json-knows-no-booleans DS-JSP-07": _unknown(types=("bool",)),
    "json-knows-no-fractions DS-JSP-07": _unknown(types=("float", "double")),
    "limits-count-deleted-rows DS-HNT-12": _first_files(_records),
    "limits-guess-rows DS-HNT-12": _first_files(lambda file: _records(file) or 1_000_000),
    "limits-come-first DS-HNT-13": _first_files(_records),
    "negative-limits-are-fine DS-HNT-15": replace_rule("limit_is_not_negative", accept),
    "no-predicates-leave-nothing DS-HNT-05": on_query(
        lambda body: body | {"limitHint": 0} if body.get("predicateHints") == [] else body
    ),
}
