"""The ways in which an overlay changes a document; each one asserts what it expects to find before
it touches anything.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from lakepact.codegen.documents import Broken, at, is_list, is_object, pointer_of, steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lakepact.codegen.documents import Document

    Change = Mapping[str, Any]
    Pointers = list[str]  # pointers into the document


def apply(document: Document, change: Change) -> Pointers:
    """Change a document in place and return the changed pointers.

    Raises:
        Broken: The expected value is missing, or the change is invalid.
    """
    actions = [name for name in ACTIONS if name in change]
    if len(actions) != 1 or set(change) - {"at", "expect", *ACTIONS}:
        raise Broken(
            f"a change has `at`, `expect` and one of {', '.join(ACTIONS)}, but this one has"
            f" {', '.join(change)}"
        )
    (action,) = actions
    return ACTIONS[action](document, change["at"], change)


def _add(document: Document, pointer: str, change: Change) -> Pointers:
    parent, key = _place(document, pointer)
    if not is_object(parent) or key in parent:
        raise Broken(f"{pointer} is to be added, but is there already")
    parent[key] = deepcopy(change["add"])
    return [pointer]


def _set(document: Document, pointer: str, change: Change) -> Pointers:
    parent, key = _find(document, pointer, change)
    parent[key] = deepcopy(change["set"])
    return [pointer]


def _remove(document: Document, pointer: str, change: Change) -> Pointers:
    parent, key = _find(document, pointer, change)
    del parent[key]
    return [pointer]


def _rename(document: Document, pointer: str, change: Change) -> Pointers:
    parent, key = _find(document, pointer, change)
    name = change["rename"]
    if not is_object(parent) or name in parent:
        raise Broken(f"{pointer} is to be called {name}, but there is one of that name already")
    members = list(parent.items())
    parent.clear()
    parent.update({name if member == key else member: value for member, value in members})
    return [pointer, pointer_of([*steps(pointer)[:-1], name])]


def _append(document: Document, pointer: str, change: Change) -> Pointers:
    items = at(document, pointer)
    for item in change["append"]:
        if not is_list(items) or item in items:
            raise Broken(f"{item} is to be appended to {pointer}, but is there already")
        items.append(deepcopy(item))
    return [pointer]


def _discard(document: Document, pointer: str, change: Change) -> Pointers:
    items = at(document, pointer)
    for item in change["discard"]:
        if not is_list(items) or item not in items:
            raise Broken(f"{item} is to be taken from {pointer}, but is not there")
        items.remove(item)
    return [pointer]


def _merge(document: Document, pointer: str, change: Change) -> Pointers:
    members = at(document, pointer)
    for name, value in change["merge"].items():
        if not is_object(members) or name in members:
            raise Broken(f"{name} is to be added to {pointer}, but is there already")
        members[name] = deepcopy(value)
    return [pointer_of([*steps(pointer), name]) for name in change["merge"]]


def _replace(document: Document, pointer: str, change: Change) -> Pointers:
    edit = change["replace"]
    places = list(_places_of(at(document, pointer), edit["find"], steps(pointer)))
    if len(places) != edit["times"]:
        raise Broken(
            f"{edit['find']} is to be replaced {edit['times']} times below {pointer}, but is"
            f" there {len(places)} times"
        )
    for place in places:
        parent, key = _place(document, pointer_of(place))
        parent[key] = deepcopy(edit["with"])
    return [pointer_of(place) for place in places]


ACTIONS: dict[str, Callable[[Document, str, Change], Pointers]] = {
    "add": _add,
    "set": _set,
    "remove": _remove,
    "rename": _rename,
    "append": _append,
    "discard": _discard,
    "merge": _merge,
    "replace": _replace,
}


def _place(document: Document, pointer: str) -> tuple[Any, Any]:
    *above, last = steps(pointer)
    parent = at(document, pointer_of(above))
    return parent, int(last) if is_list(parent) else last


def _find(document: Document, pointer: str, change: Change) -> tuple[Any, Any]:
    """Return the place at `pointer`, after a look at what is there."""
    if "expect" not in change:
        raise Broken(
            f"{pointer} is to be changed, but the change does not say what it expects there"
        )
    present = at(document, pointer)
    if not _matches(present, change["expect"]):
        raise Broken(f"at {pointer} {change['expect']} is expected, but {present} is there")
    return _place(document, pointer)


def _matches(present: Any, expected: Any) -> bool:
    """Return whether something is what is expected: of an object at least the expected members, of
    anything else all of it.
    """
    if is_object(expected):
        return is_object(present) and all(
            name in present and _matches(present[name], value) for name, value in expected.items()
        )
    return type(present) is type(expected) and bool(present == expected)


def _places_of(node: Any, target: Any, path: list[str]) -> Iterator[list[str]]:
    if node == target:
        yield path
        return
    for key, value in _members(node):
        yield from _places_of(value, target, [*path, str(key)])


def _members(node: Any) -> Iterator[tuple[str | int, Any]]:
    if is_object(node):
        yield from node.items()
    elif is_list(node):
        yield from enumerate(node)
