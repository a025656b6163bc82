"""The names of the objects that checks create: `lp_RUN_CHECK_NUMBER`, or `lpxRUNxCHECKxNUMBER` where
a contract has letters and digits alone.
"""

from __future__ import annotations

import re

USUAL, ALPHANUMERIC = "_", "x"  #: what divides the parts of a name
OBJECT = re.compile(r"lp(?:_[0-9a-fr]+(?:_\d+)+|x[0-9a-fr]+(?:x\d+)+)")


def prefix_of(run: str, *, divider: str = USUAL) -> str:
    """Return the beginning of all names of a run, or of all runs for an empty id."""
    return divider.join(("lp", *filter(None, [run]), ""))
