"""Faults of effects: the answer looks right and the effect is wrong, or the other way round."""

from __future__ import annotations

from dataclasses import replace

import orjson

from lakepact.reference_server.faults.operators import Install, Operations, on_call, on_reply
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope, Service
from lakepact.reference_server.iceberg_rest.wiring import CatalogService

PAGE_TOKENS = ("next-page-token", "nextPageToken")


def restore_after(operations: Operations) -> Install:
    """Answer calls as usual, and restore the catalog after each of them.

    Files are not purged, because their table stays.
    """

    def install(service: Service) -> None:
        turn = service.turn
        if (
            not isinstance(service, CatalogService) or turn is None
        ):  # a contract without operations that change anything
            return
        catalogs = service.catalogs

        def act(handler: Handler, arguments: Arguments) -> Reply:
            if "purge_requested" in arguments:
                arguments = {**arguments, "purge_requested": False}
            turn.acquire()
            try:
                before = [(catalog, catalog.records()) for catalog in catalogs]
                reply = handler(**arguments)
                for catalog, records in before:
                    catalog.restore(records)
                return reply
            finally:
                turn.release()

        on_call(operations, act)(service)

    return install


def return_500_after(operations: Operations) -> Install:
    """Carry requests out, and answer with status 500."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        handler(**arguments)
        raise Problem(500, "Fault", "done, and answered with an error by a fault")

    return on_call(operations, act)


def end_after_first_page(operations: Operations) -> Install:
    """End each listing that comes on several pages after its first page."""

    def change(reply: Reply, _: Scope) -> Reply:
        if not (
            200 <= reply.status < 300
            and reply.body
            and any(token.encode() in reply.body for token in PAGE_TOKENS)
        ):
            return reply
        return replace(reply, body=b"\n".join(map(_without_tokens, reply.body.splitlines())))

    return on_reply(operations, change)


def _without_tokens(line: bytes) -> bytes:
    document = orjson.loads(line)
    for holder in (document, *document.values()):
        if isinstance(holder, dict):
            for token in PAGE_TOKENS:
                holder.pop(token, None)
    return orjson.dumps(document)
