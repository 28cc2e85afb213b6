"""Texts that are too long to be compared."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

HERE = os.path.dirname(__file__) + os.sep


def warn_of_long(count: int, first: int | None) -> None:
    """Warn of texts that are kept, and compared with nothing. first is the row of the first of several."""
    if count == 0:
        return
    where = f"{count} document{'s are' if count > 1 else ' is'}" if first is None else f"row {first} is" if count == 1 else f"{count} rows are, from {first} on,"
    # The warning is about the line of the caller, at which each is shown once.
    at: dict[str, Any] = {"skip_file_prefixes": (HERE,)} if sys.version_info >= (3, 12) else {"stacklevel": 4}
    warnings.warn(
        f"{where} longer than --max-record, which is 64 MiB unless options say otherwise: kept, and compared with "
        'nothing. Give options=["--max-record", "1GiB"] to compare it',
        UserWarning,
        **at,
    )
