"""Which row of a group stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mithril_stream._groups import Edge, joined
from mithril_stream._tables import Table


def grouped(table: Table, kept: Sequence[int], edges: Sequence[Edge], keep: str) -> tuple[list[int], list[int]]:
    """Return the positions of the rows that stay, and for each row the first one of its group."""
    groups, chosen = list(range(table.rows)), set(kept)
    lengths = list(map(length_of, table.texts())) if keep in ("longest", "shortest") else []
    for first, group in joined(e._replace(original=e.original - 1) for e in edges).items():
        rows = [first, *(e.duplicate for e in group)]
        for row in rows:
            groups[row] = first
        chosen.discard(first)
        if keep != "none":
            chosen.add(choose(keep, rows, lengths))
    return sorted(chosen), groups


def choose(keep: str, rows: Sequence[int], lengths: Sequence[int]) -> int:
    """Return the row that stays; of several alike, the first."""
    if keep == "longest":
        return max(rows, key=lambda row: (lengths[row], -row))
    if keep == "shortest":
        return min(rows, key=lambda row: (lengths[row], row))
    return rows[0] if keep == "first" else rows[-1]


def length_of(text: Any) -> int:
    return len(text) if isinstance(text, (str, bytes)) else 0
