"""Which row is earlier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mithril_stream._keys import ambiguous, order_columns, unordered
from mithril_stream.spark._checks import check_order_types

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

INTEGERS = {"tinyint", "smallint", "int", "bigint"}
POSITION = "position"


def quoted(column: str) -> str:
    """Return the name of a column as one that is not taken for a path, whatever is in it."""
    return "`" + column.replace("`", "``") + "`"


class Order:
    """The columns by which rows are earlier or later, as one value: a number of 64 bits if that is possible, since a
    minimum of numbers is the cheapest; else a struct."""

    def __init__(self, df: DataFrame, order: str | Sequence[str]) -> None:
        kinds = dict(df.dtypes)
        self.columns = order_columns(order, df.columns)
        check_order_types(df, self.columns)
        self.kind = kinds[self.columns[0]] if len(self.columns) == 1 else "struct"

    def position(self) -> Column:
        """Return what is less of an earlier row."""
        from pyspark.sql import functions as f

        columns = [f.col(quoted(c)) for c in self.columns]
        if self.kind in INTEGERS:
            return columns[0].cast("bigint")
        if self.kind == "date":
            return f.unix_date(columns[0]).cast("bigint")
        if self.kind == "timestamp":
            return f.unix_micros(columns[0])
        return columns[0] if len(columns) == 1 else f.struct(*columns)

    def restore(self, position: Column) -> Column:
        """Return the values of the columns at a position."""
        from pyspark.sql import functions as f

        if self.kind in INTEGERS:
            return position.cast(self.kind)
        if self.kind == "date":
            return f.date_from_unix_date(position.cast("int"))
        if self.kind == "timestamp":
            return f.timestamp_micros(position)
        return position

    def check(self, df: DataFrame) -> None:
        """Raise ValueError if two rows have the same position, or one has none: each would be earlier than the other,
        or neither."""
        from pyspark.sql import functions as f

        again = df.groupBy(self.position().alias(POSITION)).count().where(f.col("count") > 1).take(1)
        if again:
            raise ambiguous(self.columns, again[0][1], again[0][0])
        if any(df.where(f.col(quoted(c)).isNull()).take(1) for c in self.columns):
            raise unordered(self.columns)
