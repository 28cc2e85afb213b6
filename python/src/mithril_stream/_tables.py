"""Tables of any kind: their texts, and some of their rows."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mithril_stream._answers import Answers
from mithril_stream._documents import checked, is_missing, shown, text_of, value_of
from mithril_stream._kinds import YIELDING, advice_for, full_name, names_of, refusal
from mithril_stream._texts import BLOCK_TEXTS, Block, blocks_of_arrow, blocks_of_iterable, is_bytes, is_text, is_view


class Table:
    """Rows with texts. The base is a list of strings or dicts."""

    def __init__(self, data: Any, column: str) -> None:
        self.data, self.column = data, column
        self.rows: int = len(data)

    def blocks(self) -> Iterator[Block]:
        """Return the texts. A row that has none, but something else, is a TypeError."""
        return blocks_of_iterable(self.texts())

    def texts(self) -> Iterator[Any]:
        for row, document in enumerate(self.data):
            yield text_of(document, self.column, row)

    def check(self) -> None:
        """Read all texts, unless their type says that they are texts."""
        deque(self.texts(), maxlen=0)

    def values(self, column: str) -> list[Any]:
        """Return the values of another column."""
        return [value_of(document, column, row) for row, document in enumerate(self.data)]

    def answer(self, answers: Answers) -> Any:
        """Return what is known of each row, in a table of this type."""
        return answers.rows()

    def annotated(self, answers: Answers) -> Any:
        """Return all rows with what is known of each."""
        rows = (d if isinstance(d, Mapping) else {self.column: d} for d in self.data)
        made = [{**row, **answer} for row, answer in zip(rows, answers.rows(), strict=True)]
        return tuple(made) if isinstance(self.data, tuple) else made

    def select(self, kept: Sequence[int]) -> Any:
        rows = [self.data[i] for i in kept]
        return tuple(rows) if isinstance(self.data, tuple) else rows


class Columns(Table):
    """A table that has columns with names and types."""

    def __init__(self, data: Any, column: str) -> None:
        super().__init__(data, column)
        self.require(column)

    def names(self) -> list[Any]:
        return list(self.data.columns)

    def require(self, column: str) -> None:
        """Refuse a column that is not there once."""
        names = self.names()
        if (times := names.count(column)) > 1:
            raise ValueError(f"{times} columns are called {column!r}: give each a name of its own")
        if times == 0:
            known = ", ".join(map(str, names[:50])) + (", …" if len(names) > 50 else "")
            raise KeyError(f"there is no column {column!r}: choose from {known}")

    def annotated(self, answers: Answers) -> Any:
        taken = [name for name in answers._fields if name in self.names()]
        if taken:
            raise ValueError(f"there is a column {taken[0]!r} already: rename it, or call duplicates(data)")
        return self.joined(self.answer(answers))

    def joined(self, answer: Any) -> Any:
        """Return the table with the columns of another one beside its own."""
        raise TypeError(f"{self.what()} has no room for other columns: give the data frame, or call duplicates(data)")

    def check(self) -> None:
        """Texts that are not of this type are refused by blocks, before it returns."""

    def strings(self) -> Any:
        """Return the column with the texts."""
        return self.data[self.column]

    def list_of(self, column: Any) -> list[Any]:
        return list(column.to_list())

    def texts(self) -> Iterator[Any]:
        return iter(self.list_of(self.strings()))

    def values(self, column: str) -> list[Any]:
        self.require(column)
        return self.list_of(self.data[column])

    def without_strings(self, kind: Any) -> Iterator[Block]:
        """Return the texts of a column of another type. It may have no value at all."""
        for row, value in enumerate(self.texts()):
            if not is_missing(value):
                raise TypeError(f"{self.what()} has no strings, but {kind}: row {row} is {shown(value)}")
        return blocks_of_iterable(itertools.repeat(None, self.rows))

    def what(self) -> str:
        return f"the column {self.column!r}"

    def is_frame(self) -> bool:
        """Return whether other columns can be added."""
        return True


class Pandas(Columns):
    def blocks(self) -> Iterator[Block]:
        try:
            import pyarrow as pa
        except ImportError:
            return blocks_of_iterable(self.texts())
        return self.arrow_blocks(pa)

    def arrow_blocks(self, pa: Any) -> Iterator[Block]:
        """Go to Arrow part by part, while the child works on those before."""
        column = self.strings()
        for start in range(0, len(column), BLOCK_TEXTS):
            part = column.iloc[start : start + BLOCK_TEXTS]
            try:
                strings = pa.array(part, from_pandas=True)
            except (pa.ArrowInvalid, pa.ArrowTypeError):  # other objects are among the strings
                strings = None
            if strings is not None and is_text(strings.type):
                yield from blocks_of_arrow(strings)
            else:
                yield from blocks_of_iterable(checked(part.tolist(), self.what(), start))

    def list_of(self, column: Any) -> list[Any]:
        return list(column.tolist())

    def texts(self) -> Iterator[Any]:
        return checked(self.list_of(self.strings()), self.what())

    def check(self) -> None:
        if "str" not in str(self.strings().dtype):
            super(Columns, self).check()

    def answer(self, answers: Answers) -> Any:
        import pandas as pd

        columns = {
            "is_duplicate": pd.array(answers.is_duplicate, bool),
            "duplicate_of": pd.array(answers.duplicate_of, "Int64" if are_numbers(answers.duplicate_of) else object),
            "similarity": pd.array(answers.similarity, "Float64").to_numpy("float64", na_value=float("nan")),
        }
        return pd.DataFrame(columns, index=self.data.index)

    def joined(self, answer: Any) -> Any:
        return self.data.assign(**{name: answer[name] for name in answer.columns}) if self.is_frame() else (
            super().joined(answer)
        )

    def select(self, kept: Sequence[int]) -> Any:
        return self.data.iloc[kept]


class Polars(Columns):
    def blocks(self) -> Iterator[Block]:
        import polars as pl

        kind = self.strings().dtype
        if kind in (pl.String, pl.Categorical, pl.Enum, pl.Binary):
            return self.parts()
        if kind == pl.Object:
            return blocks_of_iterable(checked(self.texts(), self.what()))
        return self.without_strings(kind)

    def parts(self) -> Iterator[Block]:
        column = self.strings()
        for start in range(0, len(column), BLOCK_TEXTS):  # part by part, while the child works on those before
            part = column.slice(start, BLOCK_TEXTS)
            try:
                strings = part.to_arrow()
            except ImportError:  # polars makes strings of Arrow without pyarrow, but hands out none
                yield from blocks_of_iterable(part.to_list())
            else:
                yield from blocks_of_arrow(strings)

    def answer(self, answers: Answers) -> Any:
        import polars as pl

        known: dict[str, Any] = {"is_duplicate": pl.Boolean, "similarity": pl.Float64}
        if are_numbers(answers.duplicate_of):
            known["duplicate_of"] = pl.Int64
        return pl.DataFrame(answers.columns(), schema_overrides=known)

    def joined(self, answer: Any) -> Any:
        return self.data.hstack(answer) if self.is_frame() else super().joined(answer)

    def select(self, kept: Sequence[int]) -> Any:
        import polars as pl

        return self.data[pl.Series(kept, dtype=pl.UInt32)]


class Series(Columns):
    """A column alone, of pandas or polars: a mixin."""

    def names(self) -> list[Any]:
        return [self.column]

    def require(self, column: str) -> None:
        if column != self.column:
            raise ValueError(f"a Series has no column {column!r}: give the data frame")

    def strings(self) -> Any:
        return self.data

    def what(self) -> str:
        return "the Series"

    def is_frame(self) -> bool:
        return False


class PandasSeries(Series, Pandas):
    pass


class PolarsSeries(Series, Polars):
    pass


class Arrow(Columns):
    def __init__(self, data: Any, column: str) -> None:
        super().__init__(data, column)
        self.rows = data.num_rows

    def names(self) -> list[Any]:
        return list(self.data.column_names)

    def blocks(self) -> Iterator[Block]:
        column = self.strings()
        has_texts = is_text(column.type) or is_bytes(column.type)
        return blocks_of_arrow(column) if has_texts else self.without_strings(column.type)

    def list_of(self, column: Any) -> list[Any]:
        return list(column.to_pylist())

    def answer(self, answers: Answers) -> Any:
        import pyarrow as pa

        return pa.table(answers.columns(), schema=None if not are_numbers(answers.duplicate_of) else arrow_schema())

    def joined(self, answer: Any) -> Any:
        made = self.data
        for name in answer.column_names:
            made = made.append_column(name, answer[name])
        return made

    def select(self, kept: Sequence[int]) -> Any:
        import pyarrow as pa

        rows = pa.array(kept, pa.int64())
        try:
            return self.data.take(rows)
        except pa.ArrowNotImplementedError:  # of views
            plain = pa.schema([f.with_type(pa.large_string()) if is_view(f.type) else f for f in self.data.schema])
            return self.data.cast(plain).take(rows).cast(self.data.schema)


class HuggingFace(Columns):
    def names(self) -> list[Any]:
        return list(self.data.column_names)

    def blocks(self) -> Iterator[Block]:
        kind = self.data.features.arrow_schema.field(self.column).type
        return self.parts() if is_text(kind) or is_bytes(kind) else self.without_strings(kind)

    def parts(self) -> Iterator[Block]:
        column = self.data.select_columns([self.column]).with_format("arrow")
        for start in range(0, self.rows, BLOCK_TEXTS):
            yield from blocks_of_arrow(column[start : start + BLOCK_TEXTS][self.column])

    def strings(self) -> Any:
        return self.data.with_format(None)[self.column]

    def list_of(self, column: Any) -> list[Any]:
        return list(column)

    def answer(self, answers: Answers) -> Any:
        import datasets
        import pyarrow as pa

        schema = arrow_schema() if are_numbers(answers.duplicate_of) else None
        return datasets.Dataset(pa.table(answers.columns(), schema=schema))

    def joined(self, answer: Any) -> Any:
        import datasets

        return datasets.concatenate_datasets([self.data, answer], axis=1)

    def select(self, kept: Sequence[int]) -> Any:
        return self.data.select(kept)


class Stream(Table):
    """Documents that come one after the other, and are not kept: only what they are called is."""

    def __init__(self, data: Iterable[Any], column: str, id_field: str | None) -> None:
        self.data, self.column, self.rows = data, column, 0
        self.id_field, self.ids = id_field, list[Any]()
        self.within: str | None = None  # a field whose values are read too
        self._values = deque[Any]()

    def values_read(self) -> Iterator[Any]:
        """Yield the values of the documents that were read."""
        while self._values:
            yield self._values.popleft()

    def texts(self) -> Iterator[Any]:
        for row, document in enumerate(self.data):
            text = text_of(document, self.column, row)
            if self.id_field is not None:
                self.ids.append(value_of(document, self.id_field, row))
            if self.within is not None:
                self._values.append(value_of(document, self.within, row))
            yield text

    def check(self) -> None:
        """What comes is not known yet."""


def are_numbers(ids: Sequence[Any]) -> bool:
    """Return whether all ids other than None are numbers that fit into a column of 64 bits."""
    return all(id is None or type(id) is int and -(1 << 63) <= id < 1 << 63 for id in ids)


def arrow_schema() -> Any:
    import pyarrow as pa

    return pa.schema([("is_duplicate", pa.bool_()), ("duplicate_of", pa.int64()), ("similarity", pa.float64())])


def batches_of(docs: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Yield documents in lists. If no more can be read, what came before is yielded first."""
    batch, reading = list[Any](), iter(docs)
    while True:
        try:
            batch.append(next(reading))
        except StopIteration:
            break
        except BaseException:
            if batch:
                yield batch
            raise
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


TABLES = {
    ("pandas", "DataFrame"): Pandas,
    ("pandas", "Series"): PandasSeries,
    ("polars", "DataFrame"): Polars,
    ("polars", "Series"): PolarsSeries,
    ("pyarrow", "Table"): Arrow,
    ("datasets", "Dataset"): HuggingFace,
    ("builtins", "list"): Table,
    ("builtins", "tuple"): Table,
}


def table_of(data: Any, column: str) -> Table:
    """Return the table that holds the rows."""
    for name in names_of(data):
        if name in TABLES:
            return TABLES[name](data, column)
    raise refusal(data)


def documents_of(data: Any, column: str, id_field: str | None) -> Table:
    """Return the table that holds documents, or what reads them from an iterable, and what they are called."""
    if any(name in TABLES for name in names_of(data)):
        return table_of(data, column)
    return Stream(iterable_of(data), column, id_field)


def iterable_of(data: Any) -> Iterable[Any]:
    """Return what documents come from. What has none when it is iterated, but columns or keys, is refused."""
    names = list(names_of(data))
    advice = None if YIELDING.intersection(names) else advice_for(data)
    for name in names:
        if TABLES.get(name) in (Pandas, Polars, Arrow):
            advice = "it is a table: deduplicate(data) keeps its rows, and rows one after the other are dicts"
    if advice is None and not isinstance(data, Iterable):
        advice = "give strings, or dicts with a text"
    if advice is not None:
        raise TypeError(f"{full_name(data)} yields no documents: {advice}")
    return data  # type: ignore[no-any-return]
