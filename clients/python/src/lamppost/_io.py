"""The two ways in which the one core of the package waits.

All clients are coroutines, written once. For `AsyncLamppost` they wait in an event loop, and threads run what blocks. For
`Lamppost` nothing in them ever suspends, because `Direct` blocks the thread of its caller, so `run` gets the result at once.
"""

from __future__ import annotations

import asyncio
import functools
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, AsyncGenerator, Callable, Coroutine, Generator, Protocol, TypeVar

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

R = TypeVar("R")
C = TypeVar("C", bound=Callable[..., Any])

# The requests of one AsyncLamppost that can wait for an answer at the same time. Further ones wait for a thread.
THREADS_MAX = 64


class Waiting(Protocol):
    async def call(self, work: Callable[[], R], stop: Callable[[], None]) -> R:
        """Runs what blocks. If the caller is cancelled, `stop` makes it end."""
        ...

    async def sleep(self, seconds: float) -> None: ...

    async def result(self, future: "Future[R]") -> R: ...

    def close(self) -> None: ...


class Direct:
    async def call(self, work: Callable[[], R], stop: Callable[[], None]) -> R:
        return work()

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def result(self, future: "Future[R]") -> R:
        return future.result()

    def close(self) -> None:
        pass


class Threads:
    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS_MAX, "lamppost")

    async def call(self, work: Callable[[], R], stop: Callable[[], None]) -> R:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        except asyncio.CancelledError:
            stop()
            raise

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def result(self, future: "Future[R]") -> R:
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        self._pool.shutdown(wait=False)


def run(work: Coroutine[Any, Any, R]) -> R:
    """The result of a coroutine that waits with `Direct`."""
    try:
        work.send(None)
    except StopIteration as done:
        result: R = done.value
        return result
    raise RuntimeError("A client that blocks has waited in an event loop.")


def waiting(method: "Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]") -> "Callable[Concatenate[Any, P], R]":
    """The blocking form of a method of the core."""

    def wait(self: Any, /, *args: P.args, **options: P.kwargs) -> R:
        return run(method(self._core, *args, **options))

    return named_as(method, wait)


def iterating(
    method: "Callable[Concatenate[Any, P], AsyncGenerator[R, None]]",
) -> "Callable[Concatenate[Any, P], Generator[R, None, None]]":
    """The same for a method that yields."""

    def iterate(self: Any, /, *args: P.args, **options: P.kwargs) -> Generator[R, None, None]:
        steps = method(self._core, *args, **options)
        try:
            while True:
                try:
                    step = run(steps.__anext__())
                except StopAsyncIteration:
                    return
                yield step
        finally:
            run(steps.aclose())

    return named_as(method, iterate)


def named_as(method: Any, own: C) -> C:
    """Gives a function the name, the signature and the text of another one."""
    functools.update_wrapper(own, method)
    return own
