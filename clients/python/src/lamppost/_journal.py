"""The history of a budget, in memory or in a file. The lines of a file are those of the TypeScript package."""

from __future__ import annotations

import json
import math
import os
import threading
from typing import Any, Dict, Mapping, Optional, Union

from ._amounts import micro_of

# The number of paid calls whose repetitions are known.
PAID_MAX = 10_000
TYPES = ("reserve", "confirm", "release", "spend", "refund")

Entry = Mapping[str, Any]


class Book:
    """The sums of a history. No other code computes them."""

    def __init__(self) -> None:
        self.spent = 0
        self.open: Dict[str, int] = {}
        # The costs of the newest paid calls, and whether they are refunded. A repetition of such a call costs nothing.
        self.paid: Dict[str, tuple[int, bool]] = {}

    def reserved(self) -> int:
        return sum(self.open.values())

    def left_of(self, total: float) -> float:
        return max(0, total - self.spent - self.reserved())

    def apply(self, entry: Entry) -> None:
        kind, key, micro = entry["type"], entry.get("id", ""), entry.get("micro", 0)
        if kind == "reserve":
            if key not in self.open and micro <= self.left_of(entry.get("total", math.inf)):
                self.open[key] = micro
        elif kind == "confirm":
            reserved = self.open.pop(key, None)
            if reserved is not None:
                self._pay(key, min(micro, reserved))
        elif kind == "release":
            self.open.pop(key, None)
        elif kind == "spend":
            self._pay(key, micro)
        elif not self.paid.get(key, (0, False))[1]:
            if key:
                self.paid[key] = (micro, True)
            self.spent = max(0, self.spent - micro)

    def _pay(self, key: str, micro: int) -> None:
        self.spent += micro
        if key and micro > 0:
            self.paid[key] = (micro, False)
        if len(self.paid) > PAID_MAX:
            del self.paid[next(iter(self.paid))]


class Journal:
    """A history in memory. Threads share it, so every use is in its lock."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._book = Book()

    def read(self) -> Book:
        return self._book

    def add(self, entry: Entry) -> Book:
        """The sums of this entry and of all entries before it."""
        self._book.apply(entry)
        return self._book


class FileJournal(Journal):
    """A history in a file, for programs that run repeatedly and for several programs at once.

    Each entry is one appended line. Every reader computes the same sums in the order of the lines, so programs share a
    limit without a lock.
    """

    def __init__(self, path: "Union[str, os.PathLike[str]]") -> None:
        super().__init__()
        self._path = path
        self._offset = 0

    def add(self, entry: Entry) -> Book:
        # A line break comes first, because the last line may be incomplete.
        line = f"\n{json.dumps(entry)}\n".encode()
        file = self._open(os.O_WRONLY)
        try:
            os.write(file, line)
            os.fsync(file)
        finally:
            os.close(file)
        return self.read()

    def read(self) -> Book:
        with open(self._open(os.O_RDONLY), "rb") as file:
            file.seek(self._offset)
            content = file.read()
        whole = content.rfind(b"\n") + 1
        for line in content[:whole].split(b"\n"):
            entry = _entry_in(line)
            if entry is not None:
                self._book.apply(entry)
        self._offset += whole
        return self._book

    def _open(self, how: int) -> int:
        return os.open(self._path, how | os.O_APPEND | os.O_CREAT, 0o600)


def _entry_in(line: bytes) -> Optional[Entry]:
    """The entry of a line; None if the line is incomplete, because a program died while it wrote the line."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    said = entry if isinstance(entry, dict) else {}
    is_entry = said.get("type") in TYPES and isinstance(said.get("id", ""), str)
    if not is_entry or micro_of(said.get("micro", 0)) is None:
        raise ValueError(f"The file of the budget holds a line that is none of a budget: {line[:80].decode(errors='replace')}")
    return said
