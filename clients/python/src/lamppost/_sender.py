from __future__ import annotations

import hashlib
import http.client
import json
import math
import random
import sys
import time
import urllib.parse
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import Any, AsyncGenerator, Callable, Iterator, Mapping, Optional, TypeVar, Union

from ._connections import Connections, Exchange
from ._errors import CallError, LamppostError, NoAnswer
from ._io import Waiting

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
REDIRECTS_MAX = 5
REDIRECTS = (301, 302, 303, 307, 308)

T = TypeVar("T")
Has = Optional[Union[str, Callable[[Mapping[str, Any]], bool]]]
BROKEN = (http.client.HTTPException, OSError, ValueError)


@dataclass(frozen=True)
class Retry:
    """The reason for a retry, and its delay."""

    method: str
    path: str
    tried: int
    wait_seconds: float
    reason: BaseException


@dataclass(frozen=True)
class How:
    """How a call is sent."""

    timeout: float
    tries: Optional[int]
    on_retry: Optional[Callable[[Retry], None]]
    #: The end of the whole call, by the monotonic clock.
    until: float = math.inf

    def left(self) -> float:
        return self.until - time.monotonic()

    def but(self, options: Mapping[str, Any]) -> "How":
        """The same with the options of one call."""
        own = {name: options[name] for name in ("timeout", "tries", "on_retry") if name in options}
        limit = options.get("time_limit")
        return replace(self, **own, **({} if limit is None else {"until": time.monotonic() + limit}))


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: Optional[Mapping[str, Any]] = None
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    #: A file beside the fields of the body, by its name.
    file: Optional[tuple[str, bytes]] = None
    #: Whether the answer is a file instead of JSON.
    is_raw: bool = False
    #: A field of every answer of the route, or a check of its body. Any other answer is from another server.
    has: Has = None
    #: A wait goes on until its caller ends it. "known" if the service has answered before: then it also outlasts pages
    #: of other servers.
    waits: Optional[str] = None
    #: What is known of the call, for its errors.
    known: Mapping[str, Optional[str]] = field(default_factory=dict)
    how: Optional[How] = None


@dataclass(frozen=True)
class Answer:
    body: Any
    headers: Mapping[str, str]

    @property
    def fields(self) -> Mapping[str, Any]:
        """The body, if it is an object."""
        return dict(self.body)


class Response:
    """The last answer in a `with_response` block, or the one that has the charge."""

    status: Optional[int] = None
    headers: Mapping[str, str] = {}

    @property
    def request_id(self) -> Optional[str]:
        return self.headers.get("x-request-id")

    def take(self, exchange: Exchange) -> None:
        if "x-charge-id" in exchange.headers or "x-charge-id" not in self.headers:
            self.status, self.headers = exchange.status, exchange.headers


_seen: "ContextVar[Optional[Response]]" = ContextVar("seen", default=None)


@contextmanager
def seeing() -> Iterator[Response]:
    response = Response()
    token = _seen.set(response)
    try:
        yield response
    finally:
        _seen.reset(token)


class Sender:
    """Sends calls to the service. Retries are identical: paid calls have an Idempotency-Key."""

    def __init__(self, base_url: str, how: How, headers: Mapping[str, str], io: Waiting) -> None:
        self.base_url = base_url.rstrip("/")
        self.how = how
        self.io = io
        self.connections = Connections()
        self._headers = headers

    def close(self) -> None:
        self.connections.close()
        self.io.close()

    def url_of(self, path: str, query: Mapping[str, Any] = {}) -> str:
        url = path if path.startswith(("http://", "https://")) else f"{self.base_url}{path}"
        said = {name: value for name, value in query.items() if value is not None}
        return f"{url}?{urllib.parse.urlencode(said)}" if said else url

    def waiting(self, most: int, how: How) -> Mapping[str, str]:
        """The header of a long poll, which must end before its timeout does."""
        return {"Prefer": f"wait={int(max(0, min(most, how.timeout / 2, how.left())))}"}

    async def json(self, request: Request) -> Answer:
        """A whole answer: JSON, or the bytes of a file. An incomplete one is retried."""

        def read(exchange: Exchange) -> Answer:
            content = exchange.read()
            if request.is_raw:
                return Answer(_file_in(content, exchange), exchange.headers)
            body = _parsed(content, exchange.headers)
            if request.has is not None and not (isinstance(body, dict) and _is_ours(body, request.has)):
                raise ValueError("it answered with JSON that no route has")
            return Answer(body, exchange.headers)

        return await self._repeat(request, read)

    async def open(self, request: Request) -> Exchange:
        """A successful answer whose body is not read yet."""
        return await self._repeat(request, lambda exchange: exchange)

    async def bytes(self, url: str, known: Mapping[str, Optional[str]] = {}, how: Optional[How] = None) -> bytes:
        """A file. No credential is sent, so redirects are followed."""
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url[:80]} is no address of a file.")
        request = Request("GET", url, known=known, how=how)
        return await self._repeat(request, lambda exchange: _file_in(exchange.read(), exchange))

    async def events(self, exchange: Exchange) -> AsyncGenerator[Mapping[str, Any], None]:
        """The events of a stream. Raises if the stream ends without its last event."""
        while True:
            event = await self.io.call(lambda: _event_in(exchange), exchange.stop)
            if event == "[DONE]":
                exchange.close()
                return
            yield json.loads(event)

    def _exchange(self, request: Request, how: How) -> Exchange:
        """The request of one try. A file of any address gets no header of ours."""
        url = self.url_of(request.path, request.query)
        data, kind = _data_of(request)
        headers = {**kind, **request.headers}
        names = {name.lower() for name in headers}
        more = {} if request.path.startswith("http") else self._headers
        headers.update((name, value) for name, value in more.items() if name.lower() not in names)
        headers.setdefault("User-Agent", "lamppost-python")
        return Exchange(self.connections, request.method, url, data, headers, max(0.001, min(how.timeout, how.left())))

    def _send(self, request: Request, exchange: Exchange) -> Exchange:
        """Blocks until an answer has begun. Only the addresses of files may be redirected."""
        exchange.send()
        for _ in range(REDIRECTS_MAX if request.path.startswith("http") else 0):
            if exchange.status not in REDIRECTS or "location" not in exchange.headers:
                break
            exchange.read()
            exchange.follow(exchange.headers["location"])
        return exchange

    async def _repeat(self, request: Request, read: Callable[[Exchange], T]) -> T:
        how = request.how or self.how
        known = {"idempotency_key": request.headers.get("Idempotency-Key"), **request.known}
        url = self.url_of(request.path)
        tries = how.tries if how.tries is not None else FREE_TRIES
        if request.waits is not None or (how.tries is None and known["idempotency_key"] is not None):
            tries = sys.maxsize
        is_said = how.on_retry is not None
        failed_at: Optional[float] = None
        tried = 0
        was_silent = False
        while True:
            tried += 1
            asked = 0.0
            exchange = self._exchange(request, how)

            def work(exchange: Exchange = exchange) -> Union[T, CallError]:
                self._send(request, exchange)
                return read(exchange) if 200 <= exchange.status < 300 else _refusal_of(exchange, url)

            try:
                answer = await self.io.call(work, exchange.stop)
                seen = _seen.get()
                if seen is not None:
                    seen.take(exchange)
                if not isinstance(answer, CallError):
                    return answer
                reason: CallError = answer
                asked = _retry_after(exchange.headers)
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
            left = min(how.left(), PATIENCE_SECONDS - gone if request.waits is None else math.inf)
            passes = (request.waits == "known" and is_strange) or _is_passing(reason)
            if not passes or tried >= tries or left <= 0 or asked > left:
                raise reason
            pause = min(PAUSE_SECONDS_MAX, PAUSE_SECONDS * 2 ** min(tried - 1, 9)) * random.uniform(0.5, 1)
            wait = max(asked, min(pause, left))
            if how.on_retry is not None:
                how.on_retry(Retry(request.method, request.path, tried, wait, reason))
            if request.waits is not None and not is_said and gone >= SAID_SECONDS:
                is_said = True
                print(f"lamppost: waiting until the service answers. {reason}", file=sys.stderr)
            await self.io.sleep(wait)


def _data_of(request: Request) -> tuple[Optional[bytes], Mapping[str, str]]:
    """The bytes of a body, and their type."""
    if request.file is None:
        data = None if request.body is None else json.dumps(request.body).encode()
        return data, {} if data is None else {"Content-Type": "application/json"}
    name, content = request.file
    # The same for each try, because an idempotency key goes with one body.
    boundary = f"lamppost-{hashlib.sha256(content).hexdigest()[:32]}"
    fields = {name: value if isinstance(value, str) else json.dumps(value) for name, value in (request.body or {}).items()}
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
        for field, value in fields.items()
    ]
    safe = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{safe}"\r\n\r\n'.encode()
    data = b"".join([*parts, head, content, f"\r\n--{boundary}--\r\n".encode()])
    return data, {"Content-Type": f"multipart/form-data; boundary={boundary}"}


def _file_in(content: bytes, exchange: Exchange) -> bytes:
    if content == b"" or exchange.headers.get("content-type", "").startswith("text/html"):
        raise ValueError("another server has answered")
    return content


def _event_in(exchange: Exchange) -> str:
    """Blocks until the next event is complete."""
    data: list[str] = []
    try:
        while True:
            line = exchange.line()
            if line == b"":
                raise ConnectionError("The stream ended before its last event.")
            text = line.decode().rstrip("\r\n")
            if text.startswith("data:"):
                data.append(text[5:].lstrip())
            elif text == "" and data:
                return "\n".join(data)
    except BaseException:
        exchange.close()
        raise


def _is_ours(body: Mapping[str, Any], has: Union[str, Callable[[Mapping[str, Any]], bool]]) -> bool:
    return has in body if isinstance(has, str) else has(body)


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


def _refusal_of(exchange: Exchange, url: str) -> CallError:
    """The refusal of the service, or the answer of a server in front of it, which knows nothing of the call."""
    headers = exchange.headers
    try:
        body = json.loads(exchange.read())
    except BROKEN:
        body = None
    error = body.get("error") if isinstance(body, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    if not (isinstance(code, str) and code) and "payment-required" not in headers:
        return NoAnswer(url, _strangeness(exchange.status, headers, url), exchange.status)
    return LamppostError(exchange.status, body, headers, headers.get("x-charge-state"))


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
