"""A string is rejected where a list of names is expected, at run time and by the type checker."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

from driving import ENDPOINTS, Desk
from lakepact.client import IcebergCatalog, SharingClient, WatsonxCatalog, column
from lakepact.client.delta_sharing.synchronous.listing import Listing
from lakepact.client.delta_sharing.synchronous.table import Table

PROFILE = {"shareCredentialsVersion": 1, "endpoint": "https://s", "bearerToken": "t"}
DESK = Desk({"GET /v1/config": {"defaults": {}, "overrides": {}, "endpoints": ENDPOINTS}})
CALLS = {
    "scan.columns": lambda catalog: catalog.scan("n.t", "id"),
    "upsert.keys": lambda catalog: catalog.upsert("n.t", {"id": [1]}, "id"),
    "plan_scan.select": lambda catalog: catalog.plan_scan("n.t", select="id"),
    "plan_scan.stats_fields": lambda catalog: catalog.plan_scan("n.t", stats_fields="id"),
    "update_namespace_properties.removals": lambda catalog: catalog.update_namespace_properties(
        "n", removals="owner"
    ),
    "load_table.referenced_by": lambda catalog: catalog.load_table("n.t", referenced_by="n.v"),
    "load_view.referenced_by": lambda catalog: catalog.load_view("n.v", referenced_by="n.w"),
    "load_credentials.referenced_by": lambda catalog: catalog.load_credentials(
        "n.t", referenced_by="n.v"
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_text_in_place_of_several_names_raises_type_error(drive, call):
    with pytest.raises(TypeError, match=rf"{call.partition('.')[2]} is a list, such as \["):
        CALLS[call](drive("https://catalog", carrier=DESK.carrier))

    assert set(DESK.calls) <= {"GET /v1/config"}


@pytest.mark.parametrize(
    "make",
    [
        lambda: IcebergCatalog("https://c", trusted_origins="https://d"),
        lambda: WatsonxCatalog("https://c", "w", trusted_origins="https://d"),
        lambda: SharingClient(PROFILE).table("a.b.c").query(formats="delta"),
        lambda: SharingClient(PROFILE).table("a.b.c").changes(starting_version=0, formats="delta"),
        lambda: column("city").is_in("Rome"),
    ],
)
def test_text_in_place_of_several_values_raises_type_error(make):
    with pytest.raises(TypeError, match=r"is a list, such as \["):
        make()


def parameters() -> Iterator[tuple[str, str]]:
    """Yield each parameter of the public methods with the text of its annotation."""
    for kind in (IcebergCatalog, WatsonxCatalog, SharingClient, Table, Listing):
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") or name == "__init__":
                for each in inspect.signature(method).parameters.values():
                    yield f"{name}.{each.name}", str(each.annotation)


def test_no_parameter_for_several_names_accepts_a_text_by_its_type():
    annotations = dict(parameters())

    assert [name for name, type_ in annotations.items() if "Sequence[str]" in type_] == []
    assert {
        name for name, type_ in annotations.items() if type_.startswith(("Names", "Several"))
    } >= {
        "scan.columns",
        "to_arrow.columns",
        "query.formats",
        "__init__.trusted_origins",
    }
