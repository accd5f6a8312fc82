from __future__ import annotations

import http.client
import json
import math
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Mapping, Optional, TypeVar, Union

from ._errors import CallError, LamppostError, NoAnswer

PAUSE_SECONDS = 0.25
PAUSE_SECONDS_MAX = 10.0
# After the first failure of a call, further tries begin for this long.
PATIENCE_SECONDS = 60.0
# The tries of a call that costs nothing.
FREE_TRIES = 6
# A wait reports an absence that is longer than this.
SAID_SECONDS = 2.0
# The longest pause of a wait between two tries, whatever a server asks for.
WAIT_PAUSE_SECONDS_MAX = 60.0
# A server that asks for a longer pause than a day means no pause.
ASKED_SECONDS_MAX = 86_400.0

T = TypeVar("T")
Has = Optional[Union[str, Callable[[Mapping[str, Any]], bool]]]
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
    #: A field of every answer of the route, or a check of its body. Any other answer is from another server.
    has: Has = None
    #: A wait goes on until its caller ends it. "known" if the service has answered before: then it also outlasts pages
    #: of other servers.
    waits: Optional[str] = None
    #: What is known of the call, for its errors.
    known: Mapping[str, Optional[str]] = field(default_factory=dict)


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
        self, base_url: str, timeout: float, tries: Optional[int], on_retry: Optional[Callable[[Retry], None]]
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

    def waiting(self, most: int) -> Mapping[str, str]:
        """The header of a long poll, which must end before its timeout does."""
        return {"Prefer": f"wait={int(min(most, self._timeout / 2))}"}

    def json(self, request: Request) -> Answer:
        """An answer in JSON, read to its end; an incomplete one is retried."""

        def read(response: Any) -> Answer:
            with response:
                headers = _headers_of(response)
                body = _parsed(response.read(), headers)
                if request.has is not None and not (isinstance(body, dict) and _is_ours(body, request.has)):
                    raise ValueError("it answered with JSON that no route has")
                return Answer(body, headers)

        return self._repeat(request, lambda: self._once(request), read)

    def open(self, request: Request) -> Any:
        """A successful answer whose body is not read yet."""
        return self._repeat(request, lambda: self._once(request), lambda response: response)

    def bytes(self, url: str, known: Mapping[str, Optional[str]] = {}) -> bytes:
        """A file. No credential is sent, so redirects are followed."""
        request = Request("GET", url, known=known)

        def read(response: Any) -> bytes:
            with response:
                content = bytes(response.read())
            if content == b"" or str(response.headers.get("content-type", "")).startswith("text/html"):
                raise ValueError("another server has answered")
            return content

        return self._repeat(request, lambda: self._following.open(self.url_of(url), timeout=self._timeout), read)

    def _once(self, request: Request) -> Any:
        data = None if request.body is None else json.dumps(request.body).encode()
        headers = {"content-type": "application/json"} if data is not None else {}
        url = self.url_of(request.path, request.query)
        sent = urllib.request.Request(url, data, {**headers, **request.headers}, method=request.method)
        return self._opener.open(sent, timeout=self._timeout)

    def _repeat(self, request: Request, send: Callable[[], Any], read: Callable[[Any], T]) -> T:
        known = {"idempotency_key": request.headers.get("Idempotency-Key"), **request.known}
        url = self.url_of(request.path)
        tries = self.tries if self.tries is not None else FREE_TRIES
        if request.waits is not None or (self.tries is None and known["idempotency_key"] is not None):
            tries = sys.maxsize
        is_said = self.on_retry is not None
        failed_at: Optional[float] = None
        tried = 0
        was_silent = False
        while True:
            tried += 1
            asked = 0.0
            try:
                return read(send())
            except urllib.error.HTTPError as refused:
                reason: CallError = _refusal_of(refused, url)
                asked = _retry_after(refused.headers)
                if request.waits is not None:
                    asked = min(asked, WAIT_PAUSE_SECONDS_MAX)
            except BROKEN as error:
                reason = NoAnswer(url, error)
                reason.__cause__ = error
            reason.know(known)
            is_strange = isinstance(reason, NoAnswer)
            if isinstance(reason, LamppostError):
                reason.follows_silence = was_silent
            was_silent = was_silent or is_strange
            failed_at = failed_at or time.monotonic()
            gone = time.monotonic() - failed_at
            left = PATIENCE_SECONDS - gone if request.waits is None else math.inf
            passes = (request.waits == "known" and is_strange) or _is_passing(reason)
            if not passes or tried >= tries or left <= 0 or asked > left:
                raise reason
            pause = min(PAUSE_SECONDS_MAX, PAUSE_SECONDS * 2 ** min(tried - 1, 9)) * random.uniform(0.5, 1)
            wait = max(asked, min(pause, left))
            if self.on_retry is not None:
                self.on_retry(Retry(request.method, request.path, tried, wait, reason))
            if request.waits is not None and not is_said and gone >= SAID_SECONDS:
                is_said = True
                print(f"lamppost: waiting until the service answers. {reason}", file=sys.stderr)
            time.sleep(wait)


def _is_ours(body: Mapping[str, Any], has: Union[str, Callable[[Mapping[str, Any]], bool]]) -> bool:
    return has in body if isinstance(has, str) else has(body)


def _headers_of(response: Any) -> Mapping[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _parsed(content: bytes, headers: Mapping[str, str]) -> Any:
    kind = headers.get("content-type", "nothing")
    try:
        return json.loads(content)
    except ValueError:
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


def _refusal_of(refused: urllib.error.HTTPError, url: str) -> CallError:
    """The refusal of the service, or the answer of a server in front of it, which knows nothing of the call."""
    headers = {name.lower(): value for name, value in refused.headers.items()}
    try:
        body = json.loads(refused.read())
    except BROKEN:
        body = None
    error = body.get("error") if isinstance(body, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    if not (isinstance(code, str) and code) and "payment-required" not in headers:
        return NoAnswer(url, _strangeness(refused.code, headers, url), refused.code)
    return LamppostError(refused.code, body, headers, headers.get("x-charge-state"))


def _is_passing(reason: CallError) -> bool:
    """Whether a retry may succeed. Work that failed at the service would fail again."""
    if isinstance(reason, NoAnswer):
        return reason.status is None or reason.status >= 500 or reason.status == 429
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
        asked = float(text)
    except ValueError:
        try:
            asked = parsedate_to_datetime(text).timestamp() - time.time()
        except (TypeError, ValueError, OverflowError):
            return 0.0
    return asked if 0 < asked <= ASKED_SECONDS_MAX else 0.0
