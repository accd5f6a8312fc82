from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Mapping, Optional, TypeVar

from ._errors import LamppostError, NoAnswer

PAUSE_SECONDS = 0.25
PAUSE_SECONDS_MAX = 15.0
# A call that would have to wait longer than this in all fails at once.
WAIT_SECONDS_MAX = 60.0

T = TypeVar("T")
BROKEN = (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError, OSError, ValueError)


@dataclass(frozen=True)
class Retry:
    """The reason for a retry, and its delay."""

    method: str
    path: str
    tried: int
    wait_seconds: float
    reason: BaseException


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: Optional[Mapping[str, Any]] = None
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    body: Any
    headers: Mapping[str, str]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Prevents redirects: a credential is sent to its own service only."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Sender:
    """Sends calls to the service. Retries are identical: paid calls have an Idempotency-Key."""

    def __init__(
        self, base_url: str, timeout: float, tries: int, on_retry: Optional[Callable[[Retry], None]]
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.tries = tries
        self.on_retry = on_retry
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._following = urllib.request.build_opener()

    def url_of(self, path: str, query: Mapping[str, Any] = {}) -> str:
        url = path if path.startswith(("http://", "https://")) else f"{self.base_url}{path}"
        said = {name: value for name, value in query.items() if value is not None}
        return f"{url}?{urllib.parse.urlencode(said)}" if said else url

    def json(self, request: Request) -> Answer:
        """An answer in JSON, read to its end; an incomplete one is retried."""

        def read(response: Any) -> Answer:
            with response:
                headers = _headers_of(response)
                return Answer(_parsed(response.read(), headers), headers)

        return self._repeat(request, lambda: self._once(request), read)

    def open(self, request: Request) -> Any:
        """A successful answer whose body is not read yet."""
        return self._repeat(request, lambda: self._once(request), lambda response: response)

    def bytes(self, url: str) -> bytes:
        """A file. No credential is sent, so redirects are followed."""
        request = Request("GET", url)

        def read(response: Any) -> bytes:
            with response:
                return bytes(response.read())

        return self._repeat(request, lambda: self._following.open(self.url_of(url), timeout=self._timeout), read)

    def _once(self, request: Request) -> Any:
        data = None if request.body is None else json.dumps(request.body).encode()
        headers = {"content-type": "application/json"} if data is not None else {}
        url = self.url_of(request.path, request.query)
        sent = urllib.request.Request(url, data, {**headers, **request.headers}, method=request.method)
        return self._opener.open(sent, timeout=self._timeout)

    def _repeat(self, request: Request, send: Callable[[], Any], read: Callable[[Any], T]) -> T:
        waited = 0.0
        tried = 0
        was_silent = False
        while True:
            tried += 1
            wait = min(PAUSE_SECONDS_MAX, PAUSE_SECONDS * 2 ** (tried - 1)) * random.uniform(0.5, 1)
            try:
                return read(send())
            except urllib.error.HTTPError as refused:
                reason: Exception = _refusal_of(refused, self.url_of(request.path))
                wait = max(wait, _retry_after(refused.headers)) if _is_passing(reason) else float("inf")
            except BROKEN as error:
                reason = error
                was_silent = True
            if tried >= self.tries or waited + wait > WAIT_SECONDS_MAX:
                if isinstance(reason, LamppostError):
                    reason.follows_silence = was_silent
                    raise reason
                key = request.headers.get("Idempotency-Key")
                raise NoAnswer(self.url_of(request.path), key, reason) from reason
            if self.on_retry is not None:
                self.on_retry(Retry(request.method, request.path, tried, wait, reason))
            time.sleep(wait)
            waited += wait


def _headers_of(response: Any) -> Mapping[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _parsed(content: bytes, headers: Mapping[str, str]) -> Any:
    kind = headers.get("content-type", "nothing")
    try:
        return json.loads(content)
    except ValueError:
        if "json" in kind:
            raise
        raise ValueError(f"it answered with {kind} instead of JSON, as other servers and proxies do") from None


def _strangeness(status: int, headers: Mapping[str, str], url: str) -> str:
    """The reason for an answer that is not in the form of the service."""
    if 300 <= status < 400:
        place = headers.get("location", "another address")[:200]
        return f"{url} redirects to {place}, and no credential goes to another address. Use the right one as base_url."
    return (
        f"{url} answered {status}, but not as a Lamppost service does. "
        "Is base_url right, and which proxy is in between?"
    )


def _refusal_of(refused: urllib.error.HTTPError, url: str) -> LamppostError:
    headers = {name.lower(): value for name, value in refused.headers.items()}
    try:
        body = json.loads(refused.read())
    except BROKEN:
        body = None  # Something between us and the service answered.
    message = _strangeness(refused.code, headers, url)
    return LamppostError(refused.code, body, headers, headers.get("x-charge-state"), message)


def _is_passing(reason: Exception) -> bool:
    """Whether a retry may succeed. Work that failed at the service would fail again."""
    return (
        isinstance(reason, LamppostError)
        and reason.code != "PROVIDER_ERROR"
        and (reason.retryable or reason.code == "IDEMPOTENCY_IN_FLIGHT")
    )


def _retry_after(headers: Any) -> float:
    text = headers.get("retry-after")
    if text is None:
        return 0.0
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0.0
