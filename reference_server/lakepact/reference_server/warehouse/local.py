"""Local warehouses: locations below one or a few roots, and the documents written and read there.

A location is a URI. Clients may choose it, so every location from outside passes `held` first: only
files below a root, for any spelling and after resolving links, are ever written, read or removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")  #: names that stand for themselves in a path
LONGEST_NAME = 80  #: characters of one step of a path; file systems have 255 bytes
LONGEST_STEP, LONGEST_PATH = 255, 3500  #: bytes; the rest is for file names
PRIVATE = ".lakepact"  #: the name of folders that the server keeps for itself
UNUSUAL = re.compile(r"%|\0|/\.\.")  #: in locations that can be read in two ways, or refused
#: How folders are opened to be asked where they are; None where the system cannot be asked.
HANDLE = (
    os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
    if sys.platform == "linux" and Path("/proc/self/fd").is_dir()
    else None
)
DELETED = " (deleted)"  #: what Linux puts behind the path of a folder that is gone
LARGEST_DOCUMENT = 256 * 1024 * 1024


class Outside(ValueError):
    """A location is not in the warehouse; the message says which, and where the warehouse is."""


class Unreadable(ValueError):
    """There is no document at a location."""


class TooLarge(Unreadable):
    """The document at a location is larger than it may be."""


class Unwritable(ValueError):
    """No document can be kept at a location, whoever asks; the message says why."""


class Warehouse(Protocol):
    """Documents at locations below one root."""

    root: str  #: the default location above tables, without a trailing slash

    def check_location(self, location: str) -> None:
        """Refuse a location that is neither below the root nor below another one that is allowed.

        Raises:
            Outside: it is not.
        """
        ...

    def write(self, location: str, body: bytes) -> None:
        """Keep a new document; once this returns, it can be read at its location.

        Raises:
            Unwritable: there can be no document.
        """
        ...

    def read(self, location: str, largest: int = LARGEST_DOCUMENT) -> bytes:
        """Return the document at a location.

        Raises:
            Outside: the location is not in this warehouse.
            TooLarge: the document has more than `largest` bytes.
            Unreadable: there is no document.
        """
        ...

    def forget(self, location: str) -> None:
        """Remove one document, if it is there."""
        ...

    def prepare(self, *locations: str) -> None:
        """Make the folders at some locations, for those who write there without making any."""
        ...

    def purge(self, location: str) -> None:
        """Remove everything at a location and below it; nothing is removed through a link."""
        ...

    def places(self, location: str) -> tuple[str, ...]:
        """Return what a location stands for, the same for all its spellings.

        Compare places, never locations, with `inside` and `overlap`. The first place is where
        documents are kept. A second place is where clients look that percent-decode the location.
        Any text has places, also one that `held` refuses.
        """
        ...


def warehouse(location: str, *, allowed: Iterable[str] = ()) -> Warehouse:
    """Return the warehouse at a location: `memory:`, a `file:` URI or the path of a folder, which
    is made if it does not exist.

    Args:
        location: where tables go.
        allowed: folders below which tables may go too, if their creators say so.

    Raises:
        Outside: a location has another scheme.
    """
    if location.rstrip("/") == "memory:" or location.startswith("memory:/"):
        return MemoryWarehouse(location.rstrip("/"))
    return FileWarehouse(
        local(location), allowed=[local(other) for other in allowed], scheme=_scheme(location)
    )


def _scheme(location: str) -> str:
    """Return the scheme for locations below a folder: `file:` if it is given so, as Hadoop writes
    it, and otherwise `file://`.
    """
    return (
        "file:"
        if location.startswith("file:/") and not location.startswith("file://")
        else "file://"
    )


def below(root: str, names: Iterable[str]) -> str:
    """Return the location of names below a root; names that a path cannot hold are spelled in other
    letters, different ones differently.
    """
    return "/".join([root.rstrip("/"), *map(_step, names)])


def inside(place: str, other: str) -> bool:
    """Return whether a place is another place or lies below it; see `Warehouse.places`."""
    return f"{place}/".startswith(f"{other}/")


def overlap(place: str, other: str) -> bool:
    """Return whether one of two places lies inside the other; see `Warehouse.places`."""
    return inside(place, other) or inside(other, place)


def tidy(location: str) -> str:
    """Return a location without empty segments, `.` segments and trailing slashes."""
    if "//" not in location and "/." not in location and not location.endswith("/"):
        return location
    first, *rest = location.split("/")
    return "/".join([first, *(step for step in rest if step not in {"", "."})])


def _step(name: str) -> str:
    if PLAIN.fullmatch(name) and len(name) <= LONGEST_NAME:
        return name
    text = "".join(
        c
        if c.isascii() and (c.isalnum() or c in "_-")
        else "".join(f"~{byte:02x}" for byte in c.encode())
        for c in name
    )
    if len(text) <= LONGEST_NAME:
        return text
    return (
        f"{text[: LONGEST_NAME - 33]}~{hashlib.blake2b(name.encode(), digest_size=16).hexdigest()}"
    )


def local(location: str) -> str:
    """Return the path of a `file:` URI, or a path that is given as such.

    Raises:
        Outside: it is neither.
    """
    if location.startswith("file:///"):
        return location.removeprefix("file://")
    parts = urlsplit(location)
    if parts.scheme not in {"file", ""}:
        raise Outside(
            f"{location[:200]!r} is not a file: location; this server keeps tables in a local"
            " folder or in memory"
        )
    if parts.netloc not in {"", "localhost"}:
        raise Outside(
            f"{location[:200]!r} names the host {parts.netloc[:100]!r}; a file: location has none"
        )
    # Nothing of a path is cut off: ? and # are letters of it.
    return (
        location.removeprefix("file:").removeprefix("//").removeprefix("localhost")
        if parts.scheme
        else location
    )


_IS_PRIVATE = f"{os.sep}{PRIVATE}{os.sep}"


class FileWarehouse:
    """A folder of the local file system, and others that files may lie in too."""

    def __init__(
        self, folder: str | Path, *, allowed: Iterable[str | Path] = (), scheme: str = "file://"
    ) -> None:
        own = Path(folder).expanduser().resolve()
        own.mkdir(parents=True, exist_ok=True)
        self.root = f"{scheme}{own}"
        folders = (own, *(Path(other).expanduser().resolve() for other in allowed))
        self._within = tuple(f"{folder}{os.sep}" for folder in folders)
        self._plain = f"{self.root}{os.sep}"

    def check_location(self, location: str) -> None:
        """Refuse a location that is not below the root."""
        self._path(location)

    def write(self, location: str, body: bytes) -> None:
        """Keep a new document; once this returns, it can be read at its location."""
        if self._write_fast(location, body):
            return
        path = self._path(location)
        try:
            try:
                _fill(path, body)
            except FileNotFoundError:
                _make(path.parent)
                _fill(path, body)
        except (IsADirectoryError, NotADirectoryError) as error:
            raise Unwritable(f"{location[:300]!r}: {error.strerror}") from None
        except OSError:
            path.unlink(missing_ok=True)
            raise

    def read(self, location: str, largest: int = LARGEST_DOCUMENT) -> bytes:
        """Return the document at a location."""
        path = self._path(location)
        try:
            about = path.stat()
            if not stat.S_ISREG(about.st_mode):
                raise Unreadable(f"{location[:300]!r} is not a file")
            if about.st_size > largest:
                raise TooLarge(f"{location[:300]!r} is larger than {largest} bytes")
            return path.read_bytes()
        except OSError as error:
            raise Unreadable(f"{location[:300]!r} cannot be read: {error.strerror}") from None

    def forget(self, location: str) -> None:
        """Remove one document, if it is there."""
        self._path(location).unlink(missing_ok=True)

    def prepare(self, *locations: str) -> None:
        """Make the folders at some locations."""
        for location in locations:
            _make(self._path(location))

    def purge(self, location: str) -> None:
        """Remove everything at a location and below it; nothing is removed through a link."""
        path = tidy(str(self._path(location)))
        real = os.path.realpath(path)
        within = next((folder for folder in self._within if real.startswith(folder)), None)
        if within is None:
            raise self._outside(location)
        steps = real.removeprefix(within)
        if f"{os.path.realpath(path.removesuffix(steps))}{os.sep}" == within and path.endswith(
            f"{os.sep}{steps}"
        ):
            _remove(*os.path.split(real))

    def places(self, location: str) -> tuple[str, ...]:
        """Return the paths that a location stands for, without links."""
        try:
            path = local(location)
        except Outside:
            return (tidy(location),)
        if "%" not in path:
            return (_real(path),)
        return tuple(dict.fromkeys(map(_real, (path, unquote(path)))))

    def _write_fast(self, location: str, body: bytes) -> bool:
        """Write a document on the fast path of nearly every commit: below the root, into an
        existing folder.

        The folder is opened first and its real path is checked then, so that a link cannot be
        swapped in between. Returns False for everything unusual, which takes the slow path.
        """
        if (
            HANDLE is None
            or not location.startswith(self._plain)
            or not location.isascii()
            or UNUSUAL.search(location)
        ):
            return False
        folder, _, name = location.removeprefix("file:").removeprefix("//").rpartition("/")
        if not name or len(folder) + len(name) >= LONGEST_PATH:
            return False
        try:
            handle = os.open(folder, HANDLE)
            try:
                real = f"{os.readlink(f'/proc/self/fd/{handle}')}/{name}"  # noqa: PTH115 - each commit does this
                if not real.startswith(self._within) or _IS_PRIVATE in f"{real}/":
                    return False
                _fill(name, body, os.O_NOFOLLOW, handle)
            finally:
                os.close(handle)
        except OSError:
            return False
        return True

    def _path(self, location: str) -> Path:
        path = local(location)
        # Clients differ in whether they decode a URI: what is outside in either reading is outside.
        for reading in {path, unquote(path)}:
            if not reading.startswith("/") or "\0" in reading or ".." in reading.split("/"):
                raise self._outside(location)
            if len(os.fsencode(reading)) > LONGEST_PATH or any(
                len(os.fsencode(step)) > LONGEST_STEP for step in reading.split("/")
            ):
                raise Outside(
                    f"the location {location[:200]!r} is longer than a file system allows"
                )
            real = os.path.realpath(reading)
            if not real.startswith(self._within) or _IS_PRIVATE in f"{real}/":
                raise self._outside(location)
        return Path(path)

    def _outside(self, location: str) -> Outside:
        others = "".join(f" or {folder.rstrip(os.sep)}" for folder in self._within[1:])
        return Outside(
            f"the location {location[:200]!r} is not below the warehouse {self.root}{others}"
        )


def _real(path: str) -> str:
    """Return a path without links; what is no absolute path names no folder here, and stays as it
    is spelled.
    """
    if not path.startswith(os.sep) or "\0" in path:
        return tidy(path)
    # The system says it of a folder that exists at once, and realpath looks at every folder on the
    # way.
    with contextlib.suppress(OSError):
        real = _folder_of(path)
        if real is not None and not real.endswith(DELETED):
            return real.rstrip(os.sep)
    return os.path.realpath(path).rstrip(os.sep)


def _folder_of(path: str) -> str | None:
    """Return where a folder is; None where the system cannot be asked."""
    if HANDLE is None:
        return None
    handle = os.open(path, HANDLE)
    try:
        return os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115 - a handle is asked, not a path
    finally:
        os.close(handle)


def _remove(folder: str, name: str) -> None:
    """Remove a folder from an opened parent folder, so that a link cannot be swapped in between."""
    if HANDLE is None:
        shutil.rmtree(Path(folder, name), ignore_errors=True)
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, HANDLE)
        try:
            if os.readlink(f"/proc/self/fd/{handle}") == folder:  # noqa: PTH115 - a handle is asked, not a path
                shutil.rmtree(name, ignore_errors=True, dir_fd=handle)
        finally:
            os.close(handle)


def _fill(path: str | Path, body: bytes, flags: int = 0, folder: int | None = None) -> None:
    # Each commit writes a file; Path.write_bytes takes three times as long.
    descriptor = os.open(
        path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | flags, 0o666, dir_fd=folder
    )
    try:
        rest = memoryview(body)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise Unwritable(
            f"the folder {str(folder)[:300]!r} cannot be made: {error.strerror}"
        ) from None


class MemoryWarehouse:
    """Documents in memory, for tests and for speed; only the server itself can write here."""

    def __init__(self, root: str = "memory:") -> None:
        self.root = root
        self._within = f"{tidy(root)}/"
        self._documents: dict[str, bytes] = {}  # by place

    def check_location(self, location: str) -> None:
        """Refuse a location that is not below the root."""
        if ".." in unquote(location).split("/") or not all(
            place.startswith(self._within) for place in self.places(location)
        ):
            raise Outside(f"the location {location[:200]!r} is not below the warehouse {self.root}")

    def write(self, location: str, body: bytes) -> None:
        """Keep a new document."""
        self._documents[tidy(location)] = body

    def read(self, location: str, largest: int = LARGEST_DOCUMENT) -> bytes:
        """Return the document at a location."""
        self.check_location(location)
        document = self._documents.get(tidy(location))
        if document is None:
            raise Unreadable(f"there is no document at {location[:300]!r}")
        if len(document) > largest:
            raise TooLarge(f"{location[:300]!r} is larger than {largest} bytes")
        return document

    def forget(self, location: str) -> None:
        """Remove one document, if it is there."""
        self._documents.pop(tidy(location), None)

    def prepare(self, *locations: str) -> None:
        """Nothing: memory has no folders."""

    def purge(self, location: str) -> None:
        """Remove everything at a location and below it."""
        place = tidy(location)
        for each in [document for document in self._documents if inside(document, place)]:
            del self._documents[each]

    def places(self, location: str) -> tuple[str, ...]:
        """Return what a location stands for, without empty segments."""
        if "%" not in location:
            return (tidy(location),)
        return tuple(dict.fromkeys(map(tidy, (location, unquote(location)))))
