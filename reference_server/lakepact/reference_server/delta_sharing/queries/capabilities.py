"""The capabilities of a client in its header `delta-sharing-capabilities`, and the response format
they select.

Only reader features of the data affect the choice; the layout of the log does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.service import Rules as ServiceRules

PARQUET = "parquet"
DELTA = "delta"
FORMATS = (PARQUET, DELTA)

RESPONSE_FORMAT = "responseformat"
READER_FEATURES = "readerfeatures"
INCLUDE_END_STREAM_ACTION = "includeendstreamaction"
ASYNC_QUERY = "asyncquery"

COLUMN_MAPPING = "columnMapping"
COLUMN_MAPPING_READER = 2  #: the one reader version that means a feature without naming it

#: Reader features that say how the log is written, not how the data is read.
LOG_FEATURES = frozenset({"v2checkpoint", "vacuumprotocolcheck", "catalogmanaged", "catalogowned"})

PREVIEW = "-preview"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities of a client.

    Args:
        formats: the known response formats that it named; `None` if it named none.
        reader_features: the named Delta reader features, in lower case.
        end_stream: whether it requested an endStreamAction.
        async_query: whether a query may run in the background.
    """

    formats: tuple[str, ...] | None = None
    reader_features: frozenset[str] = frozenset()
    end_stream: bool = False
    async_query: bool = False


def read_capabilities(header: str | None) -> Capabilities:
    """Return the capabilities that a header lists; keys and values count in any case, and what is
    not known is passed over.
    """
    if not header:
        return Capabilities()
    by_key: dict[str, list[str]] = {}
    for capability in header.lower().split(";"):
        key, _, values = capability.partition("=")
        by_key.setdefault(key.strip(), []).extend(
            value for text in values.split(",") if (value := text.strip())
        )
    formats = by_key.get(RESPONSE_FORMAT)
    return Capabilities(
        formats=tuple(dict.fromkeys(f for f in formats if f in FORMATS)) if formats else None,
        reader_features=frozenset(by_key.get(READER_FEATURES, ())),
        end_stream=by_key.get(INCLUDE_END_STREAM_ACTION, [])[-1:] == ["true"],
        async_query=by_key.get(ASYNC_QUERY, [])[-1:] == ["true"],
    )


def data_features(protocol: Mapping[str, Any], metadata: Mapping[str, Any]) -> frozenset[str]:
    """Return the features without which a table's data would be misread, spelled as in its
    protocol.

    Writers list features that they never use, so a feature that would show in the schema or in the
    configuration counts only if it does.
    """
    features: Iterable[str] = protocol.get("readerFeatures") or ()
    if protocol.get("minReaderVersion") == COLUMN_MAPPING_READER:
        features = (COLUMN_MAPPING,)
    return frozenset(feature for feature in features if _counts(feature, metadata))


def _counts(feature: str, metadata: Mapping[str, Any]) -> bool:
    name = feature.lower().removesuffix(PREVIEW)
    if name in LOG_FEATURES:
        return False
    shows = _SHOWS.get(name)
    return shows is None or shows(metadata)


def _maps_columns(metadata: Mapping[str, Any]) -> bool:
    configuration: Mapping[str, str] = metadata.get("configuration") or {}
    return configuration.get("delta.columnMapping.mode", "none").lower() != "none"


def _in_schema(word: str) -> Callable[[Mapping[str, Any]], bool]:
    # A column of that very name counts too: then the table is answered in delta format, which is
    # right as well.
    pattern = re.compile(rf'"{re.escape(word)}"')

    def shows(metadata: Mapping[str, Any]) -> bool:
        return pattern.search(metadata["schemaString"]) is not None

    return shows


#: Actions that show the use of a feature; a feature without an entry counts as used if it is
#: listed.
_SHOWS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "columnmapping": _maps_columns,
    "timestampntz": _in_schema("timestamp_ntz"),
    "varianttype": _in_schema("variant"),
    "variantshredding": _in_schema("variant"),
    "typewidening": _in_schema("delta.typeChanges"),
}


def negotiate(capabilities: Capabilities, features: Iterable[str]) -> str:
    """Return the response format for a client and a table whose data needs some features.

    Raises:
        Problem: the client can read nothing in which this table could be sent.
    """
    formats = (PARQUET,) if capabilities.formats is None else capabilities.formats
    if not formats:
        raise Problem(
            400,
            "INVALID_PARAMETER_VALUE",
            f"header delta-sharing-capabilities: responseformat must be {' or '.join(FORMATS)}",
        )
    features = sorted(features)
    if not features:
        return PARQUET if PARQUET in formats else DELTA
    if DELTA not in formats:
        raise Problem(
            400,
            "UNSUPPORTED_OPERATION",
            f"the table uses {', '.join(features)}, which the response format parquet cannot express;"
            " send the header delta-sharing-capabilities:"
            f" responseformat=delta;readerfeatures={','.join(features).lower()}",
        )
    missing = [
        feature for feature in features if not _contains(feature, capabilities.reader_features)
    ]
    if missing:
        raise Problem(
            400,
            "UNSUPPORTED_OPERATION",
            f"the table uses {', '.join(missing)}, which readerfeatures of the header"
            " delta-sharing-capabilities does not list",
        )
    return DELTA


def _contains(feature: str, features: frozenset[str]) -> bool:
    name = feature.lower()
    return name in features or name.removesuffix(PREVIEW) in features


def needs_end(document: dict[str, Any], *, on_request: bool) -> bool:
    """Return whether an answer ends with an endStreamAction: the client asked for one, or something
    that it asked for stands nowhere else.

    Args:
        document: the endStreamAction.
        on_request: whether the client asked for one.
    """
    action = document["endStreamAction"]
    return on_request or "refreshToken" in action or "nextPageToken" in action


def capabilities_header(response_format: str, *, end_stream: bool) -> bytes:
    """Return the header `delta-sharing-capabilities` of an answer, in lower case, which is how
    clients look for it.

    Args:
        response_format: the format of its lines.
        end_stream: whether the client was promised an endStreamAction because it asked for one.
    """
    text = f"{RESPONSE_FORMAT}={response_format}"
    return (f"{text};{INCLUDE_END_STREAM_ACTION}=true" if end_stream else text).encode()


class Rules(ServiceRules):
    """Decisions about capabilities that a fault may replace."""

    read_capabilities = staticmethod(read_capabilities)
    data_features = staticmethod(data_features)
    negotiate = staticmethod(negotiate)
    needs_end = staticmethod(needs_end)
