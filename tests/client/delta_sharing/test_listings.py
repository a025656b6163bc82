"""The client follows listings to their end and sends names unchanged."""

from __future__ import annotations

import httpx
import pytest

from lakepact.client import (
    BadReply,
    BadRequest,
    Forbidden,
    NoSuchSchema,
    NoSuchShare,
    NotAuthenticated,
    NotFound,
    ResponseError,
)
from lakepact.client.delta_sharing.queries import Place
from lakepact.generated.delta_sharing.models import SharedSchema, SharedTable

from .serving import PROFILE, TOKEN, Desk

SHARES = "GET /prefix/shares"
LISTINGS = {
    "shares": ((), "/prefix/shares", {"name": "a"}),
    "schemas": (("s",), "/prefix/shares/s/schemas", {"name": "a", "share": "s"}),
    "tables": (
        ("s", "d"),
        "/prefix/shares/s/schemas/d/tables",
        {"name": "a", "schema": "d", "share": "s"},
    ),
    "all_tables": (
        ("s",),
        "/prefix/shares/s/all-tables",
        {"name": "a", "schema": "d", "share": "s"},
    ),
}


def error(status, message="no", code="RESOURCE_DOES_NOT_EXIST"):
    return httpx.Response(status, json={"errorCode": code, "message": message})


@pytest.mark.parametrize("name", LISTINGS)
def test_pages_are_followed_to_the_end(open_client, name):
    """DS-PAG-08."""
    arguments, path, item = LISTINGS[name]
    pages = [
        {"items": [item | {"name": "a"}], "nextPageToken": "t 1/="},
        {"items": [item | {"name": "b"}, item | {"name": "c"}]},
    ]
    desk = Desk().on(f"GET {path}", pages)

    things = getattr(open_client(desk), name)(*arguments, page_size=2)

    assert [each.name for each in things] == ["a", "b", "c"]
    assert [dict(request.url.params) for request in desk.requests] == [
        {"maxResults": "2"},
        {"maxResults": "2", "pageToken": "t 1/="},
    ]


@pytest.mark.parametrize("name", LISTINGS)
@pytest.mark.parametrize(
    "end", [{}, {"nextPageToken": ""}, {"nextPageToken": None}], ids=["missing", "empty", "null"]
)
def test_missing_empty_or_null_token_ends_a_listing(open_client, name, end):
    """DS-PAG-10."""
    arguments, path, item = LISTINGS[name]
    desk = Desk().on(f"GET {path}", {"items": [item], **end})

    assert len(getattr(open_client(desk), name)(*arguments)) == 1
    assert len(desk.requests) == 1


@pytest.mark.parametrize("name", LISTINGS)
@pytest.mark.parametrize(
    "page", [{}, {"items": []}, {"items": None}], ids=["missing", "empty", "null"]
)
def test_missing_empty_or_null_items_are_an_empty_page(open_client, name, page):
    """DS-PAG-12; a page without items need not be the last."""
    arguments, path, item = LISTINGS[name]
    desk = Desk().on(f"GET {path}", page | {"nextPageToken": "more"}, {"items": [item]}, page)

    client = open_client(desk)

    assert len(getattr(client, name)(*arguments)) == 1
    assert getattr(client, name)(*arguments) == []


def test_listing_without_page_size_sends_no_query(open_client):
    """DS-PAG-01."""
    desk = Desk().on(SHARES, {"items": []})

    open_client(desk).shares()

    assert desk.requests[0].url.query == b""


def test_repeated_page_token_is_a_bad_reply(open_client):
    desk = Desk().on(SHARES, {"items": [{"name": "a"}], "nextPageToken": "x"})

    with pytest.raises(BadReply, match="leads back to the page of token 'x'"):
        open_client(desk).shares()

    assert len(desk.requests) == 2


def test_endless_empty_pages_are_a_bad_reply(open_client):
    numbers = iter(range(10_000))
    desk = Desk().on(SHARES, lambda _: {"nextPageToken": str(next(numbers))})

    with pytest.raises(BadReply, match="goes on after 1000 pages without an item"):
        open_client(desk).shares()


def test_unknown_and_long_members_are_accepted(open_client):
    """DS-SHR-06, DS-PRO-03."""
    share = {
        "name": "s",
        "comment": "c" * 100_000,
        "displayName": "d" * 1000,
        "properties": {f"p{n}": "v" * 2000 for n in range(99)},
        "new": {},
    }
    desk = Desk().on("GET /prefix/shares/s", {"share": share, "newer": []})

    answer = open_client(desk).share("s")

    assert (len(answer.comment), len(answer.properties)) == (100_000, 99)


@pytest.mark.parametrize("name", ["a b", "ü%+&?#~", "a.b", "%2e", "a'b;c=d"])
def test_names_reach_the_server_unchanged(open_client, name):
    desk = Desk()

    with pytest.raises(ResponseError, match="418"):
        open_client(desk).share(name)

    assert desk.requests[0].url.path == f"/prefix/shares/{name}"


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_unaddressable_name_raises_before_a_request(open_client, name):
    desk = Desk()
    client = open_client(desk)

    for ask in (
        client.share,
        client.schemas,
        client.all_tables,
        lambda n: client.tables("s", n),
        lambda n: client.table("s", "d", n),
    ):
        with pytest.raises(ValueError, match="cannot be addressed"):
            ask(name)

    assert desk.requests == []


@pytest.mark.parametrize(
    ("method", "arguments", "kind"),
    [
        ("share", ("s",), NoSuchShare),
        ("schemas", ("s",), NoSuchShare),
        ("all_tables", ("s",), NoSuchShare),
        ("tables", ("s", "d"), NoSuchSchema),
    ],
)
def test_missing_object_raises_the_error_of_its_kind(open_client, method, arguments, kind):
    desk = Desk()
    for path in (
        "shares/s",
        "shares/s/schemas",
        "shares/s/all-tables",
        "shares/s/schemas/d/tables",
    ):
        desk.on(f"GET /prefix/{path}", error(404))

    with pytest.raises(NotFound) as exc_info:
        getattr(open_client(desk), method)(*arguments)

    assert (type(exc_info.value), exc_info.value.status, exc_info.value.type) == (
        kind,
        404,
        "RESOURCE_DOES_NOT_EXIST",
    )


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (error(400, code="MALFORMED_REQUEST"), BadRequest),
        (error(401), NotAuthenticated),
        (httpx.Response(401, content=b"<p>who?</p>"), NotAuthenticated),
        (error(403), Forbidden),
        (httpx.Response(404, content=b"<p>where?</p>"), NotFound),
    ],
)
def test_error_reply_raises_its_error_and_hides_the_token(open_client, answer, kind):
    desk = Desk().on(
        "GET /prefix/shares/s",
        httpx.Response(answer.status_code, content=answer.content.replace(b"no", TOKEN.encode())),
    )

    with pytest.raises(kind) as exc_info:
        open_client(desk).share("s")

    assert type(exc_info.value) is kind
    assert TOKEN not in f"{exc_info.value} {exc_info.value.exchange}"


def test_client_repr_shows_the_endpoint_only(open_client):
    client = open_client(Desk())

    assert repr(client.thing).endswith("SharingClient('https://sharing.test/prefix')")
    assert TOKEN not in repr(vars(client.thing))


def test_expired_profile_sends_no_request(open_client):
    """DS-PRF-04."""
    desk = Desk()

    with pytest.raises(NotAuthenticated, match="ran out"):
        open_client(desk, PROFILE | {"expirationTime": "2020-01-01T00:00:00Z"}).shares()

    assert desk.requests == []


@pytest.mark.parametrize(
    "name", [("s", "d"), ("s.d",), (("s", "d"),), (SharedSchema(share="s", name="d"),)]
)
def test_schema_is_named_in_one_argument_or_two(open_client, name):
    _, path, item = LISTINGS["tables"]
    desk = Desk().on(f"GET {path}", {"items": [item]})

    assert [each.name for each in open_client(desk).tables(*name)] == ["a"]


TABLE_NAMES = [
    ("s", "d.e", "t"),
    (("s", "d.e", "t"),),
    (["s", "d.e", "t"],),
    (SharedTable.model_validate({"share": "s", "schema": "d.e", "name": "t"}),),
]


@pytest.mark.parametrize("name", TABLE_NAMES)
def test_table_is_named_in_one_argument_or_three(open_client, name):
    assert open_client(Desk()).table(*name).place == Place("s", "d.e", "t")


def test_string_that_names_a_table_is_split_at_its_dots(open_client):
    assert open_client(Desk()).table("s.d.t").place == Place("s", "d", "t")


WRONG_NAMES = {
    ("table", 'a table is named "share.schema.table"'): ["t", "s.t", "s.d.e.t", "", ("s", "t"), 3],
    ("tables", 'a schema is named "share.schema"'): ["s", "s.d.e", "", ("s",)],
}


@pytest.mark.parametrize(
    ("method", "complaint", "name"),
    [(*how, name) for how, names in WRONG_NAMES.items() for name in names],
)
def test_name_of_another_length_raises_value_error(open_client, method, complaint, name):
    with pytest.raises(ValueError, match=complaint):
        getattr(open_client(Desk()), method)(name)
