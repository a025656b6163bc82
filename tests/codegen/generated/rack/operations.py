# Made by codegen.operations from the contract of rack 2, sha256 07672c7b9d2d18f7. Do not edit: nox -s generate
"""The operations of Rack 2."""

from __future__ import annotations

from lakepact.generated.contract import Answer, Operation, OperationId, Parameter
from lakepact.generated.rack import op

TITLE = "Rack"
VERSION = "2"

OPERATIONS: dict[OperationId, Operation] = {
    op.list_books: Operation(
        id=op.list_books,
        function="list_books",
        method="GET",
        path="/racks/{rack-id}/books",
        parameters=(
            Parameter(name="rack-id", argument="rack_id", where="path", required=True, schema={"type": "string"}),
            Parameter(name="pageToken", argument="page_token", where="query", required=False, schema={"type": ["string", "null"]}),
            Parameter(name="pageSize", argument="page_size", where="query", required=False, schema={"type": "integer", "minimum": 1}),
            Parameter(
                name="order", argument="order", where="query", required=False, schema={"type": "string", "enum": ["title", "author"]}
            ),
            Parameter(name="damaged", argument="damaged", where="query", required=False, schema={"type": "boolean", "default": False}),
            Parameter(
                name="X-Languages",
                argument="x_languages",
                where="header",
                required=False,
                schema={"type": "array", "items": {"type": "string", "enum": ["de", "en"]}},
                many=True,
            ),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=200,
        answers={
            "200": Answer(status="200", schema="Books", media_type="application/json", headers=("etag",)),
            "404": Answer(status="404", schema="Refusal", media_type="application/json", errors=("NoSuchRack",)),
            "5XX": Answer(status="5XX", schema="Refusal", media_type="application/json"),
        },
        tags=("Books",),
    ),
    op.rack_exists: Operation(
        id=op.rack_exists,
        function="rack_exists",
        method="HEAD",
        path="/racks/{rack-id}/books",
        parameters=(Parameter(name="rack-id", argument="rack_id", where="path", required=True, schema={"type": "string"}),),
        body=None,
        body_media_type=None,
        body_required=False,
        success=204,
        answers={"204": Answer(status="204", schema=None, media_type=None), "404": Answer(status="404", schema=None, media_type=None)},
    ),
    op.change_rack: Operation(
        id=op.change_rack,
        function="change_rack",
        method="POST",
        path="/racks/{rack-id}/books",
        parameters=(Parameter(name="rack-id", argument="rack_id", where="path", required=True, schema={"type": "string"}),),
        body="Change",
        body_media_type="application/json",
        body_required=False,
        success=204,
        answers={
            "204": Answer(status="204", schema=None, media_type=None),
            "409": Answer(status="409", schema="Refusal", media_type="application/json", errors=("Conflict",)),
            "5XX": Answer(status="5XX", schema="Refusal", media_type="application/json"),
        },
    ),
    op.read_log: Operation(
        id=op.read_log,
        function="read_log",
        method="GET",
        path="/racks/{rack-id}/log",
        parameters=(
            Parameter(name="rack-id", argument="rack_id", where="path", required=True, schema={"type": "string"}),
            Parameter(name="X-Since", argument="x_since", where="header", required=False, schema={"type": "integer"}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=200,
        answers={
            "200": Answer(status="200", schema="Change", media_type="application/x-ndjson", lines=True),
            "404": Answer(status="404", schema="Refusal", media_type="application/json"),
        },
    ),
    op.get_key: Operation(
        id=op.get_key,
        function="get_key",
        method="POST",
        path="/keys",
        parameters=(),
        body="KeyRequest",
        body_media_type="application/x-www-form-urlencoded",
        body_required=True,
        success=200,
        answers={"200": Answer(status="200", schema="Key", media_type="application/json", also=("application/x-ndjson",))},
        deprecated=True,
    ),
}
