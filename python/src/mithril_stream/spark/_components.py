"""Connected components: which rows a chain of pairs joins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mithril_stream.spark._joins import Often
from mithril_stream.spark._kept import Cache
from mithril_stream.spark._order import Order, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def roots(edges: DataFrame, cache: Cache) -> DataFrame:
    """Return the least node of the component of each node but that one, as columns a and root.

    Large-star and small-star in turns, until nothing changes (Kiveris et al.: Connected Components in MapReduce and
    Beyond, SoCC 2014): every round is two groupings, and their number grows with the logarithm of the nodes.
    """
    from pyspark.sql import functions as f

    edges = edges.select(f.greatest("a", "b").alias("a"), f.least("a", "b").alias("b")).where("a <> b").distinct()
    edges = cache.kept(edges)
    while True:
        joined = cache.kept(small_star(large_star(edges, cache), cache))
        gone, new = (x.join(y, ["a", "b"], "left_anti").take(1) for x, y in ((edges, joined), (joined, edges)))
        changed = gone or new
        cache.release(joined)
        edges = joined
        if not changed:
            return edges.select("a", f.col("b").alias("root"))


def large_star(edges: DataFrame, cache: Cache) -> DataFrame:
    """Join the neighbours of each node that are greater than it to the least of all."""
    from pyspark.sql import functions as f

    both = edges.union(edges.select(f.col("b").alias("a"), f.col("a").alias("b")))
    greater = with_least(both, f.least(f.min("b"), f.col("a")), cache).where("b > a")
    return greater.select(f.col("b").alias("a"), f.col("m").alias("b")).where("a <> b").distinct()


def small_star(edges: DataFrame, cache: Cache) -> DataFrame:
    """Join the neighbours of each node that are less than it, and itself, to the least of them. Each edge leads from a
    node to a lesser one."""
    from pyspark.sql import functions as f

    edges = cache.kept(edges)
    joined = with_least(edges, f.min("b"), cache)
    others = joined.select(f.col("b").alias("a"), f.col("m").alias("b")).where("a <> b")
    return others.union(joined.select("a", f.col("m").alias("b"))).distinct()


def with_least(edges: DataFrame, least: Column, cache: Cache) -> DataFrame:
    """Return edges with the least neighbour of their first node, m. A node may have a tenth of all."""
    from pyspark.sql import functions as f

    of_nodes = cache.kept(edges.groupBy("a").agg(least.alias("m"), f.count("*").alias("rows")))
    return Often(of_nodes, "a").join(edges, of_nodes.select("a", "m"))


def label(df: DataFrame, by: Order, of: DataFrame) -> DataFrame:
    """Add to df the first position of the group of each row, which of names for all other rows of groups."""
    from pyspark.sql import functions as f

    joined = df.join(of, by.position() == of["a"], "left")
    return joined.select(
        *[df[quoted(c)] for c in df.columns],
        by.restore(f.coalesce(of["root"], by.position())).alias("mithril_group"),
    )
