"""The items of a list while updates change them: found by id or by meaning in a time that does not
grow with their number.
"""

from __future__ import annotations

from bisect import insort
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, NamedTuple


class Alike(NamedTuple):
    """How items of a list are compared."""

    meaning: Callable[[Any], Hashable]  #: equal for items that are the same, and only for them
    sketch: Callable[
        [Any], Hashable
    ]  #: equal for items that are the same; cheap, so that few meanings are asked for


class Members:
    """The items of a list member of a document.

    Args:
        items: the list; it is not changed.
        id_member: the member that holds the id of an item.
        alike: returns the identity of an item; `None` if duplicates need no detection.
    """

    def __init__(self, items: Iterable[Any], id_member: str, alike: Alike | None = None) -> None:
        self._items: list[Any] = list(
            items
        )  # a removed item leaves None, so that the others keep their places
        self._id_member = id_member
        self._alike = alike
        self._places: defaultdict[Any, list[int]] = defaultdict(list)
        for place, item in enumerate(self._items_left()):
            self._places[self._id(item)].append(place)
        self._start = 0  # all items before this place are cut off
        self._ascending: list[int] | None = None
        self._sketched: defaultdict[Hashable, list[Any]] | None = (
            None  # by sketch: items whose meaning is not known yet
        )
        self._meant: defaultdict[Hashable, defaultdict[Hashable, deque[Any]]] = defaultdict(
            lambda: defaultdict(deque)
        )
        self.changed = False  #: since they were last listed

    def get(self, id_: Any) -> Any:
        """Return the first item with this id, or None."""
        return next(
            (
                item
                for place in self._places.get(id_, ())
                if (item := self._items[place]) is not None
            ),
            None,
        )

    def has(self, item: Any) -> bool:
        """Return whether this very object is the item with its id."""
        return self.get(self._id(item)) is item

    def as_list(self) -> list[Any]:
        """Return all items in their order."""
        self.changed = False
        return list(self._items_left())

    def append(self, item: Any) -> None:
        """Add an item behind all others."""
        id_ = self._id(item)
        self._places[id_].append(len(self._items))
        self._items.append(item)
        if self._ascending is not None:
            insort(self._ascending, id_)
        if self._sketched is not None and self._alike is not None:
            self._sketched[self._alike.sketch(item)].append(item)
        self.changed = True

    def last(self) -> Any:
        """Return the last item, unless it was removed."""
        return self._items[-1] if self._items else None

    def remove(self, ids: Iterable[Any]) -> bool:
        """Remove the items with these ids, and return whether there were any."""
        return bool(self._remove(ids))

    def cut(self, ids: Iterable[Any]) -> bool:
        """Remove the items with these ids and all items before them, and return whether there were
        any.
        """
        places = self._remove(ids)
        end = max(places, default=self._start)
        self._items[self._start : end] = [None] * (end - self._start)
        self._start = end
        return bool(places)

    def highest(self, default: int) -> int:
        """Return the highest id."""
        if self._ascending is None:
            self._ascending = sorted(self._places)
        while self._ascending and self._ascending[-1] not in self._places:
            self._ascending.pop()
        return self._ascending[-1] if self._ascending else default

    def twin(self, item: Any) -> Any:
        """Return the first item that is the same, or None."""
        if self._alike is None:
            return None
        sketch, meaning = self._alike.sketch, self._alike.meaning
        if self._sketched is None:
            self._sketched = defaultdict(list)
            for other in self._items_left():
                self._sketched[sketch(other)].append(other)
        key = sketch(item)
        for other in self._sketched.pop(key, ()):
            self._meant[key][meaning(other)].append(other)
        if key not in self._meant:
            return None
        twins = self._meant[key].get(meaning(item))
        while twins and not self.has(twins[0]):
            twins.popleft()
        return twins[0] if twins else None

    def _items_left(self) -> Iterator[Any]:
        return (item for item in self._items if item is not None)

    def _id(self, item: Any) -> Any:
        return item.get(self._id_member, 0)

    def _remove(self, ids: Iterable[Any]) -> list[int]:
        places = [
            place
            for id_ in ids
            for place in self._places.pop(id_, ())
            if self._items[place] is not None
        ]
        for place in places:
            self._items[place] = None
        self.changed = self.changed or bool(places)
        return places
