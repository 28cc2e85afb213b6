"""Which type holds rows, and what to do with one that does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

# What to give in the place of a type, by the name of its module and its own.
ADVICE = {
    ("polars", "LazyFrame"): "it has no rows yet: give data.collect(), and call lazy() on what comes back",
    ("datasets", "DatasetDict"): 'it has splits: give one of them, as in data["train"], or all of them as '
    "datasets.concatenate_datasets(list(data.values()))",
    ("datasets", "IterableDatasetDict"): 'it has splits: give one of them to Deduplicator().unique(data["train"])',
    ("datasets", "IterableDataset"): "its rows come one after the other: for row in Deduplicator().unique(data)",
    ("datasets", "Column"): "give the dataset, or list(data)",
    ("pyspark", "DataFrame"): 'give it to mithril_stream.spark.deduplicate(data, order="id")',
    ("pyarrow", "RecordBatch"): "give pyarrow.Table.from_batches([data])",
    ("pyarrow", "RecordBatchReader"): "give data.read_all()",
    ("pyarrow", "Dataset"): "give data.to_table()",
    ("pyarrow", "Array"): "give data.to_pylist()",
    ("pyarrow", "ChunkedArray"): "give data.to_pylist()",
    ("numpy", "ndarray"): "give data.tolist()",
}
# Of these, what yields texts or dicts when it is iterated.
YIELDING = {("datasets", "IterableDataset"), ("datasets", "Column"), ("numpy", "ndarray")}
KNOWN = (
    "a pandas or polars DataFrame or Series, a pyarrow Table, a datasets Dataset, or a list of strings or dicts"
)


def names_of(data: Any) -> Iterator[tuple[str, str]]:
    """Yield the package and the name of a type, and of those that it is made of. Importing the packages of all tables
    to ask them would take seconds."""
    for kind in type(data).__mro__:
        yield kind.__module__.partition(".")[0], kind.__name__


def advice_for(data: Any) -> str | None:
    """Return what to give in the place of something that is no rows, if that is known."""
    for name in names_of(data):
        if name in ADVICE:
            return ADVICE[name]
    if isinstance(data, (str, bytes)):
        return "it is one text: give a list of them"
    if isinstance(data, Mapping):
        return "give a list of dicts, or a data frame made of it"
    return None


def refusal(data: Any) -> TypeError:
    """Return the error about something that is no table."""
    advice = advice_for(data)
    if advice is None and isinstance(data, Iterator):
        advice = "it can be read once: give list(data), or let Deduplicator().unique(data) yield one row after the other"
    if advice is None and isinstance(data, Set):
        advice = "it has no order: give a list, as in sorted(data)"
    return TypeError(f"{full_name(data)} is no table: {advice or 'give ' + KNOWN}")


def full_name(data: Any) -> str:
    kind = type(data)
    module = kind.__module__.partition(".")[0]
    return kind.__name__ if module == "builtins" else f"{module}.{kind.__name__}"
