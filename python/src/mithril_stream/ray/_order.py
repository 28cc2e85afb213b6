"""By which columns of a dataset a row is earlier."""

from __future__ import annotations

from typing import Any, NamedTuple

import pyarrow as pa

from mithril_stream._positions import on_day, plain


class Order(NamedTuple):
    """By what a row is earlier: the values of columns, and before them its day, if there are several."""

    columns: list[str]
    day: str | None = None  # the day of all rows

    def positions(self, table: Any) -> Any:
        """Return the position of each row: the value of its column, or a struct of several."""
        fields = [plain(table.column(name)) for name in self.columns]
        made = fields[0] if len(fields) == 1 else pa.StructArray.from_arrays(fields, names=self.columns)
        return made if self.day is None else on_day(self.day, made)
