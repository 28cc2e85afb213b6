"""Texts of whatever holds them, as blocks of bytes for the program."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

LENGTH = struct.Struct("<i")
BLOCK_TEXTS = 8192
BLOCK_BYTES = 4 << 20


class Block(NamedTuple):
    """Some texts: the length of each in UTF-8, -1 for None, and their bytes, concatenated."""

    texts: int
    lengths: bytes
    data: bytes | memoryview
    values: bytes = b""  # of the column that within= names: lengths as of the texts, and JSON


def encode(text: Any) -> bytes | None:
    """Return the UTF-8 of a text, with U+FFFD for half a surrogate pair. What is no string counts as missing."""
    if isinstance(text, str):
        try:
            return text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    return bytes(text) if isinstance(text, (bytes, bytearray)) else None


def block_of_one(text: Any) -> Block:
    data = encode(text)
    return Block(1, LENGTH.pack(-1 if data is None else len(data)), data or b"")


def block_of(texts: Sequence[Any]) -> Block:
    """Return a few texts as one block."""
    encoded = list(map(encode, texts))
    lengths = array("i", [-1 if data is None else len(data) for data in encoded])
    return Block(len(encoded), lengths.tobytes(), b"".join(data or b"" for data in encoded))


def blocks_of_iterable(texts: Iterable[Any]) -> Iterator[Block]:
    lengths, parts, size = array("i"), [], 0
    for text in texts:
        data = encode(text)
        lengths.append(-1 if data is None else len(data))
        if data:
            parts.append(data)
            size += len(data)
        if len(lengths) == BLOCK_TEXTS or size >= BLOCK_BYTES:
            yield Block(len(lengths), lengths.tobytes(), b"".join(parts))
            lengths, parts, size = array("i"), [], 0
    if lengths:
        yield Block(len(lengths), lengths.tobytes(), b"".join(parts))


def blocks_of_arrow(column: Any) -> Iterator[Block]:
    """Cut an Arrow array of strings into blocks, without making a Python object of any."""
    import numpy as np
    import pyarrow as pa

    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    for chunk in chunks:
        if isinstance(chunk.type, pa.ExtensionType):
            chunk = chunk.storage
        if pa.types.is_dictionary(chunk.type):
            chunk = chunk.dictionary_decode()
        if not is_text(chunk.type) and not is_bytes(chunk.type):
            raise TypeError(f"the column has no strings, but {chunk.type}")
        kind = pa.large_binary() if is_bytes(chunk.type) else pa.large_string()
        for start in range(0, len(chunk), BLOCK_TEXTS):
            part = chunk.slice(start, BLOCK_TEXTS).cast(kind)
            missing = part.is_null().to_numpy(zero_copy_only=False) if part.null_count else None
            if missing is not None:
                part = part.fill_null("" if kind == pa.large_string() else b"")
            _, offsets, data = part.buffers()
            at = np.frombuffer(offsets, "<i8", len(part) + 1, part.offset * 8)
            lengths = np.diff(at).astype("<i4")
            if missing is not None:
                lengths[missing] = -1
            view = memoryview(data) if data is not None else memoryview(b"")
            i = 0
            while i < len(part):  # as many as fit into a block, or one
                end = max(i + 1, int(np.searchsorted(at, at[i] + BLOCK_BYTES, "right")) - 1)
                yield Block(end - i, lengths[i:end].tobytes(), view[at[i] : at[end]])
                i = end


def is_text(kind: Any) -> bool:
    """Say whether an Arrow type is one of strings, or of nothing at all."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind) or is_view(kind)


def is_bytes(kind: Any) -> bool:
    """Say whether an Arrow type is one of bytes, which are texts in UTF-8, as elsewhere."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return is_bytes(kind.value_type)
    is_view_of_bytes = getattr(pa.types, "is_binary_view", lambda _: False)
    return bool(
        pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind) or is_view_of_bytes(kind)
    )


def is_view(kind: Any) -> bool:
    import pyarrow as pa

    return bool(getattr(pa.types, "is_string_view", lambda _: False)(kind))
