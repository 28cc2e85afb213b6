"""The ids of documents, which must be unique."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from mithril_stream._documents import encode_id, name_of, place, shown


class Ids:
    """The ids that documents of one memory have. One without an id is called by its number, so where there are such,
    no other one may have a number as its id."""

    def __init__(self, given: int = 0, last: Any = None) -> None:
        """given is how many documents the memory had before, and last what the last of them is called."""
        self._taken = set[str]()
        self._are_sure = False  # what is taken is what documents are called
        self._numbered = False  # documents have numbers because they have no ids
        self._ids_are_numbers = False  # documents have ids that are numbers
        self._before = 0  # lesser numbers than this one are taken
        if isinstance(last, int):
            if last == given - 1:  # of no id, or of ids that count as numbers do
                self._before = given
            else:
                self._ids_are_numbers = True

    def learn(self, names: Callable[[], Iterable[Any]]) -> None:
        """Find out what documents are called, unless that is known. It must come before claim. names returns what they
        all are called, with None for one that was removed."""
        if not self._are_sure:
            self._taken = {name_of(name) for name in names() if name is not None}
            self._are_sure = True

    def settle(self) -> None:
        """Note that the documents that ids were claimed for have come."""
        self._are_sure = True

    def claim(self, ids: Iterable[Any], first: int | None = 0) -> list[bytes]:
        """Return ids as the program wants them. Raises ValueError if one is taken, and then takes none. first is the
        row of the first one."""
        encoded, new = list[bytes](), dict[str, int | None]()
        numbers = False
        for number, id in enumerate(ids):
            row = None if first is None else first + number
            line = encode_id(id, row)
            name = line.decode() if not isinstance(id, str) else id
            if name in new:
                raise ValueError(f"{place(row)} has the id {shown(id)}, as {place(new[name])} has: ids must differ")
            if name in self._taken or (name.isdecimal() and int(name) < self._before):
                raise ValueError(f"{place(row)} has the id {shown(id)}, which an earlier document has: ids must differ")
            numbers = numbers or name.isdecimal()
            if numbers and self._numbered:
                raise ValueError(f"{place(row)} has the id {shown(id)}, and documents without an id are called by "
                                 "their numbers: give all of them ids, or none")  # fmt: skip
            new[name] = row
            encoded.append(line)
        self._are_sure = False
        self._taken.update(new)
        self._ids_are_numbers = self._ids_are_numbers or numbers
        return encoded

    def number(self) -> None:
        """Note that a document has no id. Raises ValueError if the ids of others are numbers."""
        if self._ids_are_numbers:
            raise ValueError("the document has no id, and would be called by its number, as others are by their ids: "
                             "give all of them ids, or none")  # fmt: skip
        self._numbered = True

    def release(self, ids: Iterable[Any]) -> None:
        """Note that documents were removed: their ids may be given again."""
        self._taken.difference_update(map(name_of, ids))
