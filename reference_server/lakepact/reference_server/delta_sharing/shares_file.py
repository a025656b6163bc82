"""The shares file: the format of the official server, extended by recipients, ids, comments and
access modes.

Errors are reported at the start with their line, and nothing is served.
"""

from __future__ import annotations

import difflib
import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

from lakepact.reference_server.delta_sharing.access.temporary_credentials import (
    read_stores,
    read_token_service,
)
from lakepact.reference_server.delta_sharing.places import Place, read_places
from lakepact.reference_server.delta_sharing.shares import (
    DIRECTORY,
    ROOT,
    URL,
    Recipient,
    Share,
    SharedSchema,
    SharedTable,
    Shares,
    by_name,
    fold,
)

LONGEST_NAME = 255  #: characters, as for all lengths here
LONGEST_COMMENT = 65_536
MOST_PROPERTIES, LONGEST_KEY, LONGEST_VALUE = 50, 255, 1000
FORBIDDEN = re.compile(r"[\x00-\x20/\x7f]")
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")  #: what may stand behind `Bearer `
ENDPOINT = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")
IDS = uuid.UUID(
    "5a9c6a1e-7f0e-5d1c-9a53-3f1b0b6b2d10"
)  #: what ids are derived from where none are given

SHARE = ("name", "schemas", "id", "displayName", "comment", "properties")
SCHEMA = ("name", "tables")
TABLE = (
    "name",
    "location",
    "iceberg",
    "id",
    "historyShared",
    "startVersion",
    "accessModes",
    "auxiliaryLocations",
)
#: the name of the recipient that the setting of this name lets in, to every share
EVERYTHING = "authorization"
RECIPIENT = ("name", "bearerToken", "shares", "expirationTime")
#: Settings of the official server that are options of `lakepact serve`, or that this server has no
#: need of.
UNUSED = (
    "host",
    "port",
    "ssl",
    "deltaTableCacheSize",
    "stalenessAcceptable",
    "requestTimeoutSeconds",
    "evaluateJsonPredicateHintsV2",
)
SETTINGS = (
    "version",
    "shares",
    "recipients",
    "authorization",
    "endpoint",
    "preSignedUrlTimeoutSeconds",
    "temporaryCredentialValiditySeconds",
    "queryTablePageSizeLimit",
    "queryTablePageTokenTtlMs",
    "refreshTokenTtlMs",
    "evaluatePredicateHints",
    "evaluateJsonPredicateHints",
    "temporaryCredentials",
    *UNUSED,
)

HasName = TypeVar("HasName", Share, SharedSchema, SharedTable, Recipient)


def read_shares(file: Path, *, warehouse: Path | None = None) -> Shares:
    """Return the content of a shares file.

    Args:
        file: the file.
        warehouse: the folder of the Iceberg tables on the same server, if any.

    Raises:
        BadShares: the file is invalid.
    """
    top = read_places(file)
    members = top.members(SETTINGS)
    if "version" in members and members["version"].whole_number(1) != 1:
        raise members["version"].wrong("must be 1, the only version of this file that there is")
    if "shares" not in members:
        raise top.wrong("says nothing under `shares`; a server that shares nothing is `shares: []`")
    vending = members.get("temporaryCredentials")
    reader = _Reader(file.parent.resolve(), warehouse, vending)
    share_list = _each(members["shares"], reader.share)
    _ids_differ(members["shares"], share_list)
    shares = by_name(share_list)
    if vending:
        _keys_open_one_table(
            members["shares"],
            [
                table
                for share in share_list
                for schema in share.schemas.values()
                for table in schema.tables.values()
            ],
        )
    recipients = _recipients(top, members, shares)
    if not recipients:
        raise top.wrong(
            "gives no recipient access; add `recipients`, or one bearer token for everything under"
            " `authorization`"
        )

    def number(name: str, default: int, *, unit: int = 1) -> int:
        return max(1, members[name].whole_number(1) // unit) if name in members else default

    def truth(name: str) -> bool:
        return members[name].truth() if name in members else True

    return Shares(
        shares,
        recipients,
        root=_endpoint(members["endpoint"]) if "endpoint" in members else ROOT,
        url_seconds=number("preSignedUrlTimeoutSeconds", 3600),
        credential_seconds=number("temporaryCredentialValiditySeconds", 3600),
        page_seconds=number("queryTablePageTokenTtlMs", 259_200, unit=1000),
        refresh_seconds=number("refreshTokenTtlMs", 3600, unit=1000),
        page_files=number("queryTablePageSizeLimit", 10_000),
        predicate_hints=truth("evaluatePredicateHints"),
        json_predicate_hints=truth("evaluateJsonPredicateHints"),
        token_service=read_token_service(vending) if vending else None,
        unused=tuple(name for name in UNUSED if name in members),
    )


class _Reader:
    """Reads shares, schemas and tables, with the folder that relative locations start from."""

    def __init__(self, here: Path, warehouse: Path | None, vending: Place | None) -> None:
        self._here = here
        self._warehouse = warehouse
        self._stores = read_stores(vending, self.folder) if vending else ()

    def share(self, place: Place) -> Share:
        members = place.members(SHARE)
        name = _name(place, members, "share")
        share_id = _short_text(members["id"], LONGEST_NAME) if "id" in members else _derive_id(name)
        schemas = (
            _each(members["schemas"], lambda p: self.schema(p, name, share_id))
            if "schemas" in members
            else []
        )
        _ids_differ(place, (table for schema in schemas for table in schema.tables.values()))
        return Share(
            name,
            share_id,
            by_name(schemas),
            display_name=_short_text(members["displayName"], LONGEST_NAME)
            if "displayName" in members
            else None,
            comment=_short_text(members["comment"], LONGEST_COMMENT)
            if "comment" in members
            else None,
            properties=_properties(members["properties"]) if "properties" in members else None,
        )

    def schema(self, place: Place, share: str, share_id: str) -> SharedSchema:
        members = place.members(SCHEMA)
        name = _name(place, members, "schema")
        tables = (
            _each(members["tables"], lambda p: self.table(p, (share, name), share_id))
            if "tables" in members
            else []
        )
        return SharedSchema(share, name, by_name(tables))

    def table(self, place: Place, schema: tuple[str, str], share_id: str) -> SharedTable:
        members = place.members(TABLE)
        name = _name(place, members, "table")
        if ("location" in members) == ("iceberg" in members):
            raise place.wrong(
                "must have either a location or, for a table of the Iceberg catalog, the name of it"
                " under `iceberg`"
            )
        iceberg = _iceberg(members["iceberg"]) if "iceberg" in members else ()
        modes = _modes(members["accessModes"]) if "accessModes" in members else ()
        start = members["startVersion"].whole_number(0) if "startVersion" in members else 0
        if start and DIRECTORY in modes:
            raise members["startVersion"].wrong(
                "hides nothing from recipients that read the directory; remove it, or `dir` from"
                " `accessModes`"
            )
        further = members["auxiliaryLocations"].items() if "auxiliaryLocations" in members else []
        if iceberg and self._warehouse is None:
            raise members["iceberg"].wrong(
                "cannot be shared: no Iceberg catalog that keeps its files in a folder is served"
                " beside"
            )
        if iceberg and (DIRECTORY in modes or further):
            raise place.wrong(
                "cannot be read as a directory of Delta files, because it is an Iceberg table;"
                " leave out its access modes"
            )
        roots = (
            (self._warehouse or self._here,)
            if iceberg
            else (self.folder(members["location"]), *map(self.folder, further))
        )
        addresses = [address_of(folder, self._stores) for folder in roots]
        if self._stores and DIRECTORY in modes and None in addresses:
            raise place.wrong(
                "cannot be read as a directory: no folder of `temporaryCredentials.stores` is above"
                " it, so recipients cannot reach it"
            )
        uris = [
            address or folder.as_uri() for address, folder in zip(addresses, roots, strict=True)
        ]
        return SharedTable(
            *schema,
            name,
            share_id,
            _short_text(members["id"], LONGEST_NAME)
            if "id" in members
            else _derive_id(*schema, name),
            roots,
            uris[0],
            history_shared=members["historyShared"].truth()
            if "historyShared" in members
            else False,
            start_version=start,
            access_modes=modes,
            auxiliary_locations=tuple(uris[1:]),
            iceberg=iceberg,
        )

    def folder(self, place: Place) -> Path:
        """Return the folder at a location: a `file:` URI, or a path, which may begin where the
        shares file is.
        """
        location = place.text()
        scheme = SCHEME.match(location)
        if scheme and scheme[1].lower() != "file":
            raise place.wrong(
                f"is on {scheme[1]}:, but this server reads tables from local folders; write a"
                " file: location"
            )
        path = unquote(location[scheme.end() :]) if scheme else location
        if scheme and path.startswith("//"):
            host, slash, rest = path[2:].partition("/")
            if host not in {"", "localhost"}:
                raise place.wrong(
                    f"names the host {host!r}; a file: location has none, write file:///{rest}"
                )
            path = slash + rest
        if scheme and not path.startswith("/"):
            raise place.wrong("is a file: location without a path from the root; write file:///…")
        if "\0" in path:
            raise place.wrong("must not have a zero byte in it")
        if ".." in path.split("/"):
            raise place.wrong("must not have .. in it; write the path without")
        return self._here / path


def _each(place: Place, read: Callable[[Place], HasName]) -> list[HasName]:
    """Return the things of a list, no two with one name."""
    result: dict[str, HasName] = {}
    for item in place.items():
        thing = read(item)
        former = result.setdefault(fold(thing.name), thing)
        if former is not thing:
            raise item.wrong(
                f"is called {thing.name!r}, but {former.name!r} is there already; names that differ"
                " only in case are the same"
            )
    return list(result.values())


def _ids_differ(place: Place, entries: Iterable[Share | SharedTable]) -> None:
    by_id: dict[str, Share | SharedTable] = {}
    for entry in entries:
        first = by_id.setdefault(entry.id, entry)
        if first is not entry:
            raise place.wrong(
                f"gives {first.name!r} and {entry.name!r} the same id; clients know them apart"
                " by it"
            )


def _keys_open_one_table(place: Place, tables: Sequence[SharedTable]) -> None:
    """Check that no table lies in the directory of another one, whose keys would open it too."""
    folders = [
        (table, root.resolve()) for table in tables for root in table.roots if not table.iceberg
    ]
    for table, folder in folders:
        for other, inner in folders if table.by_directory else ():
            if other is not table and folder in inner.parents:
                outside, inside = (f"{one.share}.{one.schema}.{one.name}" for one in (table, other))
                raise place.wrong(
                    f"has tables within tables: the keys of {outside} would open {inside} too;"
                    " leave out its access mode `dir`"
                )


def _name(place: Place, members: Mapping[str, Place], what: str) -> str:
    """Return the name of a share, schema, table or recipient, by the rules of the protocol for
    names.
    """
    if "name" not in members:
        raise place.wrong(f"has no name; every {what} needs one")
    name = members["name"].text()
    if len(name) > LONGEST_NAME:
        raise members["name"].wrong(
            f"must have at most {LONGEST_NAME} characters, but has {len(name)}"
        )
    if match := FORBIDDEN.search(name):
        raise members["name"].wrong(
            f"must be without spaces, slashes and control characters, but {name!r} has {match[0]!r}"
        )
    if what in {"schema", "table"} and "." in name:
        raise members["name"].wrong(
            f"must be without full stops, as it is the name of a {what}, but is {name!r}"
        )
    if name in {".", ".."}:
        raise members["name"].wrong(f"must not be {name!r}: in a path it means another place")
    return name


def _short_text(place: Place, longest: int) -> str:
    text = place.text()
    if len(text) > longest:
        raise place.wrong(f"must have at most {longest} characters, but has {len(text)}")
    return text


def _properties(place: Place) -> Mapping[str, str]:
    properties = place.pairs()
    if len(properties) > MOST_PROPERTIES:
        raise place.wrong(f"must have at most {MOST_PROPERTIES} members, but has {len(properties)}")
    for key, value in properties.items():
        if len(key) > LONGEST_KEY or len(value) > LONGEST_VALUE:
            raise place.wrong(
                f"must have keys of at most {LONGEST_KEY} and values of at most {LONGEST_VALUE}"
                f" characters; {key[:50]!r} has more"
            )
    return properties


def _derive_id(*names: str) -> str:
    """Return an id for what has none in the file: the same as long as its name is."""
    return str(uuid.uuid5(IDS, "/".join(map(fold, names))))


def _modes(place: Place) -> tuple[str, ...]:
    items = place.items()
    for item in items:
        if item.text() not in {URL, DIRECTORY}:
            raise item.wrong(f"must be {URL} or {DIRECTORY}, but is {item.text()!r}")
    modes = tuple(dict.fromkeys(item.text() for item in items))
    if not modes:
        raise place.wrong(
            f"must not be empty; write [{URL}], [{DIRECTORY}] or both, or leave it out, which means"
            f" [{URL}]"
        )
    return modes


def _iceberg(place: Place) -> tuple[str, ...]:
    levels = tuple(place.text().split("."))
    if len(levels) < 2 or not all(levels):
        raise place.wrong(
            "must be a namespace and a table, with full stops between: `sales.europe.orders`"
        )
    return levels


def _endpoint(place: Place) -> str:
    endpoint = "/" + place.text().strip("/")
    if not ENDPOINT.fullmatch(endpoint) or {".", ".."} & set(endpoint.split("/")):
        raise place.wrong(
            "must be a path of letters, digits and . _ ~ - as it stands in a URL, /delta-sharing"
            " for example"
        )
    return endpoint


def _recipients(
    top: Place, members: Mapping[str, Place], shares: Mapping[str, Share]
) -> tuple[Recipient, ...]:
    recipients = (
        _each(members["recipients"], lambda place: _recipient(place, shares))
        if "recipients" in members
        else []
    )
    if "authorization" in members:
        if any(fold(recipient.name) == EVERYTHING for recipient in recipients):
            raise members["authorization"].wrong(
                "is a recipient of its own; call the one of `recipients` something else than"
                f" {EVERYTHING!r}"
            )
        recipients.append(
            Recipient(
                EVERYTHING,
                _token(
                    members["authorization"], members["authorization"].members(("bearerToken",))
                ),
            )
        )
    tokens: dict[str, Recipient] = {}
    for recipient in recipients:
        other = tokens.setdefault(recipient.bearer_token, recipient)
        if other is not recipient:
            raise top.wrong(
                f"gives the recipients {other.name!r} and {recipient.name!r} the same token; give"
                " each its own"
            )
    return tuple(recipients)


def _recipient(place: Place, shares: Mapping[str, Share]) -> Recipient:
    members = place.members(RECIPIENT)
    grants = members["shares"].items() if "shares" in members else None
    for share in grants or ():
        if fold(share.text()) not in shares:
            near = difflib.get_close_matches(
                share.text(), [share.name for share in shares.values()], n=1
            )
            raise share.wrong(
                "names no share of this file:"
                f" {share.text()!r}{f'; did you mean {near[0]!r}?' if near else ''}"
            )
    return Recipient(
        _name(place, members, "recipient"),
        _token(place, members),
        None if grants is None else frozenset(fold(share.text()) for share in grants),
        _time(members["expirationTime"]) if "expirationTime" in members else None,
    )


def _token(place: Place, members: Mapping[str, Place]) -> str:
    if "bearerToken" not in members:
        raise place.wrong("has no bearerToken; `openssl rand -hex 32` makes one")
    token = members["bearerToken"].secret()
    if not TOKEN.fullmatch(token):
        raise members["bearerToken"].wrong(
            "must be of letters, digits and - . _ ~ + / as a bearer token is, perhaps with = at"
            " its end"
        )
    return token


def _time(place: Place) -> datetime:
    try:
        time = datetime.fromisoformat(place.text())
        if time.tzinfo is not None:
            return time.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise place.wrong(
        f"must be a time with its zone, 2027-01-31T00:00:00Z for example, but is {place.text()!r}"
    )


def address_of(folder: Path, stores: Iterable[tuple[Path, str]]) -> str | None:
    """Return the address of a local folder for recipients: below the address of its nearest mapped
    parent folder.
    """
    above = [(store, address) for store, address in stores if folder.is_relative_to(store)]
    if not above:
        return None
    store, address = max(above, key=lambda pair: len(pair[0].parts))
    return "/".join((address.rstrip("/"), *folder.relative_to(store).parts))
