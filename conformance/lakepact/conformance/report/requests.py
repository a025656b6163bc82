"""The request that a verdict is about, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping


def judged_request(verdict: Mapping[str, Any], exchanges: Mapping[int, Mapping[str, Any]]) -> str:
    """Return operation, method, path and status of the judged request: the last exchange of a verdict; empty if nothing was sent.

    Args:
        verdict: a verdict of a result line.
        exchanges: the exchange lines of the report, by number.
    """
    judged = next((exchanges[n] for n in reversed(verdict.get("exchanges", ())) if n in exchanges), None)
    if judged is None:
        return ""
    url = urlsplit(judged["request"]["url"])
    path = f"{url.path or '/'}{'?' + url.query if url.query else ''}"
    status = judged["response"]["status"]
    operation = f"{judged['operation']}: " if judged["operation"] else ""
    return f"{operation}{judged['request']['method']} {path} {f'returned {status}' if status else 'got no answer'}"
