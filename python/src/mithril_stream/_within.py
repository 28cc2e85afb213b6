"""Texts that are compared only with those that have the same value in a column."""

from __future__ import annotations

import itertools
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from mithril_stream._documents import encode_value, value_of
from mithril_stream._tables import Stream, Table
from mithril_stream._texts import Block, block_of_one, blocks_of_iterable, is_text

# The forms of URLs and DOIs, which the program makes of values.
FORM = re.compile(r"canonical(\{-[^{}]*\})?|host|domain|doi")


def column_of(within: str) -> str:
    """Return the column that within= names: of "url:domain" it is url. A backslash keeps a colon in the name."""
    name, _, form = within.rpartition(":")
    if not name or not FORM.fullmatch(form):
        return within
    return f"{name[:-1]}:{form}" if name.endswith("\\") else name


def field_of(column: str) -> str:
    """Return what names a column as within= does."""
    name, _, form = column.rpartition(":")
    return f"{name}\\:{form}" if name and FORM.fullmatch(form) else column


def check_type(within: str, kind: Any) -> None:
    """Raise ValueError unless a type of Arrow is one of strings, integers, floats or booleans."""
    import pyarrow as pa

    while isinstance(kind, pa.ExtensionType):
        kind = kind.storage_type
    of = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (is_text(of) or pa.types.is_integer(of) or pa.types.is_floating(of) or pa.types.is_boolean(of)):
        raise not_comparable(within, kind)


def not_comparable(within: str, kind: Any) -> ValueError:
    return ValueError(f"within {within!r} has values of type {kind}: give a column of strings, numbers or booleans")


def confined(block: Block, values: Sequence[Any] | None, row: int | None = 0) -> Block:
    """Return a block with the values of its texts, if there are any. row is the place of the first one in what was
    given."""
    if values is None:
        return block
    encoded = [encode_value(value, None if row is None else row + i) for i, value in enumerate(values)]
    lengths = array("i", [-1 if data is None else len(data) for data in encoded])
    return block._replace(values=lengths.tobytes() + b"".join(data or b"" for data in encoded))


def values_of(documents: Iterable[Any], within: str | None, row: int | None = None) -> list[Any] | None:
    """Return the values of documents, or None without within."""
    if within is None:
        return None
    column = column_of(within)
    return [value_of(doc, column, None if row is None else row + i) for i, doc in enumerate(documents)]


def blocks_of(table: Table, within: str | None) -> Iterator[Block]:
    """Return the texts of a table with their values. Those of an iterable come with its documents."""
    if within is None:
        return table.blocks()
    if isinstance(table, Stream):
        table.within = column_of(within)
        return with_values(table.blocks(), table.values_read())
    return with_values(table.blocks(), iter(table.values(column_of(within))))


def blocks_of_texts(texts: Sequence[Any], values: Sequence[Any] | None, row: int | None = 0) -> Iterable[Block]:
    """Return texts, with the values that they have if there are any. row is the place of the first one."""
    if len(texts) == 1:
        return (confined(block_of_one(texts[0]), values, row),)
    blocks = blocks_of_iterable(texts)
    return blocks if values is None else with_values(blocks, iter(values), row)


def with_values(blocks: Iterator[Block], values: Iterator[Any], row: int | None = 0) -> Iterator[Block]:
    for block in blocks:
        yield confined(block, list(itertools.islice(values, block.texts)), row)
        row = None if row is None else row + block.texts
