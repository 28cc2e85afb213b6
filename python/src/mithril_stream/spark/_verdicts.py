"""Which rows are duplicates: the rule of mithril_stream._votes. Spark sends tables from task to task (_packed), and tasks
count (_blocks)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mithril_stream._keys import Rule
from mithril_stream.spark import _blocks, _of_days, _packed
from mithril_stream.spark._kept import Cache
from mithril_stream.spark._order import POSITION, Order, quoted
from mithril_stream.spark._packed import Places
from mithril_stream.spark._sketch import Sketching

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from mithril_stream.spark._days import Earlier

ROWS_OF_A_BLOCK = 1 << 17  # at most, whose keys a task sorts at a time: 35 MB
LEAST = 1 << 14  # rows of a block; then 64 for each task that it sends a part of its keys


class Judged:
    """Judges the rows of a job."""

    def __init__(self, texts: DataFrame, rule: Rule, cache: Cache, earlier: Earlier | None = None) -> None:
        """Find which rows hold which keys. texts are positions, and what is compared."""
        self.rule, self.cache, self.earlier, self.position = rule, cache, earlier, texts.schema[POSITION]
        day = None if earlier is None else earlier.day
        tasks = _packed.tasks_of(texts.sparkSession)
        self.places = Places(_packed.addresses(tasks), day, min(ROWS_OF_A_BLOCK, max(LEAST, 64 * tasks)))
        self.own = cache.persisted(texts.mapInArrow(_blocks.split(rule, self.places), _packed.SCHEMA))
        keys = of_kind(self.own, _packed.KEYS)
        if earlier is not None and earlier.holders is not None:
            there = earlier.holders.select("day", "key", "at")
            keys = keys.unionByName(there.mapInArrow(_of_days.earlier_keys(self.places), _packed.SCHEMA))
        self.held = cache.kept(keys.groupBy("to").applyInArrow(_blocks.hold(self.places), _packed.SCHEMA))
        self.support: DataFrame | None = None

    def of_today(self) -> DataFrame:
        """Return which rows of today hold keys, those included that no other row has. There are earlier days."""
        from pyspark.sql.types import LongType

        return self.unpacked(self.held, _packed.OWN, {"key": LongType(), POSITION: self.position.dataType})

    def supporting(self) -> DataFrame:
        """Return which rows of today hold their keys for others: a position, and the day and the position of another.
        There are earlier days, and pairs are found."""
        from pyspark.sql.types import StringType

        there, position = self.support, self.position.dataType
        assert there is not None
        return self.unpacked(there, _packed.SUPPORT, {POSITION: position, "of_day": StringType(), "of": position})

    def digest(self) -> tuple[int, int]:
        """Return how many keys the rows have, and the sum of what these are hashed to. There are earlier days."""
        some = of_kind(self.own, _packed.DIGEST).toArrow()
        parts = [row for parcel in _packed.received(some, _packed.DIGEST) for row in parcel.table.to_pylist()]
        return sum(part["keys"] for part in parts), sum(part["hash"] for part in parts) % (1 << 64)

    def with_holders(self) -> DataFrame:
        """Return the pairs of a row and an earlier one that holds one of its keys."""
        return self.of_blocks(_blocks.candidates(self.places), self.columns())

    def pairs(self, best: bool) -> DataFrame:
        """Return each pair of a row and an earlier row that it duplicates, and the votes; with best, one for
        each row."""
        votes, places = self.rule.votes, self.places
        self.support = self.cache.kept(self.of_blocks(_blocks.support(votes, places), _packed.SCHEMA))
        asked = of_kind(self.support, _packed.SUPPORT, _packed.WANTED)
        if self.earlier is not None and self.earlier.support is not None:
            there = self.earlier.support.select("day", "at", "of_day", "of")
            asked = asked.unionByName(there.mapInArrow(_of_days.earlier_support(places), _packed.SCHEMA))
        answers = asked.groupBy("to").applyInArrow(_blocks.answer, _packed.SCHEMA).groupBy("to")
        own = of_kind(self.support, _packed.MEMBERS, _packed.REPLY).groupBy("to")
        return own.cogroup(answers).applyInArrow(_blocks.judge(votes, places, best), self.columns("votes"))

    def of_blocks(self, function: Any, schema: Any) -> DataFrame:
        """Return what a function makes of the members of each block and the replies to it."""
        own = of_kind(self.own, _packed.MEMBERS).groupBy("to")
        return own.cogroup(of_kind(self.held, _packed.REPLY).groupBy("to")).applyInArrow(function, schema)

    def columns(self, *votes: str) -> StructType:
        """Return the columns of pairs."""
        from pyspark.sql.types import IntegerType, StringType, StructField, StructType

        of = [self.position, StructField("day", StringType()), StructField("at", self.position.dataType)]
        return StructType([*of, *(StructField(name, IntegerType()) for name in votes)])

    def unpacked(self, frame: DataFrame, kind: int, columns: dict[str, Any]) -> DataFrame:
        """Return the rows of the tables of a kind, whose columns have these types."""
        from pyspark.sql.types import StructField, StructType

        schema = StructType([StructField(name, type) for name, type in columns.items()])
        return of_kind(frame, kind).mapInArrow(_of_days.unpacked(kind), schema)


def of_kind(frame: DataFrame, *kinds: int) -> DataFrame:
    from pyspark.sql import functions as f

    return frame.where(f.col("kind").isin(*kinds))


def most_voted(pairs: DataFrame) -> DataFrame:
    """Return of the pairs of each row the one with most votes, of several alike the earliest."""
    from pyspark.sql import functions as f

    best: Any = f.min(f.struct((-f.col("votes")).alias("less"), "day", "at")).alias("best")
    chosen = pairs.groupBy(POSITION).agg(best).withColumns({name: f.col(f"best.{name}") for name in ("day", "at")})
    return chosen.withColumn("votes", -f.col("best.less")).drop("best")


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
