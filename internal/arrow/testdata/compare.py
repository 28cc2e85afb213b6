"""python compare.py kept.json DIRECTORY: compares copies with the rows that were kept of files."""

import json
import os
import sys

from pyarrow import ipc


def read(path):
    with open(path, "rb") as f:
        form = "file" if f.read(6) == b"ARROW1" else "stream"
        f.seek(0)
        return form, (ipc.open_file(f) if form == "file" else ipc.open_stream(f)).read_all()


kept = json.load(open(sys.argv[1]))
for name, rows in kept.items():
    form, table = read(os.path.join("testdata", name))
    copied_form, copied = read(os.path.join(sys.argv[2], name))
    copied.validate(full=True)
    assert form == copied_form, (name, copied_form)
    assert table.schema.equals(copied.schema, check_metadata=True), (name, copied.schema)
    assert copied.num_rows == len(rows), (name, copied.num_rows)
    for column in table.column_names:
        values = table[column].to_pylist()
        assert repr([values[i] for i in rows]) == repr(copied[column].to_pylist()), (name, column)
print("compared", len(kept), "files")
