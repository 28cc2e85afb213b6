"""Which rows are duplicates."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import ray

from mithril_stream._keys import Rule, ambiguous, unordered
from mithril_stream._votes import Votes
from mithril_stream.ray import _counts, _days, _holders
from mithril_stream.ray._days import Days
from mithril_stream.ray._known import by_hash, found, known, ranges_of
from mithril_stream.ray._order import Order, joined, nulls_of, ordinals, plain
from mithril_stream.ray._sketch import entries_of
from mithril_stream.ray._tasks import gather, of_blocks, start

if TYPE_CHECKING:
    from ray.data import Dataset

KEYS_OF_A_RANGE = 4 << 20  # of the 64-bit numbers that keys begin with


class Entries:
    """The positions and the keys of all rows, in blocks in the object store."""

    def __init__(self, ds: Dataset, rule: Rule, text: str, order: Order) -> None:
        made = of_blocks(ds, entries_of, rule, text, order).materialize()
        self.rule, self.order, self.rows = rule, order, made.count()
        self.blocks = made.to_arrow_refs() if self.rows else []

    def check(self) -> None:
        """Raise ValueError if two rows have the same position, or one has none."""
        ranges = ranges_of(self.rows)
        made = [start(positions, block, ranges, returns=ranges + 1) for block in self.blocks]
        again = gather([parts[:-1] for parts in made], repeated)
        if any(ray.get([parts[-1] for parts in made])):
            raise unordered(self.order.columns)
        for rows, position in filter(None, ray.get([one for (one,) in again])):
            raise ambiguous(self.order.columns, rows, position["position"] if self.order.day else position)

    def digest(self) -> dict[str, Any]:
        """Return what tells these rows from others: how many keys they have, and the sum of their hashes."""
        of_blocks = ray.get([start(_days.digest, block, self.rule.bands)[0] for block in self.blocks])
        return {"keys": sum(keys for keys, _ in of_blocks), "hash": str(sum(total for _, total in of_blocks) % (1 << 64))}

    def split(self, days: Days | None = None) -> Keys:
        """Split the keys of each block, and those of the days before, by ranges, and find out which rows hold them, and
        for whom."""
        files = days.earlier() if days else []
        keys = self.rows * (self.rule.bands + 1) + sum(file.keys for file in files)
        ranges = -(-keys // KEYS_OF_A_RANGE) or 1
        made = [start(_holders.split, block, self.rule.bands, ranges, returns=ranges + 1) for block in self.blocks]
        earlier = [start(_days.read, file, ranges, returns=ranges) for file in files]
        blocks, members = [parts[:-1] for parts in made], [parts[-1] for parts in made]
        replies = gather(blocks + earlier, _holders.holders, len(blocks), returns=len(blocks))
        votes, to_blocks = self.rule.votes, [list(to_block) for to_block in zip(*replies)]
        support = [start(_counts.support, votes, own, *to)[0] for own, to in zip(members, to_blocks)]
        before = [start(_days.read_support, file)[0] for file in (days.earlier_support() if days else [])]
        ranges = ranges_of(self.rows)
        tables = known([start(by_hash, table, ranges, returns=ranges) for table in support + before])
        return Keys(votes, blocks, members, earlier, to_blocks, support, tables)


class Keys(NamedTuple):
    """The keys of all rows, and which rows hold them."""

    votes: Votes
    blocks: list[list[Any]]  # of each block the keys in each range
    members: list[Any]  # and which of its rows have them
    earlier: list[list[Any]]  # the keys of days before, in files
    replies: list[list[Any]]  # to each block: which rows hold its keys
    support: list[Any]  # of each block the rows that hold their keys for others
    tables: list[Any]  # all of these

    def judged(self, judge: Callable[..., list[Any]]) -> list[Any]:
        """Start the function that counts the votes of each block. Returns references to what it returns."""
        return [
            start(judge, self.votes, own, self.tables, *to_block)[0]
            for own, to_block in zip(self.members, self.replies)
        ]

    def save(self, days: Days, rows: dict[str, Any]) -> None:
        """Add the rows that hold keys, and those that hold them for others."""
        days.begin(rows)
        made = []
        for i, table in enumerate(self.support):
            made += start(_days.write_support, days.files, f"{days.support}/part-{i:06}.parquet", table)
        for i, parts in enumerate(zip(*self.blocks, *self.earlier)):
            made += start(_days.write, days.files, f"{days.directory}/part-{i:06}.parquet", days.day, *parts)
        ray.get(made)
        days.end()


def positions(block: Any, ranges: int) -> list[Any]:
    """Split the positions of a block by their hashes, and say how many are missing."""
    return [*by_hash(block.select(["position"]), ranges), nulls_of(plain(block.column("position")))]


def repeated(*parts: Any) -> list[Any]:
    """Return a position that several rows have, and how many, or None."""
    there = plain(joined(parts).column("position"))
    of = ordinals(there)
    order = np.argsort(of, kind="stable")
    starts = _holders.starts_of(of[order])
    rows = np.diff(np.append(starts, len(order)))
    more = np.nonzero(rows > 1)[0]
    return [(int(rows[more[0]]), there[int(order[starts[more[0]]])].as_py()) if len(more) else None]


def unique(batch: Any, order: Order, tables: Sequence[Any]) -> Any:
    """Leave the duplicates out of a batch."""
    duplicate, _ = found(order.positions(batch), tables)
    keep = np.ones(batch.num_rows, bool)
    keep[duplicate] = False
    return batch.filter(pa.array(keep))


def annotated(batch: Any, order: Order, tables: Sequence[Any], rule: Rule) -> Any:
    """Say of each row of a batch whether it is a duplicate, and of which one."""
    there = order.positions(batch)
    rows, verdicts = found(there, tables)
    which = np.full(len(there), -1)
    which[rows] = np.arange(len(rows))
    at = pa.array(which, mask=which < 0)
    if verdicts is None:
        first, similarity = pa.nulls(len(there), there.type), pa.nulls(len(there), pa.float64())
    else:
        first = plain(verdicts.column("first")).take(at)
        similarity = pa.array(rule.similarity(verdicts.column("votes").to_numpy())).take(at)
    day = pa.nulls(len(there), pa.string())
    if order.day is not None:
        day, first = pc.struct_field(first, "day"), pc.struct_field(first, "position")
        day = pc.if_else(pc.equal(day, order.day), None, day)
    names = ["duplicate", "duplicate_of", "duplicate_day", "similarity"]
    for name, column in zip(names, [pa.array(which >= 0), first, day, similarity]):
        batch = batch.append_column("mithril_" + name, column)
    return batch
