"""Which row is earlier: positions, which are Arrow arrays of any type that has an order."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc


class Order(NamedTuple):
    """By what a row is earlier: the values of columns, and before them its day, if there are several."""

    columns: list[str]
    day: str | None = None  # the day of all rows

    def positions(self, table: Any) -> Any:
        """Return the position of each row: the value of its column, or a struct of several."""
        fields = [plain(table.column(name)) for name in self.columns]
        made = fields[0] if len(fields) == 1 else pa.StructArray.from_arrays(fields, names=self.columns)
        return made if self.day is None else on_day(self.day, made)


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
    if pa.types.is_date32(array.type):
        array = array.view(pa.int32())
    elif pa.types.is_timestamp(array.type):
        array = array.view(pa.int64())
    return array.to_numpy().astype("<i8", copy=False)


def hashes(positions: Any) -> Any:
    """Return 64 bits for each position, the same in every task."""
    fields = fields_of(positions)
    if len(fields) == 1 and is_number(fields[0].type) and not fields[0].null_count:
        return pd.util.hash_array(numbers(fields[0]))
    frame = pd.DataFrame({i: field.to_pandas() for i, field in enumerate(fields)})
    return pd.util.hash_pandas_object(frame, index=False).to_numpy("<u8")


def equal(a: Any, b: Any) -> Any:
    """Say of each pair of positions whether they are equal."""
    same = np.ones(len(a), bool)
    for x, y in zip(fields_of(a), fields_of(b)):
        same &= pc.equal(x, y).fill_null(False).to_numpy(zero_copy_only=False)
    return same
