"""The keys of earlier days: a directory of Parquet files, one directory for each day.

    MEMORY/rule.json                                   what decides which texts have a key in common
    MEMORY/rows-2026-11-21.json                        which rows the day has: how many keys, and the sum of their hashes
    MEMORY/day=2026-11-21/_SUCCESS, part-….parquet     columns high, low, first

A day counts when its _SUCCESS is there, which Spark writes last. What a job has left that failed is written anew by the
next one, and read by none.
"""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mithril_stream._keys import DAY, RULE, check_kept, check_same_rows, kept_as, rows_as, rows_file
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
    if kept := read(spark, f"{memory}/{RULE}"):
        check_kept(memory, kept, keys)


def keep(spark: SparkSession, memory: str, keys: dict[str, str]) -> None:
    """Keep what decides which texts have a key in common, if that is not kept yet."""
    if not read(spark, f"{memory}/{RULE}"):
        write(spark, f"{memory}/{RULE}", kept_as(keys))


def keep_rows(spark: SparkSession, memory: str, day: str, firsts: DataFrame) -> None:
    """Keep which rows a day has. Raises ValueError if it counts, and has others."""
    from pyspark.sql import functions as f

    count, total = firsts.agg(f.count("*"), f.sum(f.xxhash64(*KEY).cast("decimal(38,0)"))).collect()[0]
    now, path = {"keys": count, "hash": str(total)}, f"{memory}/{rows_file(day)}"
    if day in complete(spark, memory):
        check_same_rows(memory, day, read(spark, path), now)
    write(spark, path, rows_as(now))


def read(spark: SparkSession, path: str) -> str:
    """Return the content of a small file, or nothing if it is not there."""
    jvm: Any = spark.sparkContext._jvm
    files, there = opened(spark, path)
    if not files.exists(there):
        return ""
    stream = files.open(there)
    try:
        return bytes(jvm.org.apache.hadoop.io.IOUtils.readFullyToByteArray(stream)).decode(errors="replace")
    finally:
        stream.close()


def write(spark: SparkSession, path: str, content: str) -> None:
    """Write a small file, as a whole or not at all."""
    files, arriving = opened(spark, f"{path}.new")
    stream = files.create(arriving, True)
    try:
        stream.write(bytearray(content.encode()))
    finally:
        stream.close()
    _, there = opened(spark, path)
    files.delete(there, False)
    files.rename(arriving, there)


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
