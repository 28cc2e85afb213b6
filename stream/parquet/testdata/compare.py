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


def main(kept, directory):
    with open(kept) as f:
        kept = json.load(f)
    failed = 0
    for path, rows in kept.items():
        a, b = (pq.ParquetFile(p, page_checksum_verification=True) for p in (path, os.path.join(directory, os.path.basename(path))))
        for difference in differences(a, b, rows):
            print(f"{path}: {difference}")
            failed += 1
    print(f"compared {len(kept)} files")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
