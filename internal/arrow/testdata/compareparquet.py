"""python compareparquet.py x.parquet x.arrow: both must hold the same, as far as Parquet knows types."""

import sys

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc


def known(type_):
    """What becomes of a type whose values Parquet stores as those of another one."""
    if pa.types.is_dictionary(type_):
        return type_.value_type
    if pa.types.is_null(type_):
        return pa.int32()
    if pa.types.is_fixed_size_list(type_):
        return pa.list_(type_.value_field.with_type(known(type_.value_field.type)), type_.list_size)
    if pa.types.is_list(type_):
        field = type_.value_field
        return pa.list_(field.with_type(known(field.type)))
    return type_


parquet, arrow = pq.read_table(sys.argv[1]), ipc.open_file(sys.argv[2]).read_all()
arrow.validate(full=True)
assert parquet.column_names == arrow.column_names
for name in parquet.column_names:
    want, got = parquet.schema.field(name), arrow.schema.field(name)
    assert known(want.type) == got.type and want.nullable == got.nullable, (want, got)
    assert repr(parquet[name].to_pylist()) == repr(arrow[name].to_pylist()), name
metadata = {k: v for k, v in (parquet.schema.metadata or {}).items() if k != b"ARROW:schema"}
assert metadata == (arrow.schema.metadata or {}), metadata
print("the same")
