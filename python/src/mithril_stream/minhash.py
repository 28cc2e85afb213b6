"""MinHash signatures and band keys as numpy arrays, and an index like datasketch's."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mithril_stream import _judge
from mithril_stream._deduplicator import Deduplicator
from mithril_stream._documents import checked, encode_id, text_of
from mithril_stream._judge import Judge
from mithril_stream._long import warn_of_long
from mithril_stream._settings import check_count, refuse_given
from mithril_stream._texts import Block, blocks_of_iterable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MinHashLSH", "band_keys", "jaccard", "signatures"]


def signatures(
    texts: Iterable[str], *, num_permutations: int = 128, ngram_size: int = 5, options: Sequence[str] = ()
) -> NDArray[np.uint64]:
    """Return a row of num_permutations slots for each text. All are zero where there is nothing to compare, and for a
    text longer than --max-record, of which a warning says so."""
    words, _ = sketched(_judge.SIGNATURES, texts, num_permutations, ngram_size, options)
    return words.reshape(-1, num_permutations)


def band_keys(
    texts: Iterable[str], *, num_permutations: int = 128, ngram_size: int = 5, options: Sequence[str] = ()
) -> NDArray[np.uint64]:
    """Return the 128-bit keys of the bands of each text, those of `mithril-stream`: texts × bands × 2, the high word
    first. options may say how the signature is cut, such as ["--bands", "14", "--rows", "9"]. Zeros mean what they mean
    for signatures."""
    words, bands = sketched(_judge.KEYS, texts, num_permutations, ngram_size, options)
    return words.reshape(-1, bands, 2)


def jaccard(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> Any:
    """Estimate the Jaccard similarity of the texts of two signatures, or of rows of them, by the share of equal
    slots (Broder 1997)."""
    return (a == b).mean(axis=-1)


def sketched(
    kind: int, texts: Iterable[str], num_perm: int, ngram_size: int, options: Sequence[str]
) -> tuple[NDArray[np.uint64], int]:
    """Return the words of a kind of sketch of all texts, and the number of bands."""
    refuse_given(options)
    check_count("num_permutations", num_perm)
    check_count("ngram_size", ngram_size)
    import numpy as np

    judge = Judge(["--num-perm", str(num_perm), "--shingle-size", str(ngram_size), "--memory", "exact", *options])
    lengths = list[bytes]()

    def blocks() -> Iterator[Block]:
        for block in blocks_of_iterable(checked(texts, "texts")):
            lengths.append(block.lengths)
            yield block

    try:
        stats = judge.json(_judge.STATS)
        replies = judge.asked(kind, blocks())
    finally:
        judge.close()
    long = np.nonzero(np.frombuffer(b"".join(lengths), "<i4") > stats["max_record"])[0]
    warn_of_long(len(long), int(long[0]) if len(long) else None)
    parts = [np.frombuffer(reply, "<u8") for reply in replies]
    return (np.concatenate(parts) if parts else np.empty(0, "<u8")), stats["bands"]


class MinHashLSH:
    """An index of texts by keys, for those who know the class of this name in datasketch. It takes texts, not
    signatures, and answers with keys whose estimated similarity is at least the threshold.

    It is a context manager; see Deduplicator for close, threads and processes.
    """

    def __init__(self, threshold: float = 0.9, num_perm: int | None = None, *, ngram_size: int = 5) -> None:
        self.threshold = threshold
        self._texts = Deduplicator(threshold, num_perm, ngram_size)
        # Of texts with the same signature the first is remembered, under its number; here it has all their keys.
        self._numbers: dict[Hashable, int] = {}
        self._keys: dict[int, list[Hashable]] = {}

    def insert(self, key: Hashable, text: Any) -> None:
        """Remember a text under a key: a string or a number that was not inserted yet."""
        if key in self._numbers:
            raise ValueError(f"the key {key!r} is there already")
        encode_id(key)
        with self._texts._alone():
            nearest = self._texts._neighbours(_judge.NEAR, text, 1)
            number = nearest[0]["record"] if nearest and nearest[0]["similarity"] == 1 else self._texts._given
            # On one line, so that no exception comes between what is remembered where.
            if number == self._texts._given:
                self._texts.add(text_of(text)); self._keys[number] = [key]; self._numbers[key] = number  # noqa: E702
            else:
                self._keys[number] = [*self._keys.get(number, ()), key]; self._numbers[key] = number  # noqa: E702

    def query(self, text: Any, limit: int | None = None) -> list[Any]:
        """Return the keys of all texts that resemble this one, the most similar first, or at most limit of them."""
        check_count("limit", limit)
        self._texts._judge.check()
        with self._texts._alone():
            found = self._texts._neighbours(_judge.NEAR, text, None)
            near = [self._keys.get(f["record"], ()) for f in found if f["similarity"] >= self.threshold]
        return list(itertools.islice(itertools.chain.from_iterable(near), limit))

    def remove(self, *keys: Hashable) -> None:
        """Forget the texts of keys. Raises ValueError, and forgets nothing, if a key is not there. It may read the index
        again: give many keys at once."""
        if missing := [key for key in keys if key not in self._numbers]:
            raise ValueError(f"the key {missing[0]!r} is not there")
        with self._texts._alone():
            for key in dict.fromkeys(keys):
                self._keys[self._numbers.pop(key)].remove(key)
            gone = [number for number, left in self._keys.items() if not left]
            for number in gone:
                del self._keys[number]
            self._texts.remove(*gone)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def is_empty(self) -> bool:
        return not self._numbers

    def close(self) -> None:
        self._texts.close()

    def __enter__(self) -> MinHashLSH:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
