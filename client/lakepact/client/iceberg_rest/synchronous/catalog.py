# Made by codegen.sync_twin from asynchronous/catalog.py beside this folder. Do not edit: nox -s generate
"""The whole catalog."""

from __future__ import annotations

from typing import Any, Self
from urllib.parse import parse_qsl

from lakepact.client.iceberg_rest.profiles import constructor_arguments, profile_properties
from lakepact.client.iceberg_rest.synchronous.edits import Edits
from lakepact.client.iceberg_rest.synchronous.functions import Functions
from lakepact.client.iceberg_rest.synchronous.inspection import Inspection
from lakepact.client.iceberg_rest.synchronous.namespaces import Namespaces
from lakepact.client.iceberg_rest.synchronous.rows import Rows
from lakepact.client.iceberg_rest.synchronous.scans import Scans
from lakepact.client.iceberg_rest.synchronous.views import Views


class IcebergCatalog(Namespaces, Edits, Rows, Inspection, Scans, Views, Functions):
    """A catalog that implements the Iceberg REST contract.

    Every method makes the calls of one operation of the contract and returns its typed answer;
    every error is one of `lakepact.client.errors`. The first call fetches the catalog's
    configuration, see `config`.

    A namespace is `"sales.emea"` or `("sales", "emea")`; a table or view is `"sales.emea.orders"`,
    `("sales", "emea", "orders")`, `(("sales", "emea"), "orders")` or an item of a listing. Strings
    are split at dots, the parts of tuples are not. Schemas, specs, updates and requirements are
    generated models or plain documents.

    Args:
        address: The address of the catalog, without `/v1`.
        warehouse: The warehouse, if the server has several.
        properties: The caller's configuration; it overrides the server's defaults and is overridden
            by its overrides.
        auth: The authorization of requests.
        trusted_origins: Further origins to which the server's answers may lead requests with
            credentials, such as `https://catalog.example`; `file:` lets them name files of this
            machine, as a catalog at a loopback address may.
        retries: The number and duration of retries.
        timeouts: The time to wait for the network; a number is the longest wait of every kind, in
            seconds.
        limits: The maximum size of replies, and number of connections.
        cache_bytes: The maximum bytes of cached tables; 0 for none. A server that supports ETags
            sends a table again only if it has changed. Every load still sends a request.
        headers: Headers to send with every request to the server.
        verify: The path of a file or folder of certificates to trust, in PEM; or TLS settings. By
            default the files that `SSL_CERT_FILE` and `REQUESTS_CA_BUNDLE` name, then certifi's.
        cert: The path of a certificate to present, with its key, in PEM; or its path, that of the
            key, and perhaps a password.
        proxy: The address of the proxy; `none` for no proxy. By default those that `HTTPS_PROXY`,
            `HTTP_PROXY` and `ALL_PROXY` name.
        http: A client of `httpx` whose connections, proxies and hooks are used; its owner closes
            it.
        sleep: The function that waits between retries.

    Raises:
        ValueError: `address` is not the address of a server, or holds credentials; or another
            argument is invalid.
    """

    @classmethod
    def from_profile(cls, name: str | None = None, **arguments: Any) -> Self:
        """Return the catalog that `.pyiceberg.yaml` and variables such as
        `PYICEBERG_CATALOG__PROD__URI` describe.

        Args:
            name: Its name there; by default that of `default-catalog`, else `default`.
            arguments: Arguments of the class, which win.

        Raises:
            ValueError: It is not described, or as another kind of catalog.
            ImportError: pyiceberg, which reads them, is not installed.
        """
        address, options = constructor_arguments(profile_properties(name))
        return cls(address, **(options | arguments))

    @classmethod
    def from_uri(cls, uri: str, **arguments: Any) -> Self:
        """Return the catalog of a URI such as `https://catalog.example?warehouse=sales`, whose
        query holds the properties of a profile.

        The arguments and errors are those of `from_profile`.
        """
        base, _, query = uri.partition("?")
        address, options = constructor_arguments({**dict(parse_qsl(query)), "uri": base})
        return cls(address, **(options | arguments))
