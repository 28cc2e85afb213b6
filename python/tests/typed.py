"""What mypy is to find of calls: what comes in comes out. Nothing runs it."""

from collections.abc import Iterator

from typing_extensions import assert_type

import mithril_stream.dedup as dedup

Row = dict[str, str | int]


class Frame:
    def __len__(self) -> int:
        return 0

    def __getitem__(self, key: str) -> str:
        return key



def calls(frame: Frame, rows: list[Row], asked: bool) -> None:
    assert_type(dedup.deduplicate(frame), Frame)
    assert_type(dedup.deduplicate(rows, "body", threshold=0.9, keep="longest", progress=True), list[Row])
    assert_type(dedup.deduplicate(frame, return_groups=True), tuple[Frame, list[int]])
    assert_type(dedup.deduplicate(["a"], return_groups=False), list[str])
    assert_type(dedup.deduplicate(frame, return_groups=asked), Frame | tuple[Frame, list[int]])
    assert_type(dedup.deduplicate(rows, method="dclm", threshold=0.8), list[Row])
    assert_type(dedup.deduplicate(rows, keep="fullest", min_sources=2, count_by="s", repeat={1: 1, 2: 3}), list[Row])
    dedup.deduplicate(rows, repeat=[3])  # type: ignore[call-overload]
    dedup.deduplicate(5)  # type: ignore[call-overload]
    dedup.deduplicate(iter(["a"]))  # type: ignore[call-overload]
    dedup.deduplicate(frame, method="dlcm")  # type: ignore[call-overload]
    dedup.deduplicate(frame, keep="best")  # type: ignore[call-overload]
    dedup.deduplicate(frame, memory="huge")  # type: ignore[call-overload]
    with dedup.Deduplicator(index="x") as d:
        assert_type(d, dedup.Deduplicator)
        assert_type(dedup.Deduplicator.load("x"), dedup.Deduplicator)
        assert_type(d.deduplicate(rows).duplicate_ratio, float)
        assert_type("a" in d, bool)
        assert_type(d.unique(rows), Iterator[Row])
        assert_type(list(d.unique(["a"])), list[str])
