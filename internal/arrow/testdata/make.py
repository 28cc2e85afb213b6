"""Makes the files of this directory: python make.py (pyarrow 26)."""

import datetime as dt
import decimal

import pyarrow as pa
from pyarrow import ipc

ROWS = 24
WORDS = "river meadow hill clock tower hand table green house road train".split()


def text(i):
    return " ".join(WORDS[(i * i + k * (i + 1)) % 11] for k in range(12))


def some(make, *type_):
    return pa.array([None if i % 11 == 3 else make(i) for i in range(ROWS)], *type_)


def numbers(type_):
    return some(lambda i: i * 5, type_)


columns = {
    "text": pa.array([text(i) for i in range(ROWS)]),
    "large_string": some(text, pa.large_string()),
    "string_view": some(lambda i: text(i)[:i], pa.string_view()),
    "binary": some(lambda i: bytes([i, 0, 255])),
    "large_binary": some(lambda i: bytes([i]), pa.large_binary()),
    "binary_view": some(lambda i: bytes([i]) * i, pa.binary_view()),
    "fixed_binary": some(lambda i: bytes([i]) * 3, pa.binary(3)),
    "bool": some(lambda i: i % 3 == 0),
    "null": pa.nulls(ROWS),
    "float16": some(lambda i: i * 0.5, pa.float16()),
    "float32": some(lambda i: i * 0.1, pa.float32()),
    "float64": some(lambda i: i * 0.1, pa.float64()),
    "date32": some(lambda i: dt.date(2020, 2, 27) + dt.timedelta(i), pa.date32()),
    "date64": some(lambda i: dt.date(2020, 2, 27) + dt.timedelta(i), pa.date64()),
    "time32": some(lambda i: dt.time(1, 2, i), pa.time32("s")),
    "time64": some(lambda i: dt.time(1, 2, i, i), pa.time64("us")),
    "timestamp": some(lambda i: i * 10**16 + i * 1000, pa.timestamp("ns")),
    "instant": some(lambda i: -i * 10**9 - 1, pa.timestamp("ms", "Europe/Berlin")),
    "duration": some(lambda i: i, pa.duration("us")),
    "interval": some(lambda i: (i, 2, -3), pa.month_day_nano_interval()),
    "decimal32": some(lambda i: decimal.Decimal(i - 10) / 100, pa.decimal32(7, 2)),
    "decimal64": some(lambda i: decimal.Decimal(i - 10) / 100, pa.decimal64(15, 2)),
    "decimal128": some(lambda i: decimal.Decimal(i - 10) / 100, pa.decimal128(30, 2)),
    "decimal256": some(lambda i: decimal.Decimal(i - 10) / 100, pa.decimal256(70, 2)),
    "list": some(lambda i: list(range(i % 5)), pa.list_(pa.int32())),
    "large_list": some(lambda i: [str(i)] * (i % 3), pa.large_list(pa.string())),
    "list_view": some(lambda i: [str(i)] * (i % 3), pa.list_view(pa.string())),
    "large_list_view": some(lambda i: [i] * (i % 3), pa.large_list_view(pa.int64())),
    "fixed_list": some(lambda i: [i, i + 1], pa.list_(pa.int16(), 2)),
    "struct": some(lambda i: {"a": i, "b": None if i % 2 else {"c": text(i)}},
                   pa.struct([("a", pa.int8()), ("b", pa.struct([("c", pa.string())]))])),
    "map": some(lambda i: [(str(k), k) for k in range(i % 4)], pa.map_(pa.string(), pa.int32())),
    "messages": some(lambda i: [{"role": "user", "content": text(i)[:20]},
                                {"role": "model", "content": None if i % 5 == 0 else text(i)[20:]}],
                     pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))),
    "dictionary": some(lambda i: WORDS[i % 3]).dictionary_encode(),
    "dictionaries": some(lambda i: [WORDS[(i + k) % 3] for k in range(i % 3)],
                         pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    "runs": pa.RunEndEncodedArray.from_arrays(
        pa.array([5, 12, 24], pa.int32()), pa.array(["one", None, "three"])),
    "sparse": pa.UnionArray.from_sparse(pa.array([i % 2 for i in range(ROWS)], pa.int8()),
                                        [pa.array(range(ROWS)), pa.array([text(i) for i in range(ROWS)])]),
    "dense": pa.UnionArray.from_dense(pa.array([i % 2 for i in range(ROWS)], pa.int8()),
                                      pa.array([i // 2 for i in range(ROWS)], pa.int32()),
                                      [pa.array(range(ROWS)), pa.array([text(i) for i in range(ROWS)])]),
    "uuid": pa.array([bytes([i]) * 16 for i in range(ROWS)], pa.uuid()),
}
for type_ in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()):
    columns[str(type_)] = numbers(type_)

fields = [pa.field(name, column.type, metadata={"about": name} if name in ("float32", "struct") else None)
          for name, column in columns.items()]
table = pa.table(list(columns.values()), schema=pa.schema(
    fields, metadata={"huggingface": '{"info": {"features": {}}}', "other": b"\x01\x02"}))


def write(name, table, new=ipc.new_stream, **options):
    with open(name, "wb") as f, new(f, table.schema, options=ipc.IpcWriteOptions(**options)) as w:
        w.write_table(table, max_chunksize=10)


write("types.arrow", table)
write("types-zstd.arrow", table, compression="zstd")
write("types-lz4.feather", table, ipc.new_file, compression="lz4")
write("types.ipc", table, ipc.new_file)
few = table.select(["text", "string_view", "bool", "list", "struct", "dictionary", "runs", "dense", "list_view",
                    "decimal128", "messages"]).slice(0, 12)
write("few.arrow", few)
write("few-zstd.feather", few, ipc.new_file, compression="zstd")
write("old.arrow", table.select(["text", "int8", "list"]), use_legacy_format=True)
write("empty.arrow", table.slice(0, 0))

# dictionaries that grow, and that are replaced
parts = [pa.record_batch([pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), pa.array(words))], ["text"])
         for words, indices in ((["one"], [0, None]), (["one", "two"], [1, 0]), (["three"], [0, 0]))]
with open("dictionaries.arrow", "wb") as f:
    with ipc.new_stream(f, parts[0].schema, options=ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as w:
        for part in parts:
            w.write_batch(part)

same = ["The river rises in a meadow north of the hill.", "the river rises in a meadow, north of the hill",
        "The clock in the tower has three hands.", "", 'The river "rises" in a meadow north of the hill!']
write("same.arrow", pa.table({"text": same}))
