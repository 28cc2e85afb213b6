"""Data frames that are used again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def kept(df: DataFrame) -> DataFrame:
    """Compute a data frame now, and keep it, as one without a history that Spark would plan again and again. If an
    executor with parts of it is lost they are computed again, which a local checkpoint could not."""
    from pyspark.sql import DataFrame

    spark = df.sparkSession
    java = spark._jsparkSession.createDataFrame(df._jdf.javaRDD(), df._jdf.schema())
    again = DataFrame(java, spark).persist()
    again.count()
    return again
