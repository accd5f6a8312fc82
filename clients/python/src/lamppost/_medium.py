from __future__ import annotations

import base64
import os
import re
from dataclasses import dataclass
from typing import IO, Awaitable, Callable, Optional, Sequence, Union
from urllib.parse import urlsplit

from ._io import waiting

Content = bytes
# A picture or a clip to send: an address, a data URI, the path of a file, an open file, or bytes.
Source = Union[str, "os.PathLike[str]", IO[bytes], Content]

MAGIC = (
    ("image/png", 0, b"\x89PNG"),
    ("image/jpeg", 0, b"\xff\xd8\xff"),
    ("image/gif", 0, b"GIF8"),
    ("image/webp", 8, b"WEBP"),
    ("image/avif", 4, b"ftypavif"),
    ("video/mp4", 4, b"ftyp"),
    ("video/webm", 0, b"\x1aE\xdf\xa3"),
)


async def to_media(source: Source, fetch: Callable[[str], Awaitable[Content]]) -> str:
    """A source in the form of a request body."""
    if isinstance(source, str) and source.startswith("data:"):
        return source
    if isinstance(source, str) and re.match("https?://", source):
        # The service reads addresses only at the usual ports.
        if urlsplit(source).port in (None, 80, 443):
            return source
        content = await fetch(source)
    else:
        content = content_of(source)
    for kind, at, magic in MAGIC:
        if content[at : at + len(magic)] == magic:
            return f"data:{kind};base64,{base64.b64encode(content).decode()}"
    raise TypeError("These bytes are no image and no video that is known here.")


def content_of(source: Source) -> Content:
    """The bytes of a file, by its path or open, or the bytes themselves."""
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            return file.read()
    return source if isinstance(source, Content) else source.read()


@dataclass(frozen=True)
class Charge:
    """The price of a call, in micro-USD."""

    id: str
    micro: int
    balance_micro: Optional[int] = None


class AsyncMedium:
    """A finished picture, film or speech, and its charge. Its file is downloaded on request."""

    def __init__(
        self,
        url: str,
        charge: Charge,
        job_id: Optional[str],
        request_id: Optional[str],
        read: Callable[[str], Awaitable[Content]],
        further: Sequence["AsyncMedium"] = (),
    ) -> None:
        self.url = url
        self.charge = charge
        self.job_id = job_id
        self.request_id = request_id
        self._read = read
        self.further = further

    async def bytes(self) -> Content:
        return await self._read(self.url)

    async def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        write(path, await self.bytes())


class Medium:
    """The same, for programs that block."""

    def __init__(self, core: AsyncMedium) -> None:
        self._core = core
        self.url = core.url
        self.charge = core.charge
        self.job_id = core.job_id
        self.request_id = core.request_id
        self.further: Sequence[Medium] = [Medium(one) for one in core.further]

    bytes = waiting(AsyncMedium.bytes)
    save = waiting(AsyncMedium.save)


def write(path: Union[str, "os.PathLike[str]"], content: Content) -> None:
    with open(path, "wb") as file:
        file.write(content)
