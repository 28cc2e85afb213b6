"""The keys of earlier days: a directory of Parquet files, one directory for each day.

    MEMORY/rule.json                                   what decides which texts have a key in common
    MEMORY/day=2026-11-21/_SUCCESS, part-….parquet     columns high, low, first

A day counts when its _SUCCESS is there, which Spark writes last. What a job has left that failed is written anew by the
next one, and read by none.
"""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mithril_stream._keys import DAY, RULE, check_kept, kept_as
from mithril_stream.spark._verdicts import KEY

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def earlier(spark: SparkSession, memory: str, day: str) -> DataFrame | None:
    """Return the keys of the days before that one, or None if there is none."""
    from pyspark.sql import functions as f

    names = [n for n in complete(spark, memory) if n < day]
    frames = [
        spark.read.parquet(f"{memory}/{DAY}{n}").select(*KEY, "first", f.lit(n).alias("day")) for n in names
    ]
    every = frames[0] if frames else None
    for frame in frames[1:]:
        every = every.unionByName(frame)  # type: ignore[union-attr]
    return every


def check(spark: SparkSession, memory: str, keys: dict[str, str]) -> None:
    """Raise ValueError if the keys of the days were made by another rule."""
    jvm: Any = spark.sparkContext._jvm
    files, path = opened(spark, f"{memory}/{RULE}")
    if files.exists(path):
        stream = files.open(path)
        try:
            kept = jvm.org.apache.hadoop.io.IOUtils.readFullyToByteArray(stream)
        finally:
            stream.close()
        check_kept(memory, bytes(kept).decode(errors="replace"), keys)


def keep(spark: SparkSession, memory: str, keys: dict[str, str]) -> None:
    """Keep what decides which texts have a key in common, if that is not kept yet."""
    files, path = opened(spark, f"{memory}/{RULE}")
    if files.exists(path):
        return
    files, arriving = opened(spark, f"{memory}/{RULE}.new")
    stream = files.create(arriving, True)
    try:
        stream.write(bytearray(kept_as(keys).encode()))
    finally:
        stream.close()
    files.rename(arriving, path)


def add(firsts: DataFrame, earlier: DataFrame | None, memory: str, day: str) -> None:
    """Add the keys of a day that no earlier one has."""
    new = firsts.select(*KEY, "first")
    if earlier is not None:
        new = new.join(earlier.select(*KEY), KEY, "left_anti")
    new.write.mode("overwrite").parquet(f"{memory}/{DAY}{day}")


def complete(spark: SparkSession, memory: str) -> list[str]:
    """Return the names of the days that count."""
    jvm: Any = spark.sparkContext._jvm
    files, path = opened(spark, memory)
    if not files.exists(path):
        return []
    names = []
    for status in files.listStatus(path):
        name = status.getPath().getName()
        if name.startswith(DAY) and files.exists(jvm.org.apache.hadoop.fs.Path(status.getPath(), "_SUCCESS")):
            names.append(name.removeprefix(DAY))
    return sorted(names)


def opened(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """Return the file system of a path, and the path as Hadoop has it."""
    jvm: Any = spark.sparkContext._jvm
    there = jvm.org.apache.hadoop.fs.Path(path)
    return there.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()), there
