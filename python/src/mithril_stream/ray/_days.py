"""What is known of earlier days: a directory of Parquet files, two directories for each day, as Spark has it.

    INDEX/rule.json                                    what decides which texts have a key in common
    INDEX/rows-2026-11-21.json                         which rows the day has: how many keys, and the sum of their hashes
    INDEX/support=2026-11-21/part-….parquet            columns position, of_day, of: rows that hold keys for others
    INDEX/sets=2026-11-21/part-….parquet               columns position, set: with memory="exact", in place of these
    INDEX/day=2026-11-21/_SUCCESS, part-….parquet      columns key, position: which rows of the day hold which keys

A part of a day is kept as a day of the name 2026-11-21+b. A day counts when its _SUCCESS is there, which is written
last. What a failed job has left is never read, and overwritten by the next job.
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

from mithril_stream._keys import (
    DAY,
    RULE,
    SETS,
    SUPPORT,
    check_kept,
    check_same_rows,
    kept_as,
    keys_of_words,
    mixed,
    rows_as,
    rows_file,
)
from mithril_stream._holders import by_range, held_in, rows_of
from mithril_stream._positions import on_day, plain

SUCCESS = "_SUCCESS"
BYTES_OF_A_KEY = 16


class File(NamedTuple):
    """Some of the keys of a day."""

    files: Any  # the file system
    path: str
    day: str
    keys: int  # about


class Days:
    """A memory of days in a file system that pyarrow knows, and the day that is to be added. Raises ValueError if its
    keys were made by another rule."""

    def __init__(self, index: str, day: str, keys: dict[str, str]) -> None:
        if "://" in index:
            self.files, self.root = pa.fs.FileSystem.from_uri(index)
        else:
            self.files, self.root = pa.fs.LocalFileSystem(), os.path.abspath(index)
        self.day = day
        self.directory = f"{self.root}/{DAY}{day}"
        self.beside = f"{self.root}/{SETS if keys.get('memory') else SUPPORT}{day}"
        self.rule, self.keys = f"{self.root}/{RULE}", keys
        kept = ""
        if self.exists(self.rule):
            with self.files.open_input_stream(self.rule) as file:
                kept = file.read().decode(errors="replace")
        if kept or self.files_of(DAY):
            check_kept(index, kept, keys)

    def exists(self, path: str) -> bool:
        """Report whether there is such a file."""
        return bool(self.files.get_file_info(path).type != pa.fs.FileType.NotFound)

    def files_of(self, kind: str) -> list[File]:
        """Return the files of a kind, DAY or another, of the days before."""
        found: dict[str, list[Any]] = {}
        for info in self.files.get_file_info(pa.fs.FileSelector(self.root, allow_not_found=True, recursive=True)):
            directory, _, _ = info.path.rpartition("/")
            found.setdefault(directory.rpartition("/")[2], []).append(info)
        complete = {
            name.removeprefix(DAY)
            for name, infos in found.items()
            if name.startswith(DAY) and any(info.base_name == SUCCESS for info in infos)
        }
        return [
            File(self.files, info.path, day, info.size // BYTES_OF_A_KEY)
            for day in sorted(complete)
            if day < self.day
            for info in found.get(kind + day, [])
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
        for directory in self.directory, self.beside:
            self.files.create_dir(directory, recursive=True)
            self.files.delete_dir_contents(directory)
        with self.files.open_output_stream(path) as file:
            file.write(rows_as(rows).encode())

    def end(self) -> None:
        """Have the day count."""
        self.files.open_output_stream(f"{self.directory}/{SUCCESS}").close()


def digest(block: Any, bands: int) -> list[Any]:
    """Return how many keys a block has, and the sum of what they are hashed to."""
    _, words = rows_of(block, bands)
    keys = keys_of_words(words)
    return [(keys.size, int(mixed(keys).sum(dtype="<u8")))]


def read(file: File, ranges: int) -> list[Any]:
    """Return the keys of a file, split as those of a block are."""
    table = pq.read_table(file.path, filesystem=file.files, columns=["key", "position"])
    keys = table.column("key").to_numpy().view("<u8")
    order = np.argsort(keys, kind="stable")
    positions = on_day(file.day, plain(table.column("position"))).take(pa.array(order))
    return by_range(keys[order], positions, ranges)


def read_support(file: File) -> list[Any]:
    """Return a table of the rows that hold their keys for others, and of these."""
    table = pq.read_table(file.path, filesystem=file.files, columns=["position", "of_day", "of"])
    of = pa.StructArray.from_arrays([plain(table.column(name)) for name in ("of_day", "of")], names=["day", "position"])
    return [pa.table([on_day(file.day, plain(table.column("position"))), of], names=["position", "of"])]


def read_sets(file: File) -> list[Any]:
    """Return a table of rows, and of what is compared of them."""
    table = pq.read_table(file.path, filesystem=file.files, columns=["position", "set"])
    columns = [on_day(file.day, plain(table.column("position"))), plain(table.column("set").cast(pa.large_binary()))]
    return [pa.table(columns, names=["position", "set"])]


def write(files: Any, path: str, day: str, *parts: Any) -> list[Any]:
    """Write which rows of a day hold keys of a range. Returns how many there are."""
    held = held_in(parts, alone=True)
    days = pc.struct_field(held.positions, "day")
    own = pc.equal(days, day).to_numpy(zero_copy_only=False)
    position = pc.struct_field(held.positions, "position").filter(pa.array(own))
    keys = pa.array(held.keys[own].view("<i8"))
    if len(keys):
        pq.write_table(pa.table([keys, position], names=["key", "position"]), path, filesystem=files)
    return [len(keys)]


def write_support(files: Any, path: str, table: Any) -> list[Any]:
    """Write which rows of a day hold their keys for others. Returns how many there are."""
    position = pc.struct_field(plain(table.column("position")), "position")
    day, of = (pc.struct_field(plain(table.column("of")), name) for name in ("day", "position"))
    if table.num_rows:
        pq.write_table(pa.table([position, day, of], names=["position", "of_day", "of"]), path, filesystem=files)
    return [table.num_rows]


def write_sets(files: Any, path: str, table: Any) -> list[Any]:
    """Write what is compared of the rows of a day. Returns how many there are."""
    position = pc.struct_field(plain(table.column("position")), "position")
    if table.num_rows:
        pq.write_table(pa.table([position, table.column("set")], names=["position", "set"]), path, filesystem=files)
    return [table.num_rows]
