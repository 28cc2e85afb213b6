"""What is known of earlier days: a directory of Parquet files, two directories for each day.

    INDEX/rule.json                                    what decides which texts have a key in common
    INDEX/rows-2026-11-21.json                         which rows the day has: how many keys, and the sum of their hashes
    INDEX/support=2026-11-21/part-….parquet            columns position, of_day, of: rows that hold keys for others
    INDEX/sets=2026-11-21/part-….parquet               columns position, set: with memory="exact", in place of these
    INDEX/day=2026-11-21/_SUCCESS, part-….parquet      columns key, position: which rows of the day hold which keys

A part of a day is kept as a day of the name 2026-11-21+b. A day counts when its _SUCCESS is there, which Spark writes
last. What a failed job has left is never read, and overwritten by the next job.
"""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from mithril_stream._keys import DAY, RULE, SETS, SUPPORT, check_kept, check_same_rows, kept_as, rows_as, rows_file
from mithril_stream.spark._order import POSITION

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Earlier(NamedTuple):
    """The days before one, which is the day of this job."""

    day: str
    holders: DataFrame | None  # a key, a day and the position of a row; None before the first day
    support: DataFrame | None  # a day and the position of a row, and those of the row for which it holds its keys
    sets: DataFrame | None  # a day and the position of a row, and its set; of these two one is None


def earlier(spark: SparkSession, index: str, day: str, exact: bool) -> Earlier:
    """Return what is known of the days before that one."""
    from pyspark.sql import functions as f

    def read_all(kind: str, *columns: str) -> DataFrame | None:
        frames = [
            spark.read.parquet(f"{index}/{kind}{n}").select(f.lit(n).alias("day"), f.col(POSITION).alias("at"), *columns)
            for n in complete(spark, index)
            if n < day
        ]
        return reduce(lambda a, b: a.unionByName(b), frames) if frames else None

    if exact:
        return Earlier(day, read_all(DAY, "key"), None, read_all(SETS, "set"))
    return Earlier(day, read_all(DAY, "key"), read_all(SUPPORT, "of_day", "of"), None)


def check(spark: SparkSession, index: str, keys: dict[str, str]) -> None:
    """Raise ValueError if the keys of the days were made by another rule."""
    kept = read(spark, f"{index}/{RULE}")
    if kept or complete(spark, index):
        check_kept(index, kept, keys)


def keep(spark: SparkSession, index: str, keys: dict[str, str]) -> None:
    """Keep what decides which texts have a key in common, if that is not kept yet."""
    if not read(spark, f"{index}/{RULE}"):
        write(spark, f"{index}/{RULE}", kept_as(keys))


def keep_rows(spark: SparkSession, index: str, day: str, keys: int, total: int) -> None:
    """Keep which rows a day has: how many keys, and the sum of their hashes. Raises ValueError if it counts, and has
    others."""
    now, path = {"keys": keys, "hash": str(total)}, f"{index}/{rows_file(day)}"
    if day in complete(spark, index):
        check_same_rows(index, day, read(spark, path), now)
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


def add(index: str, day: str, holders: DataFrame, support: DataFrame | None, sets: DataFrame | None) -> None:
    """Add a day: the rows that hold keys, and those that hold them for others, or the sets of all. It does not count
    until both are there."""
    files, counts = opened(holders.sparkSession, f"{index}/{DAY}{day}/_SUCCESS")
    files.delete(counts, False)
    if support is not None:
        support.write.mode("overwrite").parquet(f"{index}/{SUPPORT}{day}")
    if sets is not None:
        sets.where("set is not null").write.mode("overwrite").parquet(f"{index}/{SETS}{day}")
    holders.write.mode("overwrite").parquet(f"{index}/{DAY}{day}")


def complete(spark: SparkSession, index: str) -> list[str]:
    """Return the names of the days that count."""
    jvm: Any = spark.sparkContext._jvm
    files, path = opened(spark, index)
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
