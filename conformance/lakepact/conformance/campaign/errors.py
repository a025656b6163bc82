"""What ends a verb of a campaign without being a wrong word on the command line; the message says what to do."""


class Refused(Exception):
    """A run that cannot go on."""


class CannotRun(Exception):
    """An engine that cannot run here, or broke down."""
