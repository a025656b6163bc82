"""Forms from outside: names and texts, each name once."""

from __future__ import annotations

from urllib.parse import parse_qsl

MOST_FIELDS = 100
MOST_BYTES = (
    64 * 1024
)  #: one call decodes all percent-encoded bytes of a text, and no other thread runs meanwhile


class NotAForm(ValueError):
    """The bytes are not a form; the message names the fault and repeats none of its text."""


def read_form(raw: bytes) -> dict[str, str]:
    """Return the fields of a form by their names.

    Raises:
        NotAForm: a name is given twice, there are too many, or something is too long or not UTF-8.
    """
    if len(raw) > MOST_BYTES:
        raise NotAForm(f"the form has {len(raw)} bytes; at most {MOST_BYTES} are read")
    try:
        fields = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except UnicodeDecodeError:
        raise NotAForm(
            "the body is not a form: names and texts are percent-encoded UTF-8"
        ) from None
    except ValueError:
        raise NotAForm(f"the form has more than {MOST_FIELDS} fields") from None
    by_name = dict(fields)
    if len(by_name) < len(fields):
        raise NotAForm("a field of the form is given more than once")
    return by_name
