"""Near-duplicates of files, as a job:

    spark-submit $(python -m mithril_stream.spark.submit --where) --order id s3a://crawl/2026-11/ s3a://unique/2026-11/

It needs this package where it is started. Its program and its Python code travel to the executors.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def parse(args: Sequence[str]) -> argparse.Namespace:
    p = argparse.ArgumentParser(prog="submit.py", description="Remove near-duplicate rows of Parquet or JSON files.")
    p.add_argument("input", help="a directory or pattern of files, as in s3a://crawl/2026-11/*.parquet")
    p.add_argument("output", help="the directory of the rows that are kept; it must not exist")
    p.add_argument("--format", choices=["parquet", "json"], default="parquet", help="of both (default: parquet)")
    p.add_argument("--text", default="text", help="the column of the texts (default: text)")
    p.add_argument("--order", action="append", required=True, help="a column by which rows are earlier; repeatable")
    p.add_argument("--threshold", type=float, help="the similarity of duplicates (default: 0.85)")
    p.add_argument("--preset", help="a published recipe, as of mithril-stream --preset")
    p.add_argument("--within", help="a column: rows are compared only with those of the same value")
    p.add_argument("--option", action="append", default=[], help="another option of mithril-stream judge; repeatable")
    p.add_argument("--memory", choices=["bloom", "exact"], default="bloom", help="how rows are compared (default: bloom)")
    p.add_argument("--index", help="the directory with what is known of earlier days")
    p.add_argument("--day", help="the name of this day, as in 2026-11-22")
    p.add_argument("--part", help="the name of rows of the day that came later, as in b")
    p.add_argument(
        "--no-check-order", dest="check_order", action="store_false", help="do not look for rows with the same order"
    )
    p.add_argument("--annotate", action="store_true", help="keep all rows, and say which ones are duplicates of which")
    p.add_argument("--groups", action="store_true", help="keep all rows, and say which group each one is of")
    p.add_argument("--linkage", choices=["single", "leader"], default="single",
                   help="leader: with --groups, all rows of a group resemble its first one (default: single)")  # fmt: skip
    return p.parse_args(args)


def main(args: Sequence[str]) -> None:
    if list(args) == ["--where"]:
        print(__file__)
        return
    a = parse(args)
    from pyspark.sql import SparkSession

    import mithril_stream.spark

    spark = SparkSession.builder.appName("mithril-stream").getOrCreate()
    df = spark.read.format(a.format).load(a.input)
    how = {
        "order": a.order, "threshold": a.threshold, "preset": a.preset, "options": a.option, "within": a.within,
        "check_order": a.check_order, "memory": a.memory,
    }  # fmt: skip
    if a.groups:
        result = mithril_stream.spark.groups(df, a.text, **how, linkage=a.linkage)
    else:
        result = mithril_stream.spark.deduplicate(
            df, a.text, **how, annotate=a.annotate, index=a.index, day=a.day, part=a.part
        )
    result.write.format(a.format).save(a.output)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
