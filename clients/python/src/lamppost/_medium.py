from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Callable, Optional, Sequence, Union

# A picture or a clip to send: an address, a data URI, or its bytes.
Source = Union[str, bytes]

MAGIC = (
    ("image/png", 0, b"\x89PNG"),
    ("image/jpeg", 0, b"\xff\xd8\xff"),
    ("image/gif", 0, b"GIF8"),
    ("image/webp", 8, b"WEBP"),
    ("image/avif", 4, b"ftypavif"),
    ("video/mp4", 4, b"ftyp"),
    ("video/webm", 0, b"\x1aE\xdf\xa3"),
)


def to_media(source: Source) -> str:
    """A source in the form of a request body."""
    if isinstance(source, str):
        return source
    for kind, at, magic in MAGIC:
        if source[at : at + len(magic)] == magic:
            return f"data:{kind};base64,{base64.b64encode(source).decode()}"
    raise TypeError("These bytes are no image and no video that is known here.")


@dataclass(frozen=True)
class Charge:
    """The price of a call, in micro-USD."""

    id: str
    micro: int
    balance_micro: Optional[int] = None


class Medium:
    """A finished picture or film, and its charge. Its file is downloaded on request."""

    def __init__(
        self,
        url: str,
        charge: Charge,
        job_id: Optional[str],
        read: Callable[[str], bytes],
        further: Sequence["Medium"] = (),
    ) -> None:
        self.url = url
        self.charge = charge
        self.job_id = job_id
        self._read = read
        self.further = further

    def bytes(self) -> bytes:
        return self._read(self.url)

    def save(self, path: str) -> None:
        content = self.bytes()
        with open(path, "wb") as file:
            file.write(content)
