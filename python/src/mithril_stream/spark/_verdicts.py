"""Which rows are duplicates, by minima of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mithril_stream.spark._kept import Cache
from mithril_stream.spark._order import POSITION, Order, quoted
from mithril_stream.spark._sketch import Sketching

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KEY = ["high", "low"]
BROADCAST = 1_000_000  # rows of 24 bytes that may go to all executors


def firsts(entries: DataFrame) -> DataFrame:
    """Return for each key the first position, and how many rows have it. Where a million rows share a key, each task
    sends one of them."""
    from pyspark.sql import functions as f

    return entries.groupBy(*KEY).agg(f.min(POSITION).alias("first"), f.count("*").alias("rows"))


def shared(firsts: DataFrame, cache: Cache) -> DataFrame:
    """Return the keys that several rows have, with the first of these rows. They are few. If they are, they go to all
    executors, and the entries, of which each row has many, stay where they are."""
    from pyspark.sql import functions as f

    found = cache.kept(firsts.where("rows > 1").select(*KEY, "first"))
    return f.broadcast(found) if found.count() <= BROADCAST else found


def seen(entries: DataFrame, shared: DataFrame) -> DataFrame:
    """Return an entry for each band of which an earlier row has the key, with the first of these rows."""
    from pyspark.sql import functions as f

    return entries.join(shared, KEY).where(f.col("first") < f.col(POSITION)).select(POSITION, "first")


def duplicates(entries: DataFrame, shared: DataFrame, sketching: Sketching, earlier: DataFrame | None) -> DataFrame:
    """Return the position of each duplicate, its original, and how many bands they share."""
    from pyspark.sql import functions as f

    if earlier is None:
        votes = seen(entries, shared).withColumn("day", f.lit(None).cast("string"))
    else:  # a key that an earlier day has is a vote, whoever has it today
        new = entries.join(earlier.select(*KEY), KEY, "left_anti")
        votes = seen(new, shared).withColumn("day", f.lit(None).cast("string"))
        votes = votes.unionByName(entries.join(earlier, KEY).select(POSITION, "first", "day"))
    return best(votes).where(f.col("votes") >= sketching.rule.votes)


def pairs(entries: DataFrame, shared: DataFrame, least: int) -> DataFrame:
    """Return the pairs of a row and an earlier one, from which it has at least so many votes."""
    from pyspark.sql import functions as f

    return (
        seen(entries, shared)
        .groupBy(POSITION, "first")
        .agg(f.count("*").alias("shared"))
        .where(f.col("shared") >= least)
        .select(POSITION, "first")
    )


def best(votes: DataFrame) -> DataFrame:
    """Count the votes of each row, and choose the original: the row with most of them, of equals the earliest."""
    from pyspark.sql import functions as f

    of_pairs = votes.groupBy(POSITION, "day", "first").agg(f.count("*").alias("shared"))
    when = f.coalesce("day", f.lit("\U0010ffff")).alias("when")
    key = f.struct((-f.col("shared")).alias("less"), when, "first", "day")
    return (
        of_pairs.groupBy(POSITION)
        .agg(f.sum("shared").alias("votes"), f.min(key).alias("best"))
        .select(
            POSITION,
            "votes",
            f.col("best.first").alias("first"),
            f.col("best.day").alias("day"),
            (-f.col("best.less")).alias("shared"),
        )
    )


def apply(df: DataFrame, by: Order, duplicates: DataFrame, annotate: bool, sketching: Sketching) -> DataFrame:
    """Leave the duplicates out of df, or say of each row what it is."""
    from pyspark.sql import functions as f

    at = by.position()
    if not annotate:
        gone = duplicates.select(f.col(POSITION).alias("mithril_position"))
        return df.join(gone, at == gone["mithril_position"], "left_anti")
    known = duplicates.select(
        f.col(POSITION).alias("mithril_position"),
        by.restore(f.col("first")).alias("mithril_duplicate_of"),
        f.col("day").alias("mithril_duplicate_day"),
        sketching.rule.similarity(f.col("shared")).alias("mithril_similarity"),
    )
    joined = df.join(known, at == known["mithril_position"], "left")
    return joined.select(
        *[df[quoted(c)] for c in df.columns],
        f.col("mithril_position").isNotNull().alias("mithril_duplicate"),
        "mithril_duplicate_of",
        "mithril_duplicate_day",
        "mithril_similarity",
    )
