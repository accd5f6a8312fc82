from __future__ import annotations

from typing import Any, Mapping, Optional


class LamppostError(Exception):
    """A refusal of the service. `code` is for programs; `fix` is a corrected body."""

    def __init__(
        self,
        status: int,
        body: Any,
        headers: Mapping[str, str],
        charge_state: Optional[str] = None,
        message: Optional[str] = None,
    ) -> None:
        answer = body if isinstance(body, dict) else {}
        found = answer.get("error")
        # Any field may have any value, because any server may have answered.
        error: Mapping[str, Any] = found if isinstance(found, dict) else {}
        texts = {name: value for name, value in error.items() if isinstance(value, str) and value}
        super().__init__(texts.get("message") or message or f"The service answered {status}.")
        self.status = status
        self.body = body
        self.headers = headers
        self.charge_state = charge_state
        # Whether an earlier try of the call was sent and not answered: it may have been charged.
        self.follows_silence = False
        self.code: str = texts.get("code") or f"HTTP_{status}"
        self.param: Optional[str] = texts.get("param")
        self.fix: Any = answer.get("fix")
        self.request_id: Optional[str] = texts.get("requestId")
        self.retryable = bool(error.get("retryable", status == 429 or status >= 500))


class NoAnswer(Exception):
    """A call had no answer. It may be paid: call again with the same `idempotency_key`, which never pays twice."""

    def __init__(self, url: str, idempotency_key: Optional[str], reason: BaseException) -> None:
        repeat = "" if idempotency_key is None else " Repeat the call with the same idempotency_key."
        super().__init__(f"{url} could not be reached, or broke off: {reason}.{repeat}")
        self.url = url
        self.idempotency_key = idempotency_key


class BudgetExceeded(Exception):
    """The call would exceed a limit. Nothing was signed, sent or paid."""

    def __init__(self, price_micro: int, left_micro: float, reserved_micro: int = 0) -> None:
        reserved = f" ${reserved_micro / 1e6} is reserved by other calls." if reserved_micro else ""
        super().__init__(
            f"The call costs ${price_micro / 1e6}, and the budget leaves ${left_micro / 1e6} for it.{reserved}"
        )
        self.price_micro = price_micro
        self.left_micro = left_micro
        self.reserved_micro = reserved_micro


class JobFailed(Exception):
    """An accepted job that failed. `charge_state` is `refunded` after the refund."""

    def __init__(self, job_id: str, reason: Optional[str], charge_state: str) -> None:
        super().__init__(reason or "The job failed.")
        self.job_id = job_id
        self.charge_state = charge_state


class NotGenuine(Exception):
    """A webhook that is not from the service, not recent, or not for you."""
