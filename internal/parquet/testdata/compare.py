"""Compares Parquet files by pyarrow: python compare.py KEPT.json DIRECTORY

KEPT.json maps the paths of files to the numbers of the rows that a file of the same name in the directory must have, and nothing else may differ:
schema, metadata, values.
"""
import json
import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq


def differences(a, b, rows):
    """Yields in what b differs from the given rows of a."""
    if str(a.schema).split("\n")[1:] != str(b.schema).split("\n")[1:]:
        yield f"schema: {a.schema}\nbecame {b.schema}"
    if a.metadata.metadata != b.metadata.metadata:
        yield f"metadata: {a.metadata.metadata}\nbecame {b.metadata.metadata}"
    if not a.schema_arrow.equals(b.schema_arrow, check_metadata=True):
        yield f"Arrow schema: {a.schema_arrow}\nbecame {b.schema_arrow}"
    x, y = a.read().take(pa.array(rows, pa.int64())), b.read(use_threads=False)
    y.validate(full=True)
    for name, p, q in zip(x.column_names, x.columns, y.columns):
        # what is not a number is not equal to itself, but its representation is
        if not p.equals(q) and repr(p.to_pylist()) != repr(q.to_pylist()):
            yield f"column {name}"


def statistics(b):
    """Yields in what the statistics of b are wrong, of columns that are not nested."""
    flat = {name for name in b.schema_arrow.names}
    for g in range(b.num_row_groups):
        rows = b.read_row_group(g)
        for j in range(b.metadata.num_columns):
            c = b.metadata.row_group(g).column(j)
            s, name = c.statistics, c.path_in_schema
            if not c.has_offset_index:
                yield f"group {g}: {name} has no offset index"
            if name not in flat or s is None:
                continue
            values = rows.column(name)
            if s.null_count != values.null_count:
                yield f"group {g}: {name} has {values.null_count} nulls, {s.null_count} are said"
            if not s.has_min_max:
                continue
            there = [v for v in values.to_pylist() if v is not None and v == v]
            if type(there[0]) is not type(s.min):  # float16 and others, which pyarrow says as bytes
                continue
            least, most = min(there), max(there)
            if not (s.min <= least and s.max >= most) or len(str(least)) < 60 and len(str(most)) < 60 and (s.min, s.max) != (least, most):
                yield f"group {g}: {name} is from {least!r} to {most!r}, {s.min!r} to {s.max!r} is said"


def main(kept, directory):
    with open(kept) as f:
        kept = json.load(f)
    failed = 0
    for path, rows in kept.items():
        a, b = (pq.ParquetFile(p, page_checksum_verification=True) for p in (path, os.path.join(directory, os.path.basename(path))))
        for difference in [*differences(a, b, rows), *statistics(b)]:
            print(f"{path}: {difference}")
            failed += 1
    print(f"compared {len(kept)} files")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
