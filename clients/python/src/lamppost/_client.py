from __future__ import annotations

import json
import math
import os
import re
import time
import uuid
from dataclasses import dataclass, replace
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

from ._amounts import sure_micro
from ._budget import Budget
from ._errors import JobFailed, LamppostError, NoAnswer
from ._medium import Charge, Medium, Source, to_media
from ._payers import Opened, PerCall, Paid, Payer, Prepaid
from ._sender import BROKEN, Request, Retry, Sender
from ._x402 import Wallet

WAIT_SECONDS = 30
EVENT_WAIT_SECONDS = 60
POLL_SECONDS = 1.0
REFUND_TURNS = 10
TOKENS_DEFAULT = 1_024
VIDEO_SECONDS = 4
TOP_UP_USD = (1, 500)

Message = Mapping[str, Any]


@dataclass(frozen=True)
class ChatAnswer:
    text: str
    usage: Mapping[str, int]
    charge: Charge


@dataclass(frozen=True)
class ChatPiece:
    """A piece of a streamed answer. The last one contains the charge."""

    text: str
    charge: Optional[Charge] = None


class Lamppost:
    """Images, films and text from one service, paid by one key or one wallet.

    >>> lamppost = Lamppost(base_url, key=key)
    >>> lamppost.image("A red fox in the snow").save("fox.png")
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        *,
        key: Optional[str] = None,
        wallet: Optional[Wallet] = None,
        budget: Optional[Budget] = None,
        assets: Sequence[str] = (),
        timeout: float = 150.0,
        tries: int = 6,
        on_retry: Optional[Callable[[Retry], None]] = None,
    ) -> None:
        if key is not None and wallet is not None:
            raise TypeError("Give one of key and wallet.")
        address = base_url or os.environ.get("LAMPPOST_URL")
        if not address or not re.match(r"https?://", address):
            raise TypeError("Say where the service is: Lamppost('https://…'), or LAMPPOST_URL in the environment.")
        # A key of the environment is sent to the address of the environment, and to no other.
        if base_url is None and key is None and wallet is None:
            key = os.environ.get("LAMPPOST_KEY") or None
        if key is not None and not key.startswith("lp_"):
            raise TypeError("key is no key of a Lamppost service: those begin with lp_.")
        self.budget = budget or Budget()
        self._sender = Sender(address, timeout, tries, on_retry)
        self._headers: Mapping[str, str] = {} if key is None else {"x-api-key": key}
        self._prepaid = Prepaid(self._sender, self.budget, self._headers)
        self._per_call = wallet and PerCall(self._sender, self.budget, wallet, assets)
        self._payer: Payer = self._per_call or self._prepaid
        self._wallet = wallet
        self.jobs = Jobs(self)

    def __repr__(self) -> str:
        return f"Lamppost({self._sender.base_url!r})"

    def models(self) -> Mapping[str, Any]:
        """The models and their prices."""
        return self._get("/v1/agent/models")

    def quote(self, *, model: str, **call: Any) -> Mapping[str, Any]:
        """The exact price of a call, free, and locked for 15 minutes: pass its `quoteId` to the call."""
        body = {"modelId": model, **call}
        return self._sender.json(Request("POST", "/v1/agent/quote", body)).body

    def balance(self) -> int:
        """The credits behind the key, or the balance of the wallet, in micro-USD."""
        path = f"/v1/agent/x402/balance/{self._wallet.address}" if self._wallet else "/v1/agent/balance"
        return sure_micro(self._get(path).get("balanceMicro"), "a balance")

    def top_up(self, usd: int, *, max_price_micro: Optional[int] = None) -> int:
        """Tops up the balance of the wallet, in USDC. Returns the balance in micro-USD."""
        if self._per_call is None:
            raise TypeError("A wallet can be topped up; accounts top up on their pages.")
        if not TOP_UP_USD[0] <= usd <= TOP_UP_USD[1]:
            raise ValueError(f"A top-up is ${TOP_UP_USD[0]} to ${TOP_UP_USD[1]}, and not ${usd}.")
        request = replace(_paid("/v1/agent/x402/top-up", {"maxPriceMicro": max_price_micro}), query={"usd": usd})
        paid = self._per_call.buy(request, max_price_micro, round(usd * 1_000_000))
        return sure_micro(paid.body.get("balanceMicro"), "a balance")

    def image(
        self,
        prompt: str,
        *,
        model: Optional[str] = None,
        image: Optional[Source] = None,
        image2: Optional[Source] = None,
        aspect_ratio: Optional[str] = None,
        resolution: Optional[str] = None,
        image_size: Optional[str] = None,
        reference_ids: Optional[Sequence[str]] = None,
        use_references: Optional[bool] = None,
        quote_id: Optional[str] = None,
        max_price_micro: Optional[int] = None,
        tag: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Medium:
        """A picture. Waits for the result."""
        body = {
            "prompt": prompt,
            "modelId": model,
            "image": image and to_media(image),
            "image2": image2 and to_media(image2),
            "aspectRatio": aspect_ratio,
            "resolution": resolution,
            "imageSize": image_size,
            "referenceIds": reference_ids,
            "useReferences": use_references,
            "quoteId": quote_id,
            "maxPriceMicro": max_price_micro,
            "tag": tag,
        }
        return self._make(body, max_price_micro, idempotency_key, None)

    def video(
        self,
        prompt: str,
        *,
        duration: Optional[int] = None,
        model: Optional[str] = None,
        image: Optional[Source] = None,
        video: Optional[Source] = None,
        aspect_ratio: Optional[str] = None,
        resolution: Optional[str] = None,
        audio: Optional[bool] = None,
        webhook_url: Optional[str] = None,
        quote_id: Optional[str] = None,
        max_price_micro: Optional[int] = None,
        tag: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        on_progress: Optional[Callable[[int], None]] = None,
    ) -> Medium:
        """A film. Waits for the result, which takes minutes: `on_progress` is called with the percentage."""
        body = {
            "prompt": prompt,
            "duration": self._usual_duration(model, image, video) if duration is None else duration,
            "modelId": model,
            "image": image and to_media(image),
            "video": video and to_media(video),
            "aspectRatio": aspect_ratio,
            "resolution": resolution,
            "audio": audio,
            "webhookUrl": webhook_url,
            "quoteId": quote_id,
            "maxPriceMicro": max_price_micro,
            "tag": tag,
        }
        return self._make(body, max_price_micro, idempotency_key, on_progress)

    def chat(
        self,
        prompt: Union[str, Sequence[Message]],
        *,
        model: Optional[str] = None,
        max_tokens: Optional[int] = None,
        temperature: Optional[float] = None,
        quote_id: Optional[str] = None,
        max_price_micro: Optional[int] = None,
        tag: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> ChatAnswer:
        """An answer to a question or a conversation."""
        body = {
            "messages": _messages_of(prompt),
            "model": model,
            "max_tokens": max_tokens,
            "temperature": temperature,
            "quoteId": quote_id,
            "maxPriceMicro": max_price_micro,
            "tag": tag,
        }
        paid = self._payer.buy(_paid("/v1/agent/chat", body, idempotency_key), max_price_micro)
        choices = paid.body.get("choices") or [{"message": {"content": ""}}]
        return ChatAnswer(choices[0]["message"]["content"], paid.body.get("usage", {}), paid.charge)

    def stream(
        self,
        prompt: Union[str, Sequence[Message]],
        *,
        model: Optional[str] = None,
        max_tokens: Optional[int] = None,
        temperature: Optional[float] = None,
        max_price_micro: Optional[int] = None,
        tag: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Iterator[ChatPiece]:
        """The same as a stream, with a key and billed by tokens. Leaving the loop stops it; the text so far is paid."""
        if self._per_call is not None:
            raise TypeError("What is billed by its tokens cannot be paid per call in USDC: use a key, or chat().")
        body = {
            "messages": _messages_of(prompt),
            "model": model,
            "max_tokens": max_tokens,
            "temperature": temperature,
            "maxPriceMicro": max_price_micro,
            "tag": tag,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        request = _paid("/v1/chat/completions", body, idempotency_key)
        opened = self._prepaid.open(request, lambda: self._most_of(request))
        for event in self._events_of(opened, request):
            choices = event.get("choices") or [{}]
            text = (choices[0].get("delta") or {}).get("content") or ""
            charge = event.get("charge")
            if isinstance(charge, dict):
                micro = opened.settle(charge.get("priceMicro"))
                yield ChatPiece(text, Charge(str(charge.get("id", "")), micro))
            elif text:
                yield ChatPiece(text)

    def events(
        self, *, after: Optional[str] = None, types: Optional[Sequence[str]] = None
    ) -> Iterator[Mapping[str, Any]]:
        """The events of your jobs and your money, from the first one on and then live, each once."""
        cursor = after
        while True:
            query = {"after": cursor, "types": ",".join(types) if types else None}
            page = self._get("/v1/agent/events", query, {"Prefer": f"wait={EVENT_WAIT_SECONDS}"})
            yield from page["events"]
            cursor = page["nextCursor"]

    def _get(
        self, path: str, query: Mapping[str, Any] = {}, headers: Mapping[str, str] = {}
    ) -> Mapping[str, Any]:
        request = Request("GET", path, headers={**self._headers, **headers}, query=query)
        return self._sender.json(request).body

    def _make(
        self,
        body: Mapping[str, Any],
        max_price_micro: Optional[int],
        idempotency_key: Optional[str],
        on_progress: Optional[Callable[[int], None]],
    ) -> Medium:
        paid = self._payer.buy(_paid("/v1/agent/generate", body, idempotency_key), max_price_micro)
        if paid.body["status"] == "done":
            return Medium(paid.body["url"], paid.charge, None, self._sender.bytes)
        return self._made(paid, on_progress)

    def _usual_duration(
        self, model: Optional[str], image: Optional[Source], video: Optional[Source]
    ) -> int:
        """The default length of a film: four seconds, or the shortest of its model."""
        if model is None and image is None:
            return VIDEO_SECONDS
        mode = "i2v" if video is None else "motion"
        for one in self.models()["models"]:
            is_meant = one["id"] == model if model else one["mode"] == mode and one.get("default")
            if is_meant and one["durations"] and VIDEO_SECONDS not in one["durations"]:
                return int(one["durations"][0])
        return VIDEO_SECONDS

    def _made(self, paid: Paid, on_progress: Optional[Callable[[int], None]]) -> Medium:
        job_id = paid.body["jobId"]
        job = self.jobs.wait(job_id, on_progress=on_progress)
        if job.get("url"):
            return Medium(job["url"], paid.charge, job_id, self._sender.bytes)
        # The refund of a failed job follows a moment after its failure.
        for _ in range(REFUND_TURNS):
            if job["chargeState"] != "charged":
                break
            time.sleep(POLL_SECONDS)
            job = self.jobs.get(job_id)
        if job["chargeState"] == "refunded":
            paid.refund()
        raise JobFailed(job_id, job.get("error"), job["chargeState"])

    def _most_of(self, request: Request) -> int:
        """An upper bound of the service's hold: no text has more tokens than bytes."""
        body = request.body or {}
        rates = self.models()["textModels"]
        model = body.get("model")
        named = [one for one in rates if (one.get("default") if model is None else one["id"] == model)]
        size = len(json.dumps(body).encode())
        output = body.get("max_tokens") or TOKENS_DEFAULT
        mosts = [
            math.ceil(size * float(one["inputUsdPerMtok"]) + output * float(one["outputUsdPerMtok"]))
            for one in (named or rates)
        ]
        return sure_micro(max(mosts), "a price")

    def _events_of(self, opened: Opened, request: Request) -> Iterator[Mapping[str, Any]]:
        """After a lost connection, repeats the same call and resumes after the last piece."""
        response, read, tried = opened.response, 0, 1
        while True:
            try:
                with response:
                    for at, event in enumerate(_events_in(response), start=1):
                        if "error" in event:
                            raise LamppostError(503, event, {}, _state_of(event))
                        if at <= read:
                            continue
                        read = at
                        yield event
                return
            except LamppostError as error:
                if error.charge_state == "released":
                    opened.settle(0)
                raise
            except BROKEN as error:
                reason = error
            key = request.headers.get("Idempotency-Key")
            if tried >= self._sender.tries:
                raise NoAnswer(self._sender.url_of(request.path), key, reason) from reason
            tried += 1
            time.sleep(0.5)
            response = opened.again()
            if read > 0 and response.headers.get("idempotent-replayed") != "true":
                # The first answer was refunded, so this is another answer, not the rest of it.
                response.close()
                raise NoAnswer(self._sender.url_of(request.path), key, reason) from reason


class Jobs:
    """Jobs: work that continues after its call."""

    def __init__(self, client: Lamppost) -> None:
        self._client = client

    def get(self, job_id: str) -> Mapping[str, Any]:
        return self._client._get(f"/v1/agent/jobs/{job_id}")

    def wait(
        self, job_id: str, *, on_progress: Optional[Callable[[int], None]] = None
    ) -> Mapping[str, Any]:
        """Waits until it is done or has failed."""
        seconds = WAIT_SECONDS if on_progress is None else 5
        while True:
            asked = time.monotonic()
            job = self._client._get(f"/v1/agent/jobs/{job_id}", headers={"Prefer": f"wait={seconds}"})
            if on_progress is not None and job.get("progress") is not None:
                on_progress(job["progress"])
            if job["status"] != "running":
                return job
            # A proxy in between may answer at once; pause between the requests all the same.
            time.sleep(max(0.0, POLL_SECONDS - (time.monotonic() - asked)))

    def list(self, *, status: Optional[str] = None, tag: Optional[str] = None) -> Iterator[Mapping[str, Any]]:
        cursor = None
        while True:
            query = {"status": status, "tag": tag, "cursor": cursor}
            page = self._client._get("/v1/agent/jobs", query)
            yield from page["jobs"]
            cursor = page["nextCursor"]
            if cursor is None:
                return

    def cancel(self, job_id: str) -> Mapping[str, Any]:
        """Cancels and refunds it. Raises `CANCEL_TOO_LATE` when it is too late."""
        headers = {**self._client._headers, "Idempotency-Key": str(uuid.uuid4())}
        request = Request("POST", f"/v1/agent/jobs/{job_id}/cancel", headers=headers)
        return self._client._sender.json(request).body


def _messages_of(prompt: Union[str, Sequence[Message]]) -> Sequence[Message]:
    return [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)


def _paid(path: str, body: Mapping[str, Any], idempotency_key: Optional[str] = None) -> Request:
    """A call that is paid once, however often it is sent."""
    said = {name: value for name, value in body.items() if value is not None}
    return Request("POST", path, said, {"Idempotency-Key": idempotency_key or str(uuid.uuid4())})


def _state_of(event: Mapping[str, Any]) -> str:
    error = event.get("error")
    is_open = isinstance(error, dict) and error.get("code") == "SETTLEMENT_PENDING"
    return "settling" if is_open else "released"


def _events_in(response: Any) -> Iterator[Mapping[str, Any]]:
    """The events of a stream. Raises if the stream ends without its last event."""
    data: list[str] = []
    for line in response:
        text = line.decode().rstrip("\r\n")
        if text.startswith("data:"):
            data.append(text[5:].lstrip())
        elif text == "" and data:
            whole, data = "\n".join(data), []
            if whole == "[DONE]":
                return
            yield json.loads(whole)
    raise ConnectionError("The stream ended before its last event.")
