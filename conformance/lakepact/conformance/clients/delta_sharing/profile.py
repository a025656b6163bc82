"""Reading of the profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.clients.delta_sharing.lab import same_rows
from lakepact.conformance.clients.delta_sharing.suite import check
from lakepact.conformance.judging import expect

if TYPE_CHECKING:
    from lakepact.conformance.clients.delta_sharing.lab import SharingClientLab
    from lakepact.conformance.evidence.exchanges import Exchange

FUTURE = 99  #: a version that no client of today can know


@check("DS-PRF-01")
def unknown_profile_versions(lab: SharingClientLab) -> None:
    """A client reports an error for a profile with an unknown `shareCredentialsVersion`."""
    table, _ = lab.reads()
    with lab.judge("DS-PRF-01"):
        done = lab.performs("read-table", table=table, profile={"shareCredentialsVersion": FUTURE})
        done.is_refused(f"shareCredentialsVersion is {FUTURE}")


@check("DS-PRF-02", "DS-PRF-03")
def endpoints_and_tokens(lab: SharingClientLab) -> None:
    """A client reads tables by an `endpoint` with and without a trailing slash, and sends `bearerToken` with every request."""
    table, rows = lab.reads()
    seen: list[Exchange] = []
    with lab.judge_each("DS-PRF-02") as case:
        for slash in (False, True):
            with case():
                done = lab.performs("read-table", table=table, slash=slash)
                seen += done.exchanges
                same_rows(done.ended, rows, f"where the endpoint has {'a' if slash else 'no'} slash at its end")
    with lab.judge_each("DS-PRF-03") as case:
        for exchange in seen:
            with case():
                sent = [value for name, value in exchange.request_headers if name.lower() == "authorization"]
                expect.true(
                    sent == [f"Bearer {lab.token}"],
                    "the header Authorization: Bearer and the token of the profile",
                    _without_secrets(sent),
                    at=None,
                )


#: Times in the future, as servers write them.
FUTURE_TIMES = ("2099-11-12T00:12:29Z", "2099-11-12T00:12:29.0Z", "2099-11-12T00:12:29.000Z")


@check("DS-CLI-20")
def expiration_times(lab: SharingClientLab) -> None:
    """A client reads tables with a profile whose `expirationTime` is in the future, with or without fractional seconds."""
    table, rows = lab.reads()
    with lab.judge_each("DS-CLI-20") as case:
        for time in FUTURE_TIMES:
            with case():
                done = lab.performs("read-table", table=table, profile={"expirationTime": time})
                same_rows(done.ended, rows, f"with a profile whose expirationTime is {time}")


def _without_secrets(sent: list[str]) -> str:
    """Return the scheme of each Authorization, and the length of its token."""
    return " and ".join(f"{value.partition(' ')[0]} and {len(value.partition(' ')[2])} characters" for value in sent) or "no such header"
