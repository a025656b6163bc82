"""Names: their length, and characters that the page allows in some names only."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import Namespace, Reply, expect, op
from lakepact.conformance.checks.iceberg_rest.kit.listings import identifiers
from lakepact.conformance.checks.iceberg_rest.kit.namespaces import expect_loads, expect_namespace
from lakepact.conformance.checks.iceberg_rest.kit.views import view_request
from lakepact.conformance.checks.watsonx_data.lab import WatsonxLab
from lakepact.conformance.checks.watsonx_data.suite import check

LONGEST = 128


def create_namespace(lab: WatsonxLab, name: str) -> Reply:
    """Create a namespace with exactly this name, and drop it after the check."""
    reply = lab.send(op.create_namespace, body={"namespace": [name], "properties": {}})
    if reply.status == 200:
        lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=(name,)))
    return reply


def create_table(lab: WatsonxLab, namespace: Namespace, name: str) -> Reply:
    """Create a table with exactly this name, and drop it after the check."""
    reply = lab.try_create_table(namespace, name)
    if reply.status == 200:
        lab.drop_afterwards(namespace, name)
    return reply


def create_view(lab: WatsonxLab, namespace: Namespace, name: str) -> Reply:
    """Create a view with exactly this name, and drop it after the check."""
    reply = lab.send(op.create_view, namespace=namespace, body=view_request(namespace, name))
    if reply.status == 200:
        lab.add_cleanup(lambda: lab.send(op.drop_view, namespace=namespace, view=name))
    return reply


def pad(name: str, length: int) -> str:
    """Return a name that is padded with letters to a length."""
    return name + "x" * (length - len(name))


@check("WXD-NAME-001", "WXD-NAME-002")
def names_of_128_characters_are_accepted(lab: WatsonxLab) -> None:
    """Creating a namespace or table with a name of up to 128 letters and digits returns 200; a
    longer one, 200 or 400.
    """
    with lab.judge_each("WXD-NAME-001") as case:
        for length in (20, 64, LONGEST):
            with case():
                name = pad(lab.name(), length)
                expect.status(
                    create_namespace(lab, name),
                    200,
                    about=f"for a namespace of {length} characters",
                )
                expect_loads(lab, (name,))
                table = pad(lab.name(), length)
                expect.status(
                    create_table(lab, (name,), table),
                    200,
                    about=f"for a table of {length} characters",
                )
                expect.status(
                    lab.send(op.load_table, namespace=(name,), table=table),
                    200,
                    about=f"for a table of {length} characters",
                )
    reply = create_namespace(lab, pad(lab.name(), LONGEST + 1))
    with lab.judge("WXD-NAME-002", remark=f"{LONGEST + 1} characters return {reply.status}"):
        expect.status(reply, 200, 400)


@check("WXD-NAME-003")
def underscores_are_treated_alike(lab: WatsonxLab) -> None:
    """Creating a namespace, table or view with an underscore in its name returns the same status,
    200 or 400.
    """
    home = lab.make_namespace()
    replies = {
        "namespaces": create_namespace(lab, f"{lab.name()}_a"),
        "tables": create_table(lab, home, f"{lab.name()}_a"),
        **(
            {"views": create_view(lab, home, f"{lab.name()}_a")}
            if lab.offers(op.create_view)
            else {}
        ),
    }

    with lab.judge("WXD-NAME-003") as case:
        for what, reply in replies.items():
            with case():
                expect.status(reply, 200, 400, about=f"for {what}")
        treatments = {reply.status < 300 for reply in replies.values()}
        expect.equal(1, len(treatments), "number of ways to treat an underscore:", at=None)


@check("WXD-NAME-004")
def hyphens_can_be_addressed(lab: WatsonxLab) -> None:
    """A namespace or table with a hyphen in its name is refused with 400, or loaded, listed and
    dropped by that name.
    """
    home, namespace, table = lab.make_namespace(), f"{lab.name()}-a", f"{lab.name()}-a"

    with lab.judge("WXD-NAME-004"):
        created = create_namespace(lab, namespace)
        expect.status(created, 200, 400)
        if created.status == 200:
            expect_loads(lab, (namespace,))
            after = lab.send(op.list_namespaces)
            expect.contains(
                [namespace], after.at("namespaces"), "the namespaces", at=after.place("namespaces")
            )
            expect.status(lab.send(op.drop_namespace, namespace=(namespace,)), 204)
        created = create_table(lab, home, table)
        expect.status(created, 200, 400)
        if created.status == 200:
            expect.status(lab.send(op.load_table, namespace=home, table=table), 200)
            tables = identifiers(lab.send(op.list_tables, namespace=home))
            expect.contains(
                {"namespace": list(home), "name": table}, tables, "the tables", at=tables.at
            )
            expect.status(lab.send(op.drop_table, namespace=home, table=table), 204)


@check("WXD-NAME-005")
def spaces_are_addressed_as_percent_20(lab: WatsonxLab) -> None:
    """A namespace or table with a space in its name is refused with 400, or loaded with %20 in the
    path.
    """
    home, namespace, table = lab.make_namespace(), f"{lab.name()} a", f"{lab.name()} a"
    root = lab.path(op.list_namespaces)

    with lab.judge("WXD-NAME-005"):
        created = create_namespace(lab, namespace)
        expect.status(created, 200, 400)
        if created.status == 200:
            path = f"{root}/{namespace.replace(' ', '%20')}"
            expect_namespace(
                lab.send_raw("GET", path, operation=op.load_namespace_metadata), [namespace]
            )
        created = create_table(lab, home, table)
        expect.status(created, 200, 400)
        if created.status == 200:
            path = f"{root}/{home[0]}/tables/{table.replace(' ', '%20')}"
            expect.status(lab.send_raw("GET", path, operation=op.load_table), 200)
