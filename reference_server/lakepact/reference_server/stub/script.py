"""The file of `lakepact serve --script`: which requests get an answer, a delay or a closed connection of their own."""

from __future__ import annotations

import fnmatch
import json
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.service import BadSetting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

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
        return self.operation in {"", operation} and self.method.upper() in {"", method} and fnmatch.fnmatchcase(path, self.path)


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
        document = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise BadSetting(f"the script {file} cannot be read: {error}") from None
    if not isinstance(document, list):
        raise BadSetting(f"the script {file} must be a list of rules")
    return Script(_rule(given, f"rule {number} of {file}") for number, given in enumerate(document, 1))


def _rule(given: Any, where: str) -> Rule:
    if not isinstance(given, dict):
        raise BadSetting(f"{where} must be an object")
    unknown = sorted(str(key) for key in given.keys() - KEYS.keys())
    if unknown:
        raise BadSetting(f"{where} has unknown keys: {', '.join(unknown)}; known keys: {', '.join(KEYS)}")
    for key, kind in KEYS.items():
        if key in given and (not isinstance(given[key], kind) or (isinstance(given[key], bool) and kind is not bool and key != "body")):
            raise BadSetting(f"{where}: {key} has a value of the wrong type: {json.dumps(given[key], default=str)}")
    if given.get("status", STATUSES[0]) not in STATUSES:
        raise BadSetting(f"{where}: status must be between {STATUSES[0]} and {STATUSES[-1]}")
    if given.get("close", BEFORE) not in {BEFORE, WITHIN}:
        raise BadSetting(f"{where}: close must be {BEFORE} or {WITHIN}")
    body, headers = given.get("body"), {str(name): str(value) for name, value in given.get("headers", {}).items()}
    if isinstance(body, str):
        content = body.encode()
    else:
        content = b"" if body is None else json.dumps(body).encode()
        if content and "content-type" not in {name.lower() for name in headers}:
            headers["content-type"] = "application/json"
    members: dict[str, Any] = {**given, "body": content, "headers": headers}
    return Rule(**members)
