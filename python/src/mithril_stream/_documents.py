"""What is a text, where it is in a document, and what is said of what is none."""

from __future__ import annotations

import json
import numbers
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

MOST_IN_ID = 64 << 10  # bytes


def is_missing(value: Any) -> bool:
    """Return whether a value means that there is no text: None, NaN, or the equivalents of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, numbers.Real) and bool(value != value)


def is_text(value: Any) -> bool:
    return isinstance(value, (str, bytes, bytearray)) or is_missing(value)


def shown(value: Any) -> str:
    return f"{reprlib.repr(value)} ({type(value).__name__})"


def text_of(document: Any, field: str = "text", row: int | None = None) -> Any:
    """Return the text of a document: itself, if it is a string or missing, or a value of a dict. row is its place in
    what was given."""
    if type(document) is str or is_text(document):
        return document
    value = value_of(document, field, row)
    if type(value) is str or is_text(value):
        return value
    raise TypeError(f"{place(row)}: its {field!r} is {shown(value)}, not a string")


def value_of(document: Any, field: str, row: int | None = None) -> Any:
    """Return a value of a dict, or of what is like one."""
    try:
        return document[field]
    except KeyError:
        known = ", ".join(map(reprlib.repr, list(document)[:20])) or "nothing"
        raise KeyError(f"{place(row)} has no field {field!r}: it has {known}") from None
    except (TypeError, IndexError, ValueError):
        raise TypeError(f"{place(row)} is {shown(document)}: give strings, or dicts with the field {field!r}") from None


def place(row: int | None) -> str:
    return "the document" if row is None else f"row {row}"


def checked(values: Iterable[Any], what: str, start: int = 0) -> Iterator[Any]:
    """Yield the values of a column, all of which must be texts. start is the row of the first one."""
    for row, value in enumerate(values, start):
        if type(value) is not str and not is_text(value):
            raise TypeError(f"row {row} of {what} is {shown(value)}, not a string")
        yield value


def encode_id(id: Any, row: int | None = None) -> bytes:
    """Return what a document is called, as the program wants it: JSON on one line."""
    try:
        encoded = json.dumps(id, default=plain, allow_nan=False).encode()
    except (TypeError, ValueError):
        raise TypeError(f"{place(row)}: its id is {shown(id)}: give a string or a number") from None
    if len(encoded) > MOST_IN_ID:
        raise ValueError(f"{place(row)}: its id has {len(encoded)} bytes, and at most {MOST_IN_ID} are possible")
    return encoded


def encode_value(value: Any, row: int | None = None, of: str = "within=") -> bytes | None:
    """Return a value of the column that an argument names, as the program wants it: a string, a number or a boolean in
    JSON. What is missing, and what is no such value in a JSON record either, is None."""
    if is_missing(value) or isinstance(value, (list, tuple, Mapping)):
        return None
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):  # numpy's is no bool
        return b"true" if value else b"false"
    if not isinstance(value, str):
        try:
            value = plain(value)
        except TypeError:
            raise TypeError(f"{place(row)}: {shown(value)} is no string, number or boolean, for {of}") from None
    if value in (float("inf"), float("-inf")):
        return None
    encoded = json.dumps(value).encode()
    if len(encoded) > MOST_IN_ID:
        raise ValueError(
            f"{place(row)}: its value for {of} has {len(encoded)} bytes, and at most {MOST_IN_ID} are possible"
        )
    return encoded


def name_of(id: Any) -> str:
    """Return an id as index delete takes it: a number and a string of the same digits are one."""
    return id if isinstance(id, str) else json.dumps(id)


def plain(value: Any) -> Any:
    """Return a number as one of Python's own."""
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise TypeError
