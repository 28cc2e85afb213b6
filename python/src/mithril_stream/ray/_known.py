"""What is known of some rows, found again by their positions.

The tables stand in the object store, sorted by hashes of positions, one for each range of hashes. A batch of rows asks
the tables one after the other, so a task never holds more than one.
"""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import ray

from mithril_stream.ray._holders import range_bounds
from mithril_stream.ray._order import equal, hashes, joined, plain
from mithril_stream.ray._tasks import gather, start

ROWS_OF_A_RANGE = 1 << 20


def ranges_of(rows: int) -> int:
    """Return how many ranges of hashes so many rows are split into."""
    return -(-rows // ROWS_OF_A_RANGE) or 1


def by_hash(table: Any, ranges: int) -> list[Any]:
    """Split a table by the hashes of the positions in its first column."""
    of = hashes(plain(table.column(0))) if table.num_rows else np.zeros(0, "<u8")
    order = np.argsort(of, kind="stable")
    table = table.take(pa.array(order)).append_column("hash", pa.array(of[order]))
    bounds = range_bounds(of[order], ranges)
    return [table.slice(a, b - a) for a, b in zip(bounds, bounds[1:])]


def merged(*parts: Any) -> list[Any]:
    """Return one table of the parts for a range, and its rows."""
    table = joined(parts)
    order = np.argsort(table.column("hash").to_numpy(), kind="stable")
    return [table.take(pa.array(order)), table.num_rows]


def known(split: Sequence[Sequence[Any]]) -> list[Any]:
    """Return a reference to each table of what was split by hashes, or None if it has no rows. Waits for them."""
    made = gather(split, merged, returns=2)
    return [table if rows else None for (table, _), rows in zip(made, ray.get([rows for _, rows in made]))]


def collected(tables: Sequence[Any], ranges: int) -> list[Any]:
    """Return tables of all nodes as known ones."""
    return known([start(by_hash, table, ranges, returns=ranges) for table in tables])


def found(positions: Any, tables: Sequence[Any]) -> tuple[Any, Any]:
    """Return which of these positions are known, by number, and a table with a row for each of them, or None."""
    of = hashes(positions)
    order = np.argsort(of, kind="stable")
    bounds = range_bounds(of[order], max(len(tables), 1))
    rows, some = [np.zeros(0, "<i8")], []
    for reference, a, b in zip(tables, bounds, bounds[1:]):
        if reference is not None and a < b:
            table = ray.get(reference)
            mine, at = probe(positions, of, order[a:b], table)
            rows.append(mine)
            some.append(table.take(pa.array(at)))
    return np.concatenate(rows), joined(some) if some else None


def probe(positions: Any, of: Any, mine: Any, table: Any) -> tuple[Any, Any]:
    """Return which of these rows a table has, and where."""
    there, known_positions = table.column("hash").to_numpy(), plain(table.column(0))
    at = np.searchsorted(there, of[mine])
    hits: list[tuple[Any, Any]] = []
    while len(mine):  # once, unless two positions have one hash
        same = at < len(there)
        same[same] = there[at[same]] == of[mine[same]]
        mine, at = mine[same], at[same]
        hit = equal(positions.take(pa.array(mine)), known_positions.take(pa.array(at)))
        hits.append((mine[hit], at[hit]))
        mine, at = mine[~hit], at[~hit] + 1
    return np.concatenate([m for m, _ in hits]), np.concatenate([a for _, a in hits])
