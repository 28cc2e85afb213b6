"""Whether a dataset that is read again has the same rows.

A dataset is read once for the verdicts, and again for the rows that are returned. If ids are others then, as those of a
source that makes them while it reads, verdicts would be about no row or about a wrong one. So some rows are remembered by
hashes of their positions and texts: those whose position has a small hash, of whatever block or read."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import ray

from mithril_stream._keys import mixed
from mithril_stream._positions import hashes, plain
from mithril_stream.ray._order import Order

MOST = 1 << 16  # rows that are remembered, about: all, if there are no more


class Again(NamedTuple):
    """A dataset that was read, and is read again."""

    order: Order
    text: str
    below: int  # the hashes of the positions that are remembered
    seen: Any  # a reference to these rows, as numbers that are sorted

    def positions(self, batch: Any) -> Any:
        """Return the positions of rows. Raises ValueError if one of them was another row before."""
        there = self.order.positions(batch)
        some, now = remembered(there, hashes(plain(batch.column(self.text))), self.below)
        new = np.nonzero(~np.isin(now, ray.get(self.seen)))[0]
        if len(new):
            raise self.changed(there[int(some[new[0]])].as_py())
        return there

    def changed(self, position: Any) -> ValueError:
        """Return the error of a row that was not there before."""
        position = position if self.order.day is None else position["position"]
        return ValueError(
            f"the dataset has other rows when it is read again: the one with {position!r} in {self.order.columns} was not "
            "there, or had another text, when duplicates were looked for: call ds.materialize() before, or write the rows "
            "with their ids and read them again"
        )


def remembered(positions: Any, texts: Any, below: int) -> tuple[Any, Any]:
    """Return which rows are remembered, by number, and what each is remembered by. texts are hashes."""
    of = hashes(positions) if len(positions) else np.zeros(0, "<u8")
    some = np.nonzero(of <= np.uint64(below))[0]
    return some, mixed(of[some] ^ mixed(texts[some]))


def share_of(rows: int) -> int:
    """Return a bound below which the hashes of about MOST of that many positions are."""
    return (1 << 64) - 1 if rows <= MOST else (1 << 64) // rows * MOST


def remember(below: int, block: Any) -> list[Any]:
    """Return what rows of a block of entries are remembered by."""
    return [remembered(plain(block.column("position")), block.column("text").to_numpy(), below)[1]]


def united(*parts: Any) -> list[Any]:
    """Return what the rows of all blocks are remembered by, sorted."""
    return [np.unique(np.concatenate(parts))]
