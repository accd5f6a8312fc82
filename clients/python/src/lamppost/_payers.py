from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass, replace
from typing import Any, Awaitable, Callable, Mapping, Optional, Protocol
from urllib.parse import urlsplit

from ._api import Api, nothing
from ._amounts import micro_in, micro_of, sure_micro
from ._budget import Budget, Reservation
from ._connections import Exchange
from ._errors import LamppostError, NoAnswer
from ._medium import Charge
from ._sender import Answer, Request, Sender

# The service knows the cost of an answer that was left after this time.
SETTLED_SECONDS = 2.0
LOOK_AGAIN_SECONDS = 0.1
COSTS_NOTHING = ("none", "released", "refunded")


METERED = 'What is billed by its use cannot be paid per call in USDC: use a key, pay="balance", or chat().'
Price = Callable[[], Awaitable[int]]


@dataclass(frozen=True)
class Paid:
    body: Any
    charge: Charge
    #: Records the service's refund, if the service holds the money.
    refund: Callable[[], None]
    request_id: Optional[str]


class Payer(Protocol):
    async def buy(
        self, request: Request, max_price_micro: Optional[int] = None, most: "Optional[Price]" = None
    ) -> Paid:
        """Sends a call and pays it once. A call with `most` is charged by usage."""
        ...

    async def open(self, request: Request, most: "Price") -> "Opened":
        """Sends a call whose answer is read while it arrives."""
        ...


def cost_nothing(error: BaseException, was_sent_before: bool = False) -> bool:
    """Whether a failed call certainly cost nothing.

    A refusal from before the check of the idempotency key does not cover an earlier, unanswered try. For a call that was
    sent before, only a released charge counts.
    """
    if not isinstance(error, LamppostError) or error.code.startswith("IDEMPOTENCY_"):
        return False
    is_first = not was_sent_before and not error.follows_silence
    if error.charge_state is None:
        return is_first and error.status < 500
    return error.charge_state in COSTS_NOTHING and (is_first or error.charge_state != "none")


def charge_of(headers: Mapping[str, str], most: float = math.inf) -> Charge:
    """The price in an answer: at most `most`, which is also the default."""
    told = micro_in(headers.get("x-charge-micro"), most)
    micro = told if told is not None else (0 if most == math.inf else int(most))
    return Charge(headers.get("x-charge-id", ""), micro, micro_in(headers.get("x-balance-micro")))


def paid_by(answer: Answer, most: float, refund: Callable[[], None]) -> Paid:
    return Paid(answer.body, charge_of(answer.headers, most), refund, answer.headers.get("x-request-id"))


def was_replayed(headers: Mapping[str, str]) -> bool:
    """Whether the answer is that of an earlier, equal call."""
    return headers.get("idempotent-replayed") == "true"


KEYS = "/v1/agent/keys"
# As long as an answer may be read. The key of a dead process expires.
LOAN_SECONDS = 900


class Loans:
    """Keys for single calls of a wallet, because routes that charge by tokens accept keys only.

    Each can pay its call and no more. It is made under the idempotency key of the call, so that a repetition has the same
    key and is not paid twice.
    """

    def __init__(self, api: Api) -> None:
        self._api = api

    async def take(self, call: Request, most_micro: int) -> "tuple[Mapping[str, str], Callable[[], Awaitable[None]]]":
        body = {
            "name": "one answer",
            "limitMicro": max(1, most_micro),
            "expiresInSeconds": LOAN_SECONDS,
            "scopes": {"routes": ["studio"]},
        }
        sender = self._api.sender
        proof = await sender.io.call(lambda: self._api.proof_for(KEYS), nothing)
        headers = {**proof, "Idempotency-Key": call.headers["Idempotency-Key"]}
        made = (await sender.json(Request("POST", KEYS, body, headers, has="key", how=call.how))).body

        async def end() -> None:
            try:
                await self._api.change("DELETE", f"{KEYS}/{made['id']}")
            except (LamppostError, NoAnswer):
                pass  # A key that can't be ended now expires by itself.

        return {"x-api-key": made["key"]}, end


class Prepaid:
    """Money that the service holds: the credits of a key or a session, or the balance of a wallet."""

    def __init__(self, api: Api, budget: Budget, payer: str, loans: Optional[Loans] = None) -> None:
        self._api = api
        self._sender = api.sender
        self._budget = budget
        self._loans = loans
        place = urlsplit(api.sender.base_url)
        self._origin = f"{place.scheme}://{place.netloc}"
        self._payer = hashlib.sha256(f"{self._origin} {payer}".encode()).hexdigest()[:16]

    async def buy(self, request: Request, max_price_micro: Optional[int] = None, most: Optional[Price] = None) -> Paid:
        key = self.key_of(request.headers["Idempotency-Key"])
        if not self._budget.is_limited:
            limit = 0 if most is None or self._loans is None else await self._most_for(most)
            answer = await self._send(request, limit, most is not None)
            paid = paid_by(answer, math.inf, lambda: self._budget.refund(key, paid.charge.micro))
            self._budget.spend(key, paid.charge.micro, was_replayed(answer.headers))
            return paid
        reservation = await self._reserve(request, most)
        limited = {**request.headers, "X-Max-Price-Micro": str(reservation.micro)}
        try:
            answer = await self._send(replace(request, headers=limited), reservation.micro, most is not None)
        except BaseException as error:
            _give_up(reservation, error)
            raise
        paid = paid_by(answer, reservation.micro, lambda: self._budget.refund(key, paid.charge.micro))
        reservation.confirm(paid.charge.micro, was_replayed(answer.headers))
        return paid

    async def open(self, request: Request, most: Price) -> "Opened":
        reservation = await self._reserve(request, most) if self._budget.is_limited else None
        end: Callable[[], Awaitable[None]] = _end_nothing
        try:
            limit = reservation.micro if reservation else 0 if self._loans is None else await self._most_for(most)
            call, end = await self._metered(request, limit)
            exchange = await self._sender.open(call)
            return Opened(self._sender, call, exchange, self._budget, self.key_of(request.headers["Idempotency-Key"]), reservation, end)
        except BaseException as error:
            if _is_over(error):
                await end()
            if reservation is not None:
                _give_up(reservation, error)
            raise

    async def _send(self, request: Request, limit: int, is_metered: bool) -> Answer:
        if not is_metered:
            return await self._sender.json(replace(request, headers={**await self._api.signed(), **request.headers}))
        call, end = await self._metered(request, limit)
        try:
            answer = await self._sender.json(call)
        except BaseException as error:
            if _is_over(error):
                await end()
            raise
        await end()
        return answer

    async def _metered(self, request: Request, limit: int) -> "tuple[Request, Callable[[], Awaitable[None]]]":
        """Adds the payer to a call that is charged by usage."""
        if self._loans is None:
            return replace(request, headers={**await self._api.signed(), **request.headers}), _end_nothing
        headers, end = await self._loans.take(request, limit)
        return replace(request, headers={**headers, **request.headers}), end

    async def _reserve(self, call: Request, most: Optional[Price]) -> Reservation:
        key = self.key_of(call.headers["Idempotency-Key"])
        found = self._budget.find(key)
        if found is not None:
            return found
        return self._budget.reserve(key, await (self._price_of(call) if most is None else self._most_for(most)))

    async def _most_for(self, most: Price) -> int:
        """A key of a wallet pays as the wallet: ten thirds of the cost, and at least 2,000 micro-USD."""
        cost = await most()
        return cost if self._loans is None else max(2_000, -(-cost * 10 // 3))

    def key_of(self, mark: str) -> str:
        """The name of a call in the budget: the same for all repetitions by the same payer, in both packages."""
        return f"{self._origin} {self._payer} {mark}"

    async def _price_of(self, call: Request) -> int:
        """A dry run: the route checks the whole call and charges nothing."""
        known = {"idempotency_key": call.headers.get("Idempotency-Key")}
        body = {**(call.body or {}), "dryRun": True}
        proof = await self._api.signed()
        rehearsal = replace(call, body=body, headers=proof, is_raw=False, has="priceMicro", known=known)
        return sure_micro((await self._sender.json(rehearsal)).body.get("priceMicro"), "a price")


class Opened:
    """An answer whose body is not read yet."""

    def __init__(
        self,
        sender: Sender,
        call: Request,
        exchange: Exchange,
        budget: Budget,
        key: str,
        reservation: Optional[Reservation],
        end: Callable[[], Awaitable[None]],
    ) -> None:
        self._sender = sender
        self._call = call
        self._budget = budget
        self._key = key
        self._reservation = reservation
        self.exchange = exchange
        #: Ends the payer of the call when nobody reads the answer any more.
        self.end = end
        self.charge_id = exchange.headers.get("x-charge-id", "")
        self._settled: Optional[int] = None

    async def again(self) -> Exchange:
        return await self._sender.open(self._call)

    def settle(self, cost_micro: Any, is_replay: bool = False) -> int:
        """Takes the cost that the answer names. A call has one cost, however many a service reports."""
        if self._settled is None:
            self._settled = self._settle(cost_micro, is_replay)
        return self._settled

    async def leave(self) -> None:
        """An answer that its reader left is charged for its text so far. Its receipt shows the cost a moment later."""
        until = time.monotonic() + SETTLED_SECONDS
        try:
            while self._settled is None and time.monotonic() < until:
                receipt = await self._receipt()
                if receipt["state"] not in ("held", "settling"):
                    self.settle(receipt["priceMicro"] if receipt["state"] == "charged" else 0)
                    return
                await self._sender.io.sleep(LOOK_AGAIN_SECONDS)
        except (LamppostError, NoAnswer, LookupError, TypeError):
            pass  # The cost is unknown, so the most that it could be stays reserved.

    async def is_returned(self, until: float) -> bool:
        """Whether its money came back, as after the death of the service. While the service is away, nobody knows."""
        while time.monotonic() < until:
            try:
                state = (await self._receipt())["state"]
                if state not in ("held", "settling"):
                    return state in COSTS_NOTHING
            except (LamppostError, NoAnswer) as error:
                if isinstance(error, LamppostError) and not error.retryable:
                    return False
            await self._sender.io.sleep(0.5)
        return False

    async def _receipt(self) -> Mapping[str, Any]:
        request = Request("GET", f"/v1/agent/charges/{self.charge_id}", has="state")
        return dict((await self._sender.json(request)).body)

    def _settle(self, cost_micro: Any, is_replay: bool) -> int:
        if self._reservation is None:
            micro = micro_of(cost_micro) or 0
            self._budget.spend(self._key, micro, is_replay)
            return micro
        told = micro_of(cost_micro, self._reservation.micro)
        micro = self._reservation.micro if told is None else told
        self._reservation.confirm(micro, is_replay)
        return micro


def _is_over(error: BaseException) -> bool:
    """Whether a failed call keeps no money, and never will.

    Any other answer may deny an earlier try that was paid: only the same payer finds its answer, until it expires.
    """
    return isinstance(error, LamppostError) and error.charge_state in ("released", "refunded")


def _give_up(reservation: Reservation, error: BaseException) -> None:
    """Releases the money of a failed call if it certainly cost nothing."""
    if cost_nothing(error, reservation.is_joined):
        reservation.release()
    else:
        reservation.leave()


async def _end_nothing() -> None:
    pass
