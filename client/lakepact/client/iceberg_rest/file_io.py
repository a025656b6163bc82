"""Access of pyiceberg to the files of a table, as far as the caller lets a server choose it."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from io import SEEK_END
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from pyiceberg.io import FileIO, InputFile, load_file_io

from lakepact.client.errors import BadReply, Failure
from lakepact.client.origins import is_metadata
from lakepact.formats.avro import Avro

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

    from pyiceberg.io import InputStream, OutputFile

    from lakepact.client.origins import TrustedOrigins
    from lakepact.formats.limits import Limit

_OPERATION = "loadTable"
#: Properties that name the class of Python which pyiceberg imports and calls, with the classes that
#: a server may choose.
_CLASSES = {
    "py-io-impl": frozenset(
        {"pyiceberg.io.pyarrow.PyArrowFileIO", "pyiceberg.io.fsspec.FsspecFileIO"}
    ),
    "write.py-location-provider.impl": frozenset[str](),
}
_ADLS_SECRETS = ("adls.account-key", "adls.sas-token", "adls.client-secret")
#: Properties that name the host of a store, which gets a token of this machine unless the server
#: names one of these secrets itself.
_HOSTS = {
    "gcs.service.host": ("gcs.oauth2.token",),
    "hf.endpoint": ("hf.token",),
    "adls.account-host": _ADLS_SECRETS,
    "adls.blob-storage-authority": _ADLS_SECRETS,
    "adls.dfs-storage-authority": _ADLS_SECRETS,
}
#: Properties that lead to the signer of requests, which gets the token of the catalog; an endpoint
#: is an address or a path.
_SIGNERS = frozenset(
    {"uri", "s3.signer.uri", "signer.uri", "s3.signer.endpoint", "signer.endpoint"}
)
_ENDS = ("endpoint", "uri", "host", "authority")
#: Settings that say when credentials expire, in milliseconds since 1970.
_EXPIRES = re.compile(
    r"s3\.session-token-expires-at-ms|gcs\.oauth2\.token-expires-at|adls\.sas-token-expires-at-ms.*"
)
#: Milliseconds before their end from which credentials are not used.
_MARGIN = 60_000
#: Files of deletion vectors, the only ones beside Avro that pyiceberg reads at once.
_PUFFIN = b"PFA1"
#: The part of the limit of decoding that a manifest may have: pyiceberg makes objects of all of it.
_MANIFESTS = 8


def file_io(
    properties: Mapping[str, Any],
    location: str,
    origins: TrustedOrigins,
    renew: Callable[[], Mapping[str, Any]] | None = None,
) -> FileIO:
    """Return pyiceberg's access to the files of a table, within what the caller trusts and the
    limits of decoding.

    Args:
        properties: The settings, of the server and of the caller.
        location: A location in the table.
        origins: The origins that the caller trusts, and the values of the caller's settings.
        renew: Returns the settings again, when the credentials in them have expired and another
            file is opened.

    Raises:
        UntrustedOrigin: Credentials of the caller would be sent to another origin.
        BadReply: The server names a class of Python, or an address of cloud metadata.
    """
    foreign = {
        key: value
        for key, value in properties.items()
        if isinstance(value, str) and value not in origins.own
    }
    check_classes(foreign, origins)
    for key, value in foreign.items():
        if key.endswith(_ENDS) and is_metadata(_host(value)):
            raise BadReply(
                Failure(
                    operation=_OPERATION,
                    message=f"the server's property {key!r} is an address of cloud metadata",
                )
            )
        is_host = key in _HOSTS and not any(foreign.get(secret) for secret in _HOSTS[key])
        is_signer = (
            key in _SIGNERS
            and "s3.signer" in properties
            and (key.endswith("uri") or ":" in value.partition("/")[0])
        )
        if is_host or is_signer:
            origins.address(_with_scheme(value), operation=_OPERATION, name=f"the property {key!r}")
    return _TableFileIO(load_file_io(dict(properties), location), location, origins, renew)


def is_expired(properties: Mapping[str, Any]) -> bool:
    """Return whether credentials in the settings have expired, or will within a minute."""
    ends = [
        int(value)
        for name, value in properties.items()
        if _EXPIRES.fullmatch(name) and str(value).isdigit()
    ]
    return any(end - _MARGIN < time.time() * 1000 for end in ends)


def check_classes(properties: Mapping[str, str], origins: TrustedOrigins) -> None:
    """Check that the properties of a server or a table name no class of Python that the caller does
    not name too.

    Raises:
        BadReply: They do: pyiceberg would import and call anything.
    """
    for key, classes in _CLASSES.items():
        value = properties.get(key)
        if value is not None and value not in classes | origins.own:
            message = (
                f"the server chooses the Python code {value[:200]!r} as {key}; if you know it, name"
                f" it too: properties={{{key!r}: …}}"
            )
            raise BadReply(Failure(operation=_OPERATION, message=message))


def _with_scheme(address: str) -> str:
    return address if "://" in address else f"https://{address}"


def _host(address: str) -> str:
    try:
        return urlsplit(_with_scheme(address)).hostname or ""
    except ValueError:
        return ""


class _TableFileIO(FileIO):
    """Opens the files of a table with credentials that have not expired, and those of this machine
    only if the caller trusts them.

    Files that are read at once, as pyiceberg does with manifests, are checked before.
    """

    def __init__(
        self,
        io: FileIO,
        location: str,
        origins: TrustedOrigins,
        renew: Callable[[], Mapping[str, Any]] | None,
    ) -> None:
        super().__init__(io.properties)
        self._io = io
        self._location = location
        self._trusted = origins
        self._renewed = renew

    def _opening(self, location: str) -> FileIO:
        self._trusted.location(location, operation=_OPERATION)
        if self._renewed is not None and is_expired(
            self.properties
        ):  # threads may renew them at once, which costs a request
            self._io = file_io(self._renewed(), self._location, self._trusted)
            self.properties = self._io.properties
        return self._io

    def new_input(self, location: str) -> InputFile:
        return _Input(self._opening(location).new_input(location), self._trusted.decoding)

    def new_output(self, location: str) -> OutputFile:
        return self._opening(location).new_output(location)

    def delete(self, location: str | InputFile | OutputFile) -> None:
        self._opening(location if isinstance(location, str) else location.location).delete(location)


class _Input(InputFile):
    """A file whose streams are within the limit of decoding."""

    def __init__(self, file: InputFile, limit: Limit) -> None:
        super().__init__(file.location)
        self._file, self._limit = file, limit

    def __len__(self) -> int:
        return len(self._file)

    def exists(self) -> bool:
        return self._file.exists()

    def open(self, seekable: bool = True) -> InputStream:  # noqa: FBT001, FBT002 - as pyiceberg
        stream: Any = _Stream(self._file.open(seekable), self._limit)
        return cast("InputStream", stream)


class _Stream:
    """A file of a table; one that is read at once and not Puffin is checked Avro, decompressed."""

    def __init__(self, stream: InputStream, limit: Limit) -> None:
        self._stream, self._limit = stream, limit

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def read(self, size: int | None = None) -> bytes:
        if size is not None and size >= 0:
            return self._stream.read(size)
        end = self._stream.seek(0, SEEK_END)
        self._limit.check(end)
        self._stream.seek(0)
        content = self._stream.read(end)
        if content.startswith(_PUFFIN):
            return content
        limit = replace(self._limit, size=self._limit.size // _MANIFESTS)
        limit.check(end)
        return Avro(content, limit).decompress()
