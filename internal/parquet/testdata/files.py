"""Writes the Parquet files of this folder, and what their rows are, with pyarrow: python files.py DIRECTORY

NAME.parquet or NAME-VARIANT.parquet is a file, NAME.jsonl its rows as docs/reference/parquet.md says that they become JSON. Those in this folder
were written by pyarrow 26.
"""
import base64
import datetime
import decimal
import json
import math
import sys
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

D = decimal.Decimal
UTC = datetime.timezone.utc
moment = datetime.datetime(2024, 2, 29, 13, 37, 0, 123456)
old = datetime.datetime(1899, 12, 31, 23, 59, 59, 999000)

# for each column: its type, and pairs of a value and what it is in JSON; None is null in both
EXACT = object()  # the JSON is the value
columns = {
    "text": (pa.string(), [("The river rises in a meadow.", EXACT), ("", EXACT), ("quotes \" and \\ and \n\t\x01 and é 河", EXACT)]),
    "bool": (pa.bool_(), [(True, EXACT), (False, EXACT)]),
    "int8": (pa.int8(), [(-128, EXACT), (127, EXACT)]),
    "int16": (pa.int16(), [(-32768, EXACT), (32767, EXACT)]),
    "int32": (pa.int32(), [(-2**31, EXACT), (2**31 - 1, EXACT)]),
    "int64": (pa.int64(), [(-2**63, EXACT), (2**63 - 1, EXACT)]),
    "uint8": (pa.uint8(), [(0, EXACT), (255, EXACT)]),
    "uint16": (pa.uint16(), [(0, EXACT), (65535, EXACT)]),
    "uint32": (pa.uint32(), [(0, EXACT), (2**32 - 1, EXACT)]),
    "uint64": (pa.uint64(), [(0, EXACT), (2**64 - 1, EXACT)]),
    "float16": (pa.float16(), [(1.5, EXACT), (-0.0999755859375, EXACT), (math.inf, None)]),
    "float32": (pa.float32(), [(0.5, EXACT), (-1.25e30, EXACT), (math.nan, None)]),
    "float64": (pa.float64(), [(0.1, EXACT), (-1e-300, EXACT), (math.inf, None)]),
    "decimal9": (pa.decimal128(9, 2), [(D("1234567.89"), 1234567.89), (D("-0.01"), -0.01)]),
    "decimal18": (pa.decimal128(18, 0), [(D("-999999999999999999"), -999999999999999999)]),
    "decimal38": (pa.decimal128(38, 10), [(D("-12.0000000001"), -12.0000000001), (D("5"), 5.0)]),
    "decimal76": (pa.decimal256(76, 1), [(D("123456789012345678901234567890.5"), 123456789012345678901234567890.5)]),
    "large": (pa.large_string(), [("large", EXACT)]),
    "binary": (pa.binary(), [(b"\x00\xff", base64.b64encode(b"\x00\xff").decode()), (b"", "")]),
    "fixed": (pa.binary(3), [(b"abc", base64.b64encode(b"abc").decode())]),
    "uuid": (pa.uuid(), [(uuid.UUID("01234567-89ab-cdef-0123-456789abcdef").bytes, "01234567-89ab-cdef-0123-456789abcdef")]),
    "date": (pa.date32(), [(datetime.date(2024, 2, 29), "2024-02-29"), (datetime.date(1900, 1, 1), "1900-01-01")]),
    "time_ms": (pa.time32("ms"), [(datetime.time(1, 2, 3, 4000), "01:02:03.004")]),
    "time_us": (pa.time64("us"), [(datetime.time(23, 59, 59, 999999), "23:59:59.999999")]),
    "time_ns": (pa.time64("ns"), [(datetime.time(0, 0, 1), "00:00:01")]),
    "stamp_ms": (pa.timestamp("ms", "UTC"), [(old.replace(tzinfo=UTC), "1899-12-31T23:59:59.999Z")]),
    "stamp_us": (pa.timestamp("us", "Europe/Berlin"), [(moment.replace(tzinfo=UTC), "2024-02-29T13:37:00.123456Z")]),
    "stamp_ns": (pa.timestamp("ns"), [(moment, "2024-02-29T13:37:00.123456")]),
    "nothing": (pa.null(), []),
    "category": (pa.dictionary(pa.int8(), pa.string()), [("red", EXACT), ("green", EXACT)]),
    "list": (pa.list_(pa.int32()), [([1, None, 3], EXACT), ([], EXACT)]),
    "lists": (pa.list_(pa.list_(pa.string())), [([["a", "b"], [], None, ["c", None]], EXACT), ([[]], EXACT)]),
    "fixed_list": (pa.list_(pa.float32(), 2), [([1.0, 2.0], EXACT)]),
    "struct": (pa.struct([("title", pa.string()), ("n", pa.int64())]), [({"title": "Bread", "n": None}, EXACT), ({"title": None, "n": 3}, EXACT)]),
    "structs": (
        pa.list_(pa.struct([("role", pa.string()), ("parts", pa.list_(pa.string()))])),
        [([{"role": "user", "parts": ["hello", "there"]}, {"role": "model", "parts": None}], EXACT), ([None], EXACT)],
    ),
    "map": (pa.map_(pa.string(), pa.int32()), [([("a", 1), ("b", None)], {"a": 1, "b": None}), ([], {})]),
    "int_map": (pa.map_(pa.int32(), pa.list_(pa.string())), [([(7, ["x", "y"]), (8, [])], {"7": ["x", "y"], "8": []})]),
}
ROWS = 23


def types():
    """A table of all columns, each of which goes through its values and a null, and its rows as JSON."""
    arrays, fields, rows = [], [], [{} for _ in range(ROWS)]
    for i, (name, (typ, values)) in enumerate(columns.items()):
        cells = [*values, (None, None)]
        cells = [cells[(r + i) % len(cells)] for r in range(ROWS)]
        for r, (value, expected) in enumerate(cells):
            rows[r][name] = value if expected is EXACT else expected
        arrays.append(pa.array([value for value, _ in cells], type=typ))
        fields.append(pa.field(name, typ, metadata={"comment": name} if name == "text" else None))
    arrays.append(pa.array(range(ROWS), type=pa.int64()))
    fields.append(pa.field("required", pa.int64(), nullable=False))
    for r in range(ROWS):
        rows[r]["required"] = r
    schema = pa.schema(fields, metadata={"huggingface": '{"info": {"features": {}}}', "pandas": '{"index_columns": []}'})
    return pa.Table.from_arrays(arrays, schema=schema), rows


def words(n=150):
    """A table whose columns show encodings: repeated, rising and long values, and lists."""
    rows = [
        {
            "text": f"record {i} of many, " * (i % 7),
            "label": None if i % 5 == 0 else ["red", "green", "blue"][i % 3],
            "n": i * i - 1000,
            "x": i / 8,
            "odd": i % 2 == 1,
            "tags": None if i % 11 == 0 else [f"t{j}" for j in range(i % 4)],
        }
        for i in range(n)
    ]
    schema = pa.schema([
        ("text", pa.string()), ("label", pa.string()), ("n", pa.int32()), ("x", pa.float64()), ("odd", pa.bool_()), ("tags", pa.list_(pa.string())),
    ])
    return pa.Table.from_pylist(rows, schema=schema), rows


def write(directory, name, table, rows, **options):
    pq.write_table(table, f"{directory}/{name}.parquet", **options)
    with open(f"{directory}/{name.split('-')[0]}.jsonl", "w", encoding="utf-8") as out:
        for row in rows:
            json.dump(row, out, ensure_ascii=False)
            out.write("\n")


def main(directory):
    write(directory, "types", *types(), row_group_size=10, store_decimal_as_integer=True)
    write(directory, "int96", *int96(), use_deprecated_int96_timestamps=True)
    table, rows = words()
    small = dict(row_group_size=60, data_page_size=512, write_batch_size=20)
    for codec in ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]:
        version = "1.0" if codec in ("none", "gzip", "lz4") else "2.0"
        write(directory, f"words-{codec}", table, rows, compression=codec, data_page_version=version, write_page_checksum=True, **small)
    encodings = {"text": "DELTA_BYTE_ARRAY", "label": "DELTA_LENGTH_BYTE_ARRAY", "n": "DELTA_BINARY_PACKED", "x": "BYTE_STREAM_SPLIT", "odd": "RLE"}
    for version in ["1.0", "2.0"]:
        write(directory, f"words-delta-{version[0]}", table, rows, use_dictionary=False, column_encoding=encodings, data_page_version=version, **small)
    write(directory, "same", *same())
    write(directory, "empty", table.slice(0, 0), [])


def int96():
    values = [moment, None, old]
    rows = [{"when": v and v.isoformat(timespec="microseconds").rstrip("0").rstrip(".")} for v in values]
    return pa.table({"when": pa.array(values, type=pa.timestamp("ns"))}), rows


def same():
    """The records of testdata/script/format_same.txtar."""
    texts = [
        "The river rises in a meadow north of the hill.",
        "the river rises in a meadow, north of the hill",
        "The clock in the tower has three hands.",
        "",
        'The river "rises" in a meadow north of the hill!',
    ]
    rows = [{"text": text} for text in texts]
    return pa.Table.from_pylist(rows), rows


if __name__ == "__main__":
    main(sys.argv[1])
