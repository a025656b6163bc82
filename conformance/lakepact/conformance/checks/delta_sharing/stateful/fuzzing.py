"""Requests of every kind about the shared tables; the protocol only reads, so a sequence creates
nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any
from weakref import WeakKeyDictionary

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Blocked,
    Contract,
    Document,
    OperationId,
    Reply,
    SharedTable,
    SharingLab,
    Unmet,
    op,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import (
    ANSWERS_IN_LINES,
    OF_NAMES,
    version_of,
)
from lakepact.conformance.checks.delta_sharing.kit.listings import LISTS
from lakepact.conformance.checks.delta_sharing.suite import suite
from lakepact.conformance.fuzz import Fuzz
from lakepact.conformance.fuzz.answers import MALFORMED, NO_OBJECT, WRONG_TYPE
from lakepact.conformance.fuzz.steps import Learned, Step
from lakepact.conformance.http.wire import Wire

#: Of the default version.
OPERATIONS = Contract("delta_sharing").operations
#: The operations to send; important ones are listed more than once.
SENT = (
    *OPERATIONS,
    *LISTS,
    op.get_table_version,
    op.get_table_metadata,
    *(op.query_table,) * 8,
    *(op.query_table_changes,) * 4,
)

#: Names that no object has, in forms that are difficult in paths.
ODD_NAMES = (
    "missing",
    " ",
    "\x00",
    "a%2Fb",
    "a/b",
    "é\U0001f9ca",
    "x" * 300,
    "..",
    ".",
    "%2e%2e",
    "..\\..",
    "_delta_log",
)

#: Values of parameters by the last word of their names: valid ones, and unusual or invalid ones.
VALUES: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {
    "delta_sharing_capabilities": (
        (
            EITHER_FORMAT[1],
            f"{EITHER_FORMAT[1]};includeEndStreamAction=true",
            "responseformat=parquet",
            "ResponseFormat=DELTA,Parquet;ReaderFeatures=DeletionVectors,columnmapping,timestampntz",
        ),
        (
            "responseformat=delta",
            "responseformat=avro",
            "responseformat=",
            "responseformat",
            ";;=;,",
            "includeendstreamaction=maybe",
            "a=b;" * 500,
        ),
    ),
    "fileidhash": (("parquet", "delta"), ("DELTA", "md5", ",")),
    "include_historical_metadata": (("true", "false", "True"), ("maybe", "1")),
    "results": ((0, 1, 2, 100, 2**31 - 1), (-1, 2**31, "abc", "1.5", "")),
    "files": ((1, 2, 100), (0, -1, 2**31, "abc", "1.5", "")),
    "timestamp": (
        (
            "2025-01-01T00:00:00Z",
            "2025-01-02T03:04:05.678Z",
            "2025-01-01T00:00:00+02:00",
            "1970-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z",
        ),
        (
            "0000-00-00T00:00:00Z",
            "2025-02-30T00:00:00Z",
            "2025-01-01 00:00:00",
            "1735689600000",
            "yesterday",
            "",
        ),
    ),
    "version": ((0, 1, Learned(("version",), 0)), (Learned(("version",), 0, 1), -1, 2**63, "a")),
}
ODD = 0.2  #: the share of unusual or invalid values
COLUMNS = (
    "id",
    "word",
    "kind",
    "price",
    "day",
    "missing",
    "Id",
    "a b",
    "`id`",
    "partitionValues.kind",
    "",
)
CONSTANTS = (
    "1",
    "'a'",
    "-1.5e300",
    "null",
    "'2025-01-01'",
    "'it''s'",
    "99999999999999999999",
    "true",
    "DATE '2025-01-01'",
    "''",
    "'",
)
COMPARISONS = ("=", ">", "<", ">=", "<=", "<>", "!=", "LIKE", "<=>")
JSON_COMPARISONS = ("equal", "lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual")
VALUE_TYPES = (
    "bool",
    "int",
    "long",
    "string",
    "date",
    "float",
    "double",
    "timestamp",
    "decimal",
    "",
)

MOST_TABLES, MOST_BYTES = (
    8,
    150_000,
)  #: tables that are queried, and the size of their answers to a plain query

_small: WeakKeyDictionary[Wire, tuple[SharedTable, ...]] = WeakKeyDictionary()


def small_tables(lab: SharingLab) -> tuple[SharedTable, ...]:
    """Return some tables with few files, so that a thousand requests are fast; found once a run."""
    if lab.wire not in _small:
        tables = []
        readable = lab.catalogue.readable
        changing = [table for table in readable if table.changes][: MOST_TABLES // 2]
        for table in [*changing, *(table for table in readable if table not in changing)][
            : 2 * MOST_TABLES
        ]:
            try:
                reply = lab.send(op.query_table, body={}, headers=[EITHER_FORMAT], **table.address)
            except Blocked:
                continue
            if len(reply.body) <= MOST_BYTES:
                tables.append(table)
        _small[lab.wire] = tuple(tables[:MOST_TABLES]) or (
            SharedTable("missing", "missing", "missing", {}),
        )
    return _small[lab.wire]


#: Placeholders for tables in plans without a target: any table, and one with a change data feed.
ANY, CHANGING = "any", "changing"
PLACES = {ANY: MOST_TABLES, CHANGING: MOST_TABLES // 2}  #: number of placeholders of each kind


class SharingWorld:
    """The requests of a sequence, and the tokens it received."""

    def __init__(self, lab: SharingLab) -> None:
        self._tables = self._choose_tables(lab)
        self._facts: dict[tuple[Any, ...], Any] = {}

    def _choose_tables(self, lab: SharingLab) -> tuple[SharedTable, ...]:
        return small_tables(lab)

    @property
    def plain(self) -> Document:
        """The first table."""
        return self._tables[0].address

    def opening(self, random: Random) -> Sequence[Step]:  # noqa: ARG002 - nothing has to be made
        """Return no steps: the tables exist already."""
        return ()

    def verdicts(self, step: Step, reply: Reply) -> Iterable[tuple[str, Unmet | None]]:  # noqa: ARG002 - nothing is remembered
        """Return no verdicts: no request changes state."""
        return ()

    # -- requests ----------------------------------------------------------------------------------

    def arguments(self, operation: OperationId, random: Random) -> Document:
        """Return the arguments of an operation: mostly an existing table, schema or share,
        sometimes with optional parameters.
        """
        changing = (
            [table for table in self._tables if table.changes]
            if operation == op.query_table_changes
            else []
        )
        address = dict(random.choice(changing or self._tables).address)
        if random.random() < 0.15:
            address[random.choice(list(address))] = random.choice(ODD_NAMES)
        values = {name: address[name] for name in OF_NAMES.get(operation, ())}
        for parameter in OPERATIONS[operation].parameters:
            if parameter.where != "path" and random.random() < 0.3:
                values[parameter.argument] = self._value(operation, parameter.argument, random)
        if operation in ANSWERS_IN_LINES:
            values.setdefault("delta_sharing_capabilities", EITHER_FORMAT[1])
        if (
            operation == op.query_table_changes
            and not {"starting_version", "starting_timestamp", "page_token"} & values.keys()
        ):
            values["starting_version"] = 0
        return values

    def _value(self, operation: OperationId, argument: str, random: Random) -> Any:
        """Return a value of a parameter."""
        if argument == "page_token":
            has_token = ("token", operation) in self._facts
            return (
                _token(operation)
                if has_token and random.random() > ODD
                else random.choice(("forged", "", "AAAA" * 200))
            )
        return one_of(argument if argument in VALUES else argument.rpartition("_")[2], random)

    def confine(self, operation: OperationId, body: Any) -> Any:  # noqa: ARG002 - nothing can be damaged
        """Return the body as it is."""
        return body

    def example(self, operation: OperationId, arguments: Document, random: Random) -> Any:  # noqa: ARG002 - of the protocol
        """Return a valid body."""
        if operation == op.generate_temporary_table_credentials:
            return random.choice(
                ({}, {"location": "s3://somewhere/else"}, {"location": "file:///tmp"})
            )
        return self._query(random) if operation == op.query_table else None

    def _query(self, random: Random) -> Document:
        """Return the body of a query: of the current version, an earlier one, or of changes."""
        members: dict[str, Callable[[], Any]] = {
            "predicateHints": lambda: [_sql(random) for _ in range(random.randint(0, 3))],
            "jsonPredicateHints": lambda: json.dumps(_tree(random, 3)),
            "limitHint": lambda: one_of("results", random),
            "includeRefreshToken": lambda: random.random() < 0.5,
            "maxFiles": lambda: one_of("files", random),
        }
        point: list[Document] = [
            {},
            {},
            {"version": Learned(("version",), 0)},
            {"timestamp": one_of("timestamp", random)},
            {"startingVersion": 0},
            {"startingVersion": 0, "endingVersion": one_of("version", random)},
        ]
        if ("token", op.query_table) in self._facts:
            point.append({"pageToken": _token(op.query_table)})
        if ("refresh",) in self._facts:
            point.append({"refreshToken": Learned(("refresh",), "not-issued-yet")})
        names = random.sample(sorted(members), random.randint(0, 3))
        return random.choice(point) | {name: members[name]() for name in names}

    # -- facts of answers --------------------------------------------------------------------------

    def value_of(self, placeholder: Learned) -> Any:
        """Return a token or version from an earlier answer, or the name of a table that a plan has
        a placeholder for.
        """
        if placeholder.what[0] in PLACES:
            kind, place, member = placeholder.what
            tables = [table for table in self._tables if table.changes] if kind == CHANGING else []
            return (tables or self._tables)[place % len(tables or self._tables)].address[member]
        return self._facts.get(placeholder.what)

    def learn(self, step: Step, reply: Reply) -> None:
        """Remember versions, and the tokens of pages and refreshes."""
        if reply.status != 200:
            return
        version = version_of(reply)
        if version is not None:
            self._facts["version",] = version
        answer = reply.exchange.json if step.operation in LISTS else None
        lines = reply.exchange.lines if step.operation not in LISTS else None
        end = lines[-1].get("endStreamAction") if lines and isinstance(lines[-1], dict) else None
        for document in (answer, end):
            if isinstance(document, dict):
                if isinstance(document.get("nextPageToken"), str):
                    self._facts["token", step.operation] = document["nextPageToken"]
                if isinstance(document.get("refreshToken"), str):
                    self._facts["refresh",] = document["refreshToken"]


class PlannedSharing(SharingWorld):
    """The requests of a plan, before there is a target: placeholders stand for its tables."""

    def _choose_tables(self, lab: SharingLab) -> tuple[SharedTable, ...]:  # noqa: ARG002 - there is no target
        def placeholder(kind: str, place: int) -> SharedTable:
            share, schema, table = (
                Learned((kind, place, member), "missing") for member in ("share", "schema", "table")
            )
            # Learned names are replaced by strings when the request is made.
            return SharedTable(share, schema, table, {}, changes=kind == CHANGING)  # type: ignore[arg-type]

        return tuple(
            placeholder(kind, place) for kind, places in PLACES.items() for place in range(places)
        )


def sample_answer(step: Step) -> Any:
    """Return an answer with tokens, so that later steps of a plan use the tokens of the target."""
    if step.operation in LISTS:
        return {"items": [], "nextPageToken": "rehearsed"}
    if step.operation not in ANSWERS_IN_LINES:
        return {}
    return {"endStreamAction": {"nextPageToken": "rehearsed", "refreshToken": "rehearsed"}}


def one_of(values: str, random: Random) -> Any:
    """Return a value of a kind, sometimes an unusual or invalid one."""
    good, odd = VALUES[values]
    return random.choice(odd if random.random() < ODD else good)


def _token(operation: OperationId) -> Learned:
    """Return the last nextPageToken of an operation."""
    return Learned(("token", operation), "not-issued-yet")


def _sql(random: Random) -> str:
    """Return a predicate in SQL, not always a valid one."""
    column, constant = random.choice(COLUMNS), random.choice(CONSTANTS)
    comparison = f"{column} {random.choice(COMPARISONS)} {constant}"
    return random.choice(
        (
            comparison,
            comparison,
            f"{constant} {random.choice(COMPARISONS)} {column}",
            f"{column} IS NULL",
            f"{column} IS NOT NULL",
            f"({comparison}) AND ({column} IS NOT NULL)",
            f"(CAST({column} AS STRING) = {constant})",
            f"{column} IN ({constant}, {constant})",
            "(" * 200 + comparison,
            "",
        )
    )


def _tree(random: Random, depth: int) -> Document:
    """Return a predicate as a tree, not always a valid one."""
    column = {
        "op": "column",
        "name": random.choice(COLUMNS),
        "valueType": random.choice(VALUE_TYPES),
    }
    literal = {
        "op": "literal",
        "value": random.choice(CONSTANTS).strip("'"),
        "valueType": random.choice(VALUE_TYPES),
    }
    comparison = {
        "op": random.choice(JSON_COMPARISONS),
        "children": random.sample([column, literal], 2),
    }
    if depth == 0 or random.random() < 0.5:
        return random.choice(
            (
                {"op": "isNull", "children": [column]},
                comparison,
                comparison,
                comparison,
                literal,
                {"op": "like"},
            )
        )
    inner = [_tree(random, depth - 1) for _ in range(random.randint(1, 3))]
    return {"op": random.choice(("and", "or", "not")), "children": inner}


suite.fuzz = Fuzz(
    world=SharingWorld,
    operations=SENT,
    answers="DS-GEN-15",
    refusals={MALFORMED: "DS-GEN-08", NO_OBJECT: "DS-QRY-11", WRONG_TYPE: "DS-QRY-11"},
    sample_answer=sample_answer,
    planning=PlannedSharing,
)
