"""The options of calls. Each name is here once: for type checkers, and for the check while a program runs."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, TypedDict, Union

from ._budget import Budget
from ._medium import Source
from ._payable import Asset

if TYPE_CHECKING:
    from ._sender import Retry
    from ._x402 import Wallet

Message = Mapping[str, Any]


class CallOptions(TypedDict, total=False):
    """Options of every call. They override those of the client."""

    #: The timeout of one try in seconds. For streams and files it is the longest silence.
    timeout: float
    #: The most seconds that the whole call may take, with all its tries and waits.
    time_limit: float
    tries: int
    #: Called before each retry.
    on_retry: "Callable[[Retry], None]"


class PaidOptions(CallOptions, total=False):
    """Options of every paid call."""

    #: A call that is sent again with the same key gets the same answer and is charged only once.
    idempotency_key: Optional[str]
    #: Refuses the call if it would cost more.
    max_price_micro: Optional[int]
    #: Your own word, which the job and the receipt show.
    tag: Optional[str]


class QuotedOptions(PaidOptions, total=False):
    #: A price that `quote` has locked.
    quote_id: Optional[str]


class MediaOptions(QuotedOptions, total=False):
    model: Optional[str]
    image: Optional[Source]
    image2: Optional[Source]
    video: Optional[Source]
    sources: Optional[Sequence[Source]]
    mask: Optional[Source]
    last_frame: Optional[Source]
    extend: Optional[Source]
    seed: Optional[int]
    negative_prompt: Optional[str]
    n: Optional[int]
    duration: Optional[int]
    resolution: Optional[str]
    aspect_ratio: Optional[str]
    image_size: Optional[str]
    audio: Optional[bool]
    reference_ids: Optional[Sequence[str]]
    use_references: Optional[bool]
    webhook_url: Optional[str]
    #: Called with the percentage during the wait.
    on_progress: Optional[Callable[[int], None]]


class StreamOptions(PaidOptions, total=False):
    model: Optional[str]
    max_tokens: Optional[int]
    temperature: Optional[float]
    #: "low", "medium" or "high", for models that reason.
    reasoning_effort: Optional[str]


class ChatOptions(StreamOptions, QuotedOptions, total=False):
    pass


class QuoteOptions(CallOptions, total=False):
    model: Optional[str]
    prompt: str
    duration: int
    resolution: str
    image_size: str
    aspect_ratio: str
    audio: bool
    messages: Sequence[Message]
    max_tokens: int
    payer: str


class CompletionOptions(PaidOptions, total=False):
    """The fields of OpenAI's chat completions."""

    model: Optional[str]
    max_tokens: Optional[int]
    max_completion_tokens: Optional[int]
    temperature: Optional[float]
    top_p: Optional[float]
    frequency_penalty: Optional[float]
    presence_penalty: Optional[float]
    seed: Optional[int]
    reasoning_effort: Optional[str]
    tools: Sequence[Mapping[str, Any]]
    tool_choice: Union[str, Mapping[str, Any]]
    parallel_tool_calls: bool
    response_format: Mapping[str, Any]
    stop: Union[str, Sequence[str], None]


class SpeechOptions(QuotedOptions, total=False):
    model: Optional[str]
    voice: Optional[str]
    #: "mp3", "opus", "aac", "flac", "wav" or "pcm".
    format: Optional[str]
    speed: Optional[float]


class TranscriptOptions(QuotedOptions, total=False):
    model: Optional[str]
    #: By ISO 639-1, such as "en".
    language: Optional[str]


class WaitOptions(CallOptions, total=False):
    on_progress: Optional[Callable[[int], None]]


class ClientOptions(TypedDict, total=False):
    """Options of a client. At most one of `key`, `wallet` and `session` names the payer."""

    #: A key of an account: `lp_…`.
    key: Optional[str]
    #: An account of `eth_account`, or another signer.
    wallet: "Optional[Wallet]"
    #: The cookie of a signed-in account, for `keys`.
    session: Optional[str]
    #: What a wallet spends: "x402", USDC for each call, or "balance".
    pay: Optional[str]
    budget: Optional[Budget]
    networks: Optional[Sequence[str]]
    assets: Sequence[Asset]
    #: Sent with each request to the service, such as the header of a gateway.
    headers: Mapping[str, str]
    timeout: float
    tries: Optional[int]
    on_retry: "Optional[Callable[[Retry], None]]"


CALL = tuple(CallOptions.__optional_keys__)
# The options that a body does not have.
OWN = (*CALL, "idempotency_key", "on_progress")
# The names of the options of media in a body.
CAMEL = {
    "model": "modelId",
    "last_frame": "lastFrame",
    "negative_prompt": "negativePrompt",
    "aspect_ratio": "aspectRatio",
    "image_size": "imageSize",
    "reference_ids": "referenceIds",
    "use_references": "useReferences",
    "webhook_url": "webhookUrl",
    "quote_id": "quoteId",
    "max_price_micro": "maxPriceMicro",
}
# A text has the same names as in OpenAI's bodies, but for the service's own.
OURS = {name: CAMEL[name] for name in ("quote_id", "max_price_micro")}
SPEECH = {**OURS, "format": "response_format"}


def check(options: Mapping[str, Any], known: Any, where: str) -> None:
    """Refuses a misspelt option before anything is sent: a limit or a length would have no effect, but on the price."""
    names = sorted(known.__optional_keys__)
    for name in options:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            hint = f"Did you mean {near[0]}?" if near else f"It takes {', '.join(names)}."
            raise TypeError(f"{where} takes no option {name!r}. {hint}")


def body_of(options: Mapping[str, Any], names: Mapping[str, str]) -> Mapping[str, Any]:
    """The options that the body of a call has, with their names there."""
    return {
        names.get(name, name): value for name, value in options.items() if name not in OWN and value is not None
    }
