"""Grants are for one warehouse or for all; a warehouse without grants is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import SCHEMA, As, guarded

TEXT = """
[warehouses.sales]
location = "memory:/one"
defaults = { "namespace-separator" = "." }
[warehouses.staff]
location = "memory:/two"
prefix = "people"
[warehouses.third]
location = "memory:/three"

[principals.root]
token = "root-token"
[principals.ann]
token = "ann-token"

[[grants]]
principal = "root"
access = "admin"
[[grants]]
principal = "ann"
warehouse = "sales"
access = "read"
[[grants]]
principal = "ann"
warehouse = "third"
namespace = ["a"]
access = "write"
"""


@pytest.fixture
def bearing(tmp_path: Path) -> Iterator[As]:
    with guarded(tmp_path, TEXT) as (_, bearing):
        root = bearing("root-token")
        for prefix in ("sales", "people", "third"):
            assert root("POST", f"/v1/{prefix}/namespaces", {"namespace": ["a"]}).status == 200
        assert root("POST", "/v1/sales/namespaces", {"namespace": ["a", "b"]}).status == 200
        yield bearing


def test_a_grant_for_one_warehouse_is_none_for_another(bearing: As) -> None:
    ann = bearing("ann-token")
    bodies = [{"name": name, "schema": SCHEMA} for name in ("sales", "third")]
    made = [ann("POST", f"/v1/{body['name']}/namespaces/a/tables", body).status for body in bodies]

    assert made == [403, 200]


def test_a_hidden_warehouse_answers_like_one_that_does_not_exist(bearing: As) -> None:
    ann = bearing("ann-token")
    for path in ("/v1/{}/namespaces", "/v1/{}/namespaces/a", "/v1/config?warehouse={}"):
        hidden, absent = (ann("GET", path.format(name)) for name in ("people", "nobody"))
        assert (hidden.status, hidden.body.replace(b"people", b"")) == (
            absent.status,
            absent.body.replace(b"nobody", b""),
        )
    hidden, absent = (ann("GET", f"/v1/config?warehouse={name}") for name in ("staff", "nobody"))
    assert hidden.body.replace(b"staff", b"") == absent.body.replace(b"nobody", b"")


def test_the_configuration_names_the_warehouses_that_are_seen(bearing: As) -> None:
    ann, root = bearing("ann-token"), bearing("root-token")

    assert "'sales', 'third'" in ann("GET", "/v1/config").document["error"]["message"]
    assert "'sales', 'staff', 'third'" in root("GET", "/v1/config").document["error"]["message"]
    assert ann("GET", "/v1/config?warehouse=third").document["overrides"]["prefix"] == "third"


@pytest.mark.parametrize("spelled", ["a.b", "a%1Fb", "a%2Eb"])
def test_access_does_not_depend_on_the_spelling_of_a_namespace(bearing: As, spelled: str) -> None:
    ann, root = bearing("ann-token"), bearing("root-token")

    assert ann("GET", f"/v1/sales/namespaces/{spelled}").status == 200
    assert ann("DELETE", f"/v1/sales/namespaces/{spelled}").error == (403, "NotAuthorizedException")
    assert (
        ann(
            "POST", f"/v1/sales/namespaces/{spelled}/tables", {"name": "t", "schema": SCHEMA}
        ).status
        == 403
    )
    assert root("HEAD", "/v1/sales/namespaces/a.b").status == 204
