"""Extensions of newer contract versions: the oldest version is served without them."""

from __future__ import annotations

from dataclasses import dataclass

from lakepact.generated.contract import Contract
from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing.queries.queries import HISTORICAL_PROTOCOL


@dataclass(frozen=True, slots=True)
class VersionExtension:
    """The extensions of one version.

    Args:
        async_query: whether queries can run in the background.
        historical_protocol: whether clients can ask for the protocols of earlier versions.
    """

    async_query: bool = False
    historical_protocol: bool = False


def version_extension(contract: Contract) -> VersionExtension:
    """Return the extensions of the served version."""
    parameters = {
        parameter.name for parameter in contract.operations[op.query_table_changes].parameters
    }
    return VersionExtension(
        async_query=op.get_query_info in contract.operations,
        historical_protocol=HISTORICAL_PROTOCOL in parameters,
    )
