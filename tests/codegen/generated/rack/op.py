# Made by codegen.generate from the contract of rack 2, sha256 07672c7b9d2d18f7. Do not edit: nox -s generate
"""The operations that any version of Rack has, as constants: `op.list_books`."""

from __future__ import annotations

from lakepact.generated.contract import OperationId

list_books = OperationId("listBooks")
rack_exists = OperationId("rackExists")
change_rack = OperationId("changeRack")
read_log = OperationId("readLog")
get_key = OperationId("getKey")
