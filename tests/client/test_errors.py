"""The tree in the docstring is the tree in the code, and its errors travel."""

from __future__ import annotations

import pickle
import re

from lakepact.client import errors
from lakepact.client.errors import Failure, LakepactError

DRAWN = re.compile(r"^(?P<branch>[ │├└─]*)(?P<name>[A-Z]\w+)")


def drawn_tree() -> dict[str, str]:
    """Return the parent of every class, as the docstring draws it."""
    parents, path = {}, []
    for line in errors.__doc__.split("\n\n")[1].splitlines():
        found = DRAWN.match(line)
        depth = len(found["branch"]) // 4 - 1
        path[depth:] = [found["name"]]
        parents[found["name"]] = path[depth - 1] if depth else "Exception"
    return parents


def test_the_tree_is_drawn_as_it_is():
    classes = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]

    assert drawn_tree() == {kind.__name__: kind.__base__.__name__ for kind in classes}


def test_every_error_says_what_it_is():
    assert [kind for kind in vars(errors).values() if isinstance(kind, type) and not kind.__doc__] == []


def test_an_error_survives_a_journey_to_another_process():
    error = errors.NoSuchTable(Failure(operation="loadTable", message="no", status=404, tries=1))

    copy = pickle.loads(pickle.dumps(error))

    assert (type(copy), str(copy), copy.status) == (errors.NoSuchTable, str(error), 404)


def test_an_outcome_that_is_unknown_is_not_caught_with_refusals():
    assert issubclass(errors.OutcomeUnknown, LakepactError)
    assert not issubclass(errors.OutcomeUnknown, (errors.ResponseError, errors.Unreachable, errors.BadReply))
