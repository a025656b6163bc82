"""The types of error that a contract names, by operation and status: prose to a parser, so people wrote them down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codegen.documents import Broken, read_yaml
from codegen.passes import operations_of

if TYPE_CHECKING:
    from pathlib import Path

    from codegen.documents import Document
    from codegen.operations import Errors


def errors(path: Path, document: Document) -> Errors:
    """The errors of each operation, in the contract's order.

    Raises:
        Broken: An operation or a status is not the contract's.
    """
    written = read_yaml(path)["errors"] if path.exists() else {}
    statuses = {operation["operationId"]: operation["responses"] for _, _, operation in operations_of(document)}
    unknown = [operation for operation in written if operation not in statuses]
    unknown += [f"{o} {status}" for o, answers in written.items() if o in statuses for status in answers if status not in statuses[o]]
    if unknown:
        raise Broken(f"{path.name} speaks of what the contract does not have: {', '.join(unknown)}")
    return {o: {int(s): tuple(types) for s, types in written[o].items()} for o in statuses if o in written}
