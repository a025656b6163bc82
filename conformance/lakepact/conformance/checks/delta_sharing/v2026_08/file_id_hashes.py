"""Checks of the header fileidhash, by which clients select the kind of file ids."""

from __future__ import annotations

from collections.abc import Iterator

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Document,
    NotOffered,
    OperationId,
    Reply,
    SharingLab,
    Wrong,
    expect,
    ndjson,
    op,
    target_tables,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import version_of
from lakepact.conformance.checks.delta_sharing.kit.catalog import ONE_FORMAT
from lakepact.conformance.checks.delta_sharing.kit.table_sampling import by_url
from lakepact.conformance.checks.delta_sharing.v2026_08.suite import check

HASHES = ("parquet", "delta")
SPELLINGS = (*HASHES, "Parquet", "DELTA")
UNKNOWN = ("md5", "parquet,delta")


def _requests(lab: SharingLab) -> Iterator[tuple[OperationId, Document]]:
    """Yield a query, and a request for changes if the target serves them."""
    yield op.query_table, {"body": {"limitHint": 1}, **by_url(lab, 1)[0].address}
    if lab.feature("change-data-feed") and lab.offers(op.query_table_changes):
        subject = target_tables.with_changes(lab)
        yield op.query_table_changes, {"starting_version": subject.last, **subject.table.address}


def _send(
    lab: SharingLab, operation: OperationId, arguments: Document, *, fileidhash: str | None
) -> Reply:
    return lab.send(
        operation, delta_sharing_capabilities=EITHER_FORMAT[1], fileidhash=fileidhash, **arguments
    )


@check("DS-FIH-01", "DS-FIH-02")
def file_id_hashes_are_accepted_and_repeated(lab: SharingLab) -> None:
    """A request with `fileidhash` parquet or delta, in any case, returns 200 with that header in
    lower case; other values return 400.
    """
    for operation, arguments in lab.each(_requests(lab)):
        lab.require(_send(lab, operation, arguments, fileidhash=None), 200)
        replies = [
            (value, _send(lab, operation, arguments, fileidhash=value)) for value in SPELLINGS
        ]
        with lab.judge_each("DS-FIH-01") as case:
            for value, reply in replies:
                with case():
                    expect.status(reply, 200, about=f"for {operation} with fileidhash: {value}")
            for value in UNKNOWN:
                with case(Wrong.VALUE("fileidhash")):
                    reply = _send(lab, operation, arguments, fileidhash=value)
                    expect.status(reply, 400, about=f"for {operation} with fileidhash: {value}")
        with lab.judge_each("DS-FIH-02") as case:
            for value, reply in replies:
                if reply.status == 200:
                    with case():
                        what = f"the header fileidhash of the answer to {operation}:"
                        actual = reply.headers.get("fileidhash")
                        expect.equal(value.lower(), actual, what, at=reply.header("fileidhash"))


@check("DS-FIH-03")
def file_id_hashes_give_one_id_in_both_formats(lab: SharingLab) -> None:
    """With the same `fileidhash`, a file has the same `id` in both formats."""
    is_judged = False
    for table in lab.each(by_url(lab)):
        for value in lab.each(HASHES):
            parquet, delta = (
                lab.send(
                    op.query_table,
                    body={},
                    delta_sharing_capabilities=ONE_FORMAT[form],
                    fileidhash=value,
                    **table.address,
                )
                for form in (ndjson.PARQUET, ndjson.DELTA)
            )
            if (
                parquet.status != 200
                or delta.status != 200
                or version_of(parquet) != version_of(delta)
            ):
                continue
            if (ndjson.form_of(parquet.lines), ndjson.form_of(delta.lines)) != (
                ndjson.PARQUET,
                ndjson.DELTA,
            ):
                continue
            if value not in {parquet.headers.get("fileidhash"), delta.headers.get("fileidhash")}:
                continue  # The target ignores the header, and fails DS-FIH-02.
            is_judged = True
            with lab.judge("DS-FIH-03"):
                parquet_ids, delta_ids = (
                    {str(file.get("id")) for file in ndjson.objects(reply.lines, "file")}
                    for reply in (parquet, delta)
                )
                stray = parquet_ids ^ delta_ids
                expected = f"the same ids of {table.name} in both formats with fileidhash: {value}"
                expect.true(
                    not stray,
                    expected,
                    f"{len(stray)} ids that only one of the two answers has",
                    at=delta.place(),
                )
    if not is_judged:
        raise NotOffered("no table is answered in both formats with a fileidhash")
