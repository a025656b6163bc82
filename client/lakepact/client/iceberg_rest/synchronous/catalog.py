# Made by codegen.sync_twin from asynchronous/catalog.py beside this folder. Do not edit: nox -s generate
"""The whole catalog."""

from __future__ import annotations

from lakepact.client.iceberg_rest.synchronous.namespaces import Namespaces
from lakepact.client.iceberg_rest.synchronous.scans import Scans
from lakepact.client.iceberg_rest.synchronous.tables import Tables
from lakepact.client.iceberg_rest.synchronous.transactions import Transactions
from lakepact.client.iceberg_rest.synchronous.views import Views


class IcebergCatalog(Namespaces, Tables, Scans, Transactions, Views):
    """A catalog that speaks the Iceberg REST contract.

    Every method makes the calls of one operation of the contract and returns its typed answer; whatever goes wrong is one of
    `lakepact.client.errors`. The first call fetches the catalog's configuration, see `config`.

    A namespace is a sequence of levels, `("sales", "emea")`. A string is one level, `"sales"`: dots in it are part of its name.
    What is sent as JSON (schemas, specs, updates, requirements) may be given as generated models or as plain documents.

    Args:
        address: Where the catalog is, without `/v1`.
        warehouse: Which warehouse to ask for, if the server has several.
        properties: Configuration of the caller's own; it goes over the server's defaults and under its overrides.
        auth: How requests are authorized.
        retries: How often and for how long calls are tried.
        timeouts: How long to wait for the network.
        cache_bytes: Most bytes of loaded tables to cache in memory, so that a server that knows ETags sends a table again only when it has
            changed; 0 for none. It is asked at every load all the same.
        carrier: What carries requests in place of the network, an `httpx` transport.
        sleep: What waits between tries.

    Raises:
        ValueError: `address` is not the address of a server, or holds credentials.
    """
