"""A function that tells new documents from duplicates, which other processes may call too."""

from __future__ import annotations

import os
import threading
import weakref
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

    def __init__(self, ask: Ask, text: str) -> None:
        self._text, self._server = text, Server(ask)

    def __call__(self, batch: Any) -> Any:
        return answer(self._server.ask if self._server.is_mine() else self._server.ask_owner, batch, self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        # by its address it is another one than any other: no cache has what it says
        return UnseenElsewhere, (self._server.address, self._server.key, self._text)

    def close(self) -> None:
        self._server.close()


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
    """Lets other processes ask, each by a connection of its own."""

    def __init__(self, ask: Ask) -> None:
        self.ask, self.key, self._pid = ask, os.urandom(32), os.getpid()
        self._directory = temporary_directory()  # not that of multiprocessing, which stays if this process is killed
        self._listener = Listener(os.path.join(self._directory, "s"), "AF_UNIX", authkey=self.key)
        self.address = str(self._listener.address)
        threading.Thread(target=self._accept, daemon=True).start()

    def is_mine(self) -> bool:
        return self._pid == os.getpid()

    def ask_owner(self, texts: Sequence[Any]) -> list[bool]:
        return ask_at(self.address, self.key, texts)

    def close(self) -> None:
        if self.is_mine():
            self._listener.close()
            remove(self._directory)

    def _accept(self) -> None:
        while True:
            try:
                connection = self._listener.accept()
            except OSError:  # it was closed
                return
            except Exception:  # one that does not know the key
                continue
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: Connection[Any, Any]) -> None:
        with connection:
            while True:
                try:
                    texts = connection.recv()
                except (EOFError, OSError):
                    return
                try:
                    reply: Any = self.ask(texts)
                except Exception as error:
                    reply = error
                try:
                    connection.send(reply)
                except OSError:  # whoever has asked has gone
                    return


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


def unseen(ask: Ask, text: str, owner: object) -> Unseen:
    """Make a function that goes with its owner."""
    made = Unseen(ask, text)
    weakref.finalize(owner, made.close)
    return made
