"""Tables of any kind: their texts, and some of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mithril import _judge
from mithril._groups import Edge, joined
from mithril._judge import Judge
from mithril._texts import BLOCK_TEXTS, Block, blocks_of_arrow, blocks_of_iterable, is_view


class Table:
    """Rows with texts. The base is a list of strings or dicts."""

    def __init__(self, data: Any, column: str) -> None:
        self.data, self.column, self.rows = data, column, len(data)

    def blocks(self) -> Iterator[Block]:
        return blocks_of_iterable(self.texts())

    def texts(self) -> Iterator[Any]:
        for row in self.data:
            yield row if row is None or isinstance(row, (str, bytes)) else row[self.column]

    def select(self, kept: Sequence[int]) -> Any:
        rows = [self.data[i] for i in kept]
        return tuple(rows) if isinstance(self.data, tuple) else rows


class Pandas(Table):
    def blocks(self) -> Iterator[Block]:
        try:
            import pyarrow as pa
        except ImportError:
            return super().blocks()
        return self.arrow_blocks(pa)

    def arrow_blocks(self, pa: Any) -> Iterator[Block]:
        """Go to Arrow part by part, while the child works on those before."""
        column = self.data[self.column]
        for start in range(0, len(column), BLOCK_TEXTS):
            part = column.iloc[start : start + BLOCK_TEXTS]
            try:
                strings = pa.array(part, from_pandas=True)
            except (pa.ArrowInvalid, pa.ArrowTypeError):  # other objects are among the strings
                yield from blocks_of_iterable(part.tolist())
            else:
                yield from blocks_of_arrow(strings)

    def texts(self) -> Iterator[Any]:
        return iter(self.data[self.column].tolist())

    def select(self, kept: Sequence[int]) -> Any:
        return self.data.iloc[kept]


class Polars(Table):
    def blocks(self) -> Iterator[Block]:
        column = self.data[self.column]
        for start in range(0, len(column), BLOCK_TEXTS):  # part by part, while the child works on those before
            part = column.slice(start, BLOCK_TEXTS)
            try:
                strings = part.to_arrow()
            except ImportError:  # polars makes strings of Arrow without pyarrow, but hands out none
                yield from blocks_of_iterable(part.to_list())
            else:
                yield from blocks_of_arrow(strings)

    def texts(self) -> Iterator[Any]:
        return iter(self.data[self.column].to_list())

    def select(self, kept: Sequence[int]) -> Any:
        import polars as pl

        return self.data[pl.Series(kept, dtype=pl.UInt32)]


class Arrow(Table):
    def __init__(self, data: Any, column: str) -> None:
        super().__init__(data, column)
        self.rows = data.num_rows

    def blocks(self) -> Iterator[Block]:
        return blocks_of_arrow(self.data.column(self.column))

    def texts(self) -> Iterator[Any]:
        return iter(self.data.column(self.column).to_pylist())

    def select(self, kept: Sequence[int]) -> Any:
        import pyarrow as pa

        rows = pa.array(kept, pa.int64())
        try:
            return self.data.take(rows)
        except pa.ArrowNotImplementedError:  # of views
            plain = pa.schema([f.with_type(pa.large_string()) if is_view(f.type) else f for f in self.data.schema])
            return self.data.cast(plain).take(rows).cast(self.data.schema)


class HuggingFace(Table):
    def blocks(self) -> Iterator[Block]:
        return blocks_of_arrow(self.data.with_format("arrow")[:][self.column])

    def texts(self) -> Iterator[Any]:
        return iter(self.data.with_format(None)[self.column])

    def select(self, kept: Sequence[int]) -> Any:
        return self.data.select(kept)


def table_of(data: Any, column: str) -> Table:
    """Find out what holds the rows by the module that its type is of: importing all of them would take seconds."""
    kind = type(data)
    module = kind.__module__.partition(".")[0]
    if module == "pandas" and kind.__name__ == "DataFrame":
        found: type[Table] = Pandas
    elif module == "polars" and kind.__name__ == "DataFrame":
        found = Polars
    elif module == "pyarrow" and kind.__name__ == "Table":
        found = Arrow
    elif module == "datasets" and kind.__name__ == "Dataset":
        found = HuggingFace
    elif isinstance(data, (list, tuple)):
        found = Table
    else:
        raise TypeError(
            f"{module}.{kind.__name__} is no table that is known here: give a pandas or polars DataFrame, a pyarrow "
            "Table, a datasets Dataset, or a list"
        )
    if found is not Table:
        names = data.column_names if found in (Arrow, HuggingFace) else list(data.columns)
        if column not in names:
            raise KeyError(f"there is no column {column!r}: choose from {', '.join(map(str, names))}")
    return found(data, column)


def judged(
    judge: Judge, table: Table, progress: Any, with_edges: bool
) -> tuple[list[int], list[Edge]]:
    """Return the positions of the rows that resemble no earlier one, and the duplicates if they are wanted."""
    edges, kept, count = list[Edge](), list[int](), 0
    for block in judge.texts(_judge.ADD, table.blocks()):
        kept += _judge.kept_of(block, count)
        if with_edges:
            edges += _judge.duplicates_of(block, count)
        count += len(block) // _judge.VERDICT.size
        report(progress, count, len(block) // _judge.VERDICT.size)
    return kept, edges


def report(progress: Any, count: int, more: int) -> None:
    """Tell a tqdm bar, or whatever has update, how many more texts are through, and a function how many are."""
    if hasattr(progress, "update"):
        progress.update(more)
    elif progress is not None:
        progress(count)


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
