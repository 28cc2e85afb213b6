"""What is known of some rows, in the object store: a table for each range of hashes of their positions. A batch of rows
asks the tables one after the other, so a task never holds more than one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ray

from mithril_stream._known import by_hash, merged
from mithril_stream.ray._tasks import gather, start

ROWS_OF_A_RANGE = 1 << 20


def ranges_of(rows: int) -> int:
    """Return the number of ranges of hashes into which that many rows are split."""
    return -(-rows // ROWS_OF_A_RANGE) or 1


class Fetched:
    """Tables that are fetched when they are asked for."""

    def __init__(self, tables: Sequence[Any]) -> None:
        """tables are references, and None for a table without rows."""
        self._tables = list(tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __getitem__(self, number: int) -> Any:
        table = self._tables[number]
        return None if table is None else ray.get(table)


def known(split: Sequence[Sequence[Any]]) -> Fetched:
    """Return the tables of what was split by hashes. Waits for them."""
    made = gather(split, merged, returns=2)
    rows = ray.get([rows for _, rows in made])
    return Fetched([table if some else None for (table, _), some in zip(made, rows)])


def collected(tables: Sequence[Any], ranges: int) -> Fetched:
    """Return tables of all nodes as known ones."""
    return known([start(by_hash, table, ranges, returns=ranges) for table in tables])
