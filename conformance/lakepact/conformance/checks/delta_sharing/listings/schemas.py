"""Listings of the schemas of a share."""

from __future__ import annotations

from lakepact.conformance.checks.delta_sharing.api import (
    Exchange,
    Kind,
    SharingLab,
    check,
    expect,
    invariant,
    op,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import lower, name_in_url
from lakepact.conformance.checks.delta_sharing.kit.listings import Listing, items_in


@invariant("DS-LSC-01")
def schemas_have_name_and_share(exchange: Exchange) -> bool:
    """Every listed schema has its name and the requested share."""
    items = items_in(exchange) if exchange.operation == op.list_schemas else None
    share = name_in_url(exchange, "share")
    for item in items or ():
        for member in ("name", "share"):
            expect.true(
                isinstance(item.get(member), str),
                f"a text as `{member}`",
                item,
                at=item.place(member),
                kind=Kind.TYPE,
            )
        if share is not None:
            expect.equal(lower(share), lower(item["share"]), "the share", at=item.place("share"))
    return bool(items)


@check("DS-LSC-01")
def schemas_of_every_share_are_listed(lab: SharingLab) -> None:
    """The schemas of every share can be listed; those of the fixture pack are known."""
    names_by_share = (
        {
            share["name"]: [schema["name"] for schema in share["schemas"]]
            for share in lab.manifest.shares
        }
        if lab.knows_content
        else {}
    )

    for share in lab.each(lab.shares()):
        with lab.judge("DS-LSC-01"):
            items = Listing(lab, op.list_schemas, {"share": share}).items()
            if share in names_by_share:
                actual = sorted(lower(str(item.get("name"))) for item in items)
                expect.equal(
                    sorted(map(lower, names_by_share[share])),
                    actual,
                    f"schemas of {share}:",
                    at=None,
                )  # of several pages


@check("DS-LSC-02")
def schemas_of_missing_shares_return_404(lab: SharingLab) -> None:
    """Listing the schemas of a missing share returns 404."""
    with lab.judge("DS-LSC-02"):
        expect.not_found(lab.send(op.list_schemas, share=lab.name()), "share")
        expect.not_found(lab.send(op.list_schemas, share=lab.name(), max_results=1), "share")
