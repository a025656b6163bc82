"""The operations on tables that most faults act on."""

from __future__ import annotations

CREATE, LIST, LOAD, EXISTS, COMMIT = "createTable", "listTables", "loadTable", "tableExists", "updateTable"
TRANSACT = "commitTransaction"
