"""All decisions of Delta Sharing that a fault may replace."""

from __future__ import annotations

from lakepact.reference_server.delta_sharing import catalogue, data_door, files, tables
from lakepact.reference_server.delta_sharing.access import credentials, recipients


class SharingRules(recipients.Rules, catalogue.Rules, files.Rules, data_door.Rules, tables.Rules, credentials.Rules):
    """The rules of all areas."""
