from __future__ import annotations

import difflib
import json
import math
import os
import re
import time
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Sequence, Union

from ._amounts import sure_micro
from ._budget import Budget
from ._errors import CallError, JobFailed, LamppostError, NoAnswer
from ._medium import Charge, Medium, Source, to_media
from ._payable import Asset, Payable
from ._payers import Loans, Opened, PerCall, Paid, Payer, Prepaid
from ._resources import Delegated, Receipts, References, Webhooks
from ._sender import BROKEN, PATIENCE_SECONDS, Has, Request, Retry, Sender
from ._sign_in import SignIn
from ._x402 import Wallet

WAIT_SECONDS = 30
EVENT_WAIT_SECONDS = 60
POLL_SECONDS = 1.0
REFUND_TURNS = 10
TOKENS_DEFAULT = 1_024
VIDEO_SECONDS = 4
TOP_UP_USD = (1, 500)

# The options of `start`, and their names in its body.
STARTED = {
    "model": "modelId",
    "image": "image",
    "image2": "image2",
    "video": "video",
    "sources": "sources",
    "mask": "mask",
    "last_frame": "lastFrame",
    "extend": "extend",
    "seed": "seed",
    "negative_prompt": "negativePrompt",
    "n": "n",
    "duration": "duration",
    "resolution": "resolution",
    "aspect_ratio": "aspectRatio",
    "image_size": "imageSize",
    "audio": "audio",
    "reference_ids": "referenceIds",
    "use_references": "useReferences",
    "webhook_url": "webhookUrl",
    "quote_id": "quoteId",
    "max_price_micro": "maxPriceMicro",
    "tag": "tag",
}

# The options of `quote`. The names of the body are known, too.
_QUOTED = {
    "prompt": "prompt",
    "duration": "duration",
    "resolution": "resolution",
    "image_size": "imageSize",
    "aspect_ratio": "aspectRatio",
    "audio": "audio",
    "messages": "messages",
    "max_tokens": "max_tokens",
    "payer": "payer",
}
QUOTED = {**_QUOTED, **{name: name for name in _QUOTED.values()}}

SINGLE_SOURCES = ("image", "image2", "video", "mask", "lastFrame", "extend")

Message = Mapping[str, Any]
Known = Mapping[str, Optional[str]]


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
        pay: Optional[str] = None,
        budget: Optional[Budget] = None,
        networks: Optional[Sequence[str]] = None,
        assets: Sequence[Asset] = (),
        timeout: float = 150.0,
        tries: Optional[int] = None,
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
        if pay not in (None, "x402", "balance"):
            raise TypeError('pay is "x402" or "balance".')
        if wallet is None and (pay is not None or networks is not None or len(assets) > 0):
            raise TypeError("pay, networks and assets are options for wallets, and no wallet is given.")
        payable = Payable(networks, assets)
        # A wallet that signs no texts can only pay call by call.
        signs = wallet is not None and hasattr(wallet, "sign_message")
        if pay == "balance" and not signs:
            raise TypeError('pay="balance" needs a wallet with sign_message, as eth_account has it.')
        sign_in = SignIn(wallet, self._sender.base_url, payable.chain_id) if signs else None  # type: ignore[arg-type]
        self._sign_in = sign_in
        self._headers: Mapping[str, str] = {} if key is None else {"x-api-key": key}
        loans = None if sign_in is None else Loans(self._sender, sign_in)
        self._prepaid = Prepaid(self._sender, self.budget, self._proof, key or (wallet.address if wallet else ""), loans)
        self._per_call = wallet and PerCall(self._sender, self.budget, wallet, payable)
        self._pays_per_call = self._per_call is not None and pay != "balance"
        self._payer: Payer = self._per_call if self._per_call and self._pays_per_call else self._prepaid
        self._wallet = wallet
        self.jobs = Jobs(self)
        self.receipts = Receipts(self)
        self.references = References(self)
        self.webhooks = Webhooks(self)
        self.delegated = Delegated(self)

    def __repr__(self) -> str:
        return f"Lamppost({self._sender.base_url!r})"

    def models(self) -> Mapping[str, Any]:
        """The models and their prices."""
        return self._get("/v1/agent/models", has="textModels")

    def quote(self, *, model: str, **call: Any) -> Mapping[str, Any]:
        """The exact price of a call, free, and locked for 15 minutes: pass its `quoteId` to the call."""
        _refuse_unknown(call, QUOTED, "quote()")
        body = {"modelId": model, **{QUOTED[name]: value for name, value in call.items()}}
        return self._sender.json(Request("POST", "/v1/agent/quote", body, has="priceMicro")).body

    def balance(self) -> int:
        """The credits behind the key, or the balance of the wallet, in micro-USD."""
        path = f"/v1/agent/x402/balance/{self._wallet.address}" if self._wallet else "/v1/agent/balance"
        return sure_micro(self._get(path, has="balanceMicro")["balanceMicro"], "a balance")

    def top_up(
        self, usd: int, *, max_price_micro: Optional[int] = None, idempotency_key: Optional[str] = None
    ) -> int:
        """Tops up the balance of the wallet, in USDC. Returns the balance in micro-USD."""
        if self._per_call is None:
            raise TypeError("A wallet can be topped up; accounts top up on their pages.")
        if not TOP_UP_USD[0] <= usd <= TOP_UP_USD[1]:
            raise ValueError(f"A top-up is ${TOP_UP_USD[0]} to ${TOP_UP_USD[1]}, and not ${usd}.")
        body = {"maxPriceMicro": max_price_micro}
        request = replace(_paid("/v1/agent/x402/top-up", body, idempotency_key, "balanceMicro"), query={"usd": usd})
        with _knowing({"idempotency_key": request.headers["Idempotency-Key"]}):
            paid = self._per_call.buy(request, max_price_micro, round(usd * 1_000_000))
        return sure_micro(paid.body["balanceMicro"], "a balance")

    def image(
        self,
        prompt: str,
        *,
        model: Optional[str] = None,
        image: Optional[Source] = None,
        image2: Optional[Source] = None,
        sources: Optional[Sequence[Source]] = None,
        mask: Optional[Source] = None,
        seed: Optional[int] = None,
        negative_prompt: Optional[str] = None,
        n: Optional[int] = None,
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
        """A picture. Waits for the result. With `n`, the other pictures are its `further`."""
        body = {
            "prompt": prompt,
            "modelId": model,
            "image": image and to_media(image),
            "image2": image2 and to_media(image2),
            "sources": sources and [to_media(source) for source in sources],
            "mask": mask and to_media(mask),
            "seed": seed,
            "negativePrompt": negative_prompt,
            "n": n,
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
        last_frame: Optional[Source] = None,
        extend: Optional[Source] = None,
        seed: Optional[int] = None,
        negative_prompt: Optional[str] = None,
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
            "lastFrame": last_frame and to_media(last_frame),
            "extend": extend and to_media(extend),
            "seed": seed,
            "negativePrompt": negative_prompt,
            "aspectRatio": aspect_ratio,
            "resolution": resolution,
            "audio": audio,
            "webhookUrl": webhook_url,
            "quoteId": quote_id,
            "maxPriceMicro": max_price_micro,
            "tag": tag,
        }
        return self._make(body, max_price_micro, idempotency_key, on_progress)

    def start(self, prompt: str, **options: Any) -> Mapping[str, Any]:
        """Starts a picture or, with a `duration`, a film, without waiting. Returns its `jobId` or `url`, and its `charge`.

        It has the options of `image` and `video`. `webhook_url`, `events` or `jobs.wait` report the end.
        """
        key = options.pop("idempotency_key", None)
        _refuse_unknown(options, STARTED, "start()")
        body = {STARTED[name]: value for name, value in options.items()}
        media: Dict[str, Any] = {name: to_media(body[name]) for name in SINGLE_SOURCES if body.get(name)}
        if body.get("sources"):
            media["sources"] = [to_media(source) for source in body["sources"]]
        request = _paid("/v1/agent/generate", {"prompt": prompt, **body, **media}, key, _is_begun)
        headers = {**request.headers, "Prefer": "respond-async"}
        paid = self._buy(replace(request, headers=headers), options.get("max_price_micro"))
        return {**paid.body, "charge": paid.charge}

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
        paid = self._buy(_paid("/v1/agent/chat", body, idempotency_key, "choices"), max_price_micro)
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
        if self._pays_per_call:
            raise TypeError(
                'What is billed by its tokens cannot be paid per call in USDC: use a key, pay="balance", or chat().'
            )
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
        known: Dict[str, Optional[str]] = {"idempotency_key": request.headers["Idempotency-Key"]}
        with _knowing(known):
            opened = self._prepaid.open(request, lambda: self._most_of(request))
        known["charge_id"] = opened.charge_id
        is_known = True
        try:
            for event in self._events_of(opened, request):
                choices = event.get("choices") or [{}]
                text = (choices[0].get("delta") or {}).get("content") or ""
                charge = event.get("charge")
                if isinstance(charge, dict):
                    micro = opened.settle(charge.get("priceMicro"), event.get("isReplay") is True)
                    yield ChatPiece(text, Charge(str(charge.get("id", "")), micro))
                elif text:
                    yield ChatPiece(text)
        except (GeneratorExit, KeyboardInterrupt):
            opened.response.close()
            opened.leave()
            raise
        except CallError as error:
            # While the outcome is unknown, a repetition needs the same payer.
            is_known = isinstance(error, LamppostError) and error.charge_state == "released"
            raise error.know(known)
        finally:
            if is_known:
                opened.end()

    def events(
        self, *, after: Optional[str] = None, types: Optional[Sequence[str]] = None
    ) -> Iterator[Mapping[str, Any]]:
        """The events of your jobs and your money, from the first one on and then live, each once."""
        cursor = after
        waits = "new"
        while True:
            query = {"after": cursor, "types": ",".join(types) if types else None}
            asked = time.monotonic()
            wait = self._sender.waiting(EVENT_WAIT_SECONDS)
            page = self._get("/v1/agent/events", query, wait, is_proven=True, has="events", waits=waits)
            waits = "known"
            yield from page["events"]
            cursor = page["nextCursor"]
            if not page["events"]:
                # A proxy in between may answer at once; pause between the requests all the same.
                time.sleep(max(0.0, POLL_SECONDS - (time.monotonic() - asked)))

    def _proof(self) -> Mapping[str, str]:
        """The credential: the key, or the sign-in of the wallet."""
        return self._headers if self._sign_in is None else self._sign_in.headers()

    def _proof_for(self, path: str) -> Mapping[str, str]:
        """The credential for one address that delegates money."""
        return self._headers if self._sign_in is None else self._sign_in.headers_for(self._sender.url_of(path))

    def _get(
        self,
        path: str,
        query: Mapping[str, Any] = {},
        headers: Mapping[str, str] = {},
        *,
        is_proven: bool = False,
        **more: Any,
    ) -> Mapping[str, Any]:
        """A free route. A wallet signs only where a route asks whose it is."""
        proof = self._proof() if is_proven else self._headers
        return self._sender.json(Request("GET", path, headers={**proof, **headers}, query=query, **more)).body

    def _change(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]] = None,
        proof: Optional[Mapping[str, str]] = None,
    ) -> Mapping[str, Any]:
        """Performed once, however often it is sent."""
        said = None if body is None else {name: value for name, value in body.items() if value is not None}
        headers = {**(self._proof() if proof is None else proof), "Idempotency-Key": str(uuid.uuid4())}
        return self._sender.json(Request(method, path, said, headers)).body

    def _make(
        self,
        body: Mapping[str, Any],
        max_price_micro: Optional[int],
        idempotency_key: Optional[str],
        on_progress: Optional[Callable[[int], None]],
    ) -> Medium:
        request = _paid("/v1/agent/generate", body, idempotency_key, _is_begun)
        paid = self._buy(request, max_price_micro)
        known = {
            "idempotency_key": request.headers["Idempotency-Key"],
            "job_id": paid.body.get("jobId"),
            "charge_id": paid.charge.id,
        }
        if paid.body["status"] == "done":
            return self._medium(paid.body, paid, known)
        with _knowing(known):
            return self._made(paid, known, on_progress)

    def _buy(self, request: Request, max_price_micro: Optional[int]) -> Paid:
        with _knowing({"idempotency_key": request.headers["Idempotency-Key"]}):
            return self._payer.buy(request, max_price_micro)

    def _medium(self, said: Mapping[str, Any], paid: Paid, known: Known) -> Medium:
        def read(url: str) -> bytes:
            return self._sender.bytes(url, known)

        def made(url: str, further: Sequence[Medium] = ()) -> Medium:
            return Medium(url, paid.charge, known["job_id"], read, further)

        return made(said["url"], [made(url) for url in said.get("urls", [])[1:]])

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

    def _made(self, paid: Paid, known: Known, on_progress: Optional[Callable[[int], None]]) -> Medium:
        job_id = paid.body["jobId"]
        try:
            job = self.jobs._wait(job_id, on_progress, known)
        except KeyboardInterrupt:
            self._cancel(job_id)
            raise
        if job.get("url"):
            return self._medium(job, paid, known)
        # The refund of a failed job follows a moment after its failure.
        for _ in range(REFUND_TURNS):
            if job["chargeState"] != "charged":
                break
            time.sleep(POLL_SECONDS)
            try:
                job = self.jobs.get(job_id)
            except CallError:
                break  # The job has failed, even if nobody says what became of its money.
        if job["chargeState"] == "refunded":
            paid.refund()
        raise JobFailed(job_id, job.get("error"), job["chargeState"], job.get("errorCode"))

    def _cancel(self, job_id: str) -> None:
        try:
            self.jobs.cancel(job_id)
        except (LamppostError, NoAnswer):
            pass  # It is too late, or nobody answers: the job runs on.

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
        broke_at: Optional[float] = None
        while True:
            try:
                with response:
                    for at, event in enumerate(_events_in(response), start=1):
                        if "error" in event:
                            raise LamppostError(503, event, {}, _state_of(event))
                        if at <= read:
                            continue
                        read, broke_at = at, None
                        is_replay = response.headers.get("idempotent-replayed") == "true"
                        yield {**event, "isReplay": is_replay}
                return
            except LamppostError as error:
                if error.charge_state == "released":
                    opened.settle(0)
                raise
            except BROKEN as error:
                reason = error
            broke_at = broke_at or time.monotonic()
            is_over = self._sender.tries is not None and tried >= self._sender.tries
            if is_over or time.monotonic() - broke_at > PATIENCE_SECONDS:
                raise NoAnswer(self._sender.url_of(request.path), reason) from reason
            tried += 1
            time.sleep(0.5)
            response = opened.again()
            if read > 0 and response.headers.get("idempotent-replayed") != "true":
                # The first answer was refunded, so this is another answer, not the rest of it.
                response.close()
                raise NoAnswer(self._sender.url_of(request.path), reason) from reason


class Jobs:
    """Jobs: work that continues after its call."""

    def __init__(self, client: Lamppost) -> None:
        self._client = client

    def get(self, job_id: str) -> Mapping[str, Any]:
        return self._client._get(f"/v1/agent/jobs/{job_id}")

    def wait(
        self, job_id: str, *, on_progress: Optional[Callable[[int], None]] = None
    ) -> Mapping[str, Any]:
        """Waits until it is done or has failed, however long the service is away."""
        return self._wait(job_id, on_progress)

    def _wait(
        self, job_id: str, on_progress: Optional[Callable[[int], None]], known: Known = {}
    ) -> Mapping[str, Any]:
        waits = "known" if known else "new"
        seconds = WAIT_SECONDS if on_progress is None else 5
        while True:
            asked = time.monotonic()
            job = self._client._get(
                f"/v1/agent/jobs/{job_id}",
                headers=self._client._sender.waiting(seconds),
                has=_is_job,
                waits=waits,
                known={**known, "job_id": job_id},
            )
            waits = "known"
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
            page = self._client._get("/v1/agent/jobs", query, is_proven=True)
            yield from page["jobs"]
            cursor = page["nextCursor"]
            if cursor is None:
                return

    def cancel(self, job_id: str) -> Mapping[str, Any]:
        """Cancels and refunds it. Raises `CANCEL_TOO_LATE` when it is too late."""
        return self._client._change("POST", f"/v1/agent/jobs/{job_id}/cancel")


def _refuse_unknown(options: Mapping[str, Any], known: Mapping[str, str], where: str) -> None:
    """A misspelt option would have no effect on the call, but on its price."""
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"Did you mean {near[0]}?" if near else f"It takes {', '.join(known)}."
            raise TypeError(f"{where} takes no option {name!r}. {hint}")


def _messages_of(prompt: Union[str, Sequence[Message]]) -> Sequence[Message]:
    return [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)


def _is_begun(body: Mapping[str, Any]) -> bool:
    """Whether an answer has the result of a call, or its job. Other servers answer with a status, too."""
    return isinstance(body.get("url" if body.get("status") == "done" else "jobId"), str)


def _is_job(body: Mapping[str, Any]) -> bool:
    return body.get("status") in ("running", "done", "failed")


def _paid(
    path: str, body: Mapping[str, Any], idempotency_key: Optional[str] = None, has: Has = None
) -> Request:
    """A call that is paid once, however often it is sent."""
    said = {name: value for name, value in body.items() if value is not None}
    return Request("POST", path, said, {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}, has=has)


@contextmanager
def _knowing(known: Known) -> Iterator[None]:
    """Adds to an error what is known of its call."""
    try:
        yield
    except CallError as error:
        raise error.know(known)


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
