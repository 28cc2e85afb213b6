"""What tasks do: the rule of mithril_stream._votes, with the functions that tasks of Ray use, too.

The rows of each partition are a block or several. A block sends its keys to tasks for ranges of them, and these answer
which of its keys others have, and which rows hold them. It finds out which of its rows hold their keys for others, tells
that to tasks for hashes of positions, and asks there for whom the rows of the answers hold them.
"""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mithril_stream import _counts
from mithril_stream._holders import Members, holders, met_only, split_keys
from mithril_stream._keys import Rule, keys_of_words, mixed, words_of
from mithril_stream._known import by_hash, merged, probe
from mithril_stream._positions import hashes, joined, on_day, ordinals, plain
from mithril_stream.spark import _packed
from mithril_stream.spark._of_days import own_holders
from mithril_stream.spark._packed import Parcel, Places, packed, received, sent
from mithril_stream.spark._sketch import start

Batches = Callable[[Iterator[Any]], Iterator[Any]]


def split(rule: Rule, places: Places) -> Batches:
    """Return what sends the keys of a partition, and has its blocks keep which rows have which keys."""

    def make(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context: Any = TaskContext.get()
        positions, keys = sketched(rule, batches)
        blocks = -(-len(positions) // places.rows)
        # Of the same rows there are the same blocks, in whatever order Spark reads them again.
        block_of = hashes(positions) % np.uint64(blocks) if blocks > 1 else np.zeros(len(positions), "<u8")
        for number in range(blocks):
            own = np.nonzero(block_of == number)[0]
            there = positions.take(pa.array(own))
            order = np.argsort(ordinals(there), kind="stable")
            task, id = context.partitionId() * blocks + number, (context.partitionId() << 16) + number
            to = _packed.address(id, task, len(places.ranges))
            yield from packed(of_block(there.take(pa.array(order)), keys[own[order]], to, places))

    return make


def sketched(rule: Rule, batches: Iterator[Any]) -> tuple[Any, Any]:
    """Return the positions and the keys of the rows that have some."""
    positions, keys, judge = [], [np.empty((0, rule.bands + 1), "<u8")], None
    try:
        for batch in batches:
            judge = judge or start(rule.args)
            words, some = words_of(judge, rule, *batch.columns[1:])
            positions.append(batch.column(0).filter(pa.array(some)))
            keys.append(keys_of_words(words[some]))
    finally:
        if judge is not None:
            judge.close()
    return (pa.concat_arrays(positions) if positions else pa.array([], pa.int64())), np.concatenate(keys)


def of_block(positions: Any, keys: Any, to: int, places: Places) -> Iterator[Parcel]:
    """Yield what a block sends."""
    *parts, members = split_keys(positions, keys, len(places.ranges))
    for address, part in zip(places.ranges, parts):
        if part.num_rows:
            yield Parcel(address, _packed.KEYS, to, part)
    yield Parcel(to, _packed.MEMBERS, to, kept_members(members))
    if places.day is not None:
        total = pa.array([int(mixed(keys).sum(dtype="<u8"))], pa.uint64())
        yield Parcel(to, _packed.DIGEST, to, pa.table([pa.array([keys.size]), total], names=["keys", "hash"]))


def kept_members(members: Members) -> Any:
    """Return members as a table of one row."""
    begins = np.zeros(len(members.rows), bool)
    begins[members.starts[:-1]] = True
    lists = {
        "positions": members.positions,
        "rows": pa.array(members.rows),
        "begins": pa.array(np.packbits(begins)),
        "bounds": pa.array(members.bounds),
        "wholes": pa.array(np.packbits(members.wholes)),
    }
    offsets = {name: pa.array([0, len(values)], pa.int64()) for name, values in lists.items()}
    return pa.table({name: pa.LargeListArray.from_arrays(offsets[name], lists[name]) for name in lists})


def members_of(table: Any, day: str | None) -> Members:
    positions, rows, begins, bounds, wholes = (plain(column).flatten() for column in table.columns)
    starts = np.nonzero(np.unpackbits(begins.to_numpy(), count=len(rows)))[0]
    is_whole = np.unpackbits(wholes.to_numpy(), count=len(starts)).astype(bool)
    starts = np.append(starts, len(rows)).astype("<i4")
    return Members(dated(positions, day), rows.to_numpy(), starts, bounds.to_numpy(), is_whole)


def dated(positions: Any, day: str | None) -> Any:
    return positions if day is None else on_day(day, positions)


def hold(places: Places) -> Callable[[Any], Any]:
    """Return what answers blocks about a range of keys, and says which rows hold them, if later days need that."""
    number = {address: i for i, address in enumerate(places.ranges)}

    def answers(table: Any) -> Iterator[Parcel]:
        parcels = received(table, _packed.KEYS)
        own = [p for p in parcels if p.sender >= 0]
        tables = [dated_table(p.table, places.day) for p in own] + [p.table for p in parcels if p.sender < 0]
        of = number[parcels[0].to]
        for parcel, reply in zip(own, holders(len(own), *tables)):
            if reply.num_rows:
                yield Parcel(parcel.sender, _packed.REPLY, of, reply)
        if places.day is not None:
            yield Parcel(0, _packed.OWN, of, own_holders(tables, places.day))

    return lambda table: sent(answers(table))


def dated_table(table: Any, day: str | None) -> Any:
    return table.set_column(1, "position", dated(plain(table.column("position")), day))


def met_by(left: Any, right: Any, places: Places) -> tuple[Members, Any] | None:
    """Return the members of a block, and what all answers say of their keys, or None if that is nothing."""
    ((_, _, _, kept),) = received(left, _packed.MEMBERS)
    replies = received(right, _packed.REPLY)
    if not replies:
        return None
    members = members_of(kept, places.day)
    keys = [r.table.column("key").to_numpy() + members.bounds[r.sender] for r in replies]
    reply = pa.table([pa.array(np.concatenate(keys)), joined([r.table for r in replies]).column("position")],
                     names=["key", "position"])  # fmt: skip
    return met_only(members, reply)


def support(votes: Any, places: Places) -> Callable[[Any, Any], Any]:
    """Return what finds the rows of a block that hold their keys for others, tells of them, and asks for those of the
    answers. What the block needs to count votes goes to itself."""

    def found(left: Any, right: Any) -> Iterator[Parcel]:
        there = met_by(left, right, places)
        if there is None:
            return
        (members, reply), to = there, left.column("to")[0].as_py()
        (holding,) = _counts.support(votes, members, reply)
        positions = plain(reply.column("position"))
        _, once = np.unique(ordinals(positions), return_index=True)
        wanted = pa.table([positions.take(pa.array(once))], names=["position"])
        for kind, table in (_packed.SUPPORT, holding), (_packed.WANTED, wanted):
            for address, part in zip(places.hashed, by_hash(table, len(places.hashed))):
                if part.num_rows:
                    yield Parcel(address, kind, to, part)
        yield Parcel(to, _packed.MEMBERS, to, kept_members(members))
        yield Parcel(to, _packed.REPLY, 0, reply)

    return lambda left, right: sent(found(left, right))


def answer(table: Any) -> Any:
    """Answer blocks for whom rows hold their keys."""

    def answers() -> Iterator[Parcel]:
        parts = [parcel.table for parcel in received(table, _packed.SUPPORT)]
        if not parts:
            return
        known, _ = merged(*parts)
        for parcel in received(table, _packed.WANTED):
            positions, of = plain(parcel.table.column("position")), parcel.table.column("hash").to_numpy()
            _, at = probe(positions, of, np.arange(len(of)), known)
            if len(at):
                yield Parcel(parcel.sender, _packed.ANSWER, parcel.to, known.take(pa.array(at)))

    return sent(answers())


def judge(votes: Any, places: Places, best: bool) -> Callable[[Any, Any], Any]:
    """Return a function that finds pairs of a row of a block and an earlier row that it duplicates."""

    def pairs(left: Any, right: Any) -> Any:
        ((_, _, _, kept),), ((_, _, _, reply),) = received(left, _packed.MEMBERS), received(left, _packed.REPLY)
        members = members_of(kept, None)
        tables = [merged(*(parcel.table for parcel in received(right, _packed.ANSWER)))[0]] if right.num_rows else []
        function = _counts.duplicates if best else _counts.pairs
        return undated(function(votes, members, tables, reply)[0], places.day)

    return pairs


def candidates(places: Places) -> Callable[[Any, Any], Any]:
    """Return what finds the pairs of a row of a block and an earlier one that holds one of its keys."""

    def pairs(left: Any, right: Any) -> Any:
        there = met_by(left, right, places)
        if there is None:
            ((_, _, _, kept),) = received(left, _packed.MEMBERS)
            none = members_of(kept, places.day).positions.slice(0, 0)
            return undated(pa.table([none, none], names=["position", "first"]), places.day)
        return undated(_counts.candidates(*there)[0], places.day)

    return pairs


def undated(table: Any, day: str | None) -> Any:
    """Return pairs as Spark has them: a position, the day and the position of the other, and the votes, if they are
    there."""
    position, first, *votes = (plain(column) for column in table.columns)
    of_day: Any = pa.nulls(len(first), pa.string())
    if day is not None:
        position, of_day, first = (pc.struct_field(*of) for of in
                                   ((position, "position"), (first, "day"), (first, "position")))  # fmt: skip
    votes = [v.cast(pa.int32()) for v in votes]
    return pa.table([position, of_day, first, *votes], names=["position", "day", "at", "votes"][: 3 + len(votes)])
