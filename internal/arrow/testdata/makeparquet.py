"""python makeparquet.py FILE: a Parquet file of what lies deep."""

import decimal
import sys

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 30
entries = pa.map_(pa.string(), pa.struct([("z", pa.int8())]))
pq.write_table(pa.table({
    "decimal": pa.array([None if i % 3 == 1 else decimal.Decimal(-i * 10**60 // 49) for i in range(ROWS)],
                        pa.decimal256(70, 0)),
    "lists": pa.array([None if i % 4 == 0 else [[i], None, []] for i in range(ROWS)], pa.list_(pa.list_(pa.int64()))),
    "structs": pa.array([[{"a": [1, None], "m": [("x", {"z": i}), ("y", None)]}, None] if i % 4 else []
                         for i in range(ROWS)],
                        pa.list_(pa.struct([("a", pa.large_list(pa.int32())), ("m", entries)]))),
    "map": pa.array([None if i % 5 == 0 else [(i, None), (i + 1, "x")] for i in range(ROWS)],
                    pa.map_(pa.int16(), pa.string())),
    "duration": pa.array(range(ROWS), pa.duration("us")),
    "unsigned": pa.array([2**64 - 1 - i for i in range(ROWS)], pa.uint64()),
}), sys.argv[1])
