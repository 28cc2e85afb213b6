"""Keys of texts, made by the program on the executors."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mithril
from mithril import _judge
from mithril._judge import Judge
from mithril._program import find_program
from mithril._texts import blocks_of_arrow
from mithril.spark._order import POSITION, Order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PROGRAM = "mithril-stream"
PACKAGE = "mithril-stream-package.zip"
BAND = 0x9E3779B97F4A7C15  # keys of different bands are told apart by a multiple of it


class Sketching:
    """How texts become keys. The program, and this package, travel with the job: executors need Python with numpy and
    pyarrow, and nothing of ours."""

    def __init__(
        self, spark: SparkSession, threshold: float | None, preset: str | None, options: Sequence[str]
    ) -> None:
        self.args = ["--memory", "bloom", "--threads", "1"]
        if threshold is not None:
            self.args += ["--threshold", repr(threshold)]
        if preset is not None:
            self.args += ["--preset", preset]
        self.args += options
        judge = Judge(self.args)  # here it says at once what is wrong with the options
        try:
            rule = judge.json(_judge.STATS)
        finally:
            judge.close()
        self.bands, self.rows, self.votes = int(rule["bands"]), int(rule["rows"]), int(rule["votes"])
        ship(spark)

    def entries(self, df: DataFrame, text: str, by: Order) -> DataFrame:
        """Return a row for each band of each text: two words of a key, and the position."""
        from pyspark.sql import functions as f
        from pyspark.sql.types import LongType, StructField, StructType

        texts = df.select(by.position().alias(POSITION), f.col(text).alias("text"))
        position = texts.schema[POSITION]
        schema = StructType([StructField("high", LongType()), StructField("low", LongType()), position])
        return texts.mapInArrow(entries_of(self.args, self.bands), schema)

    def keys(self, df: DataFrame, text: str) -> DataFrame:
        """Return df with a column of keys."""
        from pyspark.sql import functions as f
        from pyspark.sql.types import ArrayType, BinaryType, StructField, StructType

        schema = StructType([*df.schema.fields, StructField("mithril_keys", ArrayType(BinaryType()))])
        texts = df.select("*", f.col(text).alias("mithril_text"))
        return texts.mapInArrow(keys_of(self.args, self.bands), schema)


def ship(spark: SparkSession) -> None:
    """Have the program and this package copied to the executors, once a session."""
    context: Any = spark.sparkContext
    if hasattr(context, "_mithril_files"):
        return
    files = tempfile.TemporaryDirectory(prefix="mithril-spark-")  # Spark serves files from there, to the end
    package = os.path.join(files.name, PACKAGE)
    root = Path(mithril.__file__).parent
    with zipfile.ZipFile(package, "w") as z:
        for path in sorted(root.rglob("*.py")):
            z.write(path, Path("mithril") / path.relative_to(root))
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


def words_of(judge: Judge, column: Any, bands: int) -> Any:
    """Return the keys of an Arrow array of texts: texts × bands × 2 words, and which texts have some."""
    import numpy as np

    parts = [np.frombuffer(judge.ask(_judge.KEYS, block), "<u8") for block in blocks_of_arrow(column)]
    words = np.concatenate(parts).reshape(-1, bands, 2) if parts else np.empty((0, bands, 2), "<u8")
    return words, words.any(axis=(1, 2))


def entries_of(args: Sequence[str], bands: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def make(batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        judge = None
        try:
            for batch in batches:
                judge = judge or start(args)
                words, some = words_of(judge, batch.column(1), bands)
                of_band = np.arange(bands, dtype="<u8") * np.uint64(BAND)
                high = (words[some, :, 0] ^ of_band).reshape(-1)
                rows = np.repeat(np.nonzero(some)[0], bands)
                yield pa.RecordBatch.from_arrays(
                    [
                        pa.array(high.view("<i8")),
                        pa.array(np.ascontiguousarray(words[some, :, 1]).reshape(-1).view("<i8")),
                        batch.column(0).take(pa.array(rows)),
                    ],
                    names=["high", "low", POSITION],
                )
        finally:
            if judge is not None:
                judge.close()

    return make


def keys_of(args: Sequence[str], bands: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def make(batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        judge = None
        try:
            for batch in batches:
                judge = judge or start(args)
                words, some = words_of(judge, batch.column(batch.num_columns - 1), bands)
                data = np.ascontiguousarray(words.byteswap()).tobytes()
                keys = pa.FixedSizeBinaryArray.from_buffers(
                    pa.binary(16), words.shape[0] * bands, [None, pa.py_buffer(data)]
                ).cast(pa.binary())
                offsets = pa.array(np.arange(words.shape[0] + 1, dtype="<i4") * bands)
                lists = pa.ListArray.from_arrays(offsets, keys, mask=pa.array(~some))
                names = [*batch.schema.names[:-1], "mithril_keys"]
                yield pa.RecordBatch.from_arrays([*batch.columns[:-1], lists], names=names)
        finally:
            if judge is not None:
                judge.close()

    return make
