"""Access of pyiceberg to the files of a table, as far as the caller lets a server choose it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pyiceberg.io import FileIO, load_file_io

from lakepact.client.errors import BadReply, Failure
from lakepact.client.origins import FILES, is_metadata

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyiceberg.io import InputFile, OutputFile

    from lakepact.client.origins import TrustedOrigins

_OPERATION = "loadTable"
#: Properties that name the class of Python which pyiceberg imports and calls, with the classes that a server may choose.
_CLASSES = {
    "py-io-impl": frozenset({"pyiceberg.io.pyarrow.PyArrowFileIO", "pyiceberg.io.fsspec.FsspecFileIO"}),
    "write.py-location-provider.impl": frozenset[str](),
}
_ADLS_SECRETS = ("adls.account-key", "adls.sas-token", "adls.client-secret")
#: Properties that name the host of a store, which gets a token of this machine unless the server names one of these secrets itself.
_HOSTS = {
    "gcs.service.host": ("gcs.oauth2.token",),
    "hf.endpoint": ("hf.token",),
    "adls.account-host": _ADLS_SECRETS,
    "adls.blob-storage-authority": _ADLS_SECRETS,
    "adls.dfs-storage-authority": _ADLS_SECRETS,
}
#: Properties that lead to the signer of requests, which gets the token of the catalog; an endpoint is an address or a path.
_SIGNERS = frozenset({"uri", "s3.signer.uri", "signer.uri", "s3.signer.endpoint", "signer.endpoint"})
_ENDS = ("endpoint", "uri", "host", "authority")


def file_io(properties: Mapping[str, Any], location: str, trusted: TrustedOrigins) -> FileIO:
    """Return pyiceberg's access to the files of a table; it opens files of this machine only if the caller trusts them.

    Args:
        properties: The settings, of the server and of the caller.
        location: A location in the table.
        trusted: The origins that the caller trusts, and the values of the caller's settings.

    Raises:
        UntrustedOrigin: Credentials of the caller would be sent to another origin.
        BadReply: The server names a class of Python, or an address of cloud metadata.
    """
    named = {key: value for key, value in properties.items() if isinstance(value, str) and value not in trusted.own}
    check_classes(named, trusted)
    for key, value in named.items():
        if key.endswith(_ENDS) and is_metadata(_host(value)):
            raise BadReply(Failure(operation=_OPERATION, message=f"the server's property {key!r} is an address of cloud metadata"))
        is_host = key in _HOSTS and not any(named.get(secret) for secret in _HOSTS[key])
        is_signer = key in _SIGNERS and "s3.signer" in properties and (key.endswith("uri") or ":" in value.partition("/")[0])
        if is_host or is_signer:
            trusted.address(_with_scheme(value), operation=_OPERATION, name=f"the property {key!r}")
    found = load_file_io(dict(properties), location)
    return found if FILES in trusted.origins else _RemoteFileIO(found, trusted)


def check_classes(properties: Mapping[str, str], trusted: TrustedOrigins) -> None:
    """Check that the properties of a server or a table name no class of Python that the caller does not name too.

    Raises:
        BadReply: They do: pyiceberg would import and call anything.
    """
    for key, allowed in _CLASSES.items():
        value = properties.get(key)
        if value is not None and value not in allowed | trusted.own:
            message = f"the server chooses the Python code {value[:200]!r} as {key}; if you know it, name it too: properties={{{key!r}: …}}"
            raise BadReply(Failure(operation=_OPERATION, message=message))


def _with_scheme(address: str) -> str:
    return address if "://" in address else f"https://{address}"


def _host(address: str) -> str:
    try:
        return urlsplit(_with_scheme(address)).hostname or ""
    except ValueError:
        return ""


class _RemoteFileIO(FileIO):
    """Opens the files of a table, except those of this machine."""

    def __init__(self, io: FileIO, trusted: TrustedOrigins) -> None:
        super().__init__(io.properties)
        self._io = io
        self._trusted = trusted

    def _checked(self, location: str) -> str:
        return self._trusted.location(location, operation=_OPERATION)

    def new_input(self, location: str) -> InputFile:
        return self._io.new_input(self._checked(location))

    def new_output(self, location: str) -> OutputFile:
        return self._io.new_output(self._checked(location))

    def delete(self, location: str | InputFile | OutputFile) -> None:
        self._checked(location if isinstance(location, str) else location.location)
        self._io.delete(location)
