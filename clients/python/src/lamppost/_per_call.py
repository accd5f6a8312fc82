from __future__ import annotations

import math
import threading
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Dict, List, Mapping, Optional, Union

from ._api import nothing
from ._budget import Budget, Reservation
from ._errors import LamppostError
from ._payable import Payable
from ._payers import METERED, Opened, Paid, Price, cost_nothing, paid_by
from ._sender import Answer, Request, Sender
from ._x402 import Draft, Wallet

# The default limit of one signature, the same as in stock x402 clients.
SIGNED_MICRO_MAX = 1_000_000
# The number of calls that a client can repeat with the same payment.
KEPT_MAX = 1_000


@dataclass(frozen=True)
class Signed:
    """A signed payment, with its money."""

    headers: Mapping[str, str]
    reservation: Reservation


class Stopped(Exception):
    """The caller that signed has stopped, so another one of the same call begins."""


class PerCall:
    """USDC for each call. A retry, also of another thread, sends the payment that was signed for the first try."""

    def __init__(self, sender: Sender, budget: Budget, wallet: Wallet, payable: Payable) -> None:
        self._sender = sender
        self._budget = budget
        self._wallet = wallet
        self._payable = payable
        # By the idempotency key of the call.
        self._signed: "Dict[str, Future[Union[Signed, Answer]]]" = {}
        # The newest paid calls, whose payments are kept.
        self._paid: List[str] = []
        self._lock = threading.Lock()

    async def buy(
        self,
        request: Request,
        max_price_micro: Optional[int] = None,
        most: Optional[Price] = None,
        known_micro: Optional[int] = None,
    ) -> Paid:
        if most is not None:
            raise TypeError(METERED)
        key = request.headers["Idempotency-Key"]
        payment = await self._payment(key, request, max_price_micro, known_micro)
        if isinstance(payment, Answer):
            return paid_by(payment, math.inf, lambda: None)
        try:
            answer = await self._sender.json(replace(request, headers={**request.headers, **payment.headers}))
        except Exception as error:
            # A signed and sent payment stays reserved: the service may still settle it, whatever it answers.
            if cost_nothing(error):
                self._signed.pop(key, None)
            raise
        # The whole signed amount can be settled, whatever the answer says.
        payment.reservation.confirm(payment.reservation.micro)
        self._keep(key)
        return paid_by(answer, payment.reservation.micro, lambda: None)

    async def open(self, request: Request, most: Price) -> Opened:
        raise TypeError(METERED)

    async def _payment(
        self, key: str, request: Request, max_price_micro: Optional[int], known_micro: Optional[int]
    ) -> Union[Signed, Answer]:
        """The payment of a call, which is signed once for all that make it at the same time."""
        own: "Future[Union[Signed, Answer]]" = Future()
        while True:
            with self._lock:
                signing = self._signed.setdefault(key, own)
            if signing is own:
                break
            try:
                return await self._sender.io.result(signing)
            except Stopped:
                continue
        try:
            payment = await self._signed_now(request, max_price_micro, known_micro)
        except BaseException as error:
            self._signed.pop(key, None)
            own.set_exception(error if isinstance(error, Exception) else Stopped())
            raise
        if isinstance(payment, Answer):
            self._signed.pop(key, None)
        own.set_result(payment)
        return payment

    def _keep(self, key: str) -> None:
        """A repetition sends the same payment, so it is signed and counted once. Unresolved payments are never lost."""
        with self._lock:
            if key not in self._paid:
                self._paid.append(key)
            if len(self._paid) > KEPT_MAX:
                self._signed.pop(self._paid.pop(0), None)

    async def _signed_now(
        self, request: Request, max_price_micro: Optional[int], known_micro: Optional[int]
    ) -> Union[Signed, Answer]:
        """Asks for the price without a payment. A free call gets its answer at once."""
        try:
            return await self._sender.json(request)
        except LamppostError as refusal:
            if refusal.status != 402:
                raise
            draft = Draft(refusal, self._wallet, self._payable)
        is_unlimited = max_price_micro is None and not self._budget.limits_calls
        limits = [max_price_micro, known_micro, SIGNED_MICRO_MAX if is_unlimited else None]
        allowed = [one for one in limits if one is not None]
        reservation = self._budget.reserve(draft.nonce, draft.micro, allowed, draft.payment)
        try:
            return Signed(await self._sender.io.call(lambda: draft.sign(self._wallet), nothing), reservation)
        except BaseException:
            # Nothing was sent.
            reservation.release()
            raise
