"""The operations on tables that most faults act on."""

from __future__ import annotations

from lakepact.generated.iceberg_rest import op

CREATE, LIST, LOAD, EXISTS, COMMIT = (
    op.create_table,
    op.list_tables,
    op.load_table,
    op.table_exists,
    op.update_table,
)
TRANSACT = op.commit_transaction
