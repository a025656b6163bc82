"""The compared servers: the reference server, and a minimal ASGI application on the same
catalog.
"""

from __future__ import annotations

import os
import sys
from typing import Any
from urllib.parse import unquote

import orjson
import uvicorn
from scaling import fill

from lakepact.reference_server.app import application, service
from lakepact.reference_server.http.service import Service
from lakepact.reference_server.http.workers import share_the_interpreter
from lakepact.reference_server.running import configure, listening, warehouse_location
from lakepact.reference_server.settings import Settings

JSON = (b"content-type", b"application/json")


def bare(catalog_service: Service) -> Any:
    """Return an ASGI application that calls the catalog's handlers, and checks nothing."""
    load, commit = catalog_service.handlers["loadTable"], catalog_service.handlers["updateTable"]
    create_table, create_namespace = (
        catalog_service.handlers["createTable"],
        catalog_service.handlers["createNamespace"],
    )

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while (event := (await receive())["type"]) != "lifespan.shutdown":
                await send({"type": f"{event}.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        parts = scope["raw_path"].decode().split("/")
        if scope["method"] == "GET":
            body = load(namespace=unquote(parts[3]), table=unquote(parts[5])).body
        else:
            message = await receive()
            raw = message["body"]
            while message.get("more_body"):
                message = await receive()
                raw += message["body"]
            document = orjson.loads(raw)
            if len(parts) == 3:
                body = create_namespace(body=document).body
            elif len(parts) == 5:
                body = create_table(namespace=unquote(parts[3]), body=document).body
            else:
                body = commit(
                    namespace=unquote(parts[3]), table=unquote(parts[5]), body=document
                ).body
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [JSON, (b"content-length", b"%d" % len(body))],
            }
        )
        await send({"type": "http.response.body", "body": body})

    return app


def main() -> None:
    """Serve `bare`, the `router` or the `fast` path on a free port, and print the port.

    Arguments: the kind, the warehouse, the core or a negative number for all, and the number of
    names (see `scaling`).
    """
    kind, place, core, names = sys.argv[1:]
    if int(core) >= 0:
        os.sched_setaffinity(0, {int(core)})
    with warehouse_location(None if place == "files" else place) as warehouse:
        catalog_service = service("iceberg_rest", Settings(warehouse=warehouse))
        if int(names):
            fill(catalog_service, int(names))
        listener, url = listening("127.0.0.1", 0)
        sys.stdout.write(f"{url.rpartition(':')[2]}\n")
        sys.stdout.flush()
        app = bare(catalog_service) if kind == "bare" else application(catalog_service)
        share_the_interpreter()
        uvicorn.Server(configure(app, fast_path=kind == "fast")).run(sockets=[listener])


if __name__ == "__main__":
    main()
