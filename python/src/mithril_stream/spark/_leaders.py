"""Groups whose rows all resemble the first one, the leader, as `mithril-stream groups --linkage leader` makes them."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections import defaultdict
from functools import reduce
from typing import TYPE_CHECKING, Any

from mithril_stream.spark._joins import Often
from mithril_stream.spark._kept import Cache

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FEW = 100_000  # pairs that the driver decides on, since a chain of rows takes a round for every other row


def leaders(pairs: DataFrame, cache: Cache) -> DataFrame:
    """Return the leader of each row that follows one, as columns a and root. pairs are a row a and an earlier one b.

    A row is a leader if it resembles no earlier leader, and follows the first one otherwise (Hartigan: Clustering
    Algorithms, 1975, chapter 3). In each round the rows without an earlier one that is undecided become leaders, and
    those that resemble them follow.
    """
    from pyspark.sql import functions as f

    pairs = cache.kept(pairs.select("a", "b").distinct())
    undecided, found = pairs, []
    while undecided.count() > FEW:
        of_b = cache.kept(undecided.groupBy("b").agg(f.count("*").alias("rows")))
        often, rows = Often(of_b, "b"), of_b.select("b")
        new = cache.kept(rows.join(undecided.select(f.col("a").alias("b")).distinct(), "b", "left_anti"))
        followers = cache.kept(often.join(undecided, new).select("a").distinct())
        decided = new.unionByName(followers.select(f.col("a").alias("b")))
        rest = often.join(undecided, rows.join(decided, "b", "left_anti"))
        undecided = cache.kept(rest.join(followers, "a", "left_anti").select("a", "b"))
        found.append(new)
    last = of_few([tuple(row) for row in undecided.collect()])
    found.append(pairs.sparkSession.createDataFrame([(b,) for b in last], pairs.select("b").schema))
    lead = cache.kept(reduce(lambda a, b: a.unionByName(b), found))
    of_b = cache.kept(pairs.groupBy("b").agg(f.count("*").alias("rows")))
    return Often(of_b, "b").join(pairs, lead).groupBy("a").agg(f.min("b").alias("root"))


def of_few(pairs: list[tuple[Any, Any]]) -> list[Any]:
    """Return the leaders among the earlier rows of pairs, in whatever order."""
    later, waits_for = defaultdict[Any, list[Any]](list), defaultdict[Any, int](int)
    for a, b in pairs:
        later[b].append(a)
        waits_for[a] += 1
    ready, follows, found = [b for b in later if b not in waits_for], set[Any](), []
    while ready:
        row = ready.pop()
        if row not in follows and row in later:
            found.append(row)
            follows.update(later[row])
        for a in later.get(row, ()):
            waits_for[a] -= 1
            if not waits_for[a]:
                ready.append(a)
    return found
