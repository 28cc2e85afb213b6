"""Which rows are duplicates."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import ray

from mithril_stream import _counts, _holders
from mithril_stream._keys import DAY, SETS, SUPPORT, Rule, ambiguous, unordered
from mithril_stream._known import Tables, by_hash, found
from mithril_stream._positions import joined, nulls_of, ordinals, plain
from mithril_stream.ray import _again, _compared, _days
from mithril_stream.ray._again import Again
from mithril_stream.ray._days import Days
from mithril_stream.ray._known import known, ranges_of
from mithril_stream.ray._order import Order
from mithril_stream.ray._sketch import entries_of
from mithril_stream.ray._tasks import gather, of_blocks, start

if TYPE_CHECKING:
    from ray.data import Dataset

KEYS_OF_A_RANGE = 4 << 20  # of the 64-bit numbers that keys begin with


class Entries:
    """The positions and the keys of all rows, in blocks in the object store."""

    def __init__(self, ds: Dataset, rule: Rule, text: str, order: Order) -> None:
        made = of_blocks(ds, entries_of, rule, text, order).materialize()
        self.rule, self.order, self.rows, self.texts = rule, order, made.count(), (ds, text)
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

    def again(self) -> Again:
        """Return what says whether these rows are the same when they are read again."""
        below = _again.share_of(self.rows)
        parts = [start(_again.remember, below, block)[0] for block in self.blocks]
        return Again(self.order, self.texts[1], below, start(_again.united, *parts)[0])

    def digest(self) -> dict[str, Any]:
        """Return what tells these rows from others: how many keys they have, and the sum of their hashes."""
        of_blocks = ray.get([start(_days.digest, block, self.rule.bands)[0] for block in self.blocks])
        return {"keys": sum(keys for keys, _ in of_blocks), "hash": str(sum(total for _, total in of_blocks) % (1 << 64))}

    def split(self, days: Days | None = None) -> Keys:
        """Split the keys of each block, and those of the days before, by ranges, and find out which rows hold them."""
        files = days.files_of(DAY) if days else []
        keys = self.rows * (self.rule.bands + 1) + sum(file.keys for file in files)
        ranges = -(-keys // KEYS_OF_A_RANGE) or 1
        made = [start(_holders.split, block, self.rule.bands, ranges, returns=ranges + 1) for block in self.blocks]
        earlier = [start(_days.read, file, ranges, returns=ranges) for file in files]
        blocks, members = [parts[:-1] for parts in made], [parts[-1] for parts in made]
        replies = gather(blocks + earlier, _holders.holders, len(blocks), returns=len(blocks))
        return Keys(blocks, members, earlier, [list(to_block) for to_block in zip(*replies)])

    def judged(self, keys: Keys, days: Days | None, best: bool) -> Judged:
        """Find the pairs of a row and an earlier one of which it is a duplicate; with best, one for each row."""
        return self.compared(keys, days, best) if self.rule.exact else self.counted(keys, days, best)

    def counted(self, keys: Keys, days: Days | None, best: bool) -> Judged:
        """Find pairs by votes."""
        votes, ranges = self.rule.votes, ranges_of(self.rows)
        support = keys.each(_counts.support, votes)
        before = [start(_days.read_support, file)[0] for file in (days.files_of(SUPPORT) if days else [])]
        tables = known([start(by_hash, table, ranges, returns=ranges) for table in support + before])
        judge = _counts.duplicates if best else _counts.pairs
        pairs = [
            start(judge, votes, own, tables, *to_block)[0] for own, to_block in zip(keys.members, keys.replies)
        ]
        return Judged(pairs, support)

    def compared(self, keys: Keys, days: Days | None, best: bool) -> Judged:
        """Find pairs by sets: those of the rows that are in a pair, or of all if later days need them."""
        ranges, (ds, text) = ranges_of(self.rows), self.texts
        candidates = keys.each(_counts.candidates)
        wanted = None
        if days is None:
            wanted = known([start(_compared.needed, pairs, ranges, returns=ranges) for pairs in candidates])
        sets = of_blocks(ds, _compared.sets_in, self.rule, text, self.again(), wanted).materialize().to_arrow_refs()
        before = [start(_days.read_sets, file)[0] for file in (days.files_of(SETS) if days else [])]
        tables = known([start(by_hash, table, ranges, returns=ranges) for table in sets + before])
        judge = _compared.nearest if best else _compared.compared
        return Judged([start(judge, self.rule, pairs, tables)[0] for pairs in candidates], sets)

    def save(self, keys: Keys, judged: Judged, days: Days) -> None:
        """Add a day: the rows that hold keys, and those that hold them for others, or the sets of all."""
        days.begin(self.digest())
        made, write = [], _days.write_sets if self.rule.exact else _days.write_support
        for i, table in enumerate(judged.kept):
            made += start(write, days.files, f"{days.beside}/part-{i:06}.parquet", table)
        for i, parts in enumerate(zip(*keys.blocks, *keys.earlier)):
            made += start(_days.write, days.files, f"{days.directory}/part-{i:06}.parquet", days.day, *parts)
        ray.get(made)
        days.end()


class Keys(NamedTuple):
    """The keys of all rows, and which rows hold them."""

    blocks: list[list[Any]]  # of each block the keys in each range
    members: list[Any]  # and which of its rows have them
    earlier: list[list[Any]]  # the keys of days before, in files
    replies: list[list[Any]]  # to each block: which rows hold its keys

    def each(self, function: Callable[..., list[Any]], *args: Any) -> list[Any]:
        """Start a function for each block. Returns references to what it returns."""
        return [
            start(function, *args, own, *to_block)[0] for own, to_block in zip(self.members, self.replies)
        ]


class Judged(NamedTuple):
    """References to tables of each block."""

    pairs: list[Any]  # of a row and an earlier one of which it is a duplicate
    kept: list[Any]  # what later days need beside the keys: which rows hold them for others, or sets


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


def unique(batch: Any, again: Again, tables: Tables) -> Any:
    """Leave the duplicates out of a batch."""
    duplicate, _ = found(again.positions(batch), tables)
    keep = np.ones(batch.num_rows, bool)
    keep[duplicate] = False
    return batch.filter(pa.array(keep))


def annotated(batch: Any, again: Again, tables: Tables, rule: Rule) -> Any:
    """Say of each row of a batch whether it is a duplicate, and of which one."""
    there, order = again.positions(batch), again.order
    rows, verdicts = found(there, tables)
    which = np.full(len(there), -1)
    which[rows] = np.arange(len(rows))
    at = pa.array(which, mask=which < 0)
    if verdicts is None:
        first, similarity = pa.nulls(len(there), there.type), pa.nulls(len(there), pa.float64())
    else:
        first = plain(verdicts.column("first")).take(at)
        votes = verdicts.column("votes").to_numpy()
        similarity = pa.array(votes if rule.exact else rule.similarity(votes)).take(at)
    day = pa.nulls(len(there), pa.string())
    if order.day is not None:
        day, first = pc.struct_field(first, "day"), pc.struct_field(first, "position")
        day = pc.if_else(pc.equal(day, order.day), None, day)
    names = ["duplicate", "duplicate_of", "duplicate_day", "similarity"]
    for name, column in zip(names, [pa.array(which >= 0), first, day, similarity]):
        batch = batch.append_column("mithril_" + name, column)
    return batch
