"""Joins by values of which one may be that of half of all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BROADCAST = 1_000_000  # rows, of a few dozen bytes, that may go to all executors
PART = 8  # a value with more than one in PART of the rows of a task is joined where its rows are


class Often:
    """How often rows have each value of a column, and how to join them by it.

    Where the values are few, what is known of them goes to all executors, and the rows stay where they are. Else rows
    with the same value meet in a task, but for values that would be too many for it: there are no more of these than
    PART for each task, and what is known of them goes to all executors."""

    def __init__(self, values: DataFrame, column: str) -> None:
        """values has each value of the column once, and the column rows: how many rows have it. It is kept."""
        from pyspark.sql import functions as f

        self.column, self.values = column, values.select(column, "rows")
        count, rows = self.values.agg(f.count("*"), f.coalesce(f.sum("rows"), f.lit(0))).collect()[0]
        self.are_few = count <= BROADCAST
        tasks = int(str(values.sparkSession.conf.get("spark.sql.shuffle.partitions", "200")))
        self.most = max(1, rows // (tasks * PART))

    def join(self, rows: DataFrame, known: DataFrame) -> DataFrame:
        """Join rows with what is known of their values."""
        from pyspark.sql import functions as f

        if self.are_few:
            return rows.join(f.broadcast(known), self.column)
        often = f.broadcast(self.values.where(f.col("rows") > self.most).select(self.column))
        rest = rows.join(often, self.column, "left_anti").join(known.hint("shuffle_hash"), self.column)
        there = known.join(often, self.column, "left_semi")
        return rest.unionByName(rows.join(f.broadcast(there), self.column))
