"""The shingle sets of texts, and how similar two of them are: with memory="exact" a row on a cluster is a duplicate if an
earlier one that shares a key is similar enough. The program makes and compares the sets, as it does on one machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mithril_stream import _judge
from mithril_stream._judge import Judge
from mithril_stream._keys import Rule
from mithril_stream._texts import BLOCK_BYTES, BLOCK_TEXTS, Block, blocks_of_arrow
from mithril_stream._within import with_values


def sets_of(judge: Judge, rule: Rule, column: Any, values: Any = None) -> Any:
    """Return what is compared of an Arrow array of texts, an array of bytes; null where there is nothing. values are
    those of the column rule.within."""
    import numpy as np
    import pyarrow as pa

    blocks = blocks_of_arrow(column)
    if rule.within is not None:
        blocks = with_values(blocks, iter(values.to_pylist()), row=None)
    parts = [pa.array([], pa.large_binary())]
    counts: list[int] = []

    def counted() -> Iterator[Block]:
        for block in blocks:
            counts.append(block.texts)
            yield block

    for count, reply in zip(counts, judge.asked(_judge.SETS, counted())):
        lengths = np.frombuffer(reply, "<u4", count)
        offsets = np.concatenate([[0], np.cumsum(lengths, dtype="<i8")])
        some = pa.array(lengths > 0).buffers()[1]
        buffers = [some, pa.py_buffer(offsets), pa.py_buffer(memoryview(reply)[4 * count :])]
        parts.append(pa.LargeBinaryArray.from_buffers(pa.large_binary(), count, buffers))
    return pa.concat_arrays(parts)


def similarities(judge: Judge, sets: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Return how similar the sets of some numbers are to those of others, and which are so similar that they make one a
    duplicate of the other."""
    import numpy as np
    import pyarrow as pa

    lengths = np.array([len(one) for one in sets.to_pylist()], "<i8")
    both = np.stack([a, b], axis=1).reshape(-1)
    sizes = lengths[both]

    def blocks() -> Iterator[Block]:
        ends, start = np.cumsum(sizes), 0
        while start < len(both):
            before = ends[start - 1] if start else 0
            end = int(np.searchsorted(ends, before + BLOCK_BYTES, "right"))
            end = min(max(start + 2, end - (end - start) % 2), start + BLOCK_TEXTS)
            data = sets.take(pa.array(both[start:end])).to_pylist()
            yield Block(end - start, sizes[start:end].astype("<i4").tobytes(), b"".join(data))
            start = end

    replies = b"".join(judge.asked(_judge.COMPARE, blocks()))
    found = np.frombuffer(replies, np.dtype([("similarity", "<f4"), ("duplicate", "<u4")]))
    return found["similarity"].astype("<f8"), found["duplicate"] != 0
