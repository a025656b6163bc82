"""Hints that are taken for more than hints, or for something else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.faults.ways.asking import on_query
from lakepact.reference_server.delta_sharing.queries import malformed
from lakepact.reference_server.faults import Fault, Install, accept, around, instead, on_call

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.reference_server.delta_sharing.hints.selection import Snapshot
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler

    Selected = Callable[..., Sequence[int] | None]

SIGN = re.compile(r"(?<=[ (])-(?=[0-9])")
SQL, JSON = "predicate_hints", "json_predicate_hints"


def _chosen(act: Callable[[Selected, Snapshot, dict[str, Any]], Sequence[int] | None]) -> Install:
    """Choose files by `act(selected, snapshot, hints)`."""

    def wrapper(selected: Selected) -> Selected:
        return lambda snapshot, **hints: act(selected, snapshot, hints)

    return around("rules", "selected", wrapper)


def _also(holds: Callable[[Any], bool]) -> Install:
    """Leave out further files where there are hints: those for which `holds(file)` is not true."""

    def act(selected: Selected, snapshot: Snapshot, hints: dict[str, Any]) -> Sequence[int] | None:
        chosen = selected(snapshot, **hints)
        if not (hints.get(SQL) or hints.get(JSON)):
            return chosen
        return [place for place in (range(len(snapshot.files)) if chosen is None else chosen) if holds(snapshot.files[place])]

    return _chosen(act)


def _has_numbers(file: Any) -> bool:
    return "minValues" in (file.get("stats") or "")


def _has_no_null(file: Any) -> bool:
    return None not in file["partitionValues"].values()


# -- trees -----------------------------------------------------------------------------------------------------------------


def _read(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


def _edited(edit: Callable[[dict[str, Any]], dict[str, Any]], node: Any) -> Any:
    """A tree with each node as `edit` makes it, leaves first."""
    if not isinstance(node, dict):
        return node
    children = node.get("children")
    inner = node | {"children": [_edited(edit, child) for child in children]} if isinstance(children, list) else node
    return edit(inner)


def _trees(edit: Callable[[dict[str, Any]], dict[str, Any]]) -> Install:
    """Read JSON predicates as something else."""

    def change(body: dict[str, Any]) -> dict[str, Any]:
        tree = _read(body.get("jsonPredicateHints"))
        return body | {"jsonPredicateHints": json.dumps(_edited(edit, tree))} if isinstance(tree, dict) else body

    return on_query(change)


def _unknown(*operations: str, types: tuple[str, ...] = ()) -> Install:
    """Know neither some operations of JSON predicates nor some types."""

    def edit(node: dict[str, Any]) -> dict[str, Any]:
        return node | {"op": "unheard-of"} if node.get("op") in operations or node.get("valueType") in types else node

    return _trees(edit)


def _as_text(node: dict[str, Any]) -> dict[str, Any]:
    return node | {"valueType": "string"} if "valueType" in node else node


def _or_as_and(node: dict[str, Any]) -> dict[str, Any]:
    return node | {"op": "and"} if node.get("op") == "or" else node


def _single_and(node: dict[str, Any]) -> dict[str, Any]:
    """Take `and` and `or` of one child for that child."""
    children = node.get("children")
    return children[0] if node.get("op") in {"and", "or"} and isinstance(children, list) and len(children) == 1 else node


def _sides_changed(node: dict[str, Any]) -> dict[str, Any]:
    """Take the constant for the right side of a comparison, wherever it stands."""
    children = node.get("children")
    flipped = isinstance(children, list) and len(children) == 2 and isinstance(children[0], dict) and children[0].get("op") == "literal"
    return node | {"children": children[::-1]} if flipped and isinstance(children, list) else node


def _negated(selected: Selected, snapshot: Snapshot, hints: dict[str, Any]) -> Sequence[int] | None:
    """Take for what a negation leaves all that its part would not leave."""
    tree = _read(hints.get(JSON))
    parts = tree.get("children") if isinstance(tree, dict) and tree.get("op") == "not" else None
    if not isinstance(parts, list) or len(parts) != 1:
        return selected(snapshot, **hints)
    left = selected(snapshot, **hints | {JSON: json.dumps(parts[0])})
    return [place for place in range(len(snapshot.files)) if left is not None and place not in left]


# -- bounds ----------------------------------------------------------------------------------------------------------------


def _instant(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None


def _may(node: Any, stats: dict[str, Any]) -> bool:
    """Whether a file with such statistics may hold what a tree asks for, times taken for exact and all else left open."""
    children = node.get("children") or []
    if node.get("op") in {"and", "or"}:
        return (all if node["op"] == "and" else any)(_may(child, stats) for child in children)
    if node.get("op") != "equal" or len(children) != 2 or children[0].get("valueType") != "timestamp":
        return True
    name, wanted = children[0].get("name"), _instant(children[1].get("value"))
    low, high = (_instant(stats.get(member, {}).get(name)) for member in ("minValues", "maxValues"))
    return low is None or high is None or wanted is None or low <= wanted <= high


def _exact_times(selected: Selected, snapshot: Snapshot, hints: dict[str, Any]) -> Sequence[int] | None:
    """Take the bounds of times, which are cut to milliseconds, for exact."""
    chosen, tree = selected(snapshot, **hints), _read(hints.get(JSON))
    if not isinstance(tree, dict):
        return chosen
    places = range(len(snapshot.files)) if chosen is None else chosen
    return [place for place in places if _may(tree, _read(snapshot.files[place].get("stats")) or {})]


def _binary_decimals(selected: Selected, snapshot: Snapshot, hints: dict[str, Any]) -> Sequence[int] | None:
    """Compare decimals with bounds that were read as binary fractions."""
    chosen = selected(snapshot, **hints)
    places = list(range(len(snapshot.files)) if chosen is None else chosen)
    for hint in hints.get(SQL) or ():
        asked = re.fullmatch(r"amount = ([\d.]+)", hint)
        if asked:
            bounds = {place: (_read(snapshot.files[place].get("stats")) or {}).get("maxValues", {}).get("amount") for place in places}
            places = [place for place in places if bounds[place] is None or Decimal(asked[1]) <= Decimal(bounds[place])]
    return places


# -- refusals --------------------------------------------------------------------------------------------------------------


def _strict_sql(body: dict[str, Any]) -> dict[str, Any]:
    for hint in body.get("predicateHints") or ():
        if re.search(r"\b(or|not|like|in|between|exists|cast|upper|length)\b|[+(]", hint, re.IGNORECASE):
            raise malformed(f"predicateHints: {hint!r} is not understood")
    return body


def _known_node(node: dict[str, Any]) -> dict[str, Any]:
    children, operation = node.get("children"), node.get("op")
    leaves = {"column": {"op", "name", "valueType"}, "literal": {"op", "value", "valueType"}}
    wanted = leaves.get(operation, {"op", "children"}) if isinstance(operation, str) else {"op"}
    if set(node) != wanted or (children is not None and not isinstance(children, list)):
        raise malformed("jsonPredicateHints: that is no predicate")
    return node


def _strict_json(body: dict[str, Any]) -> dict[str, Any]:
    text = body.get("jsonPredicateHints")
    if text is not None and not isinstance(_read(text), dict):
        raise malformed("jsonPredicateHints must be a JSON object in a text")
    return body


def _nothing_for_wrong_json(selected: Selected, snapshot: Snapshot, hints: dict[str, Any]) -> Sequence[int] | None:
    """Take a tree with an unknown operation in it for one that no file satisfies."""
    text = hints.get(JSON) or ""
    return [] if any(word in text for word in ('"like"', '"xor"', "nope", "money")) else selected(snapshot, **hints)


# -- limits ----------------------------------------------------------------------------------------------------------------


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
    stats = _read(file.get("stats")) or {}
    return int(stats.get("numRecords", 0))


def _limit_alone(selected: Selected, snapshot: Snapshot, hints: dict[str, Any]) -> Sequence[int] | None:
    """Look at the limit alone where there are predicates in JSON."""
    limit = hints.get("limit")
    return selected(snapshot, **hints) if limit is None or not hints.get(JSON) else selected(snapshot, limit=limit)


def _guessed(file: Any) -> int:
    return _records(file) or 1_000_000


def _of_today(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """With hints, look for files among those that the table has now, whichever version is asked for."""
    reply = handler(**arguments)
    body: dict[str, Any] = arguments.get("body") or {}
    hinted = {"predicateHints", "jsonPredicateHints", "limitHint"} & body.keys()
    if not hinted or not {"version", "timestamp"} & body.keys() or not reply.has_body:
        return reply
    now = {line["file"]["id"] for line in _lines(handler(**arguments | {"body": {}})) if "file" in line}
    kept = [line for line in _lines(reply) if "file" not in line or line["file"]["id"] in now]
    return replace(reply, chunks=None, body=b"".join(json.dumps(line).encode() + b"\n" for line in kept))


def _lines(reply: Reply) -> list[Any]:
    return [json.loads(line) for line in reply.joined().body.splitlines()]


def _half(selected: Selected, snapshot: Snapshot, hints: dict[str, Any]) -> Sequence[int] | None:
    """Leave out half of the files where there are no hints at all."""
    return selected(snapshot, **hints) if any(value is not None for value in hints.values()) else range(len(snapshot.files) // 2)


def _null_sql(body: dict[str, Any]) -> dict[str, Any]:
    """Take an empty array of predicates for one that no row satisfies."""
    return body | {"limitHint": 0} if body.get("predicateHints") == [] else body


def _plain_sql(pattern: str) -> Install:
    """Pass over predicates in SQL that look like `pattern`."""

    def change(body: dict[str, Any]) -> dict[str, Any]:
        hints = body.get("predicateHints") or []
        return body | {"predicateHints": [hint for hint in hints if not re.search(pattern, hint, re.IGNORECASE)]}

    return on_query(change)


def _one_less(body: dict[str, Any]) -> dict[str, Any]:
    limit = body.get("limitHint")
    return body | {"limitHint": limit - 1} if isinstance(limit, int) and limit > 1 else body


def _without_signs(body: dict[str, Any]) -> dict[str, Any]:
    """Read numbers below zero in SQL as those above."""
    hints = body.get("predicateHints")
    if not isinstance(hints, list):
        return body
    return body | {"predicateHints": [SIGN.sub("", hint) if isinstance(hint, str) else hint for hint in hints]}


FAULTS = (
    Fault(
        "no-statistics-no-match",
        "With hints, files without bounds are left out.",
        ("DS-HNT-02", "DS-HNT-03", "DS-HNT-09"),
        _also(_has_numbers),
    ),
    Fault(
        "no-partition-no-match",
        "With hints, files with a null as partition value are left out.",
        ("DS-HNT-02", "DS-HNT-03", "DS-HNT-09"),
        _also(_has_no_null),
    ),
    Fault("bounds-of-times-are-exact", "The bounds of times are taken for exact.", ("DS-HNT-09",), _chosen(_exact_times)),
    Fault("decimals-are-binary", "The bounds of decimals are binary fractions.", ("DS-HNT-03",), _chosen(_binary_decimals)),
    Fault(
        "first-files-without-hints",
        "Queries without hints answer half of the files.",
        ("DS-HNT-05", "DS-HNT-10", "DS-QRY-09"),
        _chosen(_half),
    ),
    Fault(
        "hints-are-about-today",
        "Hints with time travel leave only files that the table still has.",
        ("DS-HNT-03", "DS-HNT-09", "DS-HNT-12"),
        on_call("queryTable", _of_today),
    ),
    Fault("unknown-sql-is-refused", "SQL beyond comparisons is refused.", ("DS-SQL-03",), on_query(_strict_sql)),
    Fault("constants-stand-on-the-right", "Comparisons with the constant first are passed over.", ("DS-SQL-01",), _plain_sql(r"^\s*['\d]")),
    Fault("inequality-is-passed-over", "The comparison <> is passed over.", ("DS-SQL-01",), _plain_sql("<>")),
    Fault("sql-nulls-are-passed-over", "IS NULL is passed over.", ("DS-SQL-02",), _plain_sql("NULL")),
    Fault("wrong-json-hints-are-refused", "jsonPredicateHints that are no JSON are refused.", ("DS-HNT-08",), on_query(_strict_json)),
    Fault(
        "wrong-json-hints-leave-nothing",
        "jsonPredicateHints with something unknown in them leave no file.",
        ("DS-HNT-08",),
        _chosen(_nothing_for_wrong_json),
    ),
    Fault(
        "malformed-nodes-are-refused",
        "Nodes of jsonPredicateHints with too much or too little in them are refused.",
        ("DS-JSP-01",),
        _trees(_known_node),
    ),
    Fault("json-compares-texts", "Comparisons in JSON are those of texts.", ("DS-JSP-02", "DS-HNT-09"), _trees(_as_text)),
    Fault("json-knows-no-nulls", "isNull in JSON is not known.", ("DS-JSP-03",), _unknown("isNull")),
    Fault(
        "json-knows-equality-only",
        "Only equality is known in JSON.",
        ("DS-JSP-04",),
        _unknown("lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual"),
    ),
    Fault(
        "json-changes-sides",
        "A constant that stands first is taken for the second side.",
        ("DS-JSP-04", "DS-HNT-09"),
        _trees(_sides_changed),
    ),
    Fault("json-or-is-and", "The operation or is taken for and.", ("DS-JSP-05", "DS-HNT-09"), _trees(_or_as_and)),
    Fault("json-joins-one", "The operations and and or of one child stand for it.", ("DS-JSP-05", "DS-HNT-08"), _trees(_single_and)),
    Fault("json-negates-files", "A negation leaves the files that its part would not.", ("DS-JSP-06", "DS-HNT-09"), _chosen(_negated)),
    Fault("json-knows-no-not", "The operation not is not known.", ("DS-JSP-06",), _unknown("not")),
    Fault("json-knows-no-dates", "Dates and timestamps in JSON are not known.", ("DS-JSP-07",), _unknown(types=("date", "timestamp"))),
    Fault("json-knows-no-booleans", "Booleans in JSON are not known.", ("DS-JSP-07",), _unknown(types=("bool",))),
    Fault("json-knows-no-fractions", "Numbers with fractions in JSON are not known.", ("DS-JSP-07",), _unknown(types=("float", "double"))),
    Fault("limits-count-deleted-rows", "Rows that a deletion vector deletes count for limits.", ("DS-HNT-12",), _first_files(_records)),
    Fault("limits-are-one-less", "A limit above one counts as one less.", ("DS-HNT-12",), on_query(_one_less)),
    Fault("limits-guess-rows", "Files without statistics count for limits as very long.", ("DS-HNT-12",), _first_files(_guessed)),
    Fault(
        "limits-come-before-json-predicates",
        "With a limit and predicates in JSON, predicates count no more.",
        ("DS-HNT-13",),
        _chosen(_limit_alone),
    ),
    Fault("limits-come-first", "Limits count before predicates.", ("DS-HNT-13",), _first_files(_records)),
    Fault(
        "negative-limits-are-fine", "A negative limit does not count.", ("DS-HNT-15",), instead("rules", "limit-is-not-negative", accept)
    ),
    Fault(
        "sql-knows-no-signs",
        "A sign before a number in SQL does not count.",
        ("DS-HNT-03",),
        on_query(_without_signs),
    ),
    Fault("no-predicates-leave-nothing", "An empty array of predicates leaves no file.", ("DS-HNT-05",), on_query(_null_sql)),
)
