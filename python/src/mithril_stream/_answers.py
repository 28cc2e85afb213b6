"""What is known of each row: whether it is a duplicate, of which, and how similar they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Answers(NamedTuple):
    """Columns with a value for each row. duplicate_of and similarity are None where a row is no duplicate, or where
    the memory does not know which row was seen."""

    is_duplicate: list[bool]
    duplicate_of: list[Any]
    similarity: list[float | None]

    def columns(self) -> dict[str, list[Any]]:
        return self._asdict()

    def rows(self) -> list[dict[str, Any]]:
        return [dict(zip(self._fields, row, strict=True)) for row in zip(*self, strict=True)]


def answers_of(rows: int, kept: Sequence[int], originals: dict[int, tuple[Any, float]]) -> Answers:
    """Return the answers about rows, from the positions of those that are no duplicates, and what is known of others."""
    is_duplicate = [True] * rows
    for row in kept:
        is_duplicate[row] = False
    answers = Answers(is_duplicate, [None] * rows, [None] * rows)
    for row, (original, similar) in originals.items():
        answers.duplicate_of[row], answers.similarity[row] = original, similar
    return answers
