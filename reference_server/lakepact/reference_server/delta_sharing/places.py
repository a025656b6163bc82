"""A YAML file, read strictly: every value knows its line, which error messages name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from lakepact.reference_server.settings import BadSetting

LONGEST = 100  #: characters of a value in a message
LARGEST = 10**12  #: of the numbers: milliseconds of thirty years

#: Unknown values that a message may repeat: words of letters. Anything else could be a misplaced
#: token.
WORD = re.compile(r"[A-Za-z]{1,40}")
QUOTED = re.compile(
    r"'[^'<][^']{2,}'"
)  #: what YAML repeats of a file; not a single character, nor the name of a token of its grammar


class BadShares(BadSetting):
    """A shares file cannot be used; the message says where it is wrong, in what, and what to
    write.
    """


class Place:
    """One value of the file, and where it stands.

    Args:
        node: the value as YAML has it.
        file: the file that it stands in.
        path: the way to it, `shares[0].name`.
    """

    def __init__(self, node: Any, *, file: Path, path: str = "") -> None:
        self._node = node
        self._file = file
        self._path = path

    def wrong(self, message: str) -> BadShares:
        """Return the error about this value."""
        return BadShares(
            f"{self._file}:{self._node.start_mark.line + 1}: {self._path or 'the file'} {message}"
        )

    def members(self, member_names: Iterable[str]) -> dict[str, Place]:
        """Return the members of a mapping, those left out that are null.

        Raises:
            BadShares: it is no mapping, or has members that are unknown or given twice.
        """
        if not isinstance(self._node, yaml.MappingNode):
            raise self.wrong(f"must be a mapping, but is {self._sort()}")
        names, result = list(member_names), dict[str, Place]()
        for name_node, node in self._node.value:
            if not isinstance(name_node, yaml.ScalarNode):
                raise self.wrong(
                    "has a member whose name is a list or a mapping, instead of a word"
                )
            name = str(name_node.value)
            place = Place(node, file=self._file, path=f"{self._path}.{name}".lstrip("."))
            if name not in names:
                raise self._unknown(name_node, names)
            if name in result:
                raise place.wrong("is given twice; keep one of them")
            result[name] = place
        return {name: place for name, place in result.items() if not place.is_null}

    def _unknown(self, name_node: yaml.ScalarNode, names: list[str]) -> BadShares:
        """Return the error about an unknown member."""
        name = str(name_node.value)
        near = difflib.get_close_matches(name[:LONGEST], names, n=1)
        advice = f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}"
        label = name if near or WORD.fullmatch(name) else "…"
        return Place(name_node, file=self._file, path=f"{self._path}.{label}".lstrip(".")).wrong(
            f"is not known here; {advice}"
        )

    def pairs(self) -> dict[str, str]:
        """Return the members of a mapping of texts, whatever their names.

        Raises:
            BadShares: it is something else.
        """
        if not isinstance(self._node, yaml.MappingNode):
            raise self.wrong(f"must be a mapping of names to texts, but is {self._sort()}")
        names = [
            str(node.value) for node, _ in self._node.value if isinstance(node, yaml.ScalarNode)
        ]
        return {name: place.text() for name, place in self.members(names).items()}

    def items(self) -> list[Place]:
        """Return the items of a list.

        Raises:
            BadShares: it is no list.
        """
        if not isinstance(self._node, yaml.SequenceNode):
            raise self.wrong(f"must be a list, but is {self._sort()}")
        return [
            Place(node, file=self._file, path=f"{self._path}[{n}]")
            for n, node in enumerate(self._node.value)
        ]

    @property
    def is_null(self) -> bool:
        """Whether nothing stands here."""
        return bool(self._node.tag == "tag:yaml.org,2002:null")

    def text(self) -> str:
        """Return a text that is not empty.

        Raises:
            BadShares: it is something else.
        """
        return self._text(self._label())

    def secret(self) -> str:
        """Return a text that no message repeats.

        Raises:
            BadShares: it is something else.
        """
        return self._text("what stands here")

    def _text(self, kind: str) -> str:
        if not isinstance(self._node, yaml.ScalarNode):
            raise self.wrong(f"must be a text, but is {kind}")
        # A time is a text to us; what YAML takes for a number was not meant as one.
        if self._node.tag not in {"tag:yaml.org,2002:str", "tag:yaml.org,2002:timestamp"}:
            raise self.wrong(
                f"must be a text, but YAML reads {kind} as something else; put it in quotes"
            )
        if not self._node.value:
            raise self.wrong("must not be empty")
        text: str = self._node.value
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            raise self.wrong("must be of whole characters, but has half of a surrogate pair")
        return text

    def whole_number(self, minimum: int) -> int:
        """Return a whole number that is at least `minimum`.

        Raises:
            BadShares: it is something else.
        """
        if isinstance(self._node, yaml.ScalarNode) and self._node.tag == "tag:yaml.org,2002:int":
            try:
                value: int = yaml.SafeLoader("").construct_yaml_int(self._node)
            except ValueError:  # it is said to be one, or has thousands of digits
                value = minimum - 1
            if minimum <= value <= LARGEST:
                return value
        raise self.wrong(
            f"must be a whole number from {minimum} to {LARGEST}, but is {self._label()}"
        )

    def truth(self) -> bool:
        """Return a boolean.

        Raises:
            BadShares: the value is not a boolean.
        """
        if isinstance(self._node, yaml.ScalarNode) and self._node.tag == "tag:yaml.org,2002:bool":
            return self._node.value.lower() in {"true", "yes", "on"}
        raise self.wrong(f"must be true or false, but is {self._label()}")

    def _label(self) -> str:
        return (
            repr(self._node.value[:LONGEST])
            if isinstance(self._node, yaml.ScalarNode) and not self.is_null
            else self._sort()
        )

    def _sort(self) -> str:
        """Return the type of a value, not the value itself, because it may be a misplaced
        secret.
        """
        if isinstance(self._node, yaml.MappingNode):
            return "a mapping"
        if isinstance(self._node, yaml.SequenceNode):
            return "a list"
        return "nothing" if self.is_null else "a single value"


def read_places(file: Path) -> Place:
    """Return the YAML document that a file holds.

    Raises:
        BadShares: it cannot be read, or holds no YAML.
    """
    try:
        node = yaml.compose(file.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except OSError as error:
        raise BadShares(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise BadShares(
            f"{file} is not UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}"
        ) from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = QUOTED.sub("'…'", str(error.problem))
        raise BadShares(f"{file}:{line}: this is not YAML: {problem}") from None
    except yaml.YAMLError as error:
        raise BadShares(f"{file} is not YAML: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise BadShares(f"{file} is nested too deeply to be read") from None
    if node is None:
        raise BadShares(f"{file} is empty; the page `run the server` shows what stands in it")
    return Place(node, file=file)
