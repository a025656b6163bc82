"""The `delta-sharing-capabilities` header of requests and responses, and the features that a reader
must support.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakepact.client.delta_sharing.lines import Format, Protocol

HEADER = "delta-sharing-capabilities"

#: Reader features that change what is read from files, and are read rightly here. This is what a
#: server is told.
READ = ("deletionvectors", "columnmapping", "timestampntz", "typewidening")
#: Reader features that do not concern a reader of listed files, and `varianttype`: only a
#: column of that type needs it.
_HARMLESS = frozenset(
    {
        "typewidening-preview",
        "v2checkpoint",
        "vacuumprotocolcheck",
        "varianttype",
        "varianttype-preview",
    }
)
#: The newest reader versions, by response format.
_NEWEST: dict[Format, int] = {"parquet": 1, "delta": 3}


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Parameters of a query other than those of its data."""

    #: Response formats that will do.
    formats: tuple[Format, ...] = ("delta", "parquet")
    #: Whether the server may run the query in the background.
    background: bool = False

    def header(self) -> str:
        """Return the value of the header of a request."""
        features = f"readerfeatures={','.join(READ)};" if "delta" in self.formats else ""
        background = ";asyncquery=true" if self.background else ""
        return f"responseformat={','.join(self.formats)};{features}includeendstreamaction=true{background}"


def promises_end(header: str | None) -> bool:
    """Return whether the header of a reply promises that the end of the answer is said."""
    return "true" in _values(header, "includeendstreamaction")


def _values(header: str | None, key: str) -> list[str]:
    for part in (header or "").lower().split(";"):
        name, _, values = part.partition("=")
        if name.strip() == key:
            return [value.strip() for value in values.split(",")]
    return []


def unsupported_part(protocol: Protocol) -> str | None:
    """Return an unsupported part of a protocol; None if all of it is supported."""
    if protocol.min_reader_version > _NEWEST[protocol.format]:
        support = f"this client reads up to version {_NEWEST[protocol.format]} of that format"
        return (
            f"the table needs a reader of version {protocol.min_reader_version} in"
            f" {protocol.format} format; {support}"
        )
    unknown = sorted(
        feature
        for feature in protocol.reader_features
        if feature.lower() not in {*READ, *_HARMLESS}
    )
    return f"the table needs a reader that knows {', '.join(unknown)}" if unknown else None
