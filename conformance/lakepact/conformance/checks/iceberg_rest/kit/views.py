"""Views for checks: requests that create and replace them, and a comparison of two states of a
view.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import orjson

from lakepact.conformance.checks.iceberg_rest.kit.commits.updates import LAST_ADDED
from lakepact.conformance.checks.iceberg_rest.kit.lab import (
    SCHEMA,
    CatalogLab,
    CatalogObject,
    Namespace,
    set_properties,
    with_hyphens,
    without_nulls,
)
from lakepact.conformance.checks.iceberg_rest.kit.server_owned import (
    properties_of_server,
    same_except_server_properties,
    without_properties,
)
from lakepact.conformance.evidence.exchanges import Document, Members, Place, Reply
from lakepact.conformance.evidence.outcome import Wrong
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import documents, op

DIALECT = "spark"
SQL = "SELECT 1 AS id"

#: A schema of other columns than those of `SCHEMA`.
OTHER_SCHEMA: Document = {
    "type": "struct",
    "schema-id": 1,
    "fields": [{"id": 1, "name": "other", "type": "string", "required": False}],
}

#: Mistakes of requests that take a view for a table, or a table for a view.
OVER_VIEW, OVER_TABLE = (
    Wrong.PRESENT(noun) for noun in ("view of this name", "table of this name")
)
VIEW_AS_TABLE, TABLE_AS_VIEW = (
    Wrong.ABSENT(noun, f"for a {other} as a {noun}")
    for noun, other in (("table", "view"), ("view", "table"))
)

#: An update that every view can take, as often as one likes.
HARMLESS = set_properties(lakepact="committed")


class View(CatalogObject):
    """A view as it was answered: created, loaded or replaced."""

    @property
    def uuid(self) -> str:
        """The view's UUID."""
        uuid: str = self.member("view-uuid")
        return uuid

    @property
    def versions(self) -> dict[Any, Document]:
        """The view's versions by their ids."""
        return {
            self.member("versions", n, "version-id"): version
            for n, version in enumerate(self.member("versions"))
        }

    @property
    def current(self) -> Document:
        """The current version.

        Raises:
            Unmet: there is no such version.
        """
        current, versions = self.member("current-version-id"), self.versions
        expect.contains(current, versions, "versions", at=self.place("versions"))
        return versions[current]

    @property
    def log(self) -> list[Any]:
        """The ids of the versions that became current, oldest first."""
        return [
            self.member("version-log", n, "version-id")
            for n in range(len(self.member("version-log")))
        ]

    @property
    def at(self) -> Document:
        """The arguments that address the view."""
        return {"namespace": self.namespace, "view": self.name}


# -- what is sent ----------------------------------------------------------------------------------


def sql(text: str = SQL, dialect: str = DIALECT) -> documents.SQLViewRepresentation:
    """Return a representation."""
    return {"type": "sql", "sql": text, "dialect": dialect}


def version(namespace: Namespace, *representations: Members, **members: Any) -> Document:
    """Return a version of a view; `members` are named with underscores for hyphens, `None` leaves
    one out.
    """
    whole = {
        "version-id": 1,
        "timestamp-ms": int(time.time() * 1000),
        "schema-id": 0,
        "summary": {"engine-name": "lakepact"},
        "representations": [dict(representation) for representation in representations or (sql(),)],
        "default-namespace": list(namespace),
        **with_hyphens(members),
    }
    return without_nulls(whole)


def view_request(namespace: Namespace, name: str, **members: Any) -> Document:
    """Return a body that creates a view; `members` are named with underscores for hyphens, `None`
    leaves one out.
    """
    request = {
        "name": name,
        "schema": SCHEMA,
        "view-version": version(namespace),
        "properties": {},
        **with_hyphens(members),
    }
    return without_nulls(request)


def create(lab: CatalogLab, namespace: Namespace, name: str, **members: Any) -> Reply:
    """Return the answer to creating a view; the clean-up drops it."""
    lab.add_cleanup(lambda: lab.send(op.drop_view, namespace=namespace, view=name))
    return lab.send(
        op.create_view, namespace=namespace, body=view_request(namespace, name, **members)
    )


def make_view(lab: CatalogLab, namespace: Namespace | None = None, **members: Any) -> View:
    """Return a new view, in a new namespace unless one is given.

    Raises:
        Blocked: it cannot be created.
    """
    home, name = namespace or lab.make_namespace(), lab.name()
    return View(home, name, lab.require(create(lab, home, name, **members), 200))


def load_view(lab: CatalogLab, view: View) -> View:
    """Return the view as it is now.

    Raises:
        Blocked: it cannot be loaded.
    """
    return view.in_reply(lab.require(lab.send(op.load_view, **view.at), 200))


def try_replace(
    lab: CatalogLab, view: View, *updates: Members, requirements: Sequence[Members] = ()
) -> Reply:
    """Return the answer to a request that replaces a view, unconditionally unless requirements are
    given.
    """
    return lab.send(
        op.replace_view,
        body={"requirements": list(requirements), "updates": list(updates)},
        **view.at,
    )


def replace_view(lab: CatalogLab, view: View, *updates: Members) -> View:
    """Replace a view and return it.

    Raises:
        Blocked: the replacement is refused.
    """
    return view.in_reply(lab.require(try_replace(lab, view, *updates), 200))


# -- updates ---------------------------------------------------------------------------------------


def add_view_version(view_version: Members) -> Document:
    """Return an update that adds a version."""
    return {"action": "add-view-version", "view-version": dict(view_version)}


def set_current_view_version(version_id: int = LAST_ADDED) -> documents.SetCurrentViewVersionUpdate:
    """Return an update that makes a version the current one, by default the one added last."""
    return {"action": "set-current-view-version", "view-version-id": version_id}


def next_version(view: View, text: str, **members: Any) -> list[Members]:
    """Updates that add a version with another text and make it current; as clients do, they propose
    the next id and a known schema.
    """
    further = {
        "version_id": max(view.versions) + 1,
        "schema_id": view.current["schema-id"],
        **members,
    }
    return [
        add_view_version(version(view.namespace, sql(text), **further)),
        set_current_view_version(),
    ]


# -- what a view is --------------------------------------------------------------------------------


def texts(view: View) -> list[str]:
    """Return the representations of the versions of a view, one string each."""
    return [
        view.member("versions", n, "representations", 0, "sql")
        for n in range(len(view.member("versions")))
    ]


def properties_of(view: View) -> Document:
    """Return the view's properties; none where it has no such member."""
    return view.reply.document["metadata"].get("properties") or {}


def canonical_form(metadata: Members) -> Document:
    """Return the metadata of a view in canonical form: without members that stand for none, and
    with sets in one order.
    """
    members = {member: value for member, value in metadata.items() if value not in (None, [], {})}
    for member in ("versions", "schemas"):
        members[member] = sorted(
            members.get(member, ()),
            key=lambda item: orjson.dumps(item, option=orjson.OPT_SORT_KEYS),
        )
    return members


def state(reply: Reply) -> Document:
    """Return the metadata of a view that an answer shows, in one spelling.

    Raises:
        Unmet: it shows none.
    """
    expect_view(reply)
    return canonical_form(reply.at("metadata"))


def same_view(
    lab: CatalogLab, expected: Reply, actual: Reply, what: str = "unchanged metadata:"
) -> None:
    """Expect two answers to show the same view, except for properties that the server owns.

    Raises:
        Unmet: they differ; it names the first difference.
    """
    same_metadata(lab, state(expected), state(actual), what, at=actual.place("metadata"))


def same_metadata(
    lab: CatalogLab, expected: Members, actual: Members, what: str, *, at: Place
) -> None:
    """Expect equal metadata of a view, except for properties that the server owns; `at` is the
    place of the actual metadata.

    Raises:
        Unmet: they differ; it names the first difference.
    """
    if same_except_server_properties(lab, expected, actual):
        return
    names = properties_of_server(lab)
    expect.equal(
        canonical_form(without_properties(expected, names)),
        canonical_form(without_properties(actual, names)),
        what,
        at=at,
    )


def expect_no_change(lab: CatalogLab, before: View) -> None:
    """Expect an unchanged view.

    Raises:
        Unmet: it differs, or does not load.
    """
    same_view(lab, before.reply, lab.send(op.load_view, **before.at))


def expect_view(reply: Reply) -> None:
    """Expect 200 with the location and metadata of a view.

    Raises:
        Unmet: the answer differs.
    """
    expect.status(reply, 200)
    location = reply.at("metadata-location")
    expect.true(
        isinstance(location, str) and bool(location),
        "a `metadata-location` that is not empty",
        location,
        at=reply.place("metadata-location"),
    )
    expect.true(
        isinstance(reply.at("metadata"), dict),
        "an object as `metadata`",
        reply.at("metadata"),
        at=reply.place("metadata"),
    )
