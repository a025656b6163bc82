"""The header fileidhash of queries and changes, and servers that do not know it."""

from __future__ import annotations

import pytest

from lakepact.client import BadReply

from .serving import PARQUET, Desk, file, ids, lines

KIND = {"query": "file", "changes": "add"}
ASKS = {
    "query": lambda table, **options: table.query(**options),
    "changes": lambda table, **options: table.changes(starting_version=0, **options),
}


@pytest.mark.parametrize("operation", ASKS)
def test_file_id_hash_is_sent_and_its_repetition_accepted(table, operation):
    desk = Desk(
        **{
            operation: lines(
                *PARQUET, file("a", KIND[operation], version=1, timestamp=1), fileidhash="delta"
            )
        }
    )
    listing = ASKS[operation](table(desk), file_id_hash="delta")

    assert ids(listing) == ["a"]
    assert [request.headers.get("fileidhash") for request in desk.requests] == ["delta"]


@pytest.mark.parametrize("headers", [{}, {"fileidhash": "parquet"}])
@pytest.mark.parametrize("operation", ASKS)
def test_file_id_hash_that_is_not_repeated_raises_bad_reply(table, operation, headers):
    """DS-FIH-04."""
    with pytest.raises(BadReply, match="fileidhash: delta"):
        ASKS[operation](
            table(Desk(**{operation: lines(*PARQUET, **headers)})), file_id_hash="delta"
        )


def test_file_id_hash_is_not_sent_unasked(table):
    desk = Desk(query=lines(*PARQUET, file("a")))

    assert ids(table(desk).files()) == ["a"]
    assert [request.headers.get("fileidhash") for request in desk.requests] == [None]
