"""Handling of the lines of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.clients.delta_sharing.lab import ROWS, same_rows
from lakepact.conformance.clients.delta_sharing.scripts import CAPABILITIES, in_lines, with_capabilities
from lakepact.conformance.clients.delta_sharing.suite import check
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.judging import expect
from lakepact.generated.delta_sharing import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.delta_sharing.lab import SharingClientLab
    from lakepact.conformance.clients.lab import Performance
    from lakepact.generated.contract import OperationId

    Line = dict[str, Any]

END = "endStreamAction"
WITH_END = "includeEndStreamAction=true"
FUTURE = 99  #: a version that no client of today can know
UNKNOWN = {"lakepactUnknown": {"of": ["a", "later", "version"]}}
QUERY = op.query_table
CHANGED = "changes"  #: a table with a change data feed
DELTA_FORMAT = ("responseformat", "delta", op.get_table_metadata, QUERY)
DELTA = "responseformat=delta;readerfeatures=deletionvectors,columnmapping,timestampntz,v2checkpoint"


def _inside(lines: list[Line], kind: str, change: dict[str, Any]) -> list[Line]:
    """Return the lines with other members in those of one kind; in delta format, in what they wrap."""
    wrapped = {"protocol": "deltaProtocol", "metaData": "deltaMetadata"}.get(kind, "")
    changed = []
    for line in lines:
        inner = line.get(kind)
        if isinstance(inner, dict):
            inner = {**inner, wrapped: {**inner[wrapped], **change}} if wrapped in inner else {**inner, **change}
            changed.append({**line, kind: inner})
        else:
            changed.append(line)
    return changed


def _all_unknown(lines: list[Line]) -> list[Line]:
    for kind in ("protocol", "metaData", "file", END):
        lines = _inside(lines, kind, UNKNOWN)
    return [{kind: {**inner, **UNKNOWN} if isinstance(inner, dict) else inner for kind, inner in line.items()} for line in lines]


def asks_for(done: Performance, capability: str, value: str, *operations: OperationId) -> bool:
    """Return whether the client sent a capability with this value in requests of some operations."""
    sent = [v for exchange in done.of(*operations) for name, v in exchange.request_headers if name.lower() == CAPABILITIES]
    pairs = [part.partition("=") for part in ";".join(sent).lower().split(";")]
    return any(name.strip() == capability and value in [v.strip() for v in values.split(",")] for name, _, values in pairs)


@check("DS-PRO-03")
def unknown_members(lab: SharingClientLab) -> None:
    """A client reads exactly the rows of a table whose lines have unknown members."""
    table, rows = lab.reads()
    with lab.judge("DS-PRO-03"):
        same_rows(
            lab.performs("read-table", in_lines(_all_unknown), table=table).ended, rows, "where lines have members of a later version"
        )


@check("DS-PRO-02")
def unknown_reader_versions(lab: SharingClientLab) -> None:
    """A client reports an error for a table with an unknown `minReaderVersion`."""
    table, _ = lab.reads()
    script = in_lines(lambda lines: _inside(lines, "protocol", {"minReaderVersion": FUTURE}))
    with lab.judge("DS-PRO-02"):
        lab.performs("read-table", script, table=table).is_refused(f"minReaderVersion is {FUTURE}")


@check("DS-EST-05")
def error_lines_at_the_end(lab: SharingClientLab) -> None:
    """A client reports an error for a response whose endStreamAction has an `errorMessage`."""
    table, _ = lab.reads()

    def fails(lines: list[Line]) -> list[Line]:
        return [*(line for line in lines if END not in line), {END: {"errorMessage": "the rest could not be read"}}]

    changed = lab.pack.tables[CHANGED]
    bounds: dict[str, Any] = {"table": lab.address(CHANGED), "starting-version": 0, "ending-version": changed.last.version}
    changes = lab.tries("read-changes", in_lines(fails, op.query_table_changes, capabilities=WITH_END), **bounds)
    with lab.judge_each("DS-EST-05") as case:
        with case():
            done = lab.performs("read-table", in_lines(fails, QUERY, capabilities=WITH_END), table=table)
            done.is_refused(f"the {END} of the answer has an errorMessage")
        if changes is not None:
            with case():
                changes.is_refused(f"the {END} of the changes has an errorMessage")


@check("DS-ESA-05", "DS-ESA-06")
def missing_end_stream_actions(lab: SharingClientLab) -> None:
    """A client reports an error if a declared endStreamAction is missing; a client that did not request it reads without it."""
    table, rows = lab.reads()
    plain = lab.performs("read-table", table=table)
    if not asks_for(plain, "includeendstreamaction", "true", QUERY):
        lab.skip("DS-ESA-05", f"the client does not ask for an {END}")
        with lab.judge("DS-ESA-06"):
            same_rows(plain.ended, rows, f"without an {END}, which the client did not ask for")
        return
    lab.skip("DS-ESA-06", f"the client asks for an {END}")

    def cut(lines: list[Line]) -> list[Line]:
        return [line for line in lines if END not in line][:-1]

    with lab.judge("DS-ESA-05"):
        done = lab.performs("read-table", in_lines(cut, QUERY, capabilities=WITH_END), table=table)
        done.is_refused(f"the answer declares {WITH_END} and has no {END}")


@check("DS-CAP-08")
def parquet_format_instead_of_delta(lab: SharingClientLab) -> None:
    """A client that requested delta format and gets parquet format reads exactly the rows of the table."""
    table, rows = lab.reads()
    if not asks_for(lab.performs("read-table", table=table), *DELTA_FORMAT):
        raise NotOffered("the client does not ask for delta format")
    with lab.judge("DS-CAP-08"):
        same_rows(
            lab.performs("read-table", with_capabilities("responseformat=parquet"), table=table).ended,
            rows,
            "where the answer is in parquet format",
        )


@check("DS-CAP-09")
def delta_format_instead_of_parquet(lab: SharingClientLab) -> None:
    """A client that did not request delta format and gets it reports an error."""
    table, _ = lab.reads()
    if asks_for(lab.performs("read-table", table=table), *DELTA_FORMAT):
        raise NotOffered("the client asks for delta format")
    with lab.judge("DS-CAP-09"):
        lab.performs("read-table", with_capabilities(DELTA), table=table).is_refused(
            "the answer is in delta format, which the client did not ask for"
        )


@check("DS-CLI-14")
def metadata_formats(lab: SharingClientLab) -> None:
    """A client returns the columns of metadata in parquet format, and in delta format if it requested that."""
    fixture = lab.pack.tables[ROWS]
    table, columns = lab.address(ROWS), [field["name"] for field in fixture.last.schema["fields"]]
    plain = lab.performs("read-metadata", table=table)
    has_delta = asks_for(plain, "responseformat", "delta", op.get_table_metadata)
    with lab.judge_each("DS-CLI-14") as case:
        for answered in ("responseformat=parquet", *([DELTA] if has_delta else [])):
            with case():
                done = lab.performs("read-metadata", with_capabilities(answered), table=table)
                expect.equal(columns, done.result, f"columns of metadata in {answered.partition(';')[0]}:", at=None)
