"""The file of `lakepact serve --record`: every exchange as a line of JSON, without secrets."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable
from typing import IO, Any
from urllib.parse import parse_qsl, urlencode

REDACTED = "<redacted>"
SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"}
)
#: Names of members, parameters and properties whose values are secret.
SECRET = re.compile(
    r"^token$|_token$|(?<!page)[-.]token$|bearertoken|secret|password|credential$|access-?key-?id|sas-?token|signature|sig$",
    re.IGNORECASE,
)
MOST = 1_048_576  #: bytes of a body that are recorded
FORM = "application/x-www-form-urlencoded"

Headers = list[tuple[str, str]]


class Recorder:
    """Writes exchanges.

    Args:
        file: a text file that is open for writing.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._lock = threading.Lock()

    def write(self, exchange: dict[str, Any]) -> None:
        """Write an exchange as a line."""
        line = json.dumps(exchange)
        with self._lock:
            self._file.write(line + "\n")
            self._file.flush()


def redact_headers(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return headers without secrets."""
    texts = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)
    return [(name, REDACTED if name.lower() in SECRET_HEADERS else value) for name, value in texts]


def redact_query(query: str) -> str:
    """Return a query without secrets."""
    pairs = parse_qsl(query, keep_blank_values=True)
    return (
        urlencode([(name, REDACTED if SECRET.search(name) else value) for name, value in pairs])
        if any(SECRET.search(n) for n, _ in pairs)
        else query
    )


def redact_body(body: bytes, content_type: str) -> Any:
    """Return a body without secrets: JSON as a value, several lines of JSON as an array, a form as
    an object, others as text.
    """
    if len(body) > MOST:
        return f"{len(body)} bytes"
    text = body.decode("utf-8", "replace")
    if content_type.startswith(FORM):
        return {
            name: REDACTED if SECRET.search(name) else value
            for name, value in parse_qsl(text, keep_blank_values=True)
        }
    try:
        return _documents(text)
    except RecursionError:
        return f"{len(body)} bytes"
    except ValueError:
        return text if text.isprintable() or "\n" in text else f"{len(body)} bytes"


def _documents(text: str) -> Any:
    """Return a JSON text as a value without secrets, several lines of JSON as an array, and an
    empty text as None.
    """
    try:
        return without_secrets(_json(text))
    except ValueError:
        return [without_secrets(_json(line)) for line in text.splitlines() if line.strip()] or None


def _json(text: str) -> Any:
    """Return the value of a JSON text; NaN and infinities, which JSON lacks, become texts."""
    return json.loads(text, parse_constant=str)


def without_secrets(value: Any) -> Any:
    """Return a JSON value whose secret members are replaced, and whose URLs lose their queries."""
    if isinstance(value, dict):
        return {
            name: REDACTED
            if isinstance(inner, str) and SECRET.search(name)
            else without_secrets(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [without_secrets(inner) for inner in value]
    if isinstance(value, str) and value.startswith(("http://", "https://")) and "?" in value:
        return f"{value.partition('?')[0]}?{REDACTED}"
    return value
