"""Which row is earlier: positions, which are Arrow arrays of any type that has an order."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mithril_stream._keys import BAND, mixed


def on_day(day: str, positions: Any) -> Any:
    """Return positions of one day, which are later than all of the days before."""
    return pa.StructArray.from_arrays([pa.repeat(day, len(positions)), positions], names=["day", "position"])


def plain(column: Any) -> Any:
    """Return a column as one array of values."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # one of no rows, by some versions
        array = array.chunk(0) if array.num_chunks else pa.array([], array.type)
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def joined(parts: Sequence[Any]) -> Any:
    """Join tables. One without rows need not have the types of the others."""
    return pa.concat_tables([part for part in parts if part.num_rows] or parts[:1])


def fields_of(positions: Any) -> list[Any]:
    """Return the columns that positions consist of."""
    if not pa.types.is_struct(positions.type):
        return [positions]
    return [field for column in positions.flatten() for field in fields_of(column)]


def nulls_of(positions: Any) -> int:
    """Return how many values are missing."""
    return sum(int(field.null_count) for field in fields_of(positions))


def ordinals(positions: Any) -> Any:
    """Return numbers that have the order of these positions, and are equal where they are. Those of another array do
    not compare with them, if positions are no integers."""
    fields = fields_of(positions)
    if len(fields) == 1 and is_number(fields[0].type) and not fields[0].null_count:
        return numbers(fields[0])
    table = pa.table(fields, names=[str(i) for i in range(len(fields))])
    order = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in table.column_names])
    new = np.zeros(len(positions), bool)
    for field in fields:
        there = field.take(order)
        differ = pc.not_equal(there.slice(1), there.slice(0, max(len(there) - 1, 0)))
        new[1:] |= differ.fill_null(True).to_numpy(zero_copy_only=False)
    made = np.empty(len(positions), "<i8")
    made[order.to_numpy()] = np.cumsum(new)
    return made


def is_number(kind: Any) -> bool:
    return bool(
        (pa.types.is_integer(kind) and kind != pa.uint64()) or pa.types.is_date32(kind) or pa.types.is_timestamp(kind)
    )


def numbers(array: Any) -> Any:
    """Return dates, timestamps and integers as integers, and 0 for what is missing."""
    if pa.types.is_date32(array.type):
        array = array.view(pa.int32())
    elif pa.types.is_timestamp(array.type):
        array = array.view(pa.int64())
    array = array.fill_null(0) if array.null_count else array
    return array.to_numpy().astype("<i8", copy=False)


def hashes(positions: Any) -> Any:
    """Return 64 bits for each position, the same in every task."""
    of = np.zeros(len(positions), "<u8")
    for field in fields_of(positions):
        if is_number(field.type):
            missing = field.is_null().to_numpy(zero_copy_only=False)
            there = np.where(missing, np.uint64(BAND), mixed(numbers(field).view("<u8")))
        else:
            there = np.fromiter((hash_of(value) for value in field.to_pylist()), "<u8", len(field))
        of = mixed(of ^ there)
    return of


def hash_of(value: Any) -> int:
    data = value if isinstance(value, bytes) else (value if isinstance(value, str) else repr(value)).encode()
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def equal(a: Any, b: Any) -> Any:
    """Say of each pair of positions whether they are equal."""
    same = np.ones(len(a), bool)
    for x, y in zip(fields_of(a), fields_of(b)):
        same &= pc.equal(x, y).fill_null(False).to_numpy(zero_copy_only=False)
    return same
