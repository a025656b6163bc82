# Made by codegen.generate from the contract of shelf 2, sha256 61417d132981829b. Do not edit: nox -s generate
"""The operations that any version of Shelf has, as constants: `op.list_books`."""

from __future__ import annotations

from lakepact.generated.contract import OperationId

list_books = OperationId("listBooks")
shelf_exists = OperationId("shelfExists")
change_shelf = OperationId("changeShelf")
read_log = OperationId("readLog")
get_key = OperationId("getKey")
