"""Data frames that are used again."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Cache:
    """What this package has Spark keep. Nothing else is released."""

    def __init__(self) -> None:
        self._frames: list[DataFrame] = []

    def kept(self, df: DataFrame) -> DataFrame:
        """Compute a data frame now, and keep it, as one without a history that Spark would plan again and again. If an
        executor with parts of it is lost they are computed again, which a local checkpoint could not."""
        from pyspark.sql import DataFrame

        spark = df.sparkSession
        java = spark._jsparkSession.createDataFrame(df._jdf.javaRDD(), df._jdf.schema())
        again = self.persisted(DataFrame(java, spark))
        again.count()
        return again

    def persisted(self, df: DataFrame) -> DataFrame:
        """Keep a data frame when it is computed."""
        self._frames.append(df.persist())
        return self._frames[-1]

    def release(self, *but: DataFrame) -> None:
        """Release all frames but some, which a result needs."""
        for frame in self._frames:
            if not any(frame is b for b in but):
                frame.unpersist()
        self._frames = list(but)
