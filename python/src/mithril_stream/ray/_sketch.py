"""Keys of texts, made by the program on the nodes."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import mithril_stream
from mithril_stream._judge import Judge
from mithril_stream._keys import Rule, lists_of, words_of
from mithril_stream._positions import hashes, plain
from mithril_stream._program import MithrilError
from mithril_stream.ray._order import Order

SLICE_BYTES = 32 << 20  # of keys that are made at a time; a block of short texts has many


def entries_of(batch: Any, rule: Rule, text: str, order: Order) -> Iterator[Any]:
    """Yield for each row its position, its keys, 16 bytes for each band or null if there is nothing to compare, and a
    hash of its text."""
    for part, words, some in sketched(batch, rule, text):
        data = [pa.array(some).buffers()[1], pa.py_buffer(words)]
        keys = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16 * rule.bands), len(some), data)
        columns = [order.positions(part), keys, pa.array(hashes(plain(part.column(text))))]
        yield pa.table(columns, names=["position", "keys", "text"])


def keys_of(batch: Any, rule: Rule, text: str) -> Iterator[Any]:
    """Yield the rows with a column of keys."""
    for part, words, some in sketched(batch, rule, text):
        yield part.append_column("mithril_keys", lists_of(words, some))


def sketched(batch: Any, rule: Rule, text: str) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the rows of a batch in slices, with their keys, and which of them have some. Raises MithrilError if this
    node has another version than the one that asks, whose keys may be others."""
    if rule.version != mithril_stream.__version__:
        there = f"node {platform.node()} has mithril-stream {mithril_stream.__version__}"
        raise MithrilError(f"{there}, and the driver {rule.version}: install the same on all")
    judge = Judge(rule.args)
    try:
        size = max(1, SLICE_BYTES // (16 * rule.bands))
        for start in range(0, batch.num_rows, size):
            part = batch.slice(start, size)
            values = None if rule.within is None else part.column(rule.within)
            yield part, *words_of(judge, rule, part.column(text), values)
    finally:
        judge.close()
