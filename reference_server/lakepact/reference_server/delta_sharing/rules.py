"""All decisions of Delta Sharing that a fault may replace."""

from __future__ import annotations

from lakepact.reference_server.delta_sharing import catalogue, file_endpoint, files, tables
from lakepact.reference_server.delta_sharing.access import credentials, recipients


class SharingRules(recipients.Rules, catalogue.Rules, files.Rules, file_endpoint.Rules, tables.Rules, credentials.Rules):
    """The rules of all areas."""
