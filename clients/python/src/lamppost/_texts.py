"""Answers, conversations with tools, and their streams."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, AsyncGenerator, Mapping, Optional, Sequence, Union

from ._amounts import sure_micro
from ._api import Api, Json
from ._errors import CallError, LamppostError, NoAnswer
from ._making import bought, charge_in, paid_request
from ._medium import Charge
from ._options import OURS, CompletionOptions, Message, body_of, check
from ._payers import Opened, Payer, was_replayed
from ._sender import BROKEN, PATIENCE_SECONDS, How, Request

if TYPE_CHECKING:
    from typing_extensions import Unpack

PATH = "/v1/chat/completions"
TOKENS_DEFAULT = 1_024
# The most tokens that one image can have.
IMAGE_TOKENS_MAX = 20_000
INPUT_RATES = ("inputUsdPerMtok", "cacheWriteUsdPerMtok", "cacheWrite1hUsdPerMtok", "inputImageUsdPerMtok")
AGAIN_SECONDS = 0.5


@dataclass(frozen=True)
class ChatAnswer:
    text: str
    usage: Mapping[str, int]
    charge: Charge
    #: "stop", "length" if `max_tokens` was too small, or "content_filter".
    finish_reason: Optional[str]
    request_id: Optional[str]


@dataclass(frozen=True)
class ChatPiece:
    """A piece of a streamed answer. The last one contains the charge, and why the answer ended."""

    text: str
    charge: Optional[Charge] = None
    finish_reason: Optional[str] = None
    request_id: Optional[str] = None


@dataclass(frozen=True)
class Completion:
    """An answer in OpenAI's form, and its charge."""

    body: Json
    charge: Charge
    request_id: Optional[str]

    @property
    def message(self) -> Json:
        """The message of the model: its text as `content`, or its `tool_calls`. Append it to the conversation."""
        return dict(self.body["choices"][0]["message"])


@dataclass(frozen=True)
class CompletionPiece:
    """A piece of a streamed completion. The last one has the charge."""

    body: Json
    charge: Optional[Charge] = None
    request_id: Optional[str] = None

    @property
    def delta(self) -> Json:
        return dict((self.body.get("choices") or [{}])[0].get("delta") or {})

    @property
    def finish_reason(self) -> Optional[str]:
        reason = (self.body.get("choices") or [{}])[0].get("finish_reason")
        return reason if isinstance(reason, str) else None


class AsyncCompletions:
    """Conversations in OpenAI's form, with tools and images: by key, session or the balance of a wallet."""

    def __init__(self, api: Api, payer: Payer) -> None:
        self._api = api
        self._payer = payer
        self._rates: Optional[Sequence[Json]] = None

    async def create(self, messages: Sequence[Message], **options: "Unpack[CompletionOptions]") -> Completion:
        """One answer, whole, charged by its tokens."""
        request = self._request(messages, options)
        paid = await bought(self._payer, request, None, lambda: self.most_of_call(request))
        return Completion(paid.body, paid.charge, paid.request_id)

    async def stream(
        self, messages: Sequence[Message], **options: "Unpack[CompletionOptions]"
    ) -> AsyncGenerator[CompletionPiece, None]:
        """One answer as a stream. Leaving the loop stops it, and the text so far is charged."""
        request = self._request(messages, options, stream=True, stream_options={"include_usage": True})
        known = {"idempotency_key": request.headers["Idempotency-Key"]}
        try:
            opened = await self._payer.open(request, lambda: self.most_of_call(request))
        except CallError as error:
            raise error.know(known)
        known["charge_id"] = opened.charge_id
        request_id = opened.exchange.headers.get("x-request-id")
        is_known = True
        try:
            async for event, is_replay in self._events_of(opened, request):
                charge = event.get("charge")
                if isinstance(charge, dict):
                    micro = opened.settle(charge.get("priceMicro"), is_replay)
                    yield CompletionPiece(event, charge_in(charge, micro), request_id)
                else:
                    yield CompletionPiece(event)
        except CallError as error:
            # While the outcome is unknown, a repetition needs the same payer.
            is_known = isinstance(error, LamppostError) and error.charge_state == "released"
            raise error.know(known)
        except BaseException:
            # The reader has left: by a break, by Ctrl-C, or because its task is cancelled.
            opened.exchange.close()
            await opened.leave()
            raise
        finally:
            if is_known:
                await opened.end()

    async def most_of_call(self, request: Request) -> int:
        return await self.most_of(request.body or {}, request.headers["Idempotency-Key"], request.how)

    async def most_of(self, body: Mapping[str, Any], key: str, how: Optional[How]) -> int:
        """An upper bound of the service's hold: no text has more tokens than bytes.

        The look at the rates is as patient as the call with this key, and its errors have the key.
        """
        rates = self._rates
        if rates is None:
            known = {"idempotency_key": key}
            answer = await self._api.get("/v1/agent/models", has="textModels", known=known, how=how)
            rates = self._rates = list(answer["textModels"])
        model = body.get("model")
        # A model that is not listed counts as the most expensive one.
        named = [
            one
            for one in rates
            if (one.get("default") if model is None else model in (one["id"], *one.get("aliases", ())))
        ]
        images: "list[int]" = []
        text = json.dumps(_without_images(body, images), ensure_ascii=False)
        size = len(text.encode("utf-8", "surrogatepass")) + IMAGE_TOKENS_MAX * len(images)
        limits = (body.get(name) for name in ("max_completion_tokens", "max_tokens", "max_output_tokens"))
        wanted = next((limit for limit in limits if isinstance(limit, int)), None)
        return sure_micro(max(_most_at(one, size, wanted) for one in (named or rates)), "a price")

    def _request(self, messages: Sequence[Message], options: CompletionOptions, **more: Any) -> Request:
        check(options, CompletionOptions, "completions")
        how = self._api.sender.how.but(options)
        body = {"messages": list(messages), **body_of(options, OURS), **more}
        return paid_request(PATH, body, how, options, "choices")

    async def _events_of(
        self, opened: Opened, request: Request
    ) -> "AsyncGenerator[tuple[Mapping[str, Any], bool], None]":
        """After a lost connection, repeats the same call and resumes after the last piece."""
        sender, how = self._api.sender, request.how or self._api.sender.how
        exchange, read, tried = opened.exchange, 0, 1
        broke_at: Optional[float] = None
        while True:
            at = 0
            try:
                async for event in sender.events(exchange):
                    if "error" in event:
                        raise LamppostError(503, event, exchange.headers, _state_of(event))
                    at += 1
                    if at <= read:
                        continue
                    read, broke_at = at, None
                    yield event, was_replayed(exchange.headers)
                return
            except LamppostError as error:
                if error.charge_state == "released":
                    opened.settle(0)
                raise
            except BROKEN as error:
                reason = error
            broke_at = broke_at or time.monotonic()
            is_over = (how.tries is not None and tried >= how.tries) or how.left() <= 0
            if is_over or time.monotonic() - broke_at > PATIENCE_SECONDS:
                raise NoAnswer(sender.url_of(request.path), reason) from reason
            tried += 1
            await sender.io.sleep(AGAIN_SECONDS)
            if read > 0 and await opened.is_returned(broke_at + PATIENCE_SECONDS):
                # The same call would begin another answer, and the stream can't continue with it.
                opened.settle(0)
                raise NoAnswer(sender.url_of(request.path), reason) from reason
            exchange = opened.exchange = await opened.again()
            if read > 0 and not was_replayed(exchange.headers):
                exchange.close()
                raise NoAnswer(sender.url_of(request.path), reason) from reason


def _most_at(model: Mapping[str, Any], size: int, wanted: Optional[int]) -> int:
    """The cost at the dearest rates that an input of so many tokens can reach. Any of it may go into the maker's cache."""
    steps = [step for step in model.get("above") or () if step["tokens"] < size]
    reached = [model, *({**model, **step} for step in steps)]
    inputs = max(float(rates.get(name) or 0) for rates in reached for name in INPUT_RATES)
    outputs = max(float(rates["outputUsdPerMtok"]) for rates in reached)
    output = model.get("maxOutputTokens", TOKENS_DEFAULT) if wanted is None else wanted
    return math.ceil(size * inputs + output * outputs)


def messages_of(prompt: Union[str, Sequence[Message]]) -> Sequence[Message]:
    return [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)


def _without_images(value: Any, images: "list[int]") -> Any:
    """A body without its images, which are counted apart."""
    if isinstance(value, Mapping):
        images.extend(1 for name in value if name == "image_url")
        return {name: None if name == "image_url" else _without_images(one, images) for name, one in value.items()}
    return [_without_images(one, images) for one in value] if isinstance(value, (list, tuple)) else value


def _state_of(event: Mapping[str, Any]) -> str:
    error = event.get("error")
    is_open = isinstance(error, dict) and error.get("code") == "SETTLEMENT_PENDING"
    return "settling" if is_open else "released"
