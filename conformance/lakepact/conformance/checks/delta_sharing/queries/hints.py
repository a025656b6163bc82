"""Hints: a server leaves out no file with a matching row, and ignores invalid hints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Blocked,
    Document,
    Kind,
    Members,
    NotOffered,
    Reply,
    SharingLab,
    Wrong,
    check,
    expect,
    op,
    reading,
)
from lakepact.conformance.checks.delta_sharing.kit.predicates import (
    SQL_TYPES,
    VALUE_TYPES,
    Comparison,
    Predicate,
    column,
    hint,
    literal,
)
from lakepact.conformance.fixtures.manifest import PackTable
from lakepact.conformance.rows import comparison
from lakepact.conformance.rows.data_files import Row
from lakepact.conformance.rows.lines import Answer, parse

TRAVELLED = "partitioned"  #: a table whose later versions remove files
PRUNED = "measurements"  #: partitions, and statistics of every kind

#: Tables whose rows hints are tried on; the last four need reader features.
ROUNDED = ("timestamp_ntz", "type_widening")  #: whose statistics are not exact
HINTED = (
    PRUNED,
    "partitioned",
    "partition_types",
    "no_stats",
    "schema_changes",
    "deletion_vectors",
    "column_mapping_name",
    *ROUNDED,
)

#: SQL other than a comparison of a column with a constant, and whether a row of `measurements`
#: satisfies it.
BEYOND: tuple[tuple[str, Any], ...] = (
    ("(CAST(partitionValues.region AS STRING) = 'eu')", lambda r: r["region"] == "eu"),
    ("region = 'eu' OR year = 9", lambda r: r["region"] == "eu" or r["year"] == 9),
    ("NOT region = 'eu'", lambda r: r["region"] not in {"eu", None}),
    ("region LIKE 'u%'", lambda r: str(r["region"]).startswith("u")),
    ("region IN ('us', 'EU')", lambda r: r["region"] in {"us", "EU"}),
    ("year + 1 = 10", lambda r: r["year"] == 9),
    ("year = id", lambda r: r["year"] == r["id"]),
    ("year BETWEEN 9 AND 25", lambda r: r["year"] in {9, 25}),
    ("upper(region) = 'US'", lambda r: r["region"] == "us"),
    ("length(name) > 30", lambda r: len(r["name"] or "") > 30),
    ("CAST(year AS STRING) < '3'", lambda r: r["year"] is not None and str(r["year"]) < "3"),
    ("day >= DATE '2024-03-01'", lambda r: r["day"] is not None and str(r["day"]) >= "2024-03-01"),
    ("region <=> NULL", lambda r: r["region"] is None),
    ("EXISTS (SELECT 1)", lambda _: True),
    ("year = 9 -- AND region = 'eu'", lambda r: r["year"] == 9),
)

LONG = 2000  #: files; a longer list is fetched only a few times

#: Predicates that no server can evaluate.
NONSENSE = (
    "",
    " ",
    "region",
    "=",
    "nope = 1",
    "region =",
    "= 'eu'",
    "region = 'eu",
    "(((",
    "year == == 9",
    "\u2028",
    "year = 'x" * 99,
)

REGION, EU = column("region", "string"), literal("eu", "string")
EQUAL = {"op": "equal", "children": [REGION, EU]}
NOWHERE = {
    "op": "equal",
    "children": [REGION, literal("nowhere", "string")],
}  #: a server that understands it returns no file
NINE = {"op": "literal", "value": 9, "valueType": "int"}

#: JSON predicates that cannot be evaluated: what is wrong, and the text.
WRONG_TREES: tuple[tuple[str, str], ...] = (
    ("no JSON", "{"),
    ("no JSON", "region = 'eu'"),
    ("an empty text", ""),
    ("an array", hint([EQUAL])),
    ("a number", "5"),
    ("null", "null"),
    ("an empty object", "{}"),
    ("an unknown operation", hint({"op": "like", "children": [REGION, EU]})),
    ("an unknown operation within", hint({"op": "and", "children": [NOWHERE, {"op": "xor"}]})),
    ("no operation", hint({"children": [REGION, EU]})),
    ("an unknown column", hint({"op": "equal", "children": [column("nope", "string"), EU]})),
    ("an unknown type", hint({"op": "equal", "children": [REGION | {"valueType": "money"}, EU | {"valueType": "money"}]})),
    ("one side", hint({"op": "equal", "children": [REGION]})),
    ("three sides", hint({"op": "equal", "children": [REGION, EU, EU]})),
    ("no sides", hint({"op": "lessThan", "children": []})),
    ("and of one", hint({"op": "and", "children": [NOWHERE]})),
    ("or of none", hint({"op": "or", "children": []})),
    ("not of two", hint({"op": "not", "children": [EQUAL, EQUAL]})),
    ("a number that is none", hint({"op": "equal", "children": [column("year", "integer"), literal("x", "integer")]})),
    ("a date that is none", hint({"op": "equal", "children": [column("day", "date"), literal("2024-13-45", "date")]})),
    ("a boolean that is none", hint({"op": "equal", "children": [column("flag", "boolean"), literal("maybe", "boolean")]})),
)  # fmt: skip

#: Nodes with members that their operation does not have, or without one that it needs.
MALFORMED_NODES: tuple[tuple[str, Any], ...] = (
    ("a comparison with a name and a value", EQUAL | {"name": "region", "value": "eu", "valueType": "string"}),
    ("a column with children", {"op": "equal", "children": [REGION | {"children": [EU]}, EU]}),
    ("a column with a value", {"op": "equal", "children": [REGION | {"value": "us"}, EU]}),
    ("a column without a name", {"op": "equal", "children": [{"op": "column", "valueType": "string"}, EU]}),
    ("a column without a type", {"op": "equal", "children": [{"op": "column", "name": "region"}, EU]}),
    ("a literal without a value", {"op": "equal", "children": [REGION, {"op": "literal", "valueType": "string"}]}),
    ("a literal without a type", {"op": "equal", "children": [REGION, {"op": "literal", "value": "eu"}]}),
    ("a literal that is a number", {"op": "equal", "children": [column("year", "integer"), NINE]}),
    ("isNull of a literal", {"op": "isNull", "children": [EU]}),
    ("children that are none", {"op": "and", "children": "region"}),
    ("children that are null", {"op": "or", "children": None}),
    ("a child that is null", {"op": "not", "children": [None]}),
    ("an operation that is a number", {"op": 5}),
)  # fmt: skip


class HintSubject:
    """A table for queries with hints: its rows, and those of each of its files.

    Raises:
        NotOffered: the target cannot answer it in any format.
        Blocked: it does not answer a query without hints.
    """

    def __init__(self, lab: SharingLab, table: PackTable) -> None:
        self.lab, self.table = lab, table
        self.form = reading.formats(lab, table)[0]
        self.rows: list[Row] = table.last.rows.to_pylist()
        self.answer = parse(lab.require(reading.query(lab, table, form=self.form), 200).lines)
        self.kinds = {
            f["name"]: _kind(f["type"]) for f in self.answer.fields if isinstance(f["type"], str)
        }
        self._read: dict[str, list[Row]] = {}

    def query(self, **body: Any) -> Reply:
        """Return the answer to a query with hints."""
        return reading.query(self.lab, self.table, body, form=self.form)

    def rows_of(self, answer: Answer) -> list[Row]:
        """Return the rows of the files of an answer; a file is read once."""
        for file in answer.files:
            if file.id not in self._read:
                self._read[file.id] = reading.rows_of(self.lab, answer, file)
        return [row for file in answer.files for row in self._read[file.id]]

    def holds_all(self, reply: Reply, expected: list[Row], about: str) -> Answer:
        """Return an answer whose files hold all expected rows.

        Raises:
            Unmet: the query was refused, or some rows are missing.
        """
        answer = reading.parse(reply, f"for {about}")
        comparison.includes(expected, self.rows_of(answer), f"for {about} on {self.table.name}")
        return answer

    def sql_kinds(self) -> dict[str, str]:
        """Return the columns that SQL can compare with constants."""
        return {name: kind for name, kind in self.kinds.items() if kind in SQL_TYPES}

    def json_kinds(self) -> dict[str, str]:
        """Return the columns that JSON predicates can be about."""
        return {name: kind for name, kind in self.kinds.items() if kind in VALUE_TYPES}


def _kind(kind: str) -> str:
    return kind.partition("(")[0]


def hint_subjects(lab: SharingLab, names: tuple[str, ...] = HINTED) -> Iterator[HintSubject]:
    """Yield the tables of the pack for queries with hints that the target can answer.

    Raises:
        Blocked: the target answers no query of any of them.
    """
    refusal: Blocked | None = None
    has_any = False
    for table in [
        lab.manifest.tables[name] for name in names if name in lab.manifest.tables
    ]:  # older packs have fewer
        if not table.features or lab.feature("delta-format"):
            try:
                subject = HintSubject(lab, table)
            except Blocked as no_answer:
                refusal = no_answer
                continue
            has_any = True
            yield subject
    if refusal is not None and not has_any:
        raise refusal


def matching(rows: list[Row], *predicates: Predicate) -> list[Row]:
    """Return the rows that satisfy all of some predicates."""
    return [row for row in rows if all(predicate.holds(row) for predicate in predicates)]


def query(lab: SharingLab, body: Members) -> Reply:
    """Return the answer to a query of a table for hints, in the pack or elsewhere."""
    address: Members = lab.fixture(PRUNED).address if lab.knows_content else lab.table().address
    return lab.send(
        op.query_table, body=dict(body), delta_sharing_capabilities=EITHER_FORMAT[1], **address
    )


def files(reply: Reply, about: str = "") -> list[Any]:
    """Return the identity of an answer's files.

    Raises:
        Unmet: the query was refused.
    """
    return sorted(
        [file.size or 0, sorted(map(list, file.partition_values.items()), key=str)]
        for file in reading.parse(reply, about).files
    )


# -- hints that change nothing ---------------------------------------------------------------------


@check("DS-HNT-05", "DS-HNT-10")
def empty_hints_return_all_files(lab: SharingLab) -> None:
    """A query without hints, or with `predicateHints` [], returns all files."""
    plain = lab.require(query(lab, {}), 200)
    whole = files(plain)
    with lab.judge("DS-HNT-05"):
        reply = query(lab, {"predicateHints": []})
        empty = files(reply, "for an empty array of predicateHints")
        expect.equal(
            whole, empty, "for an empty array of predicateHints the files", at=reply.place()
        )
    with lab.judge("DS-HNT-10"):
        reply = query(lab, {})
        expect.equal(
            whole,
            files(reply, "without hints"),
            "without jsonPredicateHints the files",
            at=reply.place(),
        )
    if lab.knows_content:
        with lab.judge("DS-HNT-05", "DS-HNT-10"):
            count = len(lab.fixture(PRUNED).last.files)
            expect.equal(
                count,
                len(whole),
                f"the number of files of {PRUNED} without hints",
                at=plain.place(),
            )


@check("DS-HNT-04", "DS-SQL-03")
def unsupported_sql_is_ignored(lab: SharingLab) -> None:
    """A query whose `predicateHints` hold SQL beyond comparisons, or invalid SQL, returns 200."""
    _ = files(lab.require(query(lab, {}), 200))
    for requirement, texts in lab.each(
        (("DS-HNT-04", NONSENSE), ("DS-SQL-03", tuple(text for text, _ in BEYOND)))
    ):
        for text in lab.each(texts):
            with lab.judge(requirement):
                expect.status(
                    query(lab, {"predicateHints": [text]}),
                    200,
                    about=f"for the hint {expect.excerpt(text[:80])}",
                )


@check("DS-HNT-08")
def invalid_predicates_keep_all_files(lab: SharingLab) -> None:
    """A query whose `jsonPredicateHints` cannot be evaluated returns 200 and all files."""
    whole = files(lab.require(query(lab, {}), 200))
    for what, text in lab.each(WRONG_TREES if len(whole) <= LONG else WRONG_TREES[:3]):
        with lab.judge("DS-HNT-08"):
            reply = query(lab, {"jsonPredicateHints": text})
            about = f"for jsonPredicateHints with {what}"
            actual = files(reply, about)
            expect.true(
                actual == whole,
                f"all {len(whole)} files {about}",
                f"{len(actual)} files",
                at=reply.place(),
                kind=Kind.MISSING,
            )


@check("DS-JSP-01")
def malformed_nodes_are_ignored(lab: SharingLab) -> None:
    """A query with a malformed node in `jsonPredicateHints` returns 200."""
    _ = files(lab.require(query(lab, {}), 200))
    for what, tree in lab.each(MALFORMED_NODES):
        with lab.judge("DS-JSP-01"):
            reply = query(lab, {"jsonPredicateHints": hint(tree)})
            expect.status(reply, 200, about=f"for jsonPredicateHints with {what}")


@check("DS-HNT-15")
def negative_limits_are_refused(lab: SharingLab) -> None:
    """A negative `limitHint` returns 400."""
    _ = files(lab.require(query(lab, {"limitHint": 1}), 200))
    with lab.judge("DS-HNT-15"):
        expect.status(
            query(lab, {"limitHint": -1}),
            400,
            about="for limitHint -1",
            mutation=Wrong.VALUE("/limitHint"),
        )


# -- limits ----------------------------------------------------------------------------------------


@check("DS-HNT-12")
def limits_keep_enough_rows(lab: SharingLab) -> None:
    """The files of a query with `limitHint` hold that many rows after deletion vectors, or all rows
    of the table.
    """
    for subject in lab.each(
        hint_subjects(
            lab,
            (
                "partitioned",
                "partition_types",
                "no_stats",
                PRUNED,
                "deletion_vectors",
                "unpartitioned",
                "empty",
            ),
        )
    ):
        total = len(subject.rows)
        for limit in lab.each((0, 1, total // 2, total - 1, total, total + 1, 2**31 - 1)):
            if limit < 0:
                continue
            reply = subject.query(limitHint=limit)
            with lab.judge("DS-HNT-12"):
                count = len(subject.rows_of(reading.parse(reply, f"for limitHint {limit}")))
                expected = min(limit, total)
                what = f"files of {subject.table.name} with at least {expected} rows for limitHint {limit}"
                expect.true(
                    count >= expected,
                    what,
                    f"files with {count} of {total} rows",
                    at=reply.place(),
                    kind=Kind.MISSING,
                )


@check("DS-HNT-13")
def predicates_before_limits(lab: SharingLab) -> None:
    """The files of a query with predicates and `limitHint` hold that many matching rows, or all of
    them.
    """
    for subject in lab.each(hint_subjects(lab, (PRUNED, "partitioned", "partition_types"))):
        for predicate in lab.each(LAST_FILES[subject.table.name]):
            expected = matching(subject.rows, predicate)
            # Clients send SQL hints alone, or both kinds.
            spellings: tuple[Document, ...] = (
                {"predicateHints": [predicate.sql()]},
                {"predicateHints": [predicate.sql()], "jsonPredicateHints": hint(predicate.tree())},
            )
            for limit in lab.each((1, len(expected) // 2, len(expected))):
                for hints in lab.each(spellings):
                    reply = subject.query(**hints, limitHint=limit)
                    with lab.judge("DS-HNT-13"):
                        about = f"{' and '.join(hints)} {predicate.sql()} with limitHint {limit}"
                        answer = reading.parse(reply, f"for {about}")
                        count = len(matching(subject.rows_of(answer), predicate))
                        what = (
                            f"files of {subject.table.name} with at least {limit} matching rows for"
                            f" {about}"
                        )
                        actual = f"files with {count} of {len(expected)} matching rows"
                        expect.true(
                            count >= limit, what, actual, at=reply.place(), kind=Kind.MISSING
                        )


#: Predicates that hold for rows of few files.
LAST_FILES: dict[str, tuple[Predicate, ...]] = {
    PRUNED: (
        Comparison("year", "integer", "=", 100),
        Comparison("region", "string", "=", "us"),
        Comparison("id", "long", ">=", 704),
    ),
    "partitioned": (Comparison("city", "string", "=", "Oslo"), Comparison("id", "long", ">", 31)),
    "partition_types": (
        Comparison("p_integer", "integer", "=", 100),
        Comparison("p_string", "string", "=", "A"),
    ),
}


@check("DS-HNT-03", "DS-HNT-09", "DS-HNT-12")
def hints_as_of_a_version(lab: SharingLab) -> None:
    """A query of an earlier version with hints leaves out no file of that version with a matching
    row.
    """
    (subject,) = hint_subjects(lab, (TRAVELLED,))
    earlier = [
        version
        for version in subject.table.readable
        if version is not subject.table.last and version.rows.num_rows
    ]
    if not earlier or subject.query(version=earlier[0].version).status != 200:
        raise NotOffered("the history of the table is not shared")
    for version in lab.each(earlier):
        rows: list[Row] = version.rows.to_pylist()
        at = {"version": version.version}
        for predicate in lab.each(
            (
                Comparison("id", "long", ">=", min(row["id"] for row in rows)),
                Comparison("city", "string", "=", "Oslo"),
            )
        ):
            expected = matching(rows, predicate)
            about = f"{predicate.sql()} as of version {version.version}"
            with lab.judge("DS-HNT-03"):
                subject.holds_all(
                    subject.query(**at, predicateHints=[predicate.sql()]), expected, about
                )
            with lab.judge("DS-HNT-09"):
                subject.holds_all(
                    subject.query(**at, jsonPredicateHints=hint(predicate.tree())),
                    expected,
                    f"jsonPredicateHints {about}",
                )
        with lab.judge("DS-HNT-12"):
            reply = subject.query(**at, limitHint=len(rows))
            count = len(
                subject.rows_of(
                    reading.parse(reply, f"for a limit as of version {version.version}")
                )
            )
            what = f"files with the {len(rows)} rows of version {version.version}"
            actual = f"files with {count} rows"
            expect.true(count >= len(rows), what, actual, at=reply.place(), kind=Kind.MISSING)


@check("DS-HNT-03")
def sql_beyond_comparisons(lab: SharingLab) -> None:
    """A query whose `predicateHints` hold SQL beyond comparisons leaves out no file with a matching
    row.
    """
    try:
        (subject,) = hint_subjects(lab, (PRUNED,))
    except ValueError:
        raise NotOffered("the target cannot answer it") from None
    for text, holds in lab.each(BEYOND):
        reply = subject.query(predicateHints=[text])
        if reply.status != 200:
            continue  # DS-SQL-03
        with lab.judge("DS-HNT-03"):
            subject.holds_all(
                reply, [row for row in subject.rows if holds(row)], f"the hint {text}"
            )
