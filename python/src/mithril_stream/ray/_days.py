"""The keys of earlier days: a directory of Parquet files, one directory for each day, as Spark has it.

    MEMORY/rule.json                                   what decides which texts have a key in common
    MEMORY/rows-2026-11-21.json                        which rows the day has: how many keys, and the sum of their hashes
    MEMORY/day=2026-11-21/_SUCCESS, part-….parquet     columns high, low, first

A day counts when its _SUCCESS is there, which is written last. What a job has left that failed is written anew by the
next one, and read by none.
"""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs
import pyarrow.parquet as pq

from mithril_stream._keys import DAY, RULE, check_kept, check_same_rows, halves, kept_as, rows_as, rows_file
from mithril_stream.ray._minima import range_bounds, rows_of, runs_of, starts_of
from mithril_stream.ray._order import joined, on_day, ordinals, plain

SUCCESS = "_SUCCESS"
BYTES_OF_A_KEY = 24


class File(NamedTuple):
    """Some of the keys of a day."""

    files: Any  # the file system
    path: str
    day: str
    keys: int  # about


class Days:
    """A memory of days in a file system that pyarrow knows, and the day that is to be added. Raises ValueError if its
    keys were made by another rule."""

    def __init__(self, memory: str, day: str, keys: dict[str, str]) -> None:
        if "://" in memory:
            self.files, self.root = pa.fs.FileSystem.from_uri(memory)
        else:
            self.files, self.root = pa.fs.LocalFileSystem(), os.path.abspath(memory)
        self.day = day
        self.directory = f"{self.root}/{DAY}{day}"
        self.rule, self.keys = f"{self.root}/{RULE}", keys
        if self.exists(self.rule):
            with self.files.open_input_stream(self.rule) as file:
                check_kept(memory, file.read().decode(errors="replace"), keys)

    def exists(self, path: str) -> bool:
        """Report whether there is such a file."""
        return bool(self.files.get_file_info(path).type != pa.fs.FileType.NotFound)

    def earlier(self) -> list[File]:
        """Return the files of the days before."""
        found: dict[str, list[Any]] = {}
        for info in self.files.get_file_info(pa.fs.FileSelector(self.root, allow_not_found=True, recursive=True)):
            directory, _, _ = info.path.rpartition("/")
            found.setdefault(directory.rpartition("/")[2], []).append(info)
        return [
            File(self.files, info.path, name.removeprefix(DAY), info.size // BYTES_OF_A_KEY)
            for name, infos in sorted(found.items())
            if name.startswith(DAY) and name.removeprefix(DAY) < self.day
            if any(info.base_name == SUCCESS for info in infos)
            for info in infos
            if info.extension == "parquet"
        ]

    def begin(self, rows: dict[str, Any]) -> None:
        """Have the day empty. It does not count from here to end. Raises ValueError if it counts, and has other rows
        than these."""
        path = f"{self.root}/{rows_file(self.day)}"
        if self.exists(f"{self.directory}/{SUCCESS}") and self.exists(path):
            with self.files.open_input_stream(path) as file:
                check_same_rows(self.root, self.day, file.read().decode(), rows)
        self.files.create_dir(self.directory, recursive=True)
        if not self.exists(self.rule):
            with self.files.open_output_stream(f"{self.directory}/{RULE}") as file:
                file.write(kept_as(self.keys).encode())
            self.files.move(f"{self.directory}/{RULE}", self.rule)
        if self.exists(f"{self.directory}/{SUCCESS}"):
            self.files.delete_file(f"{self.directory}/{SUCCESS}")
        self.files.delete_dir_contents(self.directory)
        with self.files.open_output_stream(path) as file:
            file.write(rows_as(rows).encode())

    def end(self) -> None:
        """Have the day count."""
        self.files.open_output_stream(f"{self.directory}/{SUCCESS}").close()


def digest(block: Any, bands: int) -> list[Any]:
    """Return how many keys a block has, and the sum of what they are hashed to."""
    _, words = rows_of(block, bands)
    high, low = halves(words)
    mixed = (high ^ (low * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xBF58476D1CE4E5B9)
    return [(len(high), int((mixed ^ (mixed >> np.uint64(31))).sum(dtype="<u8")))]


def read(file: File, ranges: int) -> list[Any]:
    """Return the keys of a file, split as those of a block are."""
    table = pq.read_table(file.path, filesystem=file.files, columns=["high", "low", "first"])
    order = np.argsort(table.column("high").to_numpy().view("<u8"), kind="stable")
    table = table.take(pa.array(order))
    high, low = (table.column(name).to_numpy().view("<u8") for name in ("high", "low"))
    first = on_day(file.day, plain(table.column("first")))
    table = pa.table([pa.array(high), pa.array(low), first, pa.array(np.zeros(len(high), bool))],
                     names=["high", "low", "first", "several"])  # fmt: skip
    bounds = range_bounds(high, ranges)
    return [table.slice(a, b - a) for a, b in zip(bounds, bounds[1:])]


def write(files: Any, path: str, day: str, *parts: Any) -> list[Any]:
    """Write the keys of a range that no day before has, each with the first of its positions. Returns how many there
    are."""
    table = joined(parts)
    if not table.num_rows:
        return [0]
    high, low = (table.column(name).to_numpy() for name in ("high", "low"))
    firsts = plain(table.column("first"))
    order, run = runs_of(high, low)
    least = order[np.lexsort((ordinals(firsts)[order], run))][starts_of(run)]
    days = pc.struct_field(firsts.take(pa.array(least)), "day")
    new = least[pc.equal(days, day).to_numpy(zero_copy_only=False)]
    columns = [pa.array(high[new].view("<i8")), pa.array(low[new].view("<i8"))]
    position = pc.struct_field(firsts.take(pa.array(new)), "position")
    pq.write_table(pa.table([*columns, position], names=["high", "low", "first"]), path, filesystem=files)
    return [len(new)]
