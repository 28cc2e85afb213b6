"""The rule of votes on a cluster: when a row is a duplicate of an earlier one. Spark and Ray follow it with their own
operators, and docs/design/cluster.md says how it differs from that of the program.

1. A row has a key for each band, and one that is made of all of them, its *whole*. A key is *held* by the first HOLDERS
   rows that have it.
2. A row *supports* the earlier row that holds most of its keys, of several alike the earliest, if that holds `strong` of
   them, or `needed` and stands out among all earlier rows that hold any (`supports`). It holds its keys for that row
   then, and otherwise for itself. This goes one step: what the supported row supports does not matter.
3. A key is *common* to a row if HOLDERS earlier rows hold it, for COMMON different rows or more.
4. A row is a duplicate of a row, for which earlier rows hold `needed` of its keys, `uncommon` of them not common to it,
   or `plenty`, common or not. A whole is worth all bands, so equal texts are always duplicates.
5. The original is the row with most votes, of several alike the earliest.

Every step asks about earlier rows alone. So the verdicts depend on the order of the rows and on nothing else: neither
on how they are divided among tasks, nor among days.
"""

from __future__ import annotations

from typing import Any, NamedTuple

HOLDERS = 4  # rows that hold a key: what a task sends of it at most
COMMON = 3  # different rows for which the holders of a common key hold it, at least


class Votes(NamedTuple):
    """How many keys it takes."""

    bands: int
    needed: int

    @property
    def strong(self) -> int:
        """Return how many keys of a row another holds, at least, that it supports in any case. With 12 of 32 bands of 8
        rows their similarity is .88 on average."""
        return min(self.bands, self.needed + self.needed // 2)

    def supports(self, votes: Any, of_all: Any, rows: Any) -> Any:
        """Report whether a row supports the one with most votes, given how many rows have of_all votes together. The
        arguments are numbers, arrays or columns. A row stands out if it has 2.5 times as many votes as two others or
        more have on average. The original of many versions does, since they resemble each other less; in a crowd, where
        all rows are alike, none does, and its keys become common."""
        others = rows - 1
        stands_out = (votes >= self.needed) & (others >= 2) & (2 * votes * others >= 5 * (of_all - votes))
        return (votes >= self.strong) | stands_out

    @property
    def uncommon(self) -> int:
        """Return how many votes must come from keys that are not common, as with the program. If one vote is enough, any
        is."""
        return max(1, self.needed // 4) if self.needed > 1 else 0

    @property
    def plenty(self) -> int:
        """Return how many votes are enough whatever keys they come from, as with the program."""
        return 2 * self.needed
