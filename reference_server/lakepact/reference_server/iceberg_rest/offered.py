"""The offered operations of the contract, those that wait for other servers, and the refusals."""

from __future__ import annotations

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.http.problems import Problem

#: Operations that return status 406, because this server does not have what they are about.
NOT_OFFERED = frozenset({op.get_token})

#: Operations whose answers may hold credentials.
WITH_CREDENTIALS = frozenset(
    {op.create_table, op.load_table, op.register_table, op.load_credentials}
)
#: Operations that write files of the warehouse, read them or remove them.
WITH_FILES = frozenset(
    {
        *(
            op.create_table,
            op.register_table,
            op.update_table,
            op.drop_table,
            op.commit_transaction,
        ),
        *(op.create_view, op.register_view, op.replace_view),
    }
)

#: Error types of the contract, or in its manner, for what is refused before an operation sees it.
KINDS = {
    400: "BadRequestException",
    404: "NotFoundException",
    405: "MethodNotAllowedException",
    406: "UnsupportedOperationException",
    413: "PayloadTooLargeException",
    415: "UnsupportedMediaTypeException",
    500: "InternalServerError",
    503: "ServiceUnavailableException",
    507: "InsufficientStorageException",
}

#: Clients write null for what they leave out, although the contract's types do not have it.
NULLABLE = {
    op.create_namespace: frozenset({"properties"}),
    op.update_properties: frozenset({"removals", "updates"}),
    op.create_table: frozenset({"location", "partition-spec", "write-order", "properties"}),
    op.update_table: frozenset({"identifier"}),
    op.create_view: frozenset({"location"}),
    op.replace_view: frozenset({"identifier", "requirements"}),
}


def error_body(problem: Problem) -> bytes:
    """Return a problem in the contract's envelope."""
    return orjson.dumps(
        {"error": {"message": problem.message, "type": problem.kind, "code": problem.status}}
    )
