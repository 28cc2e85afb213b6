"""Which row of a group stays, and how often."""

from __future__ import annotations

import numbers
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from mithril_stream import _judge
from mithril_stream._documents import encode_value
from mithril_stream._groups import Edge, joined
from mithril_stream._judge import Judge
from mithril_stream._settings import Keep, check_count
from mithril_stream._tables import Table
from mithril_stream._texts import blocks_of_iterable, encode

MOST_TIMES = 1000  # that a row may be repeated, as in the program


class Choice(NamedTuple):
    """Which row of a group stays, and how often by what its group is like."""

    keep: str = "first"
    min_sources: int = 0
    repeat: Sequence[tuple[int, int]] = ()  # sizes of groups, ascending, and how often a row of such a group stays

    def needs_groups(self) -> bool:
        return self.keep != "first" or self.resamples()

    def resamples(self) -> bool:
        return bool(self.min_sources or self.repeat)

    def times(self, rows: Sequence[int], sources: Sequence[str | None]) -> int:
        """Return how often the row that stays of a group is to be there. sources has the source of each row."""
        if self.min_sources and len({sources[row] for row in rows} - {None}) < self.min_sources:
            return 0
        times = 1
        for size, of_size in self.repeat:
            if size > len(rows):
                break
            times = of_size
        return times


def choice_of(keep: str, count_by: str | None, min_sources: int | None, repeat: Mapping[int, int] | None) -> Choice:
    """Return the choice that these settings describe. Raises TypeError or ValueError for what makes no sense."""
    if keep not in get_args(Keep):
        kinds = ", ".join(f'"{kind}"' for kind in get_args(Keep))
        raise ValueError(f"keep must be one of {kinds}, got {keep!r}")
    if (min_sources is None) != (count_by is None):
        raise ValueError("min_sources and count_by go together: how many sources, and the column that names them")
    if count_by is not None and not isinstance(count_by, str):
        raise TypeError(f"count_by must be the name of a column, got {count_by!r}")
    check_count("min_sources", min_sources)
    if min_sources == 1:
        raise ValueError("min_sources must be at least 2: every row has one source")
    if repeat is not None and not isinstance(repeat, Mapping):
        raise TypeError(f"repeat must map sizes of groups to times, as in {{1: 1, 2: 3}}, got {repeat!r}")
    for size, times in (repeat or {}).items():
        check_count("a size in repeat", size)
        if isinstance(times, bool) or not isinstance(times, numbers.Integral) or not 0 <= times <= MOST_TIMES:
            raise ValueError(f"repeat takes numbers of times from 0 to {MOST_TIMES}, got {times!r}")
    return Choice(keep, min_sources or 0, sorted((repeat or {}).items()))


def grouped(
    table: Table,
    kept: Sequence[int],
    edges: Sequence[Edge],
    choice: Choice,
    sources: Sequence[str | None],
    args: Sequence[str],
) -> tuple[list[int], list[int]]:
    """Return the positions of the rows that stay, as often as they do, and for each row the first one of its group.
    sources has the source of each row, if they are counted. The program measures texts, with args."""
    groups, chosen = list(range(table.rows)), set(kept)
    members = {
        first: [first, *(e.duplicate for e in group)]
        for first, group in joined(e._replace(original=e.original - 1) for e in edges).items()
    }
    for first, rows in members.items():
        chosen.discard(first)
        for row in rows:
            groups[row] = first
    of = {}  # the rows of a group, under the one that stays
    if choice.keep != "none":
        sizes = sizes_of(table, members, choice.keep, args)
        of = {choose(choice.keep, rows, sizes): rows for rows in members.values()}
    stay = sorted(chosen.union(of))
    if choice.resamples():
        stay = [row for row in stay for _ in range(choice.times(of.get(row, (row,)), sources))]
    return stay, groups


def choose(keep: str, rows: Sequence[int], sizes: Mapping[int, int]) -> int:
    """Return the row that stays; of several alike, the first."""
    if keep in ("longest", "fullest"):
        return max(rows, key=lambda row: (sizes[row], -row))
    if keep == "shortest":
        return min(rows, key=lambda row: (sizes[row], row))
    return rows[0] if keep == "first" else rows[-1]


def sizes_of(table: Table, members: Mapping[int, Sequence[int]], keep: str, args: Sequence[str]) -> dict[int, int]:
    """Return by what a choice is made among the rows of groups: nothing, or the size of the text of each."""
    if keep in ("first", "last"):
        return {}
    rows = sorted(row for group in members.values() for row in group)
    wanted = set(rows)
    texts = (text for row, text in enumerate(table.texts()) if row in wanted)
    return dict(zip(rows, words_of(texts, args) if keep == "fullest" else map(length_of, texts)))


def words_of(texts: Iterator[Any], args: Sequence[str]) -> Iterator[int]:
    """Yield for each text the number of its different runs of three words, as the program counts them."""
    judge = Judge(args)
    try:
        for reply in judge.asked(_judge.SIZES, blocks_of_iterable(texts)):
            yield from (size for (size,) in struct.iter_unpack("<I", reply))
    finally:
        judge.close()


def length_of(text: Any) -> int:
    return len(encode(text) or b"")


def sources_of(table: Table, column: str | None) -> list[str | None]:
    """Return the source of each row: a string, or a number as JSON has it; None if the row names no source."""
    if column is None:
        return []
    return [source_of(value, row) for row, value in enumerate(table.values(column))]


def source_of(value: Any, row: int) -> str | None:
    if isinstance(value, str):
        return value or None
    encoded = encode_value(value, row, of="count_by=")
    return None if encoded is None else encoded.decode()
