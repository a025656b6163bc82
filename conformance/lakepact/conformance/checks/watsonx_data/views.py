"""Views: renames between namespaces, and unknown updates."""

from __future__ import annotations

from functools import partial

from lakepact.conformance.checks.iceberg_rest.api import Document, Wrong, expect, op
from lakepact.conformance.checks.watsonx_data.lab import WatsonxLab
from lakepact.conformance.checks.watsonx_data.suite import check


@check("WXD-VIEW-001")
def views_are_renamed_across_namespaces(lab: WatsonxLab) -> None:
    """Renaming a view into another namespace returns 204 and moves it with its UUID, or returns 406
    and leaves it.
    """
    for name in lab.each((None, lab.name())):
        source, target = lab.make_namespace(), lab.make_namespace()
        view = lab.make_view(source)
        new_name = name or view
        before = lab.require(lab.send(op.load_view, namespace=source, view=view), 200)
        ends = {
            "source": {"namespace": list(source), "name": view},
            "destination": {"namespace": list(target), "name": new_name},
        }
        reply = lab.send(op.rename_view, body=ends)
        lab.add_cleanup(partial(lab.send, op.drop_view, namespace=target, view=new_name))
        with lab.judge("WXD-VIEW-001"):
            expect.status(reply, 204, 406)
            new_address: Document = {"namespace": target, "view": new_name}
            old_address: Document = {"namespace": source, "view": view}
            present, absent = (
                (new_address, old_address) if reply.status == 204 else (old_address, new_address)
            )
            current = lab.send(op.load_view, **present)
            expect.status(current, 200)
            uuid = before.at("metadata", "view-uuid")
            expect.member(uuid, current.place("metadata", "view-uuid"), "view UUID")
            expect.not_found(lab.send(op.load_view, **absent), "view")


@check("WXD-VIEW-002")
def unknown_view_updates_and_requirements_are_refused(lab: WatsonxLab) -> None:
    """Replacing a view with an unknown update or requirement returns 4xx and leaves its metadata
    unchanged.
    """
    home = lab.make_namespace()
    view = lab.make_view(home)
    before = lab.require(lab.send(op.load_view, namespace=home, view=view), 200)
    harmless = {"action": "set-properties", "updates": {"lakepact.harmless": "1"}}
    unknown = {"action": "lakepact-unknown"}
    for requirements, updates in lab.each(
        (
            ([], [unknown]),
            ([], [harmless, unknown]),
            ([{"type": "assert-lakepact-unknown"}], [harmless]),
        )
    ):
        reply = lab.send(
            op.replace_view,
            namespace=home,
            view=view,
            body={"requirements": requirements, "updates": updates},
        )
        with lab.judge("WXD-VIEW-002"):
            expect.client_error(
                reply,
                mutation=Wrong.VALUE(
                    "/requirements/*/type" if requirements else "/updates/*/action"
                ),
            )
            after = lab.send(op.load_view, namespace=home, view=view)
            expect.member(before.at("metadata"), after.place("metadata"))
