"""What is said of data frames whose rows cannot be judged, before Spark says it in pages of Java."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mithril_stream._within import not_comparable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

INSTEAD = {
    "pandas": "give spark.createDataFrame(df), or call mithril_stream.dedup.deduplicate(df)",
    "polars": "give spark.createDataFrame(df.to_pandas()), or call mithril_stream.dedup.deduplicate(df)",
    "ray": "call mithril_stream.ray.deduplicate(ds, order=...)",
}

STRINGS = ("string", "varchar", "char", "void")
NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")


def check_frame(df: Any) -> None:
    """Raise TypeError unless df is a data frame of a session whose executors can be given files."""
    kind = type(df)
    if kind.__module__.startswith("pyspark.sql.connect"):
        raise TypeError(
            "this is a data frame of Spark Connect, which gives no access to the session that the program travels with: "
            "run the job in a classic session, as spark-submit does, or SparkSession.builder.master(...)"
        )
    if kind.__module__.startswith("pyspark.pandas"):
        raise TypeError("this is a data frame of pandas on Spark: give df.to_spark()")
    from pyspark.sql import DataFrame

    if not isinstance(df, DataFrame):
        package = kind.__module__.partition(".")[0]
        advice = INSTEAD.get(package, "give a pyspark.sql.DataFrame")
        raise TypeError(f"{package}.{kind.__name__} is no data frame of Spark: {advice}")


def check_text(df: DataFrame, text: str) -> None:
    """Raise ValueError unless a column has strings. text may be a path into structs."""
    from pyspark.errors import AnalysisException

    try:
        kind = df.select(text).schema[0].dataType.simpleString()
    except AnalysisException:
        raise ValueError(f"there is no column {text!r} of texts: there are {df.columns}") from None
    if not kind.startswith(STRINGS):
        raise ValueError(f"{text!r} is no column of strings: it has values of type {kind}")


def check_within(df: DataFrame, within: str | None) -> None:
    """Raise ValueError unless rows can be told apart by the values of a column. within may be a path into structs."""
    from pyspark.errors import AnalysisException

    if within is None:
        return
    try:
        kind = df.select(within).schema[0].dataType.simpleString()
    except AnalysisException:
        raise ValueError(f"there is no column {within!r} for within=: there are {df.columns}") from None
    if kind not in NUMBERS and kind != "boolean" and not kind.startswith(STRINGS):
        raise not_comparable(within, kind)


def check_order_types(df: DataFrame, columns: Sequence[str]) -> None:
    """Raise ValueError if one of the columns has a type by which rows are not told apart for sure, or values that
    are others when Spark computes the rows again."""
    kinds = dict(df.dtypes)
    for name in columns:
        if kinds[name] in ("float", "double") or kinds[name].startswith(("array", "map", "struct")):
            raise ValueError(
                f"order {name!r} has values of type {kinds[name]}: give integers, strings, dates or timestamps"
            )
    for name, made_by in changing(df):
        if name in columns:
            raise ValueError(
                f"order {name!r} is {made_by}, whose values are others when Spark computes the rows again: give a column "
                "of the data, or write the numbered rows and read them again"
            )


def changing(df: DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the columns made by expressions that are not deterministic, such as rand() or
    monotonically_increasing_id(), and these expressions."""
    plan: Any = df._jdf.queryExecution().analyzed()
    made: dict[int, Any] = {}
    plans = [plan]
    while plans:
        node = plans.pop()
        made.update((e.exprId().id(), e) for e in items(node.expressions()) if e.getClass().getSimpleName() == "Alias")
        plans += items(node.children())
    for column in items(plan.output()):
        asked, seen = [column.exprId().id()], set[int]()
        while asked:
            id = asked.pop()
            if id in seen or id not in made:
                continue
            seen.add(id)
            if not made[id].deterministic():
                yield column.name(), made[id].child().sql()
                break
            asked += [reference.exprId().id() for reference in items(made[id].references().toSeq())]


def items(sequence: Any) -> list[Any]:
    """Return the items of a sequence of Scala."""
    return [sequence.apply(i) for i in range(sequence.size())]
