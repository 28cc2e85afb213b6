"""What tasks do for days: they send what earlier days keep to the tasks that count, and return what later days need."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mithril_stream._holders import by_range, held_in
from mithril_stream._known import by_hash
from mithril_stream._positions import plain
from mithril_stream.spark import _packed
from mithril_stream.spark._packed import Parcel, Places, packed, received

Batches = Callable[[Iterator[Any]], Iterator[Any]]
ROWS_OF_DAYS = 1 << 22  # that are split at a time


def earlier_keys(places: Places) -> Batches:
    """Return what sends the keys of earlier days: batches of a day, a key and a position."""

    def make(batches: Iterator[Any]) -> Iterator[Any]:
        for number, (day, key, position) in enumerate(gathered(batches)):
            keys = key.to_numpy().view("<u8")
            order = np.argsort(keys, kind="stable")
            positions = pa.StructArray.from_arrays([day, position], names=["day", "position"])
            parts = by_range(keys[order], positions.take(pa.array(order)), len(places.ranges))
            yield from packed(of_earlier(places.ranges, parts, _packed.KEYS, number))

    return make


def earlier_support(places: Places) -> Batches:
    """Return what sends which rows of earlier days hold their keys for others: batches of the day and the position of
    both."""

    def make(batches: Iterator[Any]) -> Iterator[Any]:
        for number, (day, at, of_day, of) in enumerate(gathered(batches)):
            columns = [pa.StructArray.from_arrays(both, names=["day", "position"]) for both in ([day, at], [of_day, of])]
            parts = by_hash(pa.table(columns, names=["position", "of"]), len(places.hashed))
            yield from packed(of_earlier(places.hashed, parts, _packed.SUPPORT, number))

    return make


def gathered(batches: Iterator[Any]) -> Iterator[list[Any]]:
    """Yield the columns of many batches at a time, since each is sent in as many parts as there are tasks."""
    some: list[Any] = []
    for batch in batches:
        some.append(batch)
        if sum(one.num_rows for one in some) >= ROWS_OF_DAYS:
            yield [plain(column) for column in pa.Table.from_batches(some).columns]
            some = []
    if some:
        yield [plain(column) for column in pa.Table.from_batches(some).columns]


def of_earlier(addresses: list[int], parts: list[Any], kind: int, number: int) -> Iterator[Parcel]:
    """Yield the parts of a batch. Their senders, which are less than all blocks, are answered nothing."""
    from pyspark import TaskContext

    context: Any = TaskContext.get()
    sender = -1 - ((context.partitionId() << 32) + number)
    return (Parcel(to, kind, sender, part) for to, part in zip(addresses, parts) if part.num_rows)


def own_holders(tables: list[Any], day: str) -> Any:
    """Return which rows of a day hold which keys of a range."""
    held = held_in(tables, alone=True)
    own = pc.equal(pc.struct_field(held.positions, "day"), day)
    position = pc.struct_field(held.positions, "position").filter(own)
    return pa.table([pa.array(held.keys.view("<i8")).filter(own), position], names=["key", "position"])


def unpacked(kind: int) -> Batches:
    """Return what unpacks the tables of a kind."""

    def make(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for parcel in received(pa.Table.from_batches([batch]), kind):
                yield from written_as(kind, parcel.table).to_batches()

    return make


def written_as(kind: int, table: Any) -> Any:
    """Return a table as days keep it."""
    if kind == _packed.OWN:
        return table
    position, of = (plain(table.column(name)) for name in ("position", "of"))
    columns = [pc.struct_field(position, "position"), pc.struct_field(of, "day"), pc.struct_field(of, "position")]
    return pa.table(columns, names=["position", "of_day", "of"])
