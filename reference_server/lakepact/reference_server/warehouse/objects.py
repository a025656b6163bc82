"""A warehouse in a bucket: metadata files are objects, written and read with this server's own
keys.
"""

from __future__ import annotations

import contextlib
import functools
import re
from typing import Any
from urllib.parse import unquote, urlsplit

from lakepact.reference_server.warehouse.local import (
    LARGEST_DOCUMENT,
    Outside,
    TooLarge,
    Unreadable,
    Unwritable,
    tidy,
)
from lakepact.reference_server.warehouse.vended_credentials.policies import (
    Unlimited,
    bucket_and_prefix,
)
from lakepact.reference_server.warehouse.vended_credentials.signing import Keys

SCHEME = re.compile(r"^s3[an]?://")
LONGEST_KEY = 1024  #: bytes of the key of an object
SECONDS = 10  #: for which the store is waited for


class ObjectWarehouse:
    """A bucket of a store that speaks S3, or what lies below a prefix of it.

    Args:
        root: where tables go, `s3://bucket/prefix`.
        keys: this server's own; without any, those are used that its environment has.
        region: of the bucket.
        endpoint: address of the store; None for that of AWS.

    Raises:
        Outside: the root is not such a place.
    """

    def __init__(
        self,
        root: str,
        *,
        keys: Keys | None = None,
        region: str | None = None,
        endpoint: str | None = None,
    ) -> None:
        self.root = root.rstrip("/")
        try:
            bucket_and_prefix(f"{self.root}/table")
        except Unlimited as error:
            raise Outside(f"a warehouse in a store lies at s3://bucket/path: {error}") from None
        self._keys, self._region, self._endpoint = keys, region, endpoint

    def check_location(self, location: str) -> None:
        """Refuse a location that is not below the root."""
        self._path(location)

    def write(self, location: str, body: bytes) -> None:
        """Keep a new document; once this returns, it can be read at its location."""
        path = self._path(location)
        if len(path.partition("/")[2].encode()) > LONGEST_KEY:
            raise Unwritable(f"{location[:300]!r} is longer than the key of an object may be")
        with self._store.open_output_stream(path) as stream:
            stream.write(body)

    def read(self, location: str, largest: int = LARGEST_DOCUMENT) -> bytes:
        """Return the document at a location."""
        path = self._path(location)
        try:
            with self._store.open_input_file(path) as file:
                if file.size() > largest:
                    raise TooLarge(f"{location[:300]!r} is larger than {largest} bytes")
                body: bytes = file.read()
        except OSError as error:
            why = "is not there" if isinstance(error, FileNotFoundError) else "cannot be read now"
            raise Unreadable(f"{location[:300]!r} {why}") from None
        return body

    def forget(self, location: str) -> None:
        """Remove one document, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            self._store.delete_file(self._path(location))

    def prepare(self, *locations: str) -> None:
        """Nothing: buckets have no folders."""

    def purge(self, location: str) -> None:
        """Remove everything at a location and below it."""
        with contextlib.suppress(FileNotFoundError):
            self._store.delete_dir(self._path(location))

    def places(self, location: str) -> tuple[str, ...]:
        """Return what a location stands for, however its scheme is spelled."""
        return tuple(
            dict.fromkeys(
                tidy(SCHEME.sub("s3:/", reading)) for reading in (location, unquote(location))
            )
        )

    def _path(self, location: str) -> str:
        # Clients differ in whether they decode a location: what is outside in either reading is
        # outside. So is what the root's scheme is spelled otherwise in: that two locations are one
        # has to be seen from their spelling.
        for reading in {location, unquote(location)}:
            within = reading.removeprefix(f"{self.root}/")
            if within == reading or {"", ".", ".."} & set(within.split("/")) or "\0" in reading:
                raise Outside(
                    f"the location {location[:200]!r} is not below the warehouse {self.root}"
                )
        return SCHEME.sub("", location)

    @functools.cached_property
    def _store(self) -> Any:
        # Only a server with such a warehouse pays for the library.
        from pyarrow import fs  # noqa: PLC0415

        # Small objects are written atomically by a single request.
        options: dict[str, Any] = {
            "request_timeout": SECONDS,
            "connect_timeout": SECONDS,
            "allow_delayed_open": True,
        }
        if self._keys is not None:
            options |= {
                "access_key": self._keys.access_key_id,
                "secret_key": self._keys.secret_access_key,
            }
            options |= (
                {"session_token": self._keys.session_token} if self._keys.session_token else {}
            )
        if self._endpoint is not None:
            parts = urlsplit(self._endpoint)
            options |= {"endpoint_override": parts.netloc, "scheme": parts.scheme}
        return fs.S3FileSystem(region=self._region, **options)
