"""A function that tells new documents from duplicates, which other processes may call too."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from mithril_stream._documents import is_text, text_of
from mithril_stream._judge import BROKEN_OFF
from mithril_stream._program import MithrilError
from mithril_stream._temporary import remove, temporary_directory

Ask = Callable[[Sequence[Any]], list[bool]]


class Unseen:
    """Says of documents whether no earlier one resembles them, and remembers them: for `filter` of a Hugging Face
    dataset, with or without batched=True and num_proc.

    The process that made it does the work. A copy in another process asks that one, by a socket that no other user can
    open. Which of two documents comes first is then as chance has it among the processes."""

    def __init__(self, ask: Ask, server: Server, text: str) -> None:
        self._ask, self._server, self._text = ask, server, text

    def __call__(self, batch: Any) -> Any:
        return answer(self._ask if self._server.is_mine() else self._server.ask_owner, batch, self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        # by its address it is another one than any other: no cache has what it says
        return UnseenElsewhere, (self._server.address, self._server.key, self._text)


class UnseenElsewhere:
    """The same in a process that has not made it."""

    def __init__(self, address: str, key: bytes, text: str) -> None:
        self._address, self._key, self._text = address, key, text

    def __call__(self, batch: Any) -> Any:
        return answer(lambda texts: ask_at(self._address, self._key, texts), batch, self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return UnseenElsewhere, (self._address, self._key, self._text)


def answer(ask: Ask, batch: Any, text: str) -> Any:
    """Ask about a batch, which is a dict of lists or a list, or about one document."""
    if isinstance(batch, Mapping):
        value = text_column(batch, text)
        return ask(list(value)) if not is_text(value) else ask([value])[0]
    if is_text(batch):
        return ask([batch])[0]
    return ask([text_of(document, text, row) for row, document in enumerate(batch)])


def text_column(batch: Mapping[str, Any], text: str) -> Any:
    if text not in batch:
        raise KeyError(f"there is no column {text!r}: choose from {', '.join(map(str, batch))}")
    return batch[text]


class Server:
    """Lets other processes ask, each by a connection of its own, until it is closed. Its threads keep alive only what
    they are asking, and that as long as it takes."""

    def __init__(self, ask: Callable[[], Ask | None]) -> None:
        """ask returns what is asked, or None if that is gone."""
        self._ask, self.key, self._pid, self._is_closed = ask, os.urandom(32), os.getpid(), False
        self._directory = temporary_directory()  # not that of multiprocessing, which stays if this process is killed
        self._listener = Listener(os.path.join(self._directory, "s"), "AF_UNIX", authkey=self.key)
        self.address = str(self._listener.address)
        threading.Thread(target=self._accept, daemon=True).start()

    def is_mine(self) -> bool:
        return self._pid == os.getpid()

    def ask_owner(self, texts: Sequence[Any]) -> list[bool]:
        return ask_at(self.address, self.key, texts)

    def close(self) -> None:
        """Take no more connections."""
        self._is_closed = True
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as waking:  # the thread that waits for one
            waking.setblocking(False)
            waking.connect(self.address)
        with contextlib.suppress(OSError):
            self._listener.close()
        remove(self._directory)

    def _accept(self) -> None:
        while not self._is_closed:
            try:
                connection = self._listener.accept()
            except Exception as error:
                if isinstance(error, OSError) and not isinstance(error, ConnectionError):  # it was closed
                    return
                continue  # one that has gone at once, or does not know the key
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: Connection[Any, Any]) -> None:
        # Whoever has asked, or what is asked, may have gone.
        with connection, contextlib.suppress(EOFError, OSError):
            while True:
                connection.send(self._reply(connection.recv()))

    def _reply(self, texts: Sequence[Any]) -> Any:
        ask = self._ask()
        if ask is None:
            raise EOFError
        try:
            return ask(texts)
        except Exception as error:
            return error


class Connections(threading.local):
    """The connections of a thread, by the process and the address. While one is used it is None here: one that was
    broken off in the middle of an exchange, with a reply on its way, is used no more."""

    def __init__(self) -> None:
        self.to: dict[tuple[int, str], Connection[Any, Any] | None] = {}


_connections = Connections()


def ask_at(address: str, key: bytes, texts: Sequence[Any]) -> list[bool]:
    """Ask the process at an address."""
    at, to = (os.getpid(), address), _connections.to
    connection = to.get(at)
    if connection is None and at in to:
        raise MithrilError(BROKEN_OFF)
    try:
        connection = connection or Client(address, authkey=key)
        to[at] = None
        connection.send(texts)
        reply = connection.recv()
    except (EOFError, OSError) as error:
        to.pop(at, None)
        raise MithrilError("the process or the object that remembers documents has gone") from error
    if isinstance(reply, Exception):
        to[at] = connection
        raise reply
    to[at] = connection; return reply  # type: ignore[no-any-return] # noqa: E702 (no exception comes between them)
