"""The file of `lakepact serve --script`: which requests get an answer, a delay or a closed
connection of their own.
"""

from __future__ import annotations

import fnmatch
import json
import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from lakepact.reference_server.settings import BadSetting

BEFORE, WITHIN = "before", "within"
#: The keys of a rule, and the type of each.
KEYS: Mapping[str, type | tuple[type, ...]] = {
    "operation": str,
    "method": str,
    "path": str,
    "skip": int,
    "times": int,
    "handle": bool,
    "delay": (int, float),
    "status": int,
    "headers": dict,
    "body": object,
    "close": str,
}
STATUSES = range(200, 600)
MOST = {"delay": 86_400, "skip": 10**9, "times": 10**9}
HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+: [\t\x20-\x7e\x80-\xff]*")


@dataclass(frozen=True)
class Rule:
    """A rule about some requests.

    Args:
        operation: id of the operation; empty for any.
        method: method of the requests; empty for any.
        path: pattern of their paths, in which `*` stands for any text.
        skip: matching requests that are left alone first.
        times: matching requests that the rule holds for after these; None for all.
        handle: whether the server handles the request although its answer is replaced.
        delay: seconds before the answer.
        status: of the answer; None leaves the server's own answer.
        headers: of the answer.
        body: of the answer.
        close: `before` closes the connection without an answer, `within` in the middle of its body.
    """

    operation: str = ""
    method: str = ""
    path: str = "*"
    skip: int = 0
    times: int | None = None
    handle: bool = False
    delay: float = 0.0
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    close: str = ""

    def fits(self, method: str, path: str, operation: str) -> bool:
        """Return whether the rule is about such requests."""
        return (
            self.operation in {"", operation}
            and self.method.upper() in {"", method}
            and fnmatch.fnmatchcase(path, self.path)
        )


class Script:
    """The rules of a script, which count the requests that they fit.

    Args:
        rules: the first that fits a request holds for it.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._met = [0] * len(self._rules)
        self._lock = threading.Lock()

    def rule_for(self, method: str, path: str, operation: str) -> Rule | None:
        """Return the rule that holds for a request, and count the request."""
        with self._lock:
            for place, rule in enumerate(self._rules):
                if not rule.fits(method, path, operation):
                    continue
                self._met[place] += 1
                number = self._met[place] - rule.skip
                if number > 0 and (rule.times is None or number <= rule.times):
                    return rule
        return None


def read(file: Path) -> Script:
    """Return the script in a file.

    Raises:
        BadSetting: it is no list of rules; the message says where.
    """
    import yaml  # noqa: PLC0415 - most servers answer without a script, and start without it

    try:
        text = file.read_text("utf-8")
        events = yaml.parse(
            text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        )  # the other takes 15 s for 5,000 open brackets
        has_aliases = any(
            isinstance(event, yaml.AliasEvent) for event in events
        )  # a few expand to gigabytes
        document = [] if has_aliases else yaml.safe_load(text)
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise BadSetting(
            f"the script {file} cannot be read: {' '.join(str(error).split())}"
        ) from None
    if has_aliases:
        raise BadSetting(
            f"the script {file} has aliases (*NAME); write each value where it belongs"
        )
    if not isinstance(document, list):
        raise BadSetting(f"the script {file} must be a list of rules")
    return Script(
        _rule(entry, f"rule {number} of {file}") for number, entry in enumerate(document, 1)
    )


def _rule(entry: Any, where: str) -> Rule:
    if not isinstance(entry, dict):
        raise BadSetting(f"{where} must be an object")
    unknown = sorted(str(key) for key in entry.keys() - KEYS.keys())
    if unknown:
        raise BadSetting(
            f"{where} has unknown keys: {', '.join(unknown)}; known keys: {', '.join(KEYS)}"
        )
    for key, kind in KEYS.items():
        if key in entry and (
            not isinstance(entry[key], kind)
            or (isinstance(entry[key], bool) and kind is not bool and key != "body")
        ):
            raise BadSetting(
                f"{where}: {key} has a value of the wrong type:"
                f" {json.dumps(entry[key], default=str)}"
            )
    if entry.get("status", STATUSES[0]) not in STATUSES:
        raise BadSetting(f"{where}: status must be between {STATUSES[0]} and {STATUSES[-1]}")
    if entry.get("close", BEFORE) not in {BEFORE, WITHIN}:
        raise BadSetting(f"{where}: close must be {BEFORE} or {WITHIN}")
    for key, most in MOST.items():
        if not 0 <= entry.get(key, 0) <= most:
            raise BadSetting(f"{where}: {key} must be between 0 and {most}")
    content, headers = _content(entry.get("body"), where), _headers(entry.get("headers", {}), where)
    if (
        content
        and not isinstance(entry["body"], str)
        and "content-type" not in {name.lower() for name in headers}
    ):
        headers["content-type"] = "application/json"
    members: dict[str, Any] = {**entry, "body": content, "headers": headers}
    return Rule(**members)


def _headers(entry: Mapping[Any, Any], where: str) -> dict[str, str]:
    headers = {str(name): str(value) for name, value in entry.items()}
    wrong = [name for name, value in headers.items() if not HEADER.fullmatch(f"{name}: {value}")]
    if wrong:
        raise BadSetting(
            f"{where}: HTTP does not allow the header {json.dumps(wrong[0])} or its value"
        )
    return headers


def _content(body: Any, where: str) -> bytes:
    try:
        return (
            b""
            if body is None
            else body.encode()
            if isinstance(body, str)
            else orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS)
        )
    except (TypeError, ValueError) as error:
        raise BadSetting(f"{where}: body is neither text nor JSON: {error}") from None
