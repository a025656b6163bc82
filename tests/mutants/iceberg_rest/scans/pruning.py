"""Files that are left out because of what is not known of them, or what is read as something
else.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Install, fault, wrap_rule
from mutants.iceberg_rest.operators.scans import data_told, filtered_as, set_to, tasks_told

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document

    Doubt = Callable[[Any, Any, Any], bool]

COMPARED = ("eq", "lt", "lt-eq", "gt", "gt-eq")
WHOLE = ("int", "long", "date", "timestamp", "timestamptz")


def _leaving_out(doubt: Doubt) -> Install:
    """A file is left out where `doubt(test, entry, pruning)` says so of a filter that is a single
    test.
    """

    def wrap(remains: Callable[..., Any]) -> Callable[..., Any]:
        def left(pruning: Any, entry: Any) -> Any:
            from lakepact.reference_server.iceberg_rest.scan_planning.expressions import NEVER, Test  # noqa: PLC0415 - loaded late

            whole = vars(pruning)["_whole"]
            found = remains(pruning, entry)
            return (
                NEVER
                if isinstance(whole, Test) and found != NEVER and doubt(whole, entry, pruning)
                else found
            )

        return left

    return wrap_rule("rows_remain", wrap)


def _fields(entry: Any, pruning: Any) -> list[tuple[Document, Any]]:
    """The fields of the spec of a file, each with its value."""
    specs: dict[int, Document] = vars(pruning)["_specs"]
    return list(zip(specs[entry.spec_id]["fields"], entry.partition, strict=True))


def _known(entry: Any, member: str, test: Any) -> Any:
    from lakepact.reference_server.iceberg_rest.scan_planning.manifests import by_id  # noqa: PLC0415 - loaded with the first plan

    return by_id(entry.file.get(member)).get(test.column.id)


def _lacks(member: str, *kinds: str) -> Doubt:
    """Doubts about files that do not say something of a column."""

    def doubt(test: Any, entry: Any, pruning: Any) -> bool:
        divides = any(field["source-id"] == test.column.id for field, _ in _fields(entry, pruning))
        return test.kind in kinds and not divides and _known(entry, member, test) is None

    return doubt


def _read_as(read: Callable[[bytes], Any], literal: Callable[[Any, int], Any]) -> Doubt:
    """Doubts about bounds of whole numbers that are read otherwise than they were written."""

    def doubt(test: Any, entry: Any, _: Any) -> bool:
        lower, upper = _known(entry, "lower_bounds", test), _known(entry, "upper_bounds", test)
        if (
            test.column.type not in WHOLE
            or test.kind not in COMPARED
            or lower is None
            or upper is None
        ):
            return False
        low, high, value = read(lower), read(upper), literal(test.literals[0].low, len(lower))
        may = {
            "eq": low <= value <= high,
            "lt": low < value,
            "lt-eq": low <= value,
            "gt": high > value,
            "gt-eq": high >= value,
        }
        return not may[test.kind]

    return doubt


def _is_narrow(test: Any, entry: Any, _: Any) -> bool:
    lower = _known(entry, "lower_bounds", test)
    return test.column.type in {"long", "double"} and lower is not None and len(lower) == 4


def _doubt_values(transform: str, doubt: Callable[[Any, Any], bool]) -> Doubt:
    """Doubts about the partition values that a transform has made of the column that is tested."""

    def found(test: Any, entry: Any, pruning: Any) -> bool:
        return any(
            field["source-id"] == test.column.id
            and field["transform"].startswith(transform)
            and doubt(test, value)
            for field, value in _fields(entry, pruning)
        )

    return found


def _by_the_last_spec(test: Any, entry: Any, pruning: Any) -> bool:
    """A file without the field that the newest spec has is taken for one of null."""
    specs: dict[int, Document] = vars(pruning)["_specs"]
    own, newest = (
        [field["source-id"] for field in specs[one]["fields"]]
        for one in (entry.spec_id, max(specs))
    )
    return test.kind in COMPARED and test.column.id in newest and test.column.id not in own


@fault("IRC-SCAN-PLAN-015", by=partial(wrap_rule, "manifest_may_match"))
def manifests_lose_nulls(may_match: Callable[..., bool]) -> Callable[..., bool]:
    def matches(pruning: Any, manifest: Any) -> bool:
        if manifest.partitions is None:
            return may_match(pruning, manifest)
        partitions = tuple({**one, "contains_null": False} for one in manifest.partitions)
        return may_match(pruning, replace(manifest, partitions=partitions))

    return matches


@fault("IRC-SCAN-PLAN-015", by=filtered_as)
def negations_count_once(expression: Any) -> Any:
    within = (
        expression.get("child")
        if isinstance(expression, dict) and expression.get("type") == "not"
        else None
    )
    return within if isinstance(within, dict) and within.get("type") == "not" else expression


FAULTS = {
    "all-files-are-of-the-first-spec IRC-SCAN-SCH-009": tasks_told(
        lambda task: task["data-file"].update({"spec-id": 0})
    ),
    "records-are-not-counted IRC-SCAN-SCH-009": data_told(set_to("record-count", 1)),
    "paths-are-decoded IRC-SCAN-SCH-009": data_told(
        lambda file: file.update({"file-path": file["file-path"].replace("%20", " ")})
    ),
    "missing-counts-of-nulls-are-zero IRC-SCAN-PLAN-015": _leaving_out(
        _lacks("null_value_counts", "is-null")
    ),
    "missing-counts-are-zero IRC-SCAN-PLAN-015": _leaving_out(_lacks("value_counts", "not-null")),
    "missing-counts-of-nan-are-zero IRC-SCAN-PLAN-015": _leaving_out(
        _lacks("nan_value_counts", "is-nan")
    ),
    "files-without-bounds-are-empty IRC-SCAN-PLAN-015": _leaving_out(
        _lacks("lower_bounds", *COMPARED, "in")
    ),
    "bounds-lose-their-sign IRC-SCAN-PLAN-015": _leaving_out(
        _read_as(lambda raw: int.from_bytes(raw, "little"), lambda value, _: value)
    ),
    "bounds-are-compared-as-bytes IRC-SCAN-PLAN-015": _leaving_out(
        _read_as(lambda raw: raw, lambda value, size: value.to_bytes(size, "little", signed=True))
    ),
    "bounds-of-former-types-exclude IRC-SCAN-PLAN-015": _leaving_out(_is_narrow),
    "truncated-values-are-whole IRC-SCAN-PLAN-015": _leaving_out(
        _doubt_values(
            "truncate", lambda test, value: test.kind == "eq" and value != test.literals[0].low
        )
    ),
    "truncated-values-are-their-end IRC-SCAN-PLAN-015": _leaving_out(
        _doubt_values(
            "truncate",
            lambda test, value: (
                test.kind == "gt"
                and isinstance(value, str)
                and test.literals[0].low[: len(value)] >= value
            ),
        )
    ),
    "buckets-have-another-hash IRC-SCAN-PLAN-015": _leaving_out(
        _doubt_values("bucket", lambda test, _: test.kind == "eq")
    ),
    "buckets-are-unequal IRC-SCAN-PLAN-015": _leaving_out(
        _doubt_values("bucket", lambda test, _: test.kind == "not-eq")
    ),
    "months-end-where-they-begin IRC-SCAN-PLAN-015": _leaving_out(
        _doubt_values("month", lambda test, _: test.kind == "gt")
    ),
    "years-are-those-of-calendars IRC-SCAN-PLAN-015": _leaving_out(
        _doubt_values("year", lambda test, _: test.kind in {"eq", "gt", "gt-eq"})
    ),
    "days-before-1970-are-lost IRC-SCAN-PLAN-015": _leaving_out(
        _doubt_values("day", lambda _, value: isinstance(value, int) and value < 0)
    ),
    "void-values-are-null IRC-SCAN-PLAN-015": _leaving_out(
        _doubt_values("void", lambda test, _: test.kind != "is-null")
    ),
    "former-specs-have-no-values IRC-SCAN-PLAN-015": _leaving_out(_by_the_last_spec),
}
