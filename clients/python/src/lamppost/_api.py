from __future__ import annotations

import uuid
from typing import Any, AsyncGenerator, Callable, Mapping, Optional
from urllib.parse import quote

from ._options import CallOptions, check
from ._sender import Answer, Has, How, Request, Sender

Json = Mapping[str, Any]
Proof = Callable[[], Mapping[str, str]]


class Api:
    """The free routes of the service, with the credential of the client."""

    def __init__(self, sender: Sender, proof: Proof, proof_for: Callable[[str], Mapping[str, str]], key: Mapping[str, str]):
        self.sender = sender
        self.proof = proof
        #: The credential for one address that delegates money.
        self.proof_for = proof_for
        self._key = key

    def how(self, options: CallOptions, known: Any = CallOptions, where: str = "This call") -> How:
        """How a call is sent. Refuses options that it does not take."""
        check(options, known, where)
        return self.sender.how.but(options)

    async def get(
        self,
        path: str,
        query: Mapping[str, Any] = {},
        headers: Mapping[str, str] = {},
        *,
        is_proven: bool = False,
        how: Optional[How] = None,
        has: Has = None,
        waits: Optional[str] = None,
        known: Mapping[str, Optional[str]] = {},
    ) -> Json:
        """A wallet signs only where a route asks whose it is."""
        proof = await self.signed() if is_proven else self._key
        request = Request("GET", path, None, {**proof, **headers}, query, has=has, waits=waits, known=known, how=how)
        return (await self.sender.json(request)).fields

    async def read(self, path: str, how: How) -> bytes:
        """A file of this payer."""
        request = Request("GET", path, headers=await self.signed(), is_raw=True, waits="new", how=how)
        return bytes((await self.sender.json(request)).body)

    async def change(
        self,
        method: str,
        path: str,
        body: Optional[Json] = None,
        *,
        how: Optional[How] = None,
        proof: Optional[Mapping[str, str]] = None,
        file: Optional[tuple[str, bytes]] = None,
        key: Optional[str] = None,
        has: Has = None,
    ) -> Answer:
        """Performed once, however often it is sent."""
        said = None if body is None else {name: value for name, value in body.items() if value is not None}
        headers = {**(proof or await self.signed()), "Idempotency-Key": key or str(uuid.uuid4())}
        return await self.sender.json(Request(method, path, said, headers, file=file, has=has, how=how))

    async def pages(
        self, path: str, what: str, query: Mapping[str, Any], how: How
    ) -> AsyncGenerator[Json, None]:
        """The entries of a list, page by page as they are read."""
        cursor = None
        while True:
            page = await self.get(path, {**query, "cursor": cursor}, is_proven=True, how=how, has=what)
            for one in page[what]:
                yield one
            cursor = page.get("nextCursor")
            if cursor is None:
                return

    async def signed(self) -> Mapping[str, str]:
        """The credential. A wallet may ask another program for its signature."""
        return await self.sender.io.call(self.proof, nothing)


def path_of(*parts: str) -> str:
    return "/".join([parts[0], *(quote(part, safe="") for part in parts[1:])])


def nothing() -> None:
    pass
