"""Texts that are compared with those of the same value of a column alone."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from mithril_stream._documents import encode_value, value_of
from mithril_stream._tables import Stream, Table
from mithril_stream._texts import Block


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
    return [value_of(doc, within, None if row is None else row + i) for i, doc in enumerate(documents)]


def blocks_of(table: Table, within: str | None) -> Iterator[Block]:
    """Return the texts of a table with their values. Those of an iterable come with its documents."""
    if within is None:
        return table.blocks()
    if isinstance(table, Stream):
        table.within = within
        return with_values(table.blocks(), table.values_read())
    return with_values(table.blocks(), iter(table.values(within)))


def with_values(blocks: Iterator[Block], values: Iterator[Any]) -> Iterator[Block]:
    row = 0
    for block in blocks:
        yield confined(block, list(itertools.islice(values, block.texts)), row)
        row += block.texts
