"""Sends the recorded requests of one finding again, and tests the last answer.

`lakepact reproduce` copies this module into every script that it writes: it uses the standard
library alone.
"""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

GONE, PRESENT, USAGE, TROUBLE = 0, 1, 2, 3
ABSENT = object()  #: the value of a place that an answer does not have
TOKEN = re.compile(r"<<([A-Za-z0-9_.-]+)(?: (\d+))?>>")
TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "number": (int, float),
}
LINES = "application/x-ndjson"
SHOWN = 400  #: characters of an answer that are printed
LARGEST = 64 * 1024 * 1024  #: bytes of a body that are read
DEEPEST = 200  #: levels of a JSON value that are looked into
TIMEOUT = 30  #: seconds


class Trouble(Exception):
    """The finding can be neither seen nor denied; the argument is the reason."""


class Missing(Trouble):
    """An earlier answer does not have a value that a request needs; the argument is its name."""


# -- answers and what they must match --------------------------------------------------------------


def answer_of(status: int, headers: list[tuple[str, str]], body: bytes) -> dict[str, Any]:
    """Return an answer as a document that JSON pointers lead into; a body in lines is the array of
    its lines.
    """
    by_name = {name.lower(): value for name, value in headers}
    media_type = by_name.get("content-type", "").partition(";")[0].strip().lower()
    try:
        lines = [line for line in body.split(b"\n") if line.strip()]
        value = [json.loads(line) for line in lines] if media_type == LINES else json.loads(body)
        value = ABSENT if is_deep(value) else value
    except (ValueError, RecursionError):
        value = ABSENT
    document: dict[str, Any] = {
        "status": status,
        "headers": by_name,
        "length": len(body),
        "media-type": media_type,
    }
    return document if value is ABSENT else {**document, "body": value}


def is_deep(value: Any) -> bool:
    """Return whether a JSON value has more levels than are looked into."""
    level = [value]
    for _ in range(DEEPEST):
        holders = [
            each.values() if isinstance(each, dict) else each
            for each in level
            if isinstance(each, (dict, list))
        ]
        level = [inside for holder in holders for inside in holder]
    return bool(level)


def value_at(document: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer, or `ABSENT`."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict) and name in document:
            document = document[name]
        elif isinstance(document, list) and name.isdigit() and int(name) < len(document):
            document = document[int(name)]
        else:
            return ABSENT
    return document


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal; true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def mentions(value: Any, member: Any) -> bool:
    """Return whether a value, or a value within it, equals another."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return same(value, member) or any(mentions(each, member) for each in inside)


def is_a(value: Any, kind: str) -> bool:
    """Return whether a value has a JSON type."""
    if kind == "integer":
        return (
            isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        ) and not isinstance(value, bool)
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def fits(value: Any, schema: Any) -> bool:
    """Return whether a value matches a schema: a few keywords of JSON Schema, `absent` (or empty)
    and `mentions`.
    """
    if schema.get("absent"):
        return value is ABSENT or value in (None, {}, [])
    return value is not ABSENT and all(
        KEYWORDS[keyword](value, expected, schema) for keyword, expected in schema.items()
    )


def _has_only(value: Any, schema_of_others: Any, schema: Any) -> bool:
    properties = schema.get("properties", {})
    return not isinstance(value, dict) or all(
        name in properties
        or (schema_of_others is not False and fits(value[name], schema_of_others))
        for name in value
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


KEYWORDS: dict[str, Any] = {
    "const": lambda value, expected, _: same(value, expected),
    "enum": lambda value, expected, _: any(same(value, each) for each in expected),
    "type": lambda value, expected, _: any(
        is_a(value, kind) for kind in ([expected] if isinstance(expected, str) else expected)
    ),
    "required": lambda value, expected, _: (
        not isinstance(value, dict) or all(name in value for name in expected)
    ),
    "properties": lambda value, expected, _: (
        not isinstance(value, dict)
        or all(fits(value[n], expected[n]) for n in expected if n in value)
    ),
    "additionalProperties": _has_only,
    "items": lambda value, expected, _: (
        not isinstance(value, list) or all(fits(each, expected) for each in value)
    ),
    "minimum": lambda value, expected, _: not _is_number(value) or value >= expected,
    "maximum": lambda value, expected, _: not _is_number(value) or value <= expected,
    "minLength": lambda value, expected, _: not isinstance(value, str) or len(value) >= expected,
    "minItems": lambda value, expected, _: not isinstance(value, list) or len(value) >= expected,
    "maxItems": lambda value, expected, _: not isinstance(value, list) or len(value) <= expected,
    "pattern": lambda value, expected, _: (
        not isinstance(value, str) or re.search(expected, value) is not None
    ),
    "mentions": lambda value, expected, _: mentions(value, expected),
    "not": lambda value, expected, _: not fits(value, expected),
}


# -- requests --------------------------------------------------------------------------------------


def fill(template: str, values: dict[str, Any], form: str) -> str:
    """Return a text of the report with the values of this run: `<<name>>`, and `<<ms N>>` for
    moments.

    Args:
        template: the text.
        values: by name; those that an answer did not have are `ABSENT`.
        form: `json` within JSON, `url` within a URL, `text` elsewhere.

    Raises:
        Missing: an earlier answer did not have a value.
    """

    def value(token: re.Match[str]) -> str:
        name, number = token.groups()
        if name not in values:
            return token.group()
        if number is not None:
            return str(int(number) + values[name])
        content = values[name]
        if content is ABSENT:
            raise Missing(name)
        text = content if isinstance(content, str) else json.dumps(content)
        return (
            text
            if name == "prefix" or form == "text"
            else quote(text, safe="")
            if form == "url"
            else json.dumps(text)[1:-1]
        )

    return TOKEN.sub(value, template)


def parent_of(value: Any, levels: int) -> Any:
    """Return a location without its last path segments."""
    return value.rsplit("/", levels)[0] if levels and isinstance(value, str) else value


class Server:
    """The server at an address.

    Args:
        url: its base address.
        own: headers that hold secrets, by lower-case name.
        always: whether they are sent with every request; otherwise with those that the report has
            them for.
    """

    def __init__(self, url: str, own: dict[str, str], *, always: bool = False) -> None:
        self.url, self.own, self.always = urlsplit(url.rstrip("/")), own, always

    def send(self, method: str, path: str, headers: Any, body: bytes) -> dict[str, Any]:
        """Send a request and return the answer as a document.

        Raises:
            Trouble: no answer came.
        """
        kind = (
            http.client.HTTPSConnection
            if self.url.scheme == "https"
            else http.client.HTTPConnection
        )
        connection = kind(self.url.hostname or "", self.url.port, timeout=TIMEOUT)
        try:
            connection.putrequest(method, self.url.path + path, skip_accept_encoding=True)
            for name, value in (*headers, *((name, "") for name in self.own if self.always)):
                connection.putheader(name, self.own.get(name.lower(), str(value)).encode())
            if body or method in {"POST", "PUT", "PATCH"}:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body or None)
            answer = connection.getresponse()
            content = answer.read(LARGEST + 1)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Trouble(
                f"no answer from {self.url.geturl()}: {type(error).__name__}: {error}"
            ) from error
        finally:
            connection.close()
        if len(content) > LARGEST:
            raise Trouble(f"the answer to {method} {path} has more than {LARGEST} bytes")
        return answer_of(answer.status, answer.getheaders(), content)


def tell(*texts: str, file: Any = None) -> None:
    """Print lines, with control characters escaped."""
    for text in texts:
        print("".join(c if c.isprintable() else ascii(c)[1:-1] for c in text), file=file)


def excerpt(answer: dict[str, Any]) -> str:
    """Return status and beginning of the body of an answer."""
    text = json.dumps(answer["body"]) if "body" in answer else f"{answer['length']} bytes"
    return f"status {answer['status']}  {text[:SHOWN]}{'…' if len(text) > SHOWN else ''}"


def configuration_of(server: Server, warehouse: str) -> dict[str, Any]:
    """Return the answer of a server to a request for its configuration."""
    query = f"?warehouse={quote(warehouse, safe='')}" if warehouse else ""
    authorization = [] if server.always else [(name, "") for name in server.own]
    headers = [("Accept", "application/json"), *authorization]
    answer = server.send("GET", f"/v1/config{query}", headers, b"")
    tell(f"GET /v1/config{query} returned {answer['status']}")
    return answer


def prefix_of(case: dict[str, Any], server: Server, warehouse: str) -> str:
    """Return the prefix of paths that the configuration of the server, or else the user, names,
    with a slash; empty without one.
    """
    answer = configuration_of(server, warehouse)
    # A server that has no warehouse of the report's name may need none.
    if answer["status"] == http.client.BAD_REQUEST and warehouse and warehouse == case["warehouse"]:
        answer = configuration_of(server, "")
    if answer["status"] == http.client.BAD_REQUEST:
        raise Trouble(f"name a warehouse of this server with --warehouse: {excerpt(answer)}")
    overridden, default = (
        value_at(answer, f"/body/{part}/prefix") for part in ("overrides", "defaults")
    )
    prefixes = [
        prefix
        for prefix in (overridden, case["given_prefix"], default)
        if isinstance(prefix, str) and prefix
    ]
    if answer["status"] != http.client.OK:
        return f"/{case['prefix']}" if case["prefix"] else ""
    return f"/{prefixes[0]}" if prefixes else ""


def replay(
    case: dict[str, Any], server: Server, warehouse: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Send all requests of a case; return the last answer and the values for its expectation.

    Raises:
        Trouble: a step that has to succeed failed.
    """
    run = secrets.token_hex(3)
    values: dict[str, Any] = {
        "run": run,
        "RUN": run.upper(),
        "ms": int(time.time() * 1000) - case["began"],
    }
    values["prefix"] = prefix_of(case, server, warehouse) if case["has_prefix"] else ""
    answer: dict[str, Any] = {}
    answers: dict[str, dict[str, Any]] = {}
    for number, step in enumerate(case["steps"], start=1):
        try:
            answer = send_step(step, server, values)
        except Missing as missing:
            source = answers[missing.args[0]]
            if case["at"] == "/status" and fits(source["status"], json.loads(case["schema"])):
                return source, values  # refused earlier than in the report, as it should be
            raise Trouble(
                f"step {number} needs a value of an earlier answer, which does not have it:"
                f" {excerpt(source)}"
            ) from missing
        tell(
            f"{number}. {step['method']} {answer['path']} returned {answer['status']} (in the"
            f" report: {step['status']})"
        )
        if (
            number < len(case["steps"])
            and step["needed"]
            and answer["status"] >= http.client.BAD_REQUEST
        ):
            raise Trouble(f"step {number} has to succeed; it returned {excerpt(answer)}")
        for name, (pointer, levels) in step["keep"].items():
            values[name], answers[name] = parent_of(value_at(answer, pointer), levels), answer
    return answer, values


def send_step(step: dict[str, Any], server: Server, values: dict[str, Any]) -> dict[str, Any]:
    """Send a request of a case with the values of this run, and return the answer with the path.

    Raises:
        Missing: an earlier answer did not have a value.
        Trouble: no answer came.
    """
    path = fill(step["path"], values, "url")
    headers = [(name, fill(value, values, "text")) for name, value in step["headers"]]
    body_template = step["body"]
    body = (
        base64.b64decode(body_template["base64"])
        if isinstance(body_template, dict)
        else fill(body_template, values, "json").encode()
    )
    return {**server.send(step["method"], path, headers, body), "path": path}


def compare_answer(case: dict[str, Any], answer: dict[str, Any], values: dict[str, Any]) -> int:
    """Test the last answer, print the result and return the exit code."""
    try:
        schema = json.loads(fill(case["schema"], values, "json"))
    except Missing as missing:
        raise Trouble(
            f"no earlier answer has the value <<{missing}>>, which is expected"
        ) from missing
    met = fits(value_at(answer, case["at"]), schema)
    was, now = case["steps"][-1]["status"], answer["status"]
    tell(
        "",
        f"expected  {case['expected']}",
        f"          {case['at']} must match {json.dumps(schema)}",
        f"actual    {excerpt(answer)}",
    )
    is_refusal = now >= http.client.BAD_REQUEST
    if case["at"] != "/status" and is_refusal != (was >= http.client.BAD_REQUEST):
        if case["every_answer"] and now < http.client.INTERNAL_SERVER_ERROR:
            tell("", "the fault is gone: the server gives no such answer to this request")
            return GONE
        if is_refusal or not met:
            raise Trouble(
                f"the last request returned {now} instead of {was}: the answer that is tested did"
                " not come"
            )
    tell("", f"the fault is {'gone' if met else 'present'}")
    return GONE if met else PRESENT


def check_with_lakepact(case: dict[str, Any], url: str, warehouse: str, shared: str) -> int:
    """Run the checks of the requirement with lakepact, and return the exit code."""
    tell(
        f"This finding cannot be repeated by its requests alone: {case['why']}.",
        "lakepact checks the requirement instead.",
    )
    command = shutil.which("lakepact")
    if command is None:
        tell(f"lakepact is not installed: {case['install']}", file=sys.stderr)
        return TROUBLE
    words = [command, "check", url, *case["options"], "--only", case["requirement"], "--json"]
    if warehouse:
        words += ["--parameter", f"warehouse={warehouse}"]
    if shared:
        words += ["--shared-files", shared]
    with tempfile.TemporaryDirectory() as folder:  # secrets stay in the environment
        profile = Path(folder, "target.toml")
        headers = (
            f"{json.dumps(name)} = {json.dumps(f'${{{variable}}}')}\n"
            for name, variable in case["secrets"].items()
        )
        profile.write_text("[headers]\n" + "".join(headers))
        process = subprocess.run(
            [*words, "--profile", str(profile)], capture_output=True, text=True, check=False
        )
    lines = [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]
    results = [line for line in lines if line.get("requirement") == case["requirement"]]
    if not results:
        raise Trouble(
            f"lakepact check ended with {process.returncode}: {process.stderr.strip()[-SHOWN:]}"
        )
    outcome = results[0]["outcome"]
    worst: dict[str, Any] = next((v for v in results[0]["verdicts"] if v["outcome"] == outcome), {})
    tell("", f"{case['requirement']}: {outcome}")
    tell(
        f"expected  {worst.get('expected', case['expected'])}",
        f"actual    {worst.get('actual', '')}",
    )
    if outcome in {"blocked", "error", "not-offered"}:
        raise Trouble(f"the requirement could not be judged: {worst.get('remark', outcome)}")
    tell("", f"the fault is {'gone' if outcome == 'pass' else 'present'}")
    return GONE if outcome == "pass" else PRESENT


def main(case: dict[str, Any]) -> int:
    """Repeat a finding; the command line names the server.

    Args:
        case: what a script holds before this module.
    """
    parser = argparse.ArgumentParser(description=f"{case['requirement']}: {case['sentence']}")
    parser.epilog = (
        "Exit code: 0 the fault is gone, 1 it is present, 2 wrong usage, 3 it cannot be judged."
    )
    address = os.environ.get("LAKEPACT_URL") or case["target"]
    parser.add_argument(
        "url",
        nargs="?",
        default=address,
        help="base address of the server. [LAKEPACT_URL, else %(default)s]",
    )
    parser.add_argument(
        "--warehouse", default=case["warehouse"], help="the warehouse to name. [%(default)s]"
    )
    parser.add_argument(
        "--shared-files", default="", help="a folder whose files lakepact may read and write."
    )
    options = parser.parse_args()
    if not re.match(r"https?://[^/]", options.url):
        parser.error(f"{options.url} is not the address of a server")
    wants_none = not case["secrets"]  # the server of the report, which the one here need not be
    if wants_none and os.environ.get("AUTHORIZATION"):
        case = {**case, "secrets": {"authorization": "AUTHORIZATION"}}
    missing = [variable for variable in case["secrets"].values() if not os.environ.get(variable)]
    if missing:
        parser.error(f"the requests need secrets: set {', '.join(missing)}")
    own = {name: os.environ[variable] for name, variable in case["secrets"].items()}
    tell(
        f"{case['requirement']}  {case['sentence']}",
        f"clause    {case['clause']}",
        f"server    {options.url}",
        "",
    )
    try:
        if case["why"]:
            return check_with_lakepact(case, options.url, options.warehouse, options.shared_files)
        return compare_answer(
            case, *replay(case, Server(options.url, own, always=wants_none), options.warehouse)
        )
    except Trouble as reason:
        tell("", f"not judged: {reason}", file=sys.stderr)
        return TROUBLE
