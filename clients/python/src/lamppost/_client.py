"""The client for programs that block: each method is that of the core, with another way to wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, ContextManager, Coroutine, Optional, TypeVar

from ._async_client import AsyncLamppost
from ._audio import AsyncAudio, Speech
from ._batches import AsyncBatches
from ._io import Direct, iterating, named_as, run, waiting
from ._making import AsyncJobs
from ._medium import Medium
from ._options import ClientOptions
from ._resources import AsyncDelegated, AsyncKeys, AsyncReceipts, AsyncReferences, AsyncWebhooks
from ._sender import Response
from ._texts import AsyncCompletions

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec, Unpack

    P = ParamSpec("P")

R = TypeVar("R")
M = TypeVar("M")


def making(
    kind: "Callable[[R], M]", method: "Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]"
) -> "Callable[Concatenate[Any, P], M]":
    """The blocking form of a method whose result has a file."""

    def make(self: Any, /, *args: P.args, **options: P.kwargs) -> M:
        return kind(run(method(self._core, *args, **options)))

    return named_as(method, make)


class _Group:
    def __init__(self, core: Any) -> None:
        self._core = core


class Jobs(_Group):
    __doc__ = AsyncJobs.__doc__
    get = waiting(AsyncJobs.get)
    wait = waiting(AsyncJobs.wait)
    list = iterating(AsyncJobs.list)
    cancel = waiting(AsyncJobs.cancel)


class Completions(_Group):
    __doc__ = AsyncCompletions.__doc__
    create = waiting(AsyncCompletions.create)
    stream = iterating(AsyncCompletions.stream)


class Audio(_Group):
    __doc__ = AsyncAudio.__doc__
    speak = making(Speech, AsyncAudio.speak)
    transcribe = waiting(AsyncAudio.transcribe)


class Batches(_Group):
    __doc__ = AsyncBatches.__doc__
    create = waiting(AsyncBatches.create)
    get = waiting(AsyncBatches.get)
    wait = waiting(AsyncBatches.wait)
    results = waiting(AsyncBatches.results)
    list = iterating(AsyncBatches.list)
    cancel = waiting(AsyncBatches.cancel)


class Receipts(_Group):
    __doc__ = AsyncReceipts.__doc__
    get = waiting(AsyncReceipts.get)


class References(_Group):
    __doc__ = AsyncReferences.__doc__
    store = waiting(AsyncReferences.store)
    list = waiting(AsyncReferences.list)
    search = waiting(AsyncReferences.search)
    delete = waiting(AsyncReferences.delete)


class Webhooks(_Group):
    __doc__ = AsyncWebhooks.__doc__
    create = waiting(AsyncWebhooks.create)
    list = waiting(AsyncWebhooks.list)
    delete = waiting(AsyncWebhooks.delete)
    test = waiting(AsyncWebhooks.test)


class Keys(_Group):
    __doc__ = AsyncKeys.__doc__
    create = waiting(AsyncKeys.create)
    list = iterating(AsyncKeys.list)
    update = waiting(AsyncKeys.update)
    delete = waiting(AsyncKeys.delete)


class Delegated(_Group):
    __doc__ = AsyncDelegated.__doc__
    create = waiting(AsyncDelegated.create)
    list = iterating(AsyncDelegated.list)
    delete = waiting(AsyncDelegated.delete)


class Lamppost:
    """Images, films and text from one service, paid by one key or one wallet.

    >>> lamppost = Lamppost(base_url, key=key)
    >>> lamppost.image("A red fox in the snow").save("fox.png")
    """

    def __init__(self, base_url: Optional[str] = None, **options: "Unpack[ClientOptions]") -> None:
        core = AsyncLamppost.__new__(AsyncLamppost)
        core._begin(base_url, options, Direct())
        self._core = core
        self.budget = core.budget
        self.jobs = Jobs(core.jobs)
        self.completions = Completions(core.completions)
        self.audio = Audio(core.audio)
        self.batches = Batches(core.batches)
        self.receipts = Receipts(core.receipts)
        self.references = References(core.references)
        self.webhooks = Webhooks(core.webhooks)
        self.keys = Keys(core.keys)
        self.delegated = Delegated(core.delegated)

    def __enter__(self) -> "Lamppost":
        return self

    def __exit__(self, *_: object) -> None:
        self._core._sender.close()

    def __repr__(self) -> str:
        return f"Lamppost({self._core._sender.base_url!r})"

    def with_response(self) -> "ContextManager[Response]":
        """The status, the headers and the request id of the calls in a `with` block: those with the charge, or the last ones."""
        return self._core.with_response()

    models = waiting(AsyncLamppost.models)
    quote = waiting(AsyncLamppost.quote)
    balance = waiting(AsyncLamppost.balance)
    top_up = waiting(AsyncLamppost.top_up)
    image = making(Medium, AsyncLamppost.image)
    video = making(Medium, AsyncLamppost.video)
    start = waiting(AsyncLamppost.start)
    chat = waiting(AsyncLamppost.chat)
    stream = iterating(AsyncLamppost.stream)
    events = iterating(AsyncLamppost.events)
