"""All decisions of Delta Sharing that a fault may replace."""

from __future__ import annotations

from lakepact.reference_server.delta_sharing import catalogue, credentials, data_door, files, recipients, tables


class SharingRules(recipients.Rules, catalogue.Rules, files.Rules, data_door.Rules, tables.Rules, credentials.Rules):
    """The rules of all areas."""
