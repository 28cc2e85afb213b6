"""Band keys of texts, made by the program, and the rule that compares them: what engines on clusters have in common."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import mithril_stream
from mithril_stream import _judge
from mithril_stream._judge import Judge
from mithril_stream._options import taken
from mithril_stream._settings import check_share, check_within
from mithril_stream._texts import blocks_of_arrow
from mithril_stream._votes import Votes
from mithril_stream._within import check_type, column_of, with_values

DAY = "day="  # begins the name of the directory with the keys of a day
PART = "+"  # is between a day and its part, and less than all characters of names
SUPPORT = "support="  # and of the one that says which rows of the day hold their keys for others
SETS = "sets="  # and, with memory="exact", of the one that has what is compared of its rows
MEMORIES = ("bloom", "exact")
LINKAGES = ("single", "leader")  # how pairs make groups
VERSION = 2  # of what the directory of the days has
TUNED = {"--tune", "--recall", "--profile", "--num-perm", "--bands", "--rows", "--votes"}  # say which bands there are
RULE = "rule.json"  # in the directory of the days: what decides which texts have a key in common
BAND = 0x9E3779B97F4A7C15  # keys of different bands are told apart by a multiple of it


class Rule(NamedTuple):
    """How texts are compared."""

    args: list[str]  # of the program
    votes: Votes
    rows: int  # of a band
    version: str  # of this package, where the rule was made
    keys: dict[str, str]  # what decides which texts have a key in common
    within: str | None = None  # the column in which rows must have equal values
    exact: bool = False  # pairs that share a key are compared by their sets

    @property
    def bands(self) -> int:
        return self.votes.bands

    def similarity(self, shared: Any) -> Any:
        """Return the similarity at which two texts share that many bands on average: a number or an array."""
        return (shared / self.bands) ** (1 / self.rows)


def rule_of(
    threshold: float | None,
    preset: str | None,
    options: Sequence[str],
    within: str | None = None,
    memory: str = "bloom",
) -> Rule:
    """Return the rule for these settings. Raises TypeError or ValueError if they make no sense."""
    check_share("threshold", threshold)
    check_within(within)
    if memory not in MEMORIES:
        raise ValueError(f"memory must be one of {', '.join(MEMORIES)}, not {memory!r}: the directory with what is known "
                         "of earlier days is index=")  # fmt: skip
    args = ["--memory", memory, "--threads", "1"]
    if threshold is not None:
        args += ["--threshold", repr(threshold)]
    if preset is not None:
        args += ["--preset", preset]
    given = taken(options)
    args += given
    if memory == "exact" and not any(option.split("=")[0] in TUNED for option in given):
        args.append("--profile=boilerplate")  # the default, which asks for band keys where a memory could do without
    if within is not None:
        args.append(f"--within={within}")
    judge = Judge(args)
    try:
        stats = judge.json(_judge.STATS)
    finally:
        judge.close()
    if "keys" not in stats:
        raise ValueError(f"preset {preset!r} has no bands, which are what is compared on a cluster")
    bands, rows, votes = (int(stats[name]) for name in ("bands", "rows", "votes"))
    column = None if within is None else column_of(within)
    keys, exact = {**stats["keys"], "bands": str(bands)}, memory == "exact"
    if exact:
        keys["memory"] = memory
    return Rule(args, Votes(bands, votes), rows, mithril_stream.__version__, keys, column, exact)


def check_linkage(linkage: str) -> None:
    """Raise ValueError unless that is a way to make groups of pairs."""
    if linkage not in LINKAGES:
        raise ValueError(f"linkage must be one of {', '.join(LINKAGES)}, not {linkage!r}")


def words_of(judge: Judge, rule: Rule, column: Any, values: Any = None) -> Any:
    """Return the keys of an Arrow array of texts: texts × bands × 2 words, and which texts have some. values are those
    of the column rule.within, without which two texts have no key in common."""
    import numpy as np

    blocks = blocks_of_arrow(column)
    if rule.within is not None:
        check_type(rule.within, values.type)
        blocks = with_values(blocks, iter(values.to_pylist()), row=None)
    parts = [np.frombuffer(reply, "<u8") for reply in judge.asked(_judge.KEYS, blocks)]
    words = np.concatenate(parts).reshape(-1, rule.bands, 2) if parts else np.empty((0, rule.bands, 2), "<u8")
    return words, words.any(axis=(1, 2))


def keys_of_words(words: Any) -> Any:
    """Return what rows have in common, or not: 64 bits for each band, and for all of them together, which alone are odd
    numbers. Keys of different bands differ."""
    import numpy as np

    bands = words.shape[1]
    keys = np.empty((len(words), bands + 1), "<u8")
    of_band = np.arange(1, bands + 1, dtype="<u8") * np.uint64(BAND)
    keys[:, :bands] = mixed(mixed(words[:, :, 0] ^ of_band) ^ words[:, :, 1])
    whole = np.zeros(len(words), "<u8")
    for band in range(bands):
        whole = mixed(whole ^ keys[:, band])
    keys[:, bands] = whole
    keys[:, :bands] &= ~np.uint64(1)
    keys[:, bands] |= np.uint64(1)
    return keys


def mixed(words: Any) -> Any:
    """Return words whose bits depend on all bits of others (the finalizer of splitmix64)."""
    import numpy as np

    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def lists_of(words: Any, some: Any) -> Any:
    """Return keys as a column: a list of 16 bytes for each band, the high 64 bits first and each half big-endian; null
    for a text that has none."""
    import numpy as np
    import pyarrow as pa

    texts, bands = words.shape[:2]
    data = np.ascontiguousarray(words.byteswap()).tobytes()
    keys = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), texts * bands, [None, pa.py_buffer(data)])
    offsets = pa.array(np.arange(texts + 1, dtype="<i4") * bands)
    return pa.ListArray.from_arrays(offsets, keys.cast(pa.binary()), mask=pa.array(~some))


def order_columns(order: str | Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the columns by which rows are earlier or later. Raises ValueError if there is none, or not among names."""
    columns = [order] if isinstance(order, str) else list(order)
    missing = [c for c in columns if c not in names]
    if missing or not columns:
        raise ValueError(f"order must name columns of the data frame, not {missing}: it has {list(names)}")
    return columns


def day_of(index: str | None, day: str | datetime.date | None, part: str | None = None) -> str | None:
    """Return the name of a day, or that of a part of it: 2026-11-22+b. Names sort as days do, and parts between their
    day and the next one. Raise ValueError unless index and day are both given, or none, and all can be names."""
    if isinstance(day, datetime.date) and not isinstance(day, datetime.datetime):
        day = day.isoformat()
    if index in ("bloom", "exact", "auto"):
        raise ValueError(f"index={index!r} is no directory: it has what is known of earlier days, and memory= says how "
                         "rows are compared")  # fmt: skip
    if (index is None) != (day is None):
        raise ValueError("index and day go together: give both or none")
    if part is not None and day is None:
        raise ValueError(f"part={part!r} is a part of a day: give index and day, too")
    if day is None:
        return None
    if not isinstance(day, str) or not is_name(day):
        raise ValueError(f"{day!r} is no name of a day: write letters, digits, -, _ and ., as in 2026-11-22")
    if part is None:
        return day
    if not isinstance(part, str) or not is_name(part):
        raise ValueError(f"{part!r} is no name of a part: write letters, digits, -, _ and ., as in b")
    return f"{day}{PART}{part}"


def is_name(name: str) -> bool:
    return name != "" and all(c.isalnum() or c in "-_." for c in name)


def check_kept(index: str, kept: str, keys: dict[str, str]) -> None:
    """Raise ValueError if other settings made the keys of earlier days, so that no key of today equals one of them.
    kept is the content of RULE in their directory, or "" if there is no such file."""
    older = ValueError(f"{index} has days of an earlier version of this package, which kept one row of each key: give "
                       "their rows again, with another directory")  # fmt: skip
    if not kept:
        raise older
    try:
        there = json.loads(kept)
        earlier = there["keys"]
        names = sorted(name for name in {*earlier, *keys} if earlier.get(name) != keys.get(name))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ValueError(f"{index}/{RULE} is damaged: restore it from a copy, or begin another directory") from None
    if there.get("version") != VERSION:
        raise older
    if names:
        was, now = (", ".join(f"{n} {which.get(n, 'none')}" for n in names) for which in (earlier, keys))
        raise ValueError(f"{index} has keys of days with other settings, which no key of this day equals: {was} there, "
                         f"{now} here; use the same settings, or another directory")  # fmt: skip


def kept_as(keys: dict[str, str]) -> str:
    """Return what a directory of days keeps of the rule that made its keys."""
    return json.dumps({"keys": keys, "version": VERSION}, sort_keys=True) + "\n"


def rows_file(day: str) -> str:
    """Return the name of the file, beside that of the rule, that says which rows a day has."""
    return f"rows-{day}.json"


def check_same_rows(index: str, day: str, kept: str, now: dict[str, Any]) -> None:
    """Raise ValueError if a day that counts has other rows than these, whose keys would be lost. kept is the content of
    its rows_file."""
    if kept and json.loads(kept) != now:
        of, _, part = day.partition(PART)
        what = f"the part {part!r} of the day {of!r}" if part else f"the day {of!r}"
        other = "another name" if part else "a name, such as part='b'"
        raise ValueError(f"{index} has other rows of {what}, which would be forgotten: add rows that came later as a part "
                         f"of the day with {other}, or remove {DAY}{day} there to replace what it has")  # fmt: skip


def rows_as(now: dict[str, Any]) -> str:
    """Return the content of the rows_file of a day."""
    return json.dumps(now, sort_keys=True) + "\n"


def ambiguous(columns: Sequence[str], rows: int, position: Any) -> ValueError:
    """Return the error of several rows at one position: each would be earlier than the others, or none."""
    return ValueError(f"order {columns} does not tell rows apart: {rows} rows have {position}")


def unordered(columns: Sequence[str]) -> ValueError:
    """Return the error of rows without a position."""
    return ValueError(f"order {columns} is null in some rows, which are neither earlier nor later")
