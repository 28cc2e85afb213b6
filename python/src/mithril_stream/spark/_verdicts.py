"""Which rows are duplicates: the rule of mithril_stream._votes, with the operators of Spark.

A frame of *entries* has a row for each key of each row: its key and its position. Those of earlier days have a day. What
is later than all days, today, has the day None or that of this job.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mithril_stream._votes import COMMON, HOLDERS, Votes
from mithril_stream.spark._joins import BROADCAST, Often
from mithril_stream.spark._kept import Cache
from mithril_stream.spark._order import POSITION, Order, quoted
from mithril_stream.spark._sketch import Sketching

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from mithril_stream.spark._days import Earlier


def firsts(entries: DataFrame) -> DataFrame:
    """Return for each key the first position, and how many rows have it. Where a million rows share a key, each task
    sends one of them."""
    from pyspark.sql import functions as f

    return entries.groupBy("key").agg(f.min(POSITION).alias("first"), f.count("*").alias("rows"))


class Judged:
    """Judges the rows of a job."""

    def __init__(self, entries: DataFrame, votes: Votes, cache: Cache, earlier: Earlier | None = None) -> None:
        """Find which rows hold which keys."""
        self.votes, self.cache, self.earlier = votes, cache, earlier
        self.day = None if earlier is None else earlier.day
        self.keys = firsts(entries) if earlier is None else cache.persisted(earlier.known(firsts(entries)))
        several = cache.kept(self.keys.where("rows > 1" if earlier is None else "rows > 1 or before"))
        self.often = Often(several, "key")
        self.met = cache.persisted(self.often.join(entries, several.select("key", "rows")))
        self.holders = cache.kept(self.holders_of(several))

    def holders_of(self, several: DataFrame) -> DataFrame:
        """Return the first rows with each key that others have, too: a key, a day, a position, and whether it is today.
        A task sends no more of a key than hold it."""
        from pyspark.sql import functions as f

        few = 2 if self.earlier is None else 1  # of two rows the second is earlier than none
        one = several.where(f.col("rows") <= few).select("key", f.col("first").alias("at"))
        more = self.met.where(f.col("rows") > few).select("key", f.col(POSITION).alias("at"))
        own = one.unionByName(first_of_each(more, "at"))
        own = own.select("key", f.lit(self.day).cast("string").alias("day"), "at", f.lit(True).alias("today"))
        if self.earlier is None or self.earlier.holders is None:
            return own
        there = self.earlier.holders.join(several.select("key"), "key", "left_semi").withColumn("today", f.lit(False))
        return first_of_each(own.unionByName(there), "day", "at")

    def of_today(self) -> DataFrame:
        """Return which rows of today hold keys, those included that no other row has. There are earlier days."""
        alone = self.keys.where("rows = 1 and not before").selectExpr("key", "first as at")
        return alone.unionByName(self.holders.where("today").select("key", "at"))

    def with_holders(self) -> DataFrame:
        """Return the pairs of a row and an earlier one that holds one of its keys, and what these are worth."""
        from pyspark.sql import functions as f

        there = self.often.join(self.met, self.holders).where(~f.col("today") | (f.col("at") < f.col(POSITION)))
        return there.groupBy(POSITION, "day", "at").agg(f.sum(self.worth()).alias("votes"))

    def find_support(self) -> None:
        """Find the rows that hold their keys for others: a day, a position, and those of the other."""
        from pyspark.sql import functions as f

        of_pairs = self.cache.persisted(self.with_holders())
        # Sums of numbers, which take no sorting; few rows support others.
        of_rows = of_pairs.groupBy(POSITION).agg(
            f.max("votes").alias("most"), f.sum("votes").alias("of_all"), f.count("*").alias("rows")
        )
        supporters = of_rows.where(self.votes.supports(f.col("most"), f.col("of_all"), f.col("rows")))
        strong = of_pairs.where(f.col("votes") >= self.votes.needed).join(supporters, POSITION)
        best = most_voted(strong.where(f.col("votes") == f.col("most")))
        day = f.lit(self.day).cast("string").alias("day")
        found = best.select(day, f.col(POSITION).alias("at"), f.col("day").alias("of_day"), f.col("at").alias("of"))
        self.support = self.cache.kept(found)

    def pairs(self) -> DataFrame:
        """Return each pair of a row and an earlier one of which it is a duplicate, and the votes."""
        from pyspark.sql import functions as f

        self.find_support()
        for_whom = self.often.join(self.met, self.cache.kept(self.held_for()))
        there = for_whom.where(f.col("since").isNull() | (f.col("since") < f.col(POSITION)))
        is_common = f.col("is_common") & (f.col("last").isNull() | (f.col("last") < f.col(POSITION)))
        uncommon = f.when(is_common, 0).otherwise(self.worth())
        counted = there.groupBy(POSITION, "of_day", "of").agg(
            f.sum(self.worth()).alias("votes"), f.sum(uncommon).alias("uncommon")
        )
        enough = (f.col("votes") >= self.votes.needed) & (f.col("uncommon") >= self.votes.uncommon)
        enough |= f.col("votes") >= self.votes.plenty
        votes = f.least("votes", f.lit(self.votes.bands)).alias("votes")
        return counted.where(enough).select(POSITION, f.col("of_day").alias("day"), f.col("of").alias("at"), votes)

    def held_for(self) -> DataFrame:
        """Return for whom each key is held: a key, the day and the position of a row, since which position of today it
        is held for that row, whether it is held for as many rows as can hold it, and which of today is the last of
        these. A position of an earlier day is null."""
        from pyspark.sql import functions as f

        support = self.support
        if self.earlier is not None and self.earlier.support is not None:
            support = support.unionByName(self.earlier.support)
        elif support.count() <= BROADCAST:
            support = f.broadcast(support)
        held, by = self.holders.alias("held"), support.alias("by")
        same = f.col("held.at").eqNullSafe(f.col("by.at")) & f.col("held.day").eqNullSafe(f.col("by.day"))
        is_own = f.col("by.of").isNull()
        of_all = held.join(by, same, "left").select(
            "key",
            f.when(is_own, f.col("held.day")).otherwise(f.col("by.of_day")).alias("of_day"),
            f.when(is_own, f.col("held.at")).otherwise(f.col("by.of")).alias("of"),
            f.struct("today", f.when(f.col("today"), f.col("held.at")).alias("at")).alias("when"),
        )
        of_each = of_all.groupBy("key", "of_day", "of").agg(
            f.min("when").alias("since"), f.max("when").alias("last"), f.count("*").alias("holders")
        )
        # No more than HOLDERS, so that this list is short.
        row = f.struct("of_day", "of", f.col("since.at").alias("since"))
        of_keys = of_each.groupBy("key").agg(
            f.collect_list(row).alias("for"), f.max("last").alias("last"), f.sum("holders").alias("holders")
        )
        is_common = ((f.col("holders") == HOLDERS) & (f.size("for") >= COMMON)).alias("is_common")
        return of_keys.select("key", f.inline("for"), is_common, f.col("last.at").alias("last"))

    def worth(self) -> Column:
        """Return the votes that a key is worth. Only those of all bands together are odd."""
        from pyspark.sql import functions as f

        return f.when(f.col("key").bitwiseAND(1) == 1, self.votes.bands).otherwise(1)


def first_of_each(entries: DataFrame, *order: str) -> DataFrame:
    """Return the first HOLDERS rows of each key. Spark limits them before it sends them (WindowGroupLimit)."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    number = f.row_number().over(Window.partitionBy("key").orderBy(*order))
    return entries.withColumn("number", number).where(f.col("number") <= HOLDERS).drop("number")


def most_voted(pairs: DataFrame) -> DataFrame:
    """Return of the pairs of each row the one with most votes, of several alike the earliest."""
    from pyspark.sql import functions as f

    best: Any = f.min(f.struct((-f.col("votes")).alias("less"), "day", "at")).alias("best")
    chosen = pairs.groupBy(POSITION).agg(best).withColumns({name: f.col(f"best.{name}") for name in ("day", "at")})
    return chosen.withColumn("votes", -f.col("best.less")).drop("best")


def duplicates(pairs: DataFrame) -> DataFrame:
    """Return the position of each duplicate, its original, and the votes."""
    return most_voted(pairs)


def apply(
    df: DataFrame, by: Order, duplicates: DataFrame, annotate: bool, sketching: Sketching, day: str | None
) -> DataFrame:
    """Leave the duplicates out of df, or say of each row what it is."""
    from pyspark.sql import functions as f

    at = by.position()
    if not annotate:
        gone = duplicates.select(f.col(POSITION).alias("mithril_position"))
        return df.join(gone, at == gone["mithril_position"], "left_anti")
    of_day = f.col("day") if day is None else f.when(f.col("day") != day, f.col("day"))
    similarity = f.col("votes") if sketching.rule.exact else sketching.rule.similarity(f.col("votes"))
    known = duplicates.select(
        f.col(POSITION).alias("mithril_position"),
        by.restore(f.col("at")).alias("mithril_duplicate_of"),
        of_day.alias("mithril_duplicate_day"),
        similarity.alias("mithril_similarity"),
    )
    joined = df.join(known, at == known["mithril_position"], "left")
    return joined.select(
        *[df[quoted(c)] for c in df.columns],
        f.col("mithril_position").isNotNull().alias("mithril_duplicate"),
        "mithril_duplicate_of",
        "mithril_duplicate_day",
        "mithril_similarity",
    )
