"""Checks of the catalog configuration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.suite import check

if TYPE_CHECKING:
    from lakepact.conformance.checks.iceberg_rest.lab import CatalogLab


@check("IRC-CFG-001", "IRC-CFG-002", "IRC-CFG-007")
def configuration_has_both_maps(lab: CatalogLab) -> None:
    """The configuration is answered before a prefix is known, with defaults and overrides as maps of strings."""
    reply = lab.send("getConfig", warehouse=lab.target.parameters.get("warehouse"))

    with lab.judge("IRC-CFG-007"):
        expect.status(reply, 200)
    with lab.judge("IRC-CFG-001"):
        for member in ("defaults", "overrides"):
            expect.true(isinstance(reply.at(member), dict), f"`{member}` to be an object", reply.at(member))
    with lab.judge("IRC-CFG-002"):
        for member in ("defaults", "overrides"):
            for key, value in reply.at(member).items():
                expect.true(isinstance(value, str), f"`{member}.{key}` to be a string", value)


@check("IRC-CFG-008", "IRC-CFG-009", "IRC-CFG-017")
def endpoints_are_well_formed(lab: CatalogLab) -> None:
    """Declared endpoints are strings of a verb, one space and a path template, none of them twice."""
    endpoints = lab.send("getConfig", warehouse=lab.target.parameters.get("warehouse")).document.get("endpoints")
    if endpoints is None:
        for requirement in ("IRC-CFG-008", "IRC-CFG-009", "IRC-CFG-017"):
            lab.skip(requirement, "the target sends no endpoints")
        return

    with lab.judge("IRC-CFG-008"):
        expect.true(isinstance(endpoints, list) and all(isinstance(e, str) for e in endpoints), "an array of strings", endpoints)
    with lab.judge("IRC-CFG-009"):
        for endpoint in endpoints:
            expect.true(re.fullmatch(r"[A-Z]+ /v1/\S+", str(endpoint)) is not None, "`<VERB> <path template>` with one space", endpoint)
    with lab.judge("IRC-CFG-017"):
        expect.equal(len(set(endpoints)), len(endpoints), "as many different endpoints as entries:")
