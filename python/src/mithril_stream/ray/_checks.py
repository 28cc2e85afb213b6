"""What is said of datasets whose rows cannot be judged, before Ray says it in pages."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from mithril_stream._texts import is_text
from mithril_stream._within import check_type

INSTEAD = {
    "pandas": "give ray.data.from_pandas(df), or call mithril_stream.dedup.deduplicate(df)",
    "polars": "give ray.data.from_arrow(df.to_arrow()), or call mithril_stream.dedup.deduplicate(df)",
    "pyarrow": "give ray.data.from_arrow(table), or call mithril_stream.dedup.deduplicate(table)",
    "datasets": "give ray.data.from_huggingface(ds), or call mithril_stream.dedup.deduplicate(ds)",
    "daft": "give df.to_ray_dataset()",
    "pyspark": "call mithril_stream.spark.deduplicate(df, order=...)",
}


def check_dataset(ds: Any) -> None:
    """Raise TypeError unless ds is a dataset of Ray."""
    from ray.data import Dataset

    if not isinstance(ds, Dataset):
        package = type(ds).__module__.partition(".")[0]
        advice = INSTEAD.get(package, "give a ray.data.Dataset")
        raise TypeError(f"{package}.{type(ds).__name__} is no dataset of Ray: {advice}")


def check_text(schema: Any, text: str) -> None:
    """Raise ValueError if a dataset has no column of texts of that name."""
    if schema is not None and text not in schema.names:
        raise ValueError(f"there is no column {text!r} of texts: there are {schema.names}")
    kind = type_of(schema, text)
    if kind is not None and not is_text(kind):
        raise ValueError(f"{text!r} is no column of strings: it has values of type {kind}")


def check_within(schema: Any, within: str | None) -> None:
    """Raise ValueError unless rows can be told apart by the values of a column."""
    if within is None or schema is None:
        return
    if within not in schema.names:
        raise ValueError(f"there is no column {within!r} for within=: there are {schema.names}")
    kind = type_of(schema, within)
    if kind is not None:
        check_type(within, kind)


def check_types(schema: Any, columns: Sequence[str]) -> None:
    """Raise ValueError if one of the columns has a type by which rows are not told apart for sure."""
    for name in columns:
        kind = type_of(schema, name)
        if kind is not None and (pa.types.is_floating(kind) or pa.types.is_nested(kind)):
            raise ValueError(f"order {name!r} has values of type {kind}: give integers, strings, dates or timestamps")


def type_of(schema: Any, column: str) -> Any:
    """Return the Arrow type of a column, or None if it is known only when its rows are."""
    known = schema is not None and isinstance(schema.base_schema, pa.Schema)
    return schema.base_schema.field(column).type if known else None
