"""Makes polars.arrow and polars.ipc, by a writer other than pyarrow: python makepolars.py (polars 2.1.0)."""

import polars as pl

WORDS = "river meadow hill clock tower hand table green house road train".split()
ROWS = 9


def text(i):
    return " ".join(WORDS[(i * i + k * (i + 1)) % 11] for k in range(12))


table = pl.DataFrame({
    "text": [text(i // 2) for i in range(ROWS)],
    "n": [None if i == 4 else i for i in range(ROWS)],
    "dictionary": pl.Series([WORDS[i % 3] for i in range(ROWS)], dtype=pl.Categorical),
    "enum": pl.Series([WORDS[i % 2] for i in range(ROWS)], dtype=pl.Enum(WORDS[:2])),
    "list": [[{"a": i, "b": text(i)[:20]}] * (i % 3) for i in range(ROWS)],
    "time": pl.Series(range(ROWS), dtype=pl.Datetime("us", "UTC")),
})
table.write_ipc_stream("polars.arrow")
table.write_ipc("polars.ipc", record_batch_size=4)
