from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Optional, Sequence

from ._amounts import sure_micro
from ._errors import BudgetExceeded

# The number of paid calls whose repetitions are known.
PAID_MAX = 10_000


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
    return math.floor(usd * 1e6 + 1e-6)


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
            self._budget._close(self._key, cost)

    def release(self) -> None:
        """The call certainly cost nothing. It stays reserved while the same call runs once more."""
        if self._budget._leave(self._key) == 0:
            self._budget._close(self._key, 0)

    def leave(self) -> None:
        """The cost is unknown: it stays reserved."""
        self._budget._leave(self._key)


class Budget:
    """Limits of spending, in USD, and the amount spent. Several clients and threads can share one object.

    A price is reserved before anything is signed or sent. Only this class computes the rest.
    """

    def __init__(self, per_call: Optional[float] = None, total: Optional[float] = None) -> None:
        self._per_call = _micro_of_usd(per_call, "per_call")
        self._total = _micro_of_usd(total, "total")
        self._spent = 0
        self._open: dict[str, int] = {}
        # The number of calls that wait for one reservation.
        self._holders: dict[str, int] = {}
        # The costs of the newest paid calls, and whether they are refunded. A repetition of such a call costs nothing.
        self._paid: dict[str, tuple[int, bool]] = {}
        self._lock = threading.Lock()
        self.limits_calls = per_call is not None
        self.is_limited = per_call is not None or total is not None

    def state(self) -> Spending:
        with self._lock:
            return Spending(self._spent, self._reserved(), self._left())

    def find(self, key: str) -> Optional[Reservation]:
        """The reservation of an earlier try of the same call."""
        with self._lock:
            micro = self._open.get(key)
            if micro is not None:
                self._holders[key] = self._holders.get(key, 0) + 1
            paid = self._paid.get(key)
        if micro is not None:
            return Reservation(self, key, micro, True)
        # A refunded call may be charged again.
        return None if paid is None or paid[1] else Reservation(self, key, paid[0], True, True)

    def reserve(self, key: str, micro: int, limits: Sequence[float] = ()) -> Reservation:
        """Reserves a price, or raises before anything is signed or sent."""
        sure_micro(micro, "a price")
        with self._lock:
            may_cost = min([self._per_call, *limits, self._left()])
            if micro > may_cost:
                raise BudgetExceeded(micro, may_cost, self._reserved())
            is_joined = key in self._open
            self._open.setdefault(key, micro)
            self._holders[key] = self._holders.get(key, 0) + 1
        return Reservation(self, key, micro, is_joined)

    def spend(self, key: str, micro: int, is_replay: bool = False) -> None:
        with self._lock:
            if not (is_replay and key in self._paid):
                self._pay(key, micro)

    def refund(self, key: str, micro: int) -> None:
        """Counts once for each call."""
        with self._lock:
            if self._paid.get(key, (0, False))[1]:
                return
            self._paid[key] = (micro, True)
            self._spent = max(0, self._spent - micro)

    def _pay(self, key: str, micro: int) -> None:
        self._spent += micro
        self._paid[key] = (micro, False)
        if len(self._paid) > PAID_MAX:
            del self._paid[next(iter(self._paid))]

    def _leave(self, key: str) -> int:
        with self._lock:
            left = max(0, self._holders.pop(key, 0) - 1)
            if left > 0:
                self._holders[key] = left
            return left

    def _close(self, key: str, cost_micro: int) -> None:
        with self._lock:
            if self._open.pop(key, None) is not None and cost_micro > 0:
                self._pay(key, cost_micro)

    def _reserved(self) -> int:
        return sum(self._open.values())

    def _left(self) -> float:
        return max(0, self._total - self._spent - self._reserved())
