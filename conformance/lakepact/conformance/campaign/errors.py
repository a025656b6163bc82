"""An error that ends a verb of a campaign, other than wrong usage; the message says what to do."""


class Refused(Exception):
    """A run that cannot go on."""


class CannotRun(Exception):
    """An engine that cannot run here, or broke down."""


class CannotLand(Exception):
    """The tables of a run cannot be put there."""
