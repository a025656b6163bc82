# Made by codegen.sync_twin from asynchronous/namespaces.py beside this folder. Do not edit: nox -s generate
"""Namespaces of a catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.client.errors import AlreadyExists, NotFound
from lakepact.client.iceberg_rest import bodies
from lakepact.client.iceberg_rest.settings import PREFIX
from lakepact.client.iceberg_rest.synchronous.configured import Configured
from lakepact.client.paging import PAGE_SIZE, Bookmark
from lakepact.generated.iceberg_rest.endpoints import (
    create_namespace,
    drop_namespace,
    list_namespaces,
    load_namespace_metadata,
    namespace_exists,
    update_properties,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lakepact.client.iceberg_rest.names import Levels
    from lakepact.client.several import Names
    from lakepact.generated.iceberg_rest.models import (
        CreateNamespaceResponse,
        GetNamespaceResponse,
        UpdateNamespacePropertiesResponse,
    )


class Namespaces(Configured):
    """A catalog's namespaces."""

    def list_namespaces(
        self, parent: Levels | None = None, *, page_size: int | None = PAGE_SIZE
    ) -> Iterator[tuple[str, ...]]:
        """Yield every namespace directly under `parent`, or at the top; pages are fetched as they
        are reached.

        Args:
            parent: The namespace to look in.
            page_size: Most namespaces that the server should put into one page; None leaves it to
                the server.

        Raises:
            NoSuchNamespace: There is no `parent`.
        """
        config = self._settings()
        within = None if parent is None else config.encode_namespace(parent)
        bookmark = Bookmark("listNamespaces", self._connection.limits)
        while bookmark.token is not None:
            page = self._call(
                list_namespaces.call(
                    prefix=PREFIX, page_token=bookmark.token, page_size=page_size, parent=within
                )
            )
            for namespace in page.namespaces or ():
                yield tuple(namespace)
            bookmark.turn(page.next_page_token)

    def create_namespace(
        self,
        namespace: Levels,
        properties: Mapping[str, str] | None = None,
        *,
        exist_ok: bool = False,
    ) -> CreateNamespaceResponse:
        """Create a namespace.

        Args:
            namespace: The namespace.
            properties: Its properties.
            exist_ok: Whether to return an existing one as it is.

        Raises:
            AlreadyExists: There is one of that name.
        """
        try:
            return self._call(
                create_namespace.call(
                    prefix=PREFIX, body=bodies.create_namespace(namespace, properties)
                )
            )
        except AlreadyExists:
            if not exist_ok:
                raise
            try:
                return bodies.existing_namespace(self.load_namespace(namespace))
            except NotFound:
                pass
            raise  # another catalog of the server has it

    def load_namespace(self, namespace: Levels) -> GetNamespaceResponse:
        """Return the namespace with its properties.

        Raises:
            NoSuchNamespace: There is none of that name.
        """
        config = self._settings()
        return self._call(
            load_namespace_metadata.call(
                prefix=PREFIX, namespace=config.encode_namespace(namespace)
            )
        )

    def namespace_exists(self, namespace: Levels) -> bool:
        """Return whether a namespace exists; a server without `namespaceExists` is asked to load
        it.

        Raises:
            Forbidden: The caller may not see it.
        """
        config = self._settings()
        try:
            if "namespaceExists" in config.operations:
                self._call(
                    namespace_exists.call(
                        prefix=PREFIX, namespace=config.encode_namespace(namespace)
                    )
                )
            else:
                self.load_namespace(namespace)
        except NotFound:
            return False
        return True

    def update_namespace_properties(
        self,
        namespace: Levels,
        *,
        updates: Mapping[str, str] | None = None,
        removals: Names = (),
    ) -> UpdateNamespacePropertiesResponse:
        """Set and remove properties of a namespace.

        Args:
            namespace: The namespace.
            updates: Properties to set.
            removals: Names of properties to remove.

        Raises:
            NoSuchNamespace: There is none of that name.
            BadRequest: A property is to be both set and removed.
        """
        config = self._settings()
        body = bodies.update_namespace_properties(updates, removals)
        return self._call(
            update_properties.call(
                prefix=PREFIX, namespace=config.encode_namespace(namespace), body=body
            )
        )

    def drop_namespace(self, namespace: Levels) -> None:
        """Drop an empty namespace.

        Raises:
            NoSuchNamespace: There is none of that name; after several tries, an earlier one may
                have dropped it.
            NotEmpty: It still holds something.
        """
        config = self._settings()
        self._call(drop_namespace.call(prefix=PREFIX, namespace=config.encode_namespace(namespace)))
