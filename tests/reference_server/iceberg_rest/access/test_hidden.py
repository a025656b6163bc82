"""A server with hidden objects answers a principal like a server without those objects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import product
from typing import Any

import pytest

from .conftest import SCHEMA, Answer, Principal, fill, guarded
from .test_grants import COMMIT, CREATION, VIEW, change, named

#: Letters that are random: parts of UUIDs and the ids of plans.
MADE_ANEW = re.compile(
    rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|-[0-9a-f]{12}\b|[0-9]{13}|incident [0-9a-f]{32}"
)

Worlds = tuple["Principal", "Principal", "Principal", "Principal"]


@pytest.fixture(scope="module", params=["writer", "looker", "stranger"])
def worlds(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Worlds]:
    """Yield a principal and root, on a server with hidden objects and on a server without."""
    hidden = {
        "writer": (("closed", "far.off"), ("closed.secret", "far.off.secret", "far.secret")),
        "looker": (("closed", "open.child"), ("closed.secret", "open.other", "open.child.secret")),
        "stranger": (("closed", "open"), ("closed.secret", "open.shown")),
    }[request.param]
    seen = (
        (("open", "far", "far.away"), ("open.shown",))
        if request.param != "stranger"
        else (("far",), ())
    )
    with ExitStack() as stack:
        found = []
        for world in ("full", "empty"):
            _, bearing = stack.enter_context(
                guarded(tmp_path_factory.mktemp(world), contract_version="1.11.0")
            )
            root = bearing("root-token")
            fill(root, *seen[0], tables=seen[1])
            if world == "full":
                fill(root, *hidden[0], tables=hidden[1])
            found += [bearing(f"{request.param}-token"), root]
        yield (found[0], found[1], found[2], found[3])


NAMESPACES = (
    "open",
    "closed",
    "open%1Fchild",
    "far",
    "far%1Foff",
    "far%1Faway",
    "nothing",
    "closed%1Fnothing",
)
TABLES = ("secret", "other", "nothing")


def requests() -> Iterator[tuple[str, str, dict[str, Any] | None]]:
    """Yield all requests about objects that may be hidden."""
    yield "GET", "/v1/namespaces", None
    for namespace in NAMESPACES:
        levels = namespace.split("%1F")
        at = f"/v1/namespaces/{namespace}"
        yield "GET", f"/v1/namespaces?parent={namespace}", None
        yield "GET", f"/v1/namespaces?parent={namespace}&pageSize=1", None
        yield from ((method, at, None) for method in ("GET", "HEAD", "DELETE"))
        yield "POST", f"{at}/properties", {"updates": {"a": "b"}, "removals": []}
        yield "POST", "/v1/namespaces", {"namespace": [*levels, "below"]}
        for kind in ("tables", "views"):
            yield "GET", f"{at}/{kind}", None
            yield "GET", f"{at}/{kind}?pageSize=1", None
        for register in ("register", "register-view"):
            yield (
                "POST",
                f"{at}/{register}",
                {"name": "taken", "metadata-location": "memory:/closed/x.metadata.json"},
            )
    for namespace, table in product(NAMESPACES, TABLES):
        levels = namespace.split("%1F")
        at = f"/v1/namespaces/{namespace}/tables/{table}"
        yield from ((method, at, None) for method in ("GET", "HEAD"))
        yield from (("POST", at, body) for body in (COMMIT, CREATION))
        yield "POST", f"{at}/plan", {}
        yield "GET", f"{at}/plan/none", None
        yield "DELETE", f"{at}/plan/none", None
        yield "POST", f"{at}/tasks", {"plan-task": "none"}
        yield "GET", f"{at}/credentials", None
        yield (
            "POST",
            f"{at}/sign",
            {"region": "r", "uri": "https://bucket/x", "method": "GET", "headers": {}},
        )
        yield (
            "POST",
            f"{at}/metrics",
            {"report-type": "commit-report", **REPORT, "table-name": table},
        )
        for other in (named("open", "shown"), {"namespace": ["far", "away"], "name": "new"}):
            it = {"namespace": levels, "name": table}
            for kind in ("tables", "views"):
                yield "POST", f"/v1/{kind}/rename", {"source": it, "destination": other}
                yield "POST", f"/v1/{kind}/rename", {"source": other, "destination": it}
        changes = [
            change("open", "shown"),
            {"identifier": {"namespace": levels, "name": table}, **COMMIT},
        ]
        yield "POST", "/v1/transactions/commit", {"table-changes": changes}
        yield "DELETE", f"{at}?purgeRequested=true", None
        yield "DELETE", at, None
    for namespace in ("closed", "far%1Foff", "open%1Fchild", "nothing"):
        yield "POST", f"/v1/namespaces/{namespace}/tables", {"name": "secret", "schema": SCHEMA}
        yield "POST", f"/v1/namespaces/{namespace}/views", {**VIEW, "name": "secret"}
        yield "POST", "/v1/namespaces", {"namespace": namespace.split("%1F")}


REPORT = {"snapshot-id": 1, "sequence-number": 1, "operation": "append", "metrics": {}}


def said(answer: Answer) -> tuple[int, dict[str, str], bytes]:
    kept = {
        name: value
        for name, value in answer.headers.items()
        if name not in {"content-length", "etag"}
    }
    return answer.status, kept, MADE_ANEW.sub(b"#", answer.body)


def test_answers_do_not_depend_on_hidden_objects(worlds: Worlds) -> None:
    full, _, empty, _ = worlds
    for method, path, body in requests():
        assert said(empty(method, path, body)) == said(full(method, path, body)), (
            f"{method} {path} {body}"
        )


def test_hidden_objects_are_unchanged(worlds: Worlds) -> None:
    full, root, *_ = worlds
    hidden = [name for name in ("closed",) if full("HEAD", f"/v1/namespaces/{name}").status == 404]
    kept = [root("GET", f"/v1/namespaces/{name}/tables").document["identifiers"] for name in hidden]

    assert [[named("closed", "secret")]] == kept
