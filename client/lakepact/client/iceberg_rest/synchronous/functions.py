# Made by codegen.sync_twin from asynchronous/functions.py beside this folder. Do not edit: nox -s generate
"""Functions of a catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.client.iceberg_rest.names import table_identifier
from lakepact.client.iceberg_rest.settings import PREFIX
from lakepact.client.iceberg_rest.synchronous.configured import Configured
from lakepact.client.paging import PAGE_SIZE, Bookmark
from lakepact.generated.iceberg_rest.endpoints import list_functions, load_function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.client.iceberg_rest.names import Levels, TableName
    from lakepact.generated.iceberg_rest.models import LoadFunctionResult


class Functions(Configured):
    """A catalog's functions, from 1.12.0 on."""

    def list_functions(
        self, namespace: Levels, *, page_size: int | None = PAGE_SIZE
    ) -> Iterator[tuple[str, ...]]:
        """Yield every function in a namespace as its levels, the name last; pages are fetched as
        they are reached.

        Args:
            namespace: The namespace to look in.
            page_size: Most functions that the server should put into one page; None leaves it to
                the server.

        Raises:
            NoSuchNamespace: There is no such namespace.
            OperationNotSupported: The server has no functions.
        """
        config = self._settings()
        within = config.encode_namespace(namespace)
        bookmark = Bookmark("listFunctions", self._connection.limits)
        while bookmark.token is not None:
            page = self._call(
                list_functions.call(
                    prefix=PREFIX, namespace=within, page_token=bookmark.token, page_size=page_size
                )
            )
            for identifier in page.identifiers or ():
                yield tuple(identifier)
            bookmark.turn(page.next_page_token)

    def load_function(self, function: TableName) -> LoadFunctionResult:
        """Return a function with all of its definitions.

        Args:
            function: Its namespace and name, or an item of a listing.

        Raises:
            NoSuchFunction: There is none of that name.
            NoSuchNamespace: The namespace does not exist.
            OperationNotSupported: The server has no functions.
        """
        config = self._settings()
        namespace, name = table_identifier(function)
        return self._call(
            load_function.call(
                prefix=PREFIX, namespace=config.encode_namespace(namespace), function=name
            )
        )
