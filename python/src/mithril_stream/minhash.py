"""MinHash signatures and band keys as numpy arrays, and an index like datasketch's."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from mithril_stream import _judge
from mithril_stream._deduplicator import Deduplicator
from mithril_stream._documents import checked, text_of
from mithril_stream._judge import Judge
from mithril_stream._settings import refuse_within
from mithril_stream._texts import blocks_of_iterable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MinHashLSH", "band_keys", "jaccard", "signatures"]


def signatures(
    texts: Iterable[str], *, num_permutations: int = 128, ngram_size: int = 5, options: Sequence[str] = ()
) -> NDArray[np.uint64]:
    """Return a row of num_permutations slots for each text. All are zero where there is nothing to compare."""
    words, _ = sketched(_judge.SIGNATURES, texts, num_permutations, ngram_size, options)
    return words.reshape(-1, num_permutations)


def band_keys(
    texts: Iterable[str], *, num_permutations: int = 128, ngram_size: int = 5, options: Sequence[str] = ()
) -> NDArray[np.uint64]:
    """Return the 128-bit keys of the bands of each text, those of `mithril-stream`: texts × bands × 2, the high word
    first. options may say how the signature is cut, such as ["--bands", "14", "--rows", "9"]."""
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
    refuse_within(options)
    import numpy as np

    judge = Judge(["--num-perm", str(num_perm), "--shingle-size", str(ngram_size), "--memory", "exact", *options])
    try:
        bands = judge.json(_judge.STATS)["bands"]
        replies = judge.asked(kind, blocks_of_iterable(checked(texts, "texts")))
    finally:
        judge.close()
    parts = [np.frombuffer(reply, "<u8") for reply in replies]
    return (np.concatenate(parts) if parts else np.empty(0, "<u8")), bands


class MinHashLSH:
    """An index of texts by keys, for those who know the class of this name in datasketch. It takes texts, not
    signatures, and answers with keys whose estimated similarity is at least the threshold.

    It is a context manager; see Deduplicator for close, threads and processes.
    """

    def __init__(self, threshold: float = 0.9, num_perm: int | None = None, *, ngram_size: int = 5) -> None:
        self.threshold = threshold
        self._texts = Deduplicator(threshold, num_perm, ngram_size)
        self._keys: set[Hashable] = set()

    def insert(self, key: Hashable, text: Any) -> None:
        """Remember a text under a key: a string or a number that was not inserted yet."""
        if key in self._keys:
            raise ValueError(f"the key {key!r} is there already")
        self._texts.add(text_of(text), key); self._keys.add(key)  # noqa: E702 (no exception comes between them)

    def query(self, text: Any, limit: int = 1000) -> list[Any]:
        """Return the keys of the texts that resemble this one, the most similar first."""
        return [m.duplicate_of for m in self._texts.near(text, limit) if (m.similarity or 0) >= self.threshold]

    def remove(self, *keys: Hashable) -> None:
        """Forget the texts of keys. A text that was inserted under another key before is forgotten with that one.
        Raises ValueError, and forgets nothing, if a key is not there. It reads the index again: give many keys at
        once."""
        if missing := [key for key in keys if key not in self._keys]:
            raise ValueError(f"the key {missing[0]!r} is not there")
        self._texts.remove(*keys)
        self._keys.difference_update(keys)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._keys

    def __len__(self) -> int:
        return len(self._keys)

    def is_empty(self) -> bool:
        return not self._keys

    def close(self) -> None:
        self._texts.close()

    def __enter__(self) -> MinHashLSH:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
