"""The votes of the rows of a block: the rule of mithril_stream._votes, from what is known of their keys."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mithril_stream._holders import Members, lengths_of, starts_of
from mithril_stream._known import Tables, found
from mithril_stream._positions import joined, ordinals, plain
from mithril_stream._votes import COMMON, HOLDERS, Votes


class Met(NamedTuple):
    """Which earlier rows hold which keys of which rows of a block: as many of each as there are such cases."""

    rows: Any  # by number
    keys: Any  # by number
    holders: Any  # by the number of the answer
    answers: Any  # the positions of all of these


def met(members: Members, replies: Sequence[Any]) -> Met:
    """Look up the rows that have the keys of the answers."""
    numbered = [np.asarray(reply.column("key")) + start for reply, start in zip(replies, members.bounds)]
    key = np.concatenate(numbered).astype("<i8")
    answers = plain(joined(replies).column("position"))
    lengths = np.diff(members.starts)[key]
    answer = np.repeat(np.arange(len(key)), lengths)
    skipped = np.repeat(members.starts[key] - (np.cumsum(lengths) - lengths), lengths)
    row = members.rows[skipped + np.arange(len(answer))]
    own, of = in_order(members.positions, answers)
    earlier = of[answer] < own[row]
    return Met(row[earlier], key[answer[earlier]], answer[earlier], answers)


def in_order(*positions: Any) -> list[Any]:
    """Return numbers that have the order of several arrays of positions."""
    some = [p for p in positions if len(p)]
    if not some:
        return [np.zeros(0, "<i8") for _ in positions]
    numbers = ordinals(pa.concat_arrays(some))
    return np.split(numbers, np.cumsum([len(p) for p in positions])[:-1])


class Pairs(NamedTuple):
    """Rows of a block and others, and what was counted of them: by row, and then from the earliest of the others."""

    rows: Any
    others: Any  # by number among the positions that were counted
    counts: list[Any]


def counted(rows: Any, others: Any, order: Any, *what: Any) -> Pairs:
    """Sum up what there is for each pair of a row and another, which has its place in an order."""
    by = np.lexsort((order[others], rows))
    rows, others = rows[by], others[by]
    starts = starts_of(rows, order[others])
    counts = [np.add.reduceat(w[by], starts) if len(starts) else starts for w in what]
    return Pairs(rows[starts], others[starts], counts)


def most(pairs: Pairs, votes: Any, enough: Any) -> Any:
    """Return which pairs have the most votes of their rows, of several alike that with the earliest, if they have
    enough."""
    some = np.nonzero(enough)[0]
    some = some[np.lexsort((some, -votes[some], pairs.rows[some]))]
    return some[starts_of(pairs.rows[some])]


def support(votes: Votes, members: Members, *replies: Any) -> list[Any]:
    """Return which rows of a block hold their keys for others: the position, and that of the other."""
    m = met(members, replies)
    (order,) = in_order(m.answers)
    pairs = counted(m.rows, m.holders, order, worth(votes, members, m.keys))
    counts = pairs.counts[0]
    of_all, rows = np.bincount(pairs.rows, counts)[pairs.rows], np.bincount(pairs.rows)[pairs.rows]
    best = most(pairs, counts, votes.supports(counts, of_all, rows))
    columns = [members.positions.take(pa.array(pairs.rows[best])), m.answers.take(pa.array(pairs.others[best]))]
    return [pa.table(columns, names=["position", "of"])]


def worth(votes: Votes, members: Members, keys: Any) -> Any:
    """Return the votes that keys are worth."""
    return np.where(members.wholes[keys], votes.bands, 1)


def pairs_of(votes: Votes, members: Members, tables: Tables, *replies: Any) -> tuple[Pairs, Any, Any]:
    """Return the pairs of a row of a block and an earlier one of which it is a duplicate, their votes, and the positions
    of the others. tables say which rows hold their keys for others."""
    m = met(members, replies)
    rows, known = found(m.answers, tables)
    held_for, others = np.arange(len(m.answers)), m.answers
    if known is not None:
        held_for[rows] = len(others) + np.arange(len(rows))
        others = pa.concat_arrays([others, plain(known.column("of"))])
    (order,) = in_order(others)
    by = np.lexsort((order[held_for[m.holders]], m.keys, m.rows))
    row, key, other = m.rows[by], m.keys[by], held_for[m.holders[by]]
    holders = lengths_of(starts_of(row, key), len(row))
    once = starts_of(row, key, order[other])  # a key is one vote for a row, whoever holds it
    row, key, other = row[once], key[once], other[once]
    of_key = starts_of(row, key)
    of_each = lengths_of(of_key, len(row))
    value = worth(votes, members, key)
    is_common = (holders == HOLDERS) & (of_each >= COMMON)
    uncommon = np.where(np.repeat(is_common, of_each), 0, value)
    pairs = counted(row, other, order, value, uncommon)
    all_of, uncommon = pairs.counts
    enough = (all_of >= votes.plenty) | (all_of >= votes.needed) & (uncommon >= votes.uncommon)
    kept = Pairs(pairs.rows[enough], pairs.others[enough], [])
    return kept, np.minimum(all_of[enough], votes.bands), others


def duplicates(votes: Votes, members: Members, tables: Tables, *replies: Any) -> list[Any]:
    """Return the rows of a block that are duplicates: the position, the original, and the votes for it."""
    pairs, counts, others = pairs_of(votes, members, tables, *replies)
    return [chosen(members, pairs, counts, others, most(pairs, counts, np.ones(len(counts), bool)))]


def pairs(votes: Votes, members: Members, tables: Tables, *replies: Any) -> list[Any]:
    """Return the pairs of a row of a block and an earlier one of which it is a duplicate."""
    found, counts, others = pairs_of(votes, members, tables, *replies)
    return [chosen(members, found, counts, others, np.arange(len(counts)))]


def chosen(members: Members, pairs: Pairs, counts: Any, others: Any, some: Any) -> Any:
    columns = [members.positions.take(pa.array(pairs.rows[some])), others.take(pa.array(pairs.others[some]))]
    return pa.table([*columns, pa.array(counts[some])], names=["position", "first", "votes"])


def candidates(members: Members, *replies: Any) -> list[Any]:
    """Return the pairs of a row of a block and an earlier one that holds one of its keys: the position, and that of the
    other."""
    m = met(members, replies)
    (order,) = in_order(m.answers)
    by = np.lexsort((order[m.holders], m.rows))
    once = by[starts_of(m.rows[by], order[m.holders[by]])]
    columns = [members.positions.take(pa.array(m.rows[once])), m.answers.take(pa.array(m.holders[once]))]
    return [pa.table(columns, names=["position", "first"])]
