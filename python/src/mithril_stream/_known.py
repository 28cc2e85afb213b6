"""What is known of some rows, found again by their positions: tables that are sorted by hashes of these, one for each
range of hashes."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from mithril_stream._holders import range_bounds
from mithril_stream._positions import equal, hashes, joined, plain


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


class Tables(Protocol):
    """Tables with a row for each position of a range of hashes, or None for a range without rows: a list, or an object
    that fetches them."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> Any: ...


def found(positions: Any, tables: Tables) -> tuple[Any, Any]:
    """Return which of these positions are known, by number, and a table with a row for each of them, or None."""
    of = hashes(positions)
    order = np.argsort(of, kind="stable")
    bounds = range_bounds(of[order], max(len(tables), 1))
    rows, some = [np.zeros(0, "<i8")], []
    for number, (a, b) in enumerate(zip(bounds, bounds[1:])):
        table = tables[number] if a < b and len(tables) else None
        if table is not None:
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
