from __future__ import annotations

import hashlib
import math
import threading
import time
import uuid
from dataclasses import dataclass, replace
from typing import Any, Callable, Mapping, Optional, Protocol

from ._amounts import micro_in, micro_of, sure_micro
from ._budget import Budget, Reservation
from ._errors import LamppostError, NoAnswer
from ._medium import Charge
from ._payable import Payable
from ._sender import Request, Sender
from ._sign_in import SignIn
from ._x402 import Draft, Wallet

# The default limit of one signature, the same as in stock x402 clients.
SIGNED_MICRO_MAX = 1_000_000
# The service knows the cost of an answer that was left after this time.
SETTLED_SECONDS = 2.0
LOOK_AGAIN_SECONDS = 0.1
# The number of calls that a client can repeat with the same payment.
KEPT_MAX = 1_000
COSTS_NOTHING = ("none", "released", "refunded")


@dataclass(frozen=True)
class Paid:
    body: Any
    charge: Charge
    #: Records the service's refund, if the service holds the money.
    refund: Callable[[], None]


class Payer(Protocol):
    def buy(self, request: Request, max_price_micro: Optional[int] = None) -> Paid: ...


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

    def __init__(self, sender: Sender, sign_in: SignIn) -> None:
        self._sender = sender
        self._sign_in = sign_in

    def take(self, call: Request, most_micro: int) -> tuple[Mapping[str, str], Callable[[], None]]:
        body = {
            "name": "one answer",
            "limitMicro": max(1, most_micro),
            "expiresInSeconds": LOAN_SECONDS,
            "scopes": {"routes": ["studio"]},
        }
        proof = self._sign_in.headers_for(self._sender.url_of(KEYS))
        headers = {**proof, "Idempotency-Key": call.headers["Idempotency-Key"]}
        made = self._sender.json(Request("POST", KEYS, body, headers, has="key")).body
        return {"x-api-key": made["key"]}, lambda: self._end(made["id"])

    def _end(self, key_id: str) -> None:
        headers = {**self._sign_in.headers(), "Idempotency-Key": str(uuid.uuid4())}
        try:
            self._sender.json(Request("DELETE", f"{KEYS}/{key_id}", headers=headers))
        except (LamppostError, NoAnswer):
            pass  # A key that can't be ended now expires by itself.


class Prepaid:
    """Money that the service holds: the credits of a key, or the balance of a wallet."""

    def __init__(
        self,
        sender: Sender,
        budget: Budget,
        proof: Callable[[], Mapping[str, str]],
        payer: str,
        loans: Optional[Loans] = None,
    ) -> None:
        self._sender = sender
        self._budget = budget
        self._proof = proof
        self._payer = hashlib.sha256(payer.encode()).hexdigest()[:16]
        self._loans = loans

    def buy(self, request: Request, max_price_micro: Optional[int] = None) -> Paid:
        call = self._with_credential(request)
        key = self._key_of(request)
        if not self._budget.is_limited:
            answer = self._sender.json(call)
            charge = charge_of(answer.headers)
            self._budget.spend(key, charge.micro, was_replayed(answer.headers))
            return Paid(answer.body, charge, lambda: self._budget.refund(key, charge.micro))
        reservation = self._reserve(call, lambda: self._price_of(call))
        limited = {**call.headers, "X-Max-Price-Micro": str(reservation.micro)}
        try:
            answer = self._sender.json(replace(call, headers=limited))
        except Exception as error:
            if cost_nothing(error, reservation.is_joined):
                reservation.release()
            else:
                reservation.leave()
            raise
        charge = charge_of(answer.headers, reservation.micro)
        reservation.confirm(charge.micro, was_replayed(answer.headers))
        return Paid(answer.body, charge, lambda: self._budget.refund(key, charge.micro))

    def open(self, request: Request, cost: Callable[[], int]) -> "Opened":
        # A key of a wallet pays as the wallet: ten thirds of the cost, and at least 2,000 micro-USD.
        most = cost if self._loans is None else lambda: max(2_000, -(-cost() * 10 // 3))
        reservation = self._reserve(request, most) if self._budget.is_limited else None
        end: Callable[[], None] = lambda: None
        try:
            if self._loans is None:
                call = self._with_credential(request)
            else:
                limit = most() if reservation is None else reservation.micro
                headers, end = self._loans.take(request, limit)
                call = replace(request, headers={**headers, **request.headers})
            return Opened(self._sender, call, self._sender.open(call), self._budget, self._key_of(request), reservation, end)
        except BaseException as error:
            # Any other answer may deny an earlier try that was paid: only the same key finds its answer, until it expires.
            if isinstance(error, LamppostError) and error.charge_state in ("released", "refunded"):
                end()
            if reservation is not None and cost_nothing(error, reservation.is_joined):
                reservation.release()
            elif reservation is not None:
                reservation.leave()
            raise

    def _reserve(self, call: Request, price: Callable[[], int]) -> Reservation:
        key = self._key_of(call)
        return self._budget.find(key) or self._budget.reserve(key, price())

    def _key_of(self, request: Request) -> str:
        """The name of a call in the budget: the same for all repetitions by the same payer."""
        return f"{self._sender.base_url} {self._payer} {request.headers.get('Idempotency-Key')}"

    def _price_of(self, call: Request) -> int:
        """A dry run: the route checks the whole call and charges nothing."""
        known = {"idempotency_key": call.headers.get("Idempotency-Key")}
        body = {**(call.body or {}), "dryRun": True}
        rehearsal = replace(call, body=body, headers=self._proof(), has="priceMicro", known=known)
        return sure_micro(self._sender.json(rehearsal).body.get("priceMicro"), "a price")

    def _with_credential(self, request: Request) -> Request:
        return replace(request, headers={**self._proof(), **request.headers})


class Opened:
    """An answer whose body is not read yet."""

    def __init__(
        self,
        sender: Sender,
        call: Request,
        response: Any,
        budget: Budget,
        key: str,
        reservation: Optional[Reservation],
        end: Callable[[], None],
    ) -> None:
        self._sender = sender
        self._call = call
        self._budget = budget
        self._key = key
        self._reservation = reservation
        self.response = response
        #: Ends the payer of the call when nobody reads the answer any more.
        self.end = end
        self.charge_id = response.headers.get("x-charge-id", "")
        self._settled: Optional[int] = None

    def again(self) -> Any:
        return self._sender.open(self._call)

    def settle(self, cost_micro: Any, is_replay: bool = False) -> int:
        """Takes the cost that the answer names. A call has one cost, however many a service reports."""
        if self._settled is None:
            self._settled = self._settle(cost_micro, is_replay)
        return self._settled

    def leave(self) -> None:
        """An answer that its reader left is charged for its text so far. Its receipt shows the cost a moment later."""
        until = time.monotonic() + SETTLED_SECONDS
        try:
            while self._settled is None and time.monotonic() < until:
                receipt = self._sender.json(Request("GET", f"/v1/agent/charges/{self.charge_id}")).body
                if receipt["state"] not in ("held", "settling"):
                    self.settle(receipt["priceMicro"] if receipt["state"] == "charged" else 0)
                    return
                time.sleep(LOOK_AGAIN_SECONDS)
        except (LamppostError, NoAnswer, LookupError, TypeError):
            pass  # The cost is unknown, so the most that it could be stays reserved.

    def _settle(self, cost_micro: Any, is_replay: bool) -> int:
        if self._reservation is None:
            micro = micro_of(cost_micro) or 0
            self._budget.spend(self._key, micro, is_replay)
            return micro
        told = micro_of(cost_micro, self._reservation.micro)
        micro = self._reservation.micro if told is None else told
        self._reservation.confirm(micro, is_replay)
        return micro


class PerCall:
    """USDC for each call. A retry sends the payment that was signed for the first try."""

    def __init__(self, sender: Sender, budget: Budget, wallet: Wallet, payable: Payable) -> None:
        self._sender = sender
        self._budget = budget
        self._wallet = wallet
        self._payable = payable
        self._signed: dict[str, tuple[Mapping[str, str], Reservation]] = {}
        # The newest paid calls, whose payments are kept.
        self._paid: list[str] = []
        self._lock = threading.Lock()

    def buy(
        self, request: Request, max_price_micro: Optional[int] = None, known_micro: Optional[int] = None
    ) -> Paid:
        key = request.headers["Idempotency-Key"]
        signed = self._signed.get(key)
        if signed is None:
            try:
                answer = self._sender.json(request)
                return Paid(answer.body, charge_of(answer.headers), lambda: None)
            except LamppostError as refusal:
                if refusal.status != 402:
                    raise
                signed = self._signed[key] = self._sign(refusal, max_price_micro, known_micro)
        payment, reservation = signed
        try:
            answer = self._sender.json(replace(request, headers={**request.headers, **payment}))
        except Exception as error:
            # A signed and sent payment stays reserved: the service may still settle it, whatever it answers.
            if cost_nothing(error):
                self._signed.pop(key, None)
            raise
        # The whole signed amount can be settled, whatever the answer says.
        reservation.confirm(reservation.micro)
        self._keep(key)
        return Paid(answer.body, charge_of(answer.headers, reservation.micro), lambda: None)

    def _keep(self, key: str) -> None:
        """A repetition sends the same payment, so it is signed and counted once. Unresolved payments are never lost."""
        with self._lock:
            if key not in self._paid:
                self._paid.append(key)
            if len(self._paid) > KEPT_MAX:
                self._signed.pop(self._paid.pop(0), None)

    def _sign(
        self, refusal: LamppostError, max_price_micro: Optional[int], known_micro: Optional[int]
    ) -> tuple[Mapping[str, str], Reservation]:
        draft = Draft(refusal, self._wallet, self._payable)
        is_unlimited = max_price_micro is None and not self._budget.limits_calls
        limits = [max_price_micro, known_micro, SIGNED_MICRO_MAX if is_unlimited else None]
        reservation = self._budget.reserve(draft.nonce, draft.micro, [one for one in limits if one is not None])
        try:
            return draft.sign(self._wallet), reservation
        except BaseException:
            # Nothing was sent.
            reservation.release()
            raise
