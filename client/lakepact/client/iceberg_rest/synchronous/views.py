# Made by codegen.sync_twin from asynchronous/views.py beside this folder. Do not edit: nox -s generate
"""Views of a catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.client.errors import NotFound
from lakepact.client.iceberg_rest import bodies
from lakepact.client.iceberg_rest.names import table_identifier
from lakepact.client.iceberg_rest.settings import PREFIX
from lakepact.client.iceberg_rest.synchronous.configured import Configured
from lakepact.client.paging import PAGE_SIZE, Bookmark
from lakepact.generated.iceberg_rest.endpoints import (
    create_view,
    drop_view,
    list_views,
    load_view,
    register_view,
    rename_view,
    replace_view,
    view_exists,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lakepact.client.iceberg_rest.names import Levels, TableName
    from lakepact.client.rows.foreign import AnySchema
    from lakepact.client.several import Several
    from lakepact.generated.iceberg_rest.models import (
        LoadViewResult,
        Schema,
        TableIdentifier,
        ViewRequirement,
        ViewUpdate,
        ViewVersion,
    )


class Views(Configured):
    """A catalog's views, which share their names with its tables."""

    def list_views(
        self, namespace: Levels, *, page_size: int | None = PAGE_SIZE
    ) -> Iterator[TableIdentifier]:
        """Yield every view in a namespace; pages are fetched as they are reached.

        Args:
            namespace: The namespace to look in.
            page_size: Most views that the server should put into one page; None leaves it to the
                server.

        Raises:
            NoSuchNamespace: There is no such namespace.
        """
        config = self._settings()
        within = config.encode_namespace(namespace)
        bookmark = Bookmark("listViews", self._connection.limits)
        while bookmark.token is not None:
            page = self._call(
                list_views.call(
                    prefix=PREFIX, namespace=within, page_token=bookmark.token, page_size=page_size
                )
            )
            yield from page.identifiers or ()
            bookmark.turn(page.next_page_token)

    def create_view(
        self,
        view: TableName,
        schema: Schema | Mapping[str, Any] | AnySchema,
        *,
        version: ViewVersion | Mapping[str, Any],
        location: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> LoadViewResult:
        """Create a view and load it.

        Args:
            view: Its namespace and name.
            schema: The schema of its rows.
            version: Its first version, with a representation per dialect; the server replaces the
                `schema-id`.
            location: The location of its metadata files; by default the server chooses.
            properties: Its properties.

        Raises:
            AlreadyExists: A table or view has that name.
            NoSuchNamespace: The namespace does not exist.
        """
        config = self._settings()
        namespace, name = table_identifier(view)
        body = bodies.create_view(
            name, schema, version=version, location=location, properties=properties
        )
        return self._call(
            create_view.call(prefix=PREFIX, namespace=config.encode_namespace(namespace), body=body)
        )

    def register_view(self, view: TableName, metadata_location: str) -> LoadViewResult:
        """Register an existing metadata file as a view, and load it (1.11.0).

        Args:
            view: Its namespace and name.
            metadata_location: The location of the metadata file.

        Raises:
            AlreadyExists: A table or view has that name.
            NoSuchNamespace: The namespace does not exist.
            OperationNotSupported: The server registers no views.
        """
        config = self._settings()
        namespace, name = table_identifier(view)
        body = bodies.register_view(name, metadata_location)
        return self._call(
            register_view.call(
                prefix=PREFIX, namespace=config.encode_namespace(namespace), body=body
            )
        )

    def load_view(
        self, view: TableName, *, referenced_by: Several[TableName] = ()
    ) -> LoadViewResult:
        """Return the view's metadata.

        Args:
            view: The view.
            referenced_by: The views through which the view is read, the outermost first; servers
                support it from 1.11.0 on.

        Raises:
            NoSuchView: The view does not exist.
        """
        config = self._settings()
        chain = config.encode_view_chain(referenced_by)
        return self._call(load_view.call(**config.view(view), referenced_by=chain))

    def view_exists(self, view: TableName) -> bool:
        """Return whether a view exists; a server without `viewExists` is asked to load it.

        Args:
            view: The view.

        Raises:
            Forbidden: The caller may not see it.
        """
        config = self._settings()
        try:
            if "viewExists" in config.operations:
                self._call(view_exists.call(**config.view(view)))
            else:
                self.load_view(view)
        except NotFound:
            return False
        return True

    def replace_view(
        self,
        view: TableName,
        updates: Sequence[ViewUpdate | Mapping[str, Any]],
        *,
        requirements: Sequence[ViewRequirement | Mapping[str, Any]] = (),
    ) -> LoadViewResult:
        """Apply all of `updates` to a view, or none, if every one of `requirements` holds.

        Like a commit to a table, it is retried only if it has certainly not been applied.

        Args:
            view: The view.
            updates: The updates, applied in this order.
            requirements: The requirements.

        Raises:
            CommitRejected: A requirement does not hold; nothing was changed.
            OutcomeUnknown: The commit may or may not have been applied; load the view to find out.
            NoSuchView: The view does not exist.
        """
        config = self._settings()
        body = bodies.replace_view(view, updates, requirements)
        return self._call(replace_view.call(**config.view(view), body=body))

    def drop_view(self, view: TableName) -> None:
        """Drop a view.

        Args:
            view: The view.

        Raises:
            NoSuchView: There is none of that name; after several tries, an earlier one may have
                dropped it.
        """
        config = self._settings()
        self._call(drop_view.call(**config.view(view)))

    def rename_view(self, source: TableName, destination: TableName) -> None:
        """Rename a view, or move it to another namespace.

        Args:
            source: The view.
            destination: Its new namespace and name.

        Raises:
            NoSuchView: There is no such view.
            NoSuchNamespace: There is no namespace to move it to.
            AlreadyExists: There is a table or view of the new name.
        """
        self._call(rename_view.call(prefix=PREFIX, body=bodies.rename_table(source, destination)))
