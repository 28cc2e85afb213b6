"""Keys of texts, made by the program on the executors."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mithril_stream
from mithril_stream._judge import Judge
from mithril_stream._keys import Rule, lists_of, rule_of, words_of
from mithril_stream._program import find_program
from mithril_stream.spark._checks import check_within
from mithril_stream.spark._order import POSITION, Order

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

PROGRAM = "mithril-stream"
PACKAGE = "mithril-stream-package.zip"


class Sketching:
    """How texts become keys. The program, and this package, travel with the job: executors need Python with numpy and
    pyarrow, and nothing of ours."""

    def __init__(
        self,
        df: DataFrame,
        threshold: float | None,
        preset: str | None,
        options: Sequence[str],
        within: str | None,
        memory: str = "bloom",
    ) -> None:
        self.rule = rule_of(threshold, preset, options, within, memory)  # which refuses wrong options at once
        check_within(df, self.rule.within)
        ship(df.sparkSession)

    def texts(self, df: DataFrame, text: str, by: Order) -> DataFrame:
        """Return the position of each row, and what is compared."""
        return df.select(by.position().alias(POSITION), *self.compared(text))

    def keys(self, df: DataFrame, text: str) -> DataFrame:
        """Return df with a column of keys."""
        from pyspark.sql.types import ArrayType, BinaryType, StructField, StructType

        schema = StructType([*df.schema.fields, StructField("mithril_keys", ArrayType(BinaryType()))])
        texts = df.select("*", *self.compared(text))
        return texts.mapInArrow(keys_of(self.rule, len(df.columns)), schema)

    def compared(self, text: str) -> list[Column]:
        """Return the columns of what is compared: texts, and the values of within=, if that is given."""
        from pyspark.sql import functions as f

        named = {"mithril_text": text, "mithril_within": self.rule.within}
        return [f.col(column).alias(name) for name, column in named.items() if column is not None]


def ship(spark: SparkSession) -> None:
    """Have the program and this package copied to the executors, once a session."""
    context: Any = spark.sparkContext
    if hasattr(context, "_mithril_files"):
        return
    files = tempfile.TemporaryDirectory(prefix="mithril-spark-")  # Spark serves files from there, to the end
    package = os.path.join(files.name, PACKAGE)
    root = Path(mithril_stream.__file__).parent
    with zipfile.ZipFile(package, "w") as z:
        for path in sorted(root.rglob("*.py")):
            z.write(path, Path("mithril_stream") / path.relative_to(root))
    program = shutil.copy(find_program(), os.path.join(files.name, PROGRAM))
    context.addFile(program)
    context.addPyFile(package)
    context._mithril_files = files


def start(args: Sequence[str]) -> Judge:
    """Start the program that has travelled here."""
    from pyspark import SparkFiles

    path = SparkFiles.get(PROGRAM)
    if not os.access(path, os.X_OK):
        os.chmod(path, 0o755)
    os.environ["MITHRIL_STREAM_PROGRAM"] = path
    return Judge(args)


def keys_of(rule: Rule, columns: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def make(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        judge = None
        try:
            for batch in batches:
                judge = judge or start(rule.args)
                words, some = words_of(judge, rule, *batch.columns[columns:])
                names = [*batch.schema.names[:columns], "mithril_keys"]
                yield pa.RecordBatch.from_arrays([*batch.columns[:columns], lists_of(words, some)], names=names)
        finally:
            if judge is not None:
                judge.close()

    return make
