from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from ._amounts import sure_micro
from ._errors import BudgetExceeded
from ._journal import FileJournal, Journal


@dataclass(frozen=True)
class Spending:
    """The state of a budget, in micro-USD. `left_micro` is infinite without a total."""

    spent_micro: int
    reserved_micro: int
    left_micro: float


def _micro_of_usd(usd: Optional[float], name: str) -> float:
    if usd is None:
        return math.inf
    if isinstance(usd, bool) or not isinstance(usd, (int, float)) or not usd >= 0:
        raise TypeError(f"{name} must be an amount of USD.")
    return math.floor(usd * 1e6 + 1e-6) if usd < math.inf else math.inf


class Reservation:
    """Money that is reserved for one call until its price is known."""

    def __init__(self, budget: "Budget", key: str, micro: int, is_joined: bool, is_paid: bool = False) -> None:
        self._budget = budget
        self._key = key
        self.micro = micro
        # Whether an earlier try of the same call reserved it.
        self.is_joined = is_joined
        # Whether the call was paid before, so that its repetition reserves nothing.
        self._is_paid = is_paid

    def confirm(self, cost_micro: int, is_replay: bool = False) -> None:
        """The call has cost this much. The replayed answer of a paid call costs nothing."""
        self._budget._leave(self._key)
        cost = min(cost_micro, self.micro)
        if self._is_paid:
            self._budget.spend(self._key, cost, is_replay)
        else:
            self._budget._add({"type": "confirm", "id": self._key, "micro": cost})

    def release(self) -> None:
        """The call certainly cost nothing. It stays reserved while the same call runs once more."""
        if self._budget._leave(self._key) == 0 and not self._is_paid:
            self._budget._add({"type": "release", "id": self._key})

    def leave(self) -> None:
        """The cost is unknown: it stays reserved."""
        self._budget._leave(self._key)


class Budget:
    """Limits of spending, in USD, and the amount spent. Clients and threads can share one object, and programs one file.

    A price is reserved before anything is signed or sent. Only this class computes the rest.
    """

    def __init__(
        self,
        per_call: Optional[float] = None,
        total: Optional[float] = None,
        file: "Union[str, os.PathLike[str], None]" = None,
    ) -> None:
        self._per_call = _micro_of_usd(per_call, "per_call")
        self._total = _micro_of_usd(total, "total")
        self._journal = Journal() if file is None else FileJournal(file)
        # The number of calls in this program that wait for one reservation.
        self._holders: Dict[str, int] = {}
        self.limits_calls = per_call is not None
        self.is_limited = per_call is not None or total is not None

    def state(self) -> Spending:
        with self._journal.lock:
            book = self._journal.read()
            return Spending(book.spent, book.reserved(), book.left_of(self._total))

    def find(self, key: str) -> Optional[Reservation]:
        """The reservation of an earlier try of the same call, in this program or in another."""
        with self._journal.lock:
            book = self._journal.read()
            micro, paid = book.open.get(key), book.paid.get(key)
            if micro is not None:
                self._hold(key)
                return Reservation(self, key, micro, True)
        # A refunded call may be charged again.
        return None if paid is None or paid[1] else Reservation(self, key, paid[0], True, True)

    def reserve(
        self, key: str, micro: int, limits: Sequence[float] = (), payment: Optional[Mapping[str, Any]] = None
    ) -> Reservation:
        """Reserves a price, or raises before anything is signed or sent."""
        sure_micro(micro, "a price")
        may_cost = min([self._per_call, *limits])
        total = {} if self._total == math.inf else {"total": self._total}
        signed = {} if payment is None else {"payment": payment}
        with self._journal.lock:
            is_joined = key in self._journal.read().open
            if micro <= may_cost:
                entry = {"type": "reserve", "id": key, "micro": micro, **signed, **total}
                if key in self._journal.add(entry).open:
                    self._hold(key)
                    return Reservation(self, key, micro, is_joined)
            book = self._journal.read()
            raise BudgetExceeded(micro, min(may_cost, book.left_of(self._total)), book.reserved())

    def spend(self, key: str, micro: int, is_replay: bool = False) -> None:
        with self._journal.lock:
            if not (is_replay and key in self._journal.read().paid):
                self._add({"type": "spend", "id": key, "micro": micro})

    def refund(self, key: str, micro: int) -> None:
        """Counts once for each call."""
        self._add({"type": "refund", "id": key, "micro": micro})

    def _add(self, entry: Mapping[str, Any]) -> None:
        """If the history can't be written, the reservation stays and counts. The caller still gets the answer."""
        with self._journal.lock:
            try:
                self._journal.add(entry)
            except OSError:
                pass

    def _hold(self, key: str) -> None:
        self._holders[key] = self._holders.get(key, 0) + 1

    def _leave(self, key: str) -> int:
        with self._journal.lock:
            left = max(0, self._holders.pop(key, 0) - 1)
            if left > 0:
                self._holders[key] = left
            return left
