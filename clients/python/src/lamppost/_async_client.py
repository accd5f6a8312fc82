from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, AsyncGenerator, ContextManager, Mapping, Optional, Sequence, Union
from urllib.parse import urlsplit

from ._amounts import sure_micro
from ._api import Api, Json
from ._audio import AsyncAudio
from ._batches import AsyncBatches
from ._budget import Budget
from ._io import Threads, Waiting
from ._making import AsyncJobs, Making, bought, paid_request
from ._medium import AsyncMedium
from ._options import (
    CAMEL,
    OURS,
    CallOptions,
    ChatOptions,
    ClientOptions,
    MediaOptions,
    Message,
    PaidOptions,
    QuoteOptions,
    StreamOptions,
    body_of,
    check,
)
from ._payable import Payable
from ._payers import Loans, Payer, Prepaid
from ._per_call import PerCall
from ._resources import AsyncDelegated, AsyncKeys, AsyncReceipts, AsyncReferences, AsyncWebhooks
from ._sender import How, Request, Response, Sender, seeing
from ._sign_in import SignIn
from ._texts import AsyncCompletions, ChatAnswer, ChatPiece, messages_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

TIMEOUT_SECONDS = 150.0
EVENT_WAIT_SECONDS = 60
POLL_SECONDS = 1.0
VIDEO_SECONDS = 4
TOP_UP_USD = (1, 500)
WALLET = ("pay", "networks", "assets")


class AsyncLamppost:
    """Images, films and text from one service, for programs with an event loop.

    >>> lamppost = AsyncLamppost(base_url, key=key)
    >>> await (await lamppost.image("A red fox in the snow")).save("fox.png")
    """

    def __init__(self, base_url: Optional[str] = None, **options: "Unpack[ClientOptions]") -> None:
        self._begin(base_url, options, Threads())

    def _begin(self, base_url: Optional[str], options: ClientOptions, io: Waiting) -> None:
        check(options, ClientOptions, "Lamppost()")
        key, wallet, session = options.get("key"), options.get("wallet"), options.get("session")
        if sum(one is not None for one in (key, wallet, session)) > 1:
            raise TypeError("Give one of key, wallet and session.")
        address = base_url or os.environ.get("LAMPPOST_URL")
        if not address or not re.match(r"https?://", address):
            raise TypeError("Say where the service is: Lamppost('https://…'), or LAMPPOST_URL in the environment.")
        # A key of the environment is sent to the address of the environment, and to no other.
        if base_url is None and key is None and wallet is None and session is None:
            key = os.environ.get("LAMPPOST_KEY") or None
        if key is not None and not key.startswith("lp_"):
            raise TypeError("key is no key of a Lamppost service: those begin with lp_.")
        pay = options.get("pay")
        if pay not in (None, "x402", "balance"):
            raise TypeError('pay is "x402" or "balance".')
        if wallet is None and any(options.get(name) for name in WALLET):
            raise TypeError("pay, networks and assets are options for wallets, and no wallet is given.")
        self.budget = options.get("budget") or Budget()
        how = How(options.get("timeout", TIMEOUT_SECONDS), options.get("tries"), options.get("on_retry"))
        self._sender = Sender(address, how, options.get("headers", {}), io)
        payable = Payable(options.get("networks"), options.get("assets", ()))
        # A wallet that signs no texts can only pay call by call.
        signs = wallet is not None and hasattr(wallet, "sign_message")
        if pay == "balance" and not signs:
            raise TypeError('pay="balance" needs a wallet with sign_message, as eth_account has it.')
        place = urlsplit(self._sender.base_url)
        proof: Mapping[str, str] = {}
        if key is not None:
            proof = {"x-api-key": key}
        elif session is not None:
            proof = {"cookie": session, "origin": f"{place.scheme}://{place.netloc}"}
        sign_in = SignIn(wallet, self._sender.base_url, payable.chain_id) if signs else None  # type: ignore[arg-type]
        # Only functions hold the credentials, so a printed object shows none.
        self._api = api = Api(
            self._sender,
            (lambda: proof) if sign_in is None else sign_in.headers,
            lambda path: proof if sign_in is None else sign_in.headers_for(self._sender.url_of(path)),
            proof,
        )
        payer = key or (wallet.address if wallet else session or "")
        self._wallet = wallet and wallet.address
        self._per_call = None if wallet is None else PerCall(self._sender, self.budget, wallet, payable)
        pays_per_call = pay != "balance"
        prepaid = Prepaid(api, self.budget, payer, None if sign_in is None else Loans(api))
        self._payer: Payer = self._per_call if self._per_call and pays_per_call else prepaid
        self.jobs = AsyncJobs(api)
        self._making = Making(api, self._payer, self.jobs)
        #: Conversations in OpenAI's form, with tools.
        self.completions = AsyncCompletions(api, self._payer)
        self.audio = AsyncAudio(api, self._payer, self._payer is self._per_call)
        self.batches = AsyncBatches(api, self.budget, self.completions, prepaid.key_of)
        self.receipts = AsyncReceipts(api)
        self.references = AsyncReferences(api)
        self.webhooks = AsyncWebhooks(api)
        self.keys = AsyncKeys(api)
        self.delegated = AsyncDelegated(api, self.budget)

    async def __aenter__(self) -> "AsyncLamppost":
        return self

    async def __aexit__(self, *_: object) -> None:
        self._sender.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sender.base_url!r})"

    def with_response(self) -> "ContextManager[Response]":
        """The status, the headers and the request id of the calls in a `with` block: those with the charge, or the last ones."""
        return seeing()

    async def models(self, **options: "Unpack[CallOptions]") -> Json:
        """The models and their prices."""
        how = self._api.how(options, CallOptions, "models()")
        return await self._api.get("/v1/agent/models", has="textModels", how=how)

    async def quote(self, **call: "Unpack[QuoteOptions]") -> Json:
        """The exact price of a call, free, and locked for 15 minutes: pass its `quoteId` to the call."""
        how = self._api.how(call, QuoteOptions, "quote()")
        request = Request("POST", "/v1/agent/quote", body_of(call, CAMEL), has="priceMicro", how=how)
        return dict((await self._sender.json(request)).body)

    async def balance(self, **options: "Unpack[CallOptions]") -> int:
        """The credits behind the key, or the balance of the wallet, in micro-USD."""
        how = self._api.how(options, CallOptions, "balance()")
        path = f"/v1/agent/x402/balance/{self._wallet}" if self._wallet else "/v1/agent/balance"
        return sure_micro((await self._api.get(path, has="balanceMicro", how=how))["balanceMicro"], "a balance")

    async def top_up(self, usd: int, **options: "Unpack[PaidOptions]") -> int:
        """Tops up the balance of the wallet, in USDC. Returns the balance in micro-USD."""
        how = self._api.how(options, PaidOptions, "top_up()")
        if self._per_call is None:
            raise TypeError("A wallet can be topped up; accounts top up on their pages.")
        if not TOP_UP_USD[0] <= usd <= TOP_UP_USD[1]:
            raise ValueError(f"A top-up is ${TOP_UP_USD[0]} to ${TOP_UP_USD[1]}, and not ${usd}.")
        request = paid_request("/v1/agent/x402/top-up", body_of(options, OURS), how, options, "balanceMicro")
        limits = (options.get("max_price_micro"), None, round(usd * 1_000_000))
        paid = await bought(self._per_call, replace(request, query={"usd": usd}), *limits)
        return sure_micro(paid.body["balanceMicro"], "a balance")

    async def image(self, prompt: str, **options: "Unpack[MediaOptions]") -> AsyncMedium:
        """A picture. Waits for the result. With `n`, the other pictures are its `further`."""
        return await self._making.make(prompt, options, self._api.how(options, MediaOptions, "image()"))

    async def video(self, prompt: str, **options: "Unpack[MediaOptions]") -> AsyncMedium:
        """A film. Waits for the result, which takes minutes: `on_progress` is called with the percentage."""
        how = self._api.how(options, MediaOptions, "video()")
        if options.get("duration") is None:
            options["duration"] = await self._usual_duration(options)
        return await self._making.make(prompt, options, how)

    async def start(self, prompt: str, **options: "Unpack[MediaOptions]") -> Json:
        """Starts a picture or, with a `duration`, a film, without waiting. Returns its `jobId` or `url`, and its `charge`.

        `webhook_url`, `events` or `jobs.wait` report the end.
        """
        how = self._api.how(options, MediaOptions, "start()")
        paid, _ = await self._making.begin(prompt, options, how, {"Prefer": "respond-async"})
        return {**paid.body, "charge": paid.charge, "requestId": paid.request_id}

    async def chat(self, prompt: Union[str, Sequence[Message]], **options: "Unpack[ChatOptions]") -> ChatAnswer:
        """An answer to a question or a conversation."""
        how = self._api.how(options, ChatOptions, "chat()")
        body = {"messages": messages_of(prompt), **body_of(options, OURS)}
        request = paid_request("/v1/agent/chat", body, how, options, "choices")
        paid = await bought(self._payer, request, options.get("max_price_micro"))
        choices: Sequence[Json] = paid.body["choices"] or [{"message": {"content": ""}}]
        text: str = choices[0]["message"]["content"]
        reason: Optional[str] = choices[0].get("finish_reason")
        return ChatAnswer(text, paid.body.get("usage", {}), paid.charge, reason, paid.request_id)

    async def stream(
        self, prompt: Union[str, Sequence[Message]], **options: "Unpack[StreamOptions]"
    ) -> AsyncGenerator[ChatPiece, None]:
        """The same as a stream, billed by tokens. Leaving the loop stops it; the text so far is paid."""
        check(options, StreamOptions, "stream()")
        reason = None
        pieces = self.completions.stream(messages_of(prompt), **options)
        try:
            async for piece in pieces:
                text = piece.delta.get("content") or ""
                reason = piece.finish_reason or reason
                if piece.charge is not None:
                    yield ChatPiece(text, piece.charge, reason, piece.request_id)
                elif text:
                    yield ChatPiece(text)
        finally:
            await pieces.aclose()

    async def events(
        self,
        *,
        after: Optional[str] = None,
        types: Optional[Sequence[str]] = None,
        **options: "Unpack[CallOptions]",
    ) -> AsyncGenerator[Json, None]:
        """The events of your jobs and your money, from the first one on and then live, each once."""
        how = self._api.how(options, CallOptions, "events()")
        cursor, waits = after, "new"
        while True:
            query = {"after": cursor, "types": ",".join(types) if types else None}
            asked = time.monotonic()
            wait = self._sender.waiting(EVENT_WAIT_SECONDS, how)
            page = await self._api.get(
                "/v1/agent/events", query, wait, is_proven=True, has="events", waits=waits, how=how
            )
            waits = "known"
            for event in page["events"]:
                yield event
            cursor = page["nextCursor"]
            if not page["events"]:
                if how.left() <= 0:
                    return
                # A proxy in between may answer at once; pause between the requests all the same.
                await self._sender.io.sleep(max(0.0, POLL_SECONDS - (time.monotonic() - asked)))

    async def _usual_duration(self, options: MediaOptions) -> int:
        """The default length of a film: four seconds, or the shortest of its model."""
        model = options.get("model")
        if model is None and options.get("image") is None:
            return VIDEO_SECONDS
        mode = "i2v" if options.get("video") is None else "motion"
        for one in (await self.models())["models"]:
            is_meant = one["id"] == model if model else one["mode"] == mode and one.get("default")
            if is_meant and one["durations"] and VIDEO_SECONDS not in one["durations"]:
                return int(one["durations"][0])
        return VIDEO_SECONDS
