"""The catalog that `SqlCatalog` of pyiceberg keeps in a file of SQLite.

It is read here, since pyiceberg would import whatever class the metadata of a table name.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import orjson
from pydantic import ValidationError

from lakepact.client import Limits
from lakepact.client.decoding import explain
from lakepact.client.origins import FILES, TrustedOrigins
from lakepact.data.catalogs import CannotOpen, CatalogAddress
from lakepact.generated.iceberg_rest import models
from lakepact.generated.wire import WireModel
from lakepact.reach.content_codings import Decoder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCHEME = "sqlite:///"
QUERIES = ("SELECT * FROM iceberg_tables", "SELECT * FROM iceberg_namespace_properties")
VIEW = "VIEW"
ZIPPED = b"\x1f\x8b"
Model = TypeVar("Model", bound=WireModel)


class SqlCatalog:
    """The calls of `IcebergCatalog` that read, over the tables of such a file.

    The file is on this machine, as its tables may be.

    Args:
        address: `sqlite:///` and the path of the file.
        name: The name of the catalog in the file; None for the only one.
        properties: Settings of pyiceberg, which open the files of tables.

    Raises:
        CannotOpen: The file holds no such catalog.
    """

    def __init__(self, address: str, name: str | None, properties: Mapping[str, str]) -> None:
        self.address, self._properties = address, properties
        self.trusted_origins = TrustedOrigins(frozenset({FILES}), frozenset(properties.values()))
        path = Path(address.removeprefix(SCHEME).partition("?")[0]).resolve()
        try:
            uri = f"{path.as_uri()}?mode=ro"
            with contextlib.closing(sqlite3.connect(uri, uri=True)) as file:
                file.row_factory = sqlite3.Row
                tables, namespaces = ([*map(dict, file.execute(query))] for query in QUERIES)
        except sqlite3.Error as wrong:
            raise CannotOpen(f"{path} is no catalog of SQLite: {wrong}") from wrong
        names = {row["catalog_name"] for row in (*tables, *namespaces)}
        if name not in names and not (name is None and len(names) == 1):
            raise CannotOpen(
                f"{path} was expected to hold the catalog {name or 'of one name'}, and holds"
                f" {', '.join(sorted(names)) or 'none'}: describe it in .pyiceberg.yaml by its name"
            )
        name = name or names.pop()
        self._tables = [row for row in tables if row["catalog_name"] == name]
        self._namespaces = [row for row in namespaces if row["catalog_name"] == name]

    @classmethod
    def of(cls, address: CatalogAddress) -> SqlCatalog | None:
        """Return the catalog at an address; None for a catalog of another kind."""
        settings = address.settings()
        uri = settings.get("uri", "")
        name = None if uri == address.address else address.address
        return cls(uri, name, settings) if uri.startswith(SCHEME) else None

    def close(self) -> None:
        """Do nothing: the file is read when it is opened."""

    def properties(self) -> Mapping[str, str]:
        """Return the settings of pyiceberg."""
        return self._properties

    def list_namespaces(self, parent: Sequence[str] | None) -> list[tuple[str, ...]]:
        """Return the namespaces in another one, or the outermost ones."""
        start = tuple(parent or ())
        names = [row["namespace"] for row in self._namespaces]
        names += [row["table_namespace"] for row in self._tables]
        levels = {tuple(name.split("."))[: len(start) + 1] for name in names}
        return sorted(each for each in levels if each[:-1] == start)

    def load_namespace(self, namespace: Sequence[str]) -> models.GetNamespaceResponse:
        """Return a namespace with its properties; `exists` is pyiceberg's mark of one without."""
        properties = {
            row["property_key"]: row["property_value"]
            for row in self._namespaces
            if row["namespace"] == ".".join(namespace) and row["property_key"] != "exists"
        }
        return models.GetNamespaceResponse(namespace=list(namespace), properties=properties)

    def list_tables(self, namespace: Sequence[str]) -> Iterator[models.TableIdentifier]:
        """Yield the tables of a namespace."""
        return self._identifiers(namespace, are_views=False)

    def list_views(self, namespace: Sequence[str]) -> Iterator[models.TableIdentifier]:
        """Yield the views of a namespace, which Iceberg's `JdbcCatalog` writes."""
        return self._identifiers(namespace, are_views=True)

    def load_table(self, name: Sequence[str], **_: object) -> models.LoadTableResult:
        """Return a table with its metadata."""
        return self._load(models.LoadTableResult, name)

    def load_view(self, name: Sequence[str]) -> models.LoadViewResult:
        """Return a view with its metadata."""
        return self._load(models.LoadViewResult, name)

    def _identifiers(
        self, namespace: Sequence[str], *, are_views: bool
    ) -> Iterator[models.TableIdentifier]:
        for row in self._tables:
            is_view = row.get("iceberg_type") == VIEW
            if row["table_namespace"] == ".".join(namespace) and is_view == are_views:
                yield models.TableIdentifier(namespace=list(namespace), name=row["table_name"])

    def _load(self, model: type[Model], name: Sequence[str]) -> Model:
        location = next(
            row["metadata_location"]
            for row in self._tables
            if (row["table_namespace"], row["table_name"]) == (".".join(name[:-1]), name[-1])
        )
        metadata = orjson.loads(self._content(location))
        document = {"metadata-location": location, "metadata": metadata, "config": {}}
        try:
            return model.model_validate(document)
        except ValidationError as invalid:
            raise ValueError(f"{location}: {explain(invalid)}") from None

    def _content(self, location: str) -> bytes:
        """Return the content of a metadata file, within the limit of replies."""
        # Imported here, because pyiceberg is an extra.
        from lakepact.client.iceberg_rest.file_io import file_io  # noqa: PLC0415

        limit, content = Limits().body, bytearray()
        io = file_io(self._properties, location, self.trusted_origins)
        with io.new_input(location).open() as stream:
            raw = stream.read(limit + 1)
        for piece in Decoder("gzip").decode(raw) if raw.startswith(ZIPPED) else (raw,):
            content += piece
            if len(content) > limit:
                raise ValueError(f"{location} has more than {limit} bytes of metadata")
        return bytes(content)
