"""Servers in which the tables of one namespace are in each other's way."""

from __future__ import annotations

from lakepact.generated.iceberg_rest import op
from mutants.iceberg_rest.operators.races import FAILURE, crowded

FAULTS = {"siblings-fail IRC-TBL-CREATE-034": crowded(op.create_table, first=None, others=FAILURE)}
