"""The URLs of data files: each grants access to one file until it expires.

    {base}/files/{table}/{file}?expires={milliseconds}&X-Amz-Signature={seal}

The file segment holds the sealed path below the table and never changes. The signature covers the
table and the expiry, and is the same for all files of an answer. Clients cannot forge either, and
most of a URL can be prepared. The parameter is named after the one that clients recognize in
pre-signed URLs.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
import os
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

from lakepact.reference_server.delta_sharing.log.refusals import DamagedLog
from lakepact.reference_server.delta_sharing.shares import SharedTable, Shares, fold
from lakepact.reference_server.http.service import Rules as ServiceRules

SIGNATURE, EXPIRES = "X-Amz-Signature", "expires"
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SEAL = 12  # bytes of the seal of a path
_TO_URL, _FROM_URL = bytes.maketrans(b"+/", b"-_"), bytes.maketrans(b"-_", b"+/")


class Forged(ValueError):
    """A URL was not made by this server."""


class Expired(ValueError):
    """The time of a URL is over."""


@dataclass(frozen=True, slots=True)
class SharedFile:
    """One file that a URL leads to."""

    root: Path  #: the folder that it must lie below, whatever links are on the way
    path: bytes  #: below that folder
    follows_links: bool = True  #: whether it may lie there by a link


class Files:
    """The URLs of data files.

    Args:
        shares: what is shared.
        rules: the decisions about URLs.
    """

    def __init__(self, shares: Shares, rules: Rules) -> None:
        self._secret = secrets.token_bytes(32)  # the key of the seals: URLs end with the server
        self._lasting = shares.url_seconds * 1000
        self._rules = rules
        self._tables = {self._table_key(table): table for table in shares.tables()}
        self._keyers: dict[SharedTable, Callable[[str], str]] = {}

    def until(self) -> int:
        """Return the end of a URL that is made now, in milliseconds since 1970."""
        return time.time_ns() // 1_000_000 + self._lasting

    def address(self, table: SharedTable, base: str) -> str:
        """Return the beginning of the URLs of a table's files, for a caller who used the address
        `base`.
        """
        return f"{base}/files/{self._table_key(table)}/"

    def signature(self, table: SharedTable, expires: int) -> str:
        """Return the query with which the URLs of a table's files hold until `expires`, in
        milliseconds.
        """
        return f"{EXPIRES}={expires}&{SIGNATURE}={self._seal_of(self._table_key(table), expires)}"

    def key(self, table: SharedTable, path: str) -> str:
        """Return the last segment of a file's URL, always the same for the same file.

        Args:
            table: the table whose file it is.
            path: the path as the log spells it: percent-encoded, relative to the table or a `file:`
                URI.

        Raises:
            DamagedLog: the path leads out of the table.
        """
        return self.keyer(table)(path)

    def keyer(self, table: SharedTable) -> Callable[[str], str]:
        """`key` for many files of one table."""
        try:
            return self._keyers[table]
        except KeyError:
            return self._keyers.setdefault(table, self._make_keyer(table))

    def _make_keyer(self, table: SharedTable) -> Callable[[str], str]:
        start = self._path_seal(self._table_key(table))
        encode = binascii.b2a_base64

        def key(path: str) -> str:
            raw = unquote_to_bytes(path) if "%" in path else path.encode("utf-8", "surrogateescape")
            if not raw or raw[0] == 0x2F or ":" in path or b".." in raw or b"\0" in raw:
                raw = _below(table, path, raw)
            seal = start.copy()
            seal.update(raw)
            return (
                encode(seal.digest() + raw, newline=False).translate(_TO_URL).rstrip(b"=").decode()
            )

        return key

    def open(self, table_key: str, file_key: str, query: Mapping[str, str]) -> SharedFile:
        """Return the file that a URL leads to.

        Args:
            table_key: the segment of the table.
            file_key: the segment of the file.
            query: the parameters of the query.

        Raises:
            Forged: this server did not make it.
            Expired: its time is over.
        """
        table = self._tables.get(table_key)
        if table is None:
            raise Forged("the URL leads to no table of this server")
        expires = query.get(EXPIRES, "")
        seal = (
            self._seal_of(table_key, int(expires))
            if expires.isdecimal() and len(expires) < 20
            else ""
        )
        check_signature(seal, query.get(SIGNATURE, ""))
        self._rules.url_holds(int(expires or "0"), time.time_ns() // 1_000_000)
        raw = _decode(file_key)
        start = self._path_seal(table_key)
        start.update(raw[_SEAL:])
        check_path(start.digest(), raw[:_SEAL])
        path = raw[_SEAL:]
        if path.startswith(b"/"):
            number, _, path = path[1:].partition(b"/")
            return SharedFile(table.roots[int(number)], path)
        # The folder of an Iceberg table is the whole warehouse, where a link could lead to another
        # table.
        return SharedFile(table.folder, path, follows_links=not table.iceberg)

    def _table_key(self, table: SharedTable) -> str:
        names = "/".join(map(fold, (table.share, table.schema, table.name)))
        return hashlib.blake2b(
            names.encode(), key=self._secret, digest_size=10, person=b"table"
        ).hexdigest()

    def _path_seal(self, table_key: str) -> hashlib.blake2b:
        return hashlib.blake2b(
            table_key.encode(), key=self._secret, digest_size=_SEAL, person=b"path"
        )

    def _seal_of(self, table_key: str, expires: int) -> str:
        return hashlib.blake2b(
            f"{table_key}/{expires}".encode(), key=self._secret, digest_size=24, person=b"expires"
        ).hexdigest()


def _below(table: SharedTable, path: str, raw: bytes) -> bytes:
    """Return a path below the roots of a table: as it is below the first, `/1/…` below the second.

    Raises:
        DamagedLog: it is not below any.
    """
    text = _last_step(path)
    scheme = SCHEME.match(path)
    if scheme and not scheme[0].lower() == "file:":
        raise DamagedLog(f"the path {text} is not one of a local file")
    if scheme:
        raw = raw[len(scheme[0]) :]
        if raw.startswith(b"//"):
            raw = raw[2:].removeprefix(b"localhost")
        if not raw.startswith(b"/"):
            raise DamagedLog(f"the path {text} names a host")
    if not raw or b"\0" in raw or b".." in raw.split(b"/"):
        raise DamagedLog(f"the path {text} leads out of the table")
    if not raw.startswith(b"/"):
        return raw
    for number, root in enumerate(table.roots):
        for folder in (os.fsencode(root), os.path.realpath(os.fsencode(root))):
            if raw.startswith(folder + b"/") and (inside := raw[len(folder) :].lstrip(b"/")):
                return inside if number == 0 else b"/%d/%s" % (number, inside)
    raise DamagedLog(f"the path {text} leads out of the table")


def _last_step(path: str) -> str:
    """Return a path for a message: of an absolute one, however it is encoded, the last step
    alone.
    """
    plain = unquote(path)
    is_absolute = plain.startswith("/") or SCHEME.match(plain)
    return repr(f"…/{plain.rpartition('/')[2][:200]}" if is_absolute else path[:200])


def _decode(key: str) -> bytes:
    """Return the bytes of a file's segment.

    Raises:
        Forged: it is spelled in another way than this server does.
    """
    text = key.encode("ascii", "replace")
    try:
        raw = binascii.a2b_base64(
            text.translate(_FROM_URL) + b"=" * (-len(text) % 4), strict_mode=True
        )
    except binascii.Error:
        raise Forged("the URL leads to no file of this server") from None
    if binascii.b2a_base64(raw, newline=False).translate(_TO_URL).rstrip(b"=") != text:
        raise Forged("the URL leads to no file of this server")
    return raw


def check_signature(ours: str, theirs: str) -> None:
    """Check the signature of a URL.

    Raises:
        Forged: it does not belong to this table and time.
    """
    if not ours or not hmac.compare_digest(ours.encode(), theirs.encode("utf-8", "replace")):
        raise Forged("the signature is not that of this URL; ask the server for the table again")


def url_holds(expires: int, now: int) -> None:
    """Check the expiry of a URL.

    Raises:
        Expired: it has expired.
    """
    if expires <= now:
        raise Expired("the URL has expired; ask the server for the table again")


def check_path(ours: bytes, theirs: bytes) -> None:
    """Check the sealed path of a URL.

    Raises:
        Forged: this server did not create it.
    """
    if not hmac.compare_digest(ours, theirs):
        raise Forged("the URL leads to no file of this server")


class Rules(ServiceRules):
    """Decisions about URLs that a fault may replace."""

    url_holds = staticmethod(url_holds)
