"""Tables that tasks send each other: a row of Spark for each, with the table as bytes, so that Spark moves a block of
memory where it would otherwise look at every key."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# to is the address of who receives the table, sender that of who sends it. A large table is sent in pieces.
SCHEMA = "to long, kind int, sender long, piece int, data binary"
TYPES = {"to": pa.int64(), "kind": pa.int32(), "sender": pa.int64(), "piece": pa.int32(), "data": pa.binary()}
KEYS, MEMBERS, REPLY, OWN, DIGEST, SUPPORT, WANTED, ANSWER = range(8)
PIECE = 1 << 17  # bytes of a row, about: Spark hands over 10,000 rows at a time, which must be less than 2 GB
TRIES = 1 << 16
HASHED = 64  # parts, of hashes of positions, if there are tasks enough; then one for every eighth task


class Parcel(NamedTuple):
    """A table that is sent, or was received."""

    to: int
    kind: int
    sender: int
    table: Any


class Places(NamedTuple):
    """Where tables are sent."""

    ranges: list[int]  # the addresses of tasks for ranges of keys
    day: str | None  # of the rows
    rows: int  # of a block, at most

    @property
    def hashed(self) -> list[int]:
        """Return the addresses of tasks for hashes of positions. Those get few rows of each block."""
        return self.ranges[: max(HASHED, len(self.ranges) // 8)]


def packed(parcels: Iterable[Parcel]) -> Iterator[Any]:
    """Yield what Spark sends: a batch for each parcel."""
    schema = pa.schema(TYPES.items())
    for to, kind, sender, table in parcels:
        size = max(1, table.num_rows * PIECE // max(table.nbytes, 1))
        pieces = [written(table.slice(i, size)) for i in range(0, max(table.num_rows, 1), size)]
        rows = [(to, kind, sender, i, piece) for i, piece in enumerate(pieces)]
        yield pa.RecordBatch.from_arrays([pa.array(c, t) for c, t in zip(zip(*rows), TYPES.values())], schema=schema)


def sent(parcels: Iterable[Parcel]) -> Any:
    """Return a table of what Spark sends."""
    return pa.Table.from_batches(packed(parcels), schema=pa.schema(TYPES.items()))


def received(table: Any, kind: int) -> list[Parcel]:
    """Return the parcels of a kind, in the order of their senders."""
    pieces: dict[tuple[int, int], list[tuple[int, Any]]] = {}
    names = "to", "kind", "sender", "piece"
    for *of, data in zip(*(table.column(name).to_pylist() for name in names), table.column("data")):
        if of[1] == kind:
            pieces.setdefault((of[2], of[0]), []).append((of[3], read(data)))
    for some in pieces.values():
        some.sort(key=lambda piece: piece[0])
    tables = {of: pa.concat_tables([piece for _, piece in pieces[of]]) for of in sorted(pieces)}
    return [Parcel(to, kind, sender, table) for (sender, to), table in tables.items()]


def written(table: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def read(data: Any) -> Any:
    return pa.ipc.open_stream(data.as_buffer()).read_all()


def tasks_of(spark: SparkSession) -> int:
    """Return how many tasks receive what is sent, at most."""
    often = spark.conf.get("spark.sql.shuffle.partitions", "200")
    return int(str(spark.conf.get("spark.sql.adaptive.coalescePartitions.initialPartitionNum", often)))


def address(number: int, task: int, tasks: int) -> int:
    """Return an address that no other number has, and that is one of a task. Spark tells tasks by a hash: of few
    addresses that are taken as they come, one task would have several, and another none."""
    some = ((number + 1) << 16) + np.arange(TRIES, dtype="<i8")
    there = np.nonzero(murmur3(some) % tasks == task % tasks)[0]
    return int(some[there[0] if len(there) else 0])


def addresses(tasks: int) -> list[int]:
    """Return an address of each task."""
    some = np.arange(32 * tasks, dtype="<i8")
    there, first = np.unique(murmur3(some) % tasks, return_index=True)
    missing = np.setdiff1d(np.arange(tasks), there)
    return np.insert(some[first], missing - np.arange(len(missing)), 32 * tasks + missing).tolist()


def murmur3(words: Any) -> Any:
    """Return the hashes by which Spark sends rows to tasks: those of 64-bit integers by its expression hash."""
    made, words = np.full(len(words), 42, "<u4"), words.view("<u8")
    for half in (words & np.uint64(0xFFFFFFFF)).astype("<u4"), (words >> np.uint64(32)).astype("<u4"):
        half = rotated(half * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
        made = rotated(made ^ half, 13) * np.uint32(5) + np.uint32(0xE6546B64)
    made ^= np.uint32(8)
    made = (made ^ (made >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    made = (made ^ (made >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return (made ^ (made >> np.uint32(16))).view("<i4").astype("<i8")


def rotated(words: Any, bits: int) -> Any:
    return (words << np.uint32(bits)) | (words >> np.uint32(32 - bits))
