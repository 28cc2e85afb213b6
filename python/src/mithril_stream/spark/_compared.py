"""Which rows are duplicates by their sets (mithril_stream._sets): pairs of a row and an earlier holder of one of its keys
are compared, all those of a row in one task."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from mithril_stream._keys import Rule
from mithril_stream._sets import sets_of, similarities
from mithril_stream.spark._kept import Cache
from mithril_stream.spark._order import POSITION, Order
from mithril_stream.spark._sketch import Sketching, start

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from mithril_stream.spark._days import Earlier

ROWS_OF_A_TASK = 10_000  # whose sets are in memory at once: 10 MB, if they are of 2 KB


def of_rows(df: DataFrame, text: str, by: Order, sketching: Sketching, rows: DataFrame | None) -> DataFrame:
    """Return the sets of those of the rows that are asked for, or of all."""
    from pyspark.sql.types import BinaryType, StructField, StructType

    texts = sketching.texts(df, text, by)
    if rows is not None:
        texts = texts.join(rows, POSITION, "left_semi")
    schema = StructType([texts.schema[POSITION], StructField("set", BinaryType())])
    return texts.mapInArrow(make_sets(sketching.rule), schema)


def pairs(candidates: DataFrame, sets: DataFrame, rule: Rule, earlier: Earlier | None, cache: Cache) -> DataFrame:
    """Return the candidates that are similar enough, and how similar: pairs of a row and of a day and the position of an
    earlier one. A set is sent once to each task that needs it."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import DoubleType, StructField, StructType

    day = None if earlier is None else earlier.day
    today = f.lit(day).cast("string").alias("day")
    sets = sets.select(today, f.col(POSITION).alias("at"), "set")
    if earlier is not None and earlier.sets is not None:
        sets = sets.unionByName(earlier.sets)
    rows = candidates.select(POSITION).distinct().count()
    tasks = -(-rows // ROWS_OF_A_TASK) or 1
    task = f.pmod(f.xxhash64(POSITION), f.lit(tasks)).cast("int").alias("task")
    candidates = cache.persisted(candidates.select(task, POSITION, "day", "at"))
    own = candidates.select("task", today, f.col(POSITION).alias("at"))
    needed = own.unionByName(candidates.select("task", "day", "at")).distinct().alias("needed")
    same = f.col("needed.at").eqNullSafe(f.col("sets.at")) & f.col("needed.day").eqNullSafe(f.col("sets.day"))
    sent = needed.join(sets.alias("sets"), same).select(f.col("task").alias("to"), "sets.day", "sets.at", "set")
    schema = StructType([*candidates.schema.fields[1:], StructField("votes", DoubleType())])
    grouped = candidates.groupBy("task").cogroup(sent.groupBy("to"))
    return grouped.applyInArrow(compare(rule, day), schema)


def make_sets(rule: Rule) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def make(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        judge = None
        try:
            for batch in batches:
                judge = judge or start(rule.args)
                made = sets_of(judge, rule, *batch.columns[1:])
                yield pa.RecordBatch.from_arrays([batch.column(0), made.cast(pa.binary())], names=[POSITION, "set"])
        finally:
            if judge is not None:
                judge.close()

    return make


def compare(rule: Rule, day: str | None) -> Callable[[Any, Any], Any]:
    def compare(candidates: Any, sent: Any) -> Any:
        import numpy as np
        import pyarrow as pa

        def names(days: Any, positions: Any) -> list[Any]:
            values = (tuple(v.values()) if isinstance(v, dict) else v for v in positions.to_pylist())
            return list(zip(days, values))

        numbers = {name: i for i, name in enumerate(names(sent.column("day").to_pylist(), sent.column("at")))}
        later = names([day] * candidates.num_rows, candidates.column(POSITION))
        sooner = names(candidates.column("day").to_pylist(), candidates.column("at"))
        a, b = (np.array([numbers[name] for name in some], "<i8") for some in (later, sooner))
        judge = start(rule.args)
        try:
            made = sent.column("set").combine_chunks()
            similarity, enough = similarities(judge, made, a, b)
        finally:
            judge.close()
        found = candidates.select([POSITION, "day", "at"]).append_column("votes", pa.array(similarity))
        return found.filter(pa.array(enough))

    return compare
