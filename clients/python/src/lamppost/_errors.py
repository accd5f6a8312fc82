from __future__ import annotations

from typing import Any, Mapping, Optional


class CallError(Exception):
    """An error after a request was sent. Its fields are what is known of the call, to go on without a second payment."""

    #: A repetition with this key returns the outcome, and is never charged twice. None for free calls.
    idempotency_key: Optional[str] = None
    #: The job of the call: `jobs.wait` returns its result.
    job_id: Optional[str] = None
    #: The charge of the call: `receipts.get` shows its state.
    charge_id: Optional[str] = None

    def know(self, known: Mapping[str, Optional[str]]) -> "CallError":
        """Adds what its raiser did not know."""
        for name, value in known.items():
            if value and getattr(self, name) is None:
                setattr(self, name, value)
        return self


class LamppostError(CallError):
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
        self.request_id: Optional[str] = texts.get("requestId") or headers.get("x-request-id")
        self.charge_id = headers.get("x-charge-id") or None
        self.retryable = bool(error.get("retryable", status == 429 or status >= 500))


class NoAnswer(CallError):
    """A call had no answer, or another server answered in the place of the service (`status`).

    It may be paid: call again with the same `idempotency_key`, which never pays twice.
    """

    def __init__(self, url: str, reason: object, status: Optional[int] = None) -> None:
        text = str(reason) if status is not None else f"{url} could not be reached, or broke off: {str(reason).rstrip('.')}."
        super().__init__(text)
        self._text = text
        self.url = url
        self.status = status

    def __str__(self) -> str:
        if self.job_id is not None:
            wait = f"`lamppost jobs wait {self.job_id}` or jobs.wait() returns its result."
            return f"{self._text} Its job goes on: {wait}"
        key = self.idempotency_key
        return self._text if key is None else f"{self._text} Repeat the call with the same idempotency_key ({key})."


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


class JobFailed(CallError):
    """An accepted job that failed. `charge_state` is `refunded` after the refund; `error_code` is for programs."""

    def __init__(
        self, job_id: str, reason: Optional[str], charge_state: str, error_code: Optional[str] = None
    ) -> None:
        super().__init__(reason or "The job failed.")
        self.job_id = job_id
        self.charge_state = charge_state
        self.error_code = error_code


class NotGenuine(Exception):
    """A webhook that is not from the service, not recent, or not for you."""
