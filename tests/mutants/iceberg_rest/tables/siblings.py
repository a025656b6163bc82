"""Servers in which the tables of one namespace are in each other's way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.iceberg_rest import op
from mutants.iceberg_rest.operators.races import FAILURE, crowded

if TYPE_CHECKING:
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.replies import Reply


def _met(others: Reply) -> Install:
    return crowded(op.create_table, first=None, others=others)


FAULTS = {
    "siblings-fail IRC-TBL-CREATE-034": _met(FAILURE),
}
