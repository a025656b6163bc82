"""The documented tree of errors equals the classes, and errors can be pickled."""

from __future__ import annotations

import pickle
import re

from lakepact.client import errors
from lakepact.client.errors import Failure

DRAWN = re.compile(r"^(?P<branch>[ │├└─]*)(?P<name>[A-Z]\w+)")


def drawn_tree() -> dict[str, str]:
    """Return the parent of every class, as the docstring draws it."""
    parents, path = {}, []
    for line in errors.__doc__.split("\n\n")[1].splitlines():
        match = DRAWN.match(line)
        depth = len(match["branch"]) // 4 - 1
        path[depth:] = [match["name"]]
        parents[match["name"]] = path[depth - 1] if depth else "Exception"
    return parents


def test_drawn_tree_equals_the_classes():
    classes = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, Exception)
    ]

    assert drawn_tree() == {kind.__name__: kind.__base__.__name__ for kind in classes}


def test_error_survives_pickling():
    error = errors.NoSuchTable(Failure(operation="loadTable", message="no", status=404, tries=1))

    copy = pickle.loads(pickle.dumps(error))

    assert (type(copy), str(copy), copy.status) == (errors.NoSuchTable, str(error), 404)
