"""The server made from the plans equals that of connexion, without importing connexion."""

from __future__ import annotations

import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, cast

import pytest
from connexion import FlaskApp

from lakepact.generated.contract import Contract, contracts
from lakepact.reference_server import running
from lakepact.reference_server.app import ENGINES, application, service
from lakepact.reference_server.http.connexion_engine import ConnexionRouter
from lakepact.reference_server.settings import Settings

#: Modules that are needed only for pages and for checking bodies.
LATE = {
    "asgiref",
    "connexion",
    "fastavro",
    "flask",
    "jinja2",
    "jsonschema",
    "jsonschema_rs",
    "pyarrow",
    "requests",
    "starlette",
}
LATE |= {"httpx", "numpy", "werkzeug", "yaml"}

STARTED = f"""
import asyncio, sys
from lakepact.reference_server.app import application, services
from lakepact.reference_server.cli import serve
from lakepact.reference_server.running import configure
from lakepact.reference_server.settings import Settings

sent = []
async def receive():
    return {{"type": "http.request"}}
async def send(message):
    sent.append(message)

app = application(*services([], Settings()))
configure(app).load()
scope = {{"type": "http", "method": "GET", "path": "/v1/config", "raw_path": b"/v1/config", "query_string": b"", "headers": []}}
asyncio.run(app(scope, receive, send))
print(sent[0]["status"], sorted({{name.split(".")[0] for name in sys.modules}} & set({sorted(LATE)})))
"""


def get(url: str) -> tuple[int, str, bytes]:
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status, answer.headers["content-type"], answer.read()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.headers["content-type"], refused.read()


def taken(router: Any) -> dict[tuple[str, str], tuple[str, Any]]:
    """Return everything that a router routes, as (method, path) -> (operation, handler)."""
    found: dict[tuple[str, str], tuple[str, Any]] = {}

    def walk(node: Any, path: str) -> None:
        for method, endpoint in node.methods.items():
            handler = endpoint._handler
            found[method, path] = (endpoint.operation.id, getattr(handler, "args", handler))
        for name, child in node.fixed.items():
            walk(child, f"{path}/{name}")
        if node.variable is not None:
            walk(node.variable, f"{path}/{{}}")

    for mount in router._mounts:
        walk(mount.routes._root, "")
    return found


@pytest.fixture
def shares(tmp_path: Path) -> Path:
    file = tmp_path / "shares.yaml"
    file.write_text("{shares: [], recipients: [{name: me, bearerToken: secret}]}")
    return file


@pytest.mark.parametrize("contract", contracts())
def test_routes_of_connexion_equal_those_of_the_plan(contract: str, shares: Path) -> None:
    made = service(contract, Settings(shares=shares))
    _, stack = cast(
        "FlaskApp", application(made, engine="connexion")
    ).middleware._build_middleware_stack()
    (router,) = (layer for layer in stack if isinstance(layer, ConnexionRouter))

    assert taken(router) == taken(application(made))


@pytest.mark.parametrize("contract", contracts())
def test_the_plan_has_every_operation(contract: str) -> None:
    assert sorted(operation for _, _, operation in Contract(contract).routes) == sorted(
        Contract(contract).operations
    )


def test_pages_and_calls_are_answered_alike_by_both_engines() -> None:
    asked = ["/", "/healthz", "/openapi.json", "/v1/config", "/v1/namespaces", "/v1/nonsense"]
    answers = []
    for engine in ENGINES:
        with running(warehouse="memory:", engine=engine) as server:
            got = [get(server.url + path) for path in asked]
        answers.append(
            [(status, kind, body.replace(server.url.encode(), b"")) for status, kind, body in got]
        )

    assert answers[0] == answers[1]


def test_unneeded_modules_are_not_imported_for_the_first_answer() -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", STARTED], capture_output=True, text=True, check=True
    )

    assert ran.stdout.strip() == "200 []"
